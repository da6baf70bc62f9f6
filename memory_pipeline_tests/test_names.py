"""Classes and modules are named by nouns: a bare participle says what was done, and not what the thing is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "memory_pipeline"
PARTICIPLES = """
answered asked cited done flushed found given held heard kept known left linked made meant named put read recalled
received said seen shown staged taken told used wanted written
"""
_CLASS = re.compile(r"^\s*class (\w+)", re.MULTILINE)


def _names() -> Iterator[tuple[str, str]]:
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).as_posix()
        yield place, path.stem
        yield from ((place, name) for name in _CLASS.findall(path.read_text(encoding="utf-8")))


def test_no_class_and_no_module_is_named_by_a_bare_participle() -> None:
    bare = frozenset(PARTICIPLES.split())
    assert [name for name in _names() if name[1].strip("_").lower() in bare] == []
