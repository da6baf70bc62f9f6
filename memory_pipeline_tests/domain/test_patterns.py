"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from typing import Any

import pytest

import memory_pipeline
from memory_pipeline.domain.patterns import lazy


def _patterns(found: Any, depth: int = 3) -> list[re.Pattern[str]]:
    if type(found) is type(lazy("")):
        return [found]
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list | tuple | frozenset) else ()
    return [p for item in inside for p in _patterns(item, depth - 1)] if depth else []


def test_every_pattern_of_the_package_compiles() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages(memory_pipeline.__path__, "memory_pipeline.")
        if module.name.split(".")[1] in {"domain", "language", "retrieval", "inference"}
    ]
    found = [p for name in names for p in _patterns(vars(import_module(name)))]
    assert len(found) > 400
    for pattern in found:
        assert pattern.search("") is None or pattern.pattern


def test_it_is_used_like_a_compiled_one_and_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    compiled = re.compile

    def noted(pattern: str, flags: int) -> re.Pattern[str]:
        asked.append(pattern)
        return compiled(pattern, flags)

    monkeypatch.setattr(re, "compile", noted)
    pattern = lazy(r"(?P<word>[a-z]+)", re.I)
    assert asked == [] and pattern.pattern == r"(?P<word>[a-z]+)"
    hit = pattern.search("12 Apples")
    assert hit is not None and hit["word"] == "Apples"
    assert pattern.sub("x", "a1b") == "x1x" and pattern.groupindex == {"word": 1} and pattern.flags & re.I
    assert len(asked) == 1
    with pytest.raises(AttributeError):
        pattern.nothing_like_it  # type: ignore[attr-defined]  # noqa: B018


def test_a_malformed_one_says_so_at_its_first_use() -> None:
    with pytest.raises(re.error):
        lazy("(").search("")
