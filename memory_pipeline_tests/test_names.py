"""Names say what a thing is, or what is done: a bare participle says neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "memory_pipeline"
PARTICIPLES = """
answered asked cited done flushed found given held heard kept known left linked made meant named put read recalled
received said seen shown staged taken told used wanted written
"""
# Words about words: there a participle is what a text does, as grammar has it.
READERS_OF_TEXT = ("language/", "inference/builtin/", "retrieval/")
VERBS = {"put", "read"}
COMMANDS = {("cli/runs/unpublished.py", "staged"), ("stages/publication/staged_publication.py", "staged")}
_FUNCTION = re.compile(r"^(?:async )?def ([a-z]\w*)", re.MULTILINE)
_CLASS = re.compile(r"^\s*class (\w+)", re.MULTILINE)


def _names() -> Iterator[tuple[str, str]]:
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).as_posix()
        yield place, path.stem
        yield from ((place, name) for name in _CLASS.findall(path.read_text(encoding="utf-8")))


def test_no_class_and_no_module_is_named_by_a_bare_participle() -> None:
    bare = frozenset(PARTICIPLES.split())
    assert [name for name in _names() if name[1].strip("_").lower() in bare] == []


def test_no_function_of_a_module_is_named_by_a_bare_participle() -> None:
    bare = frozenset(PARTICIPLES.split()) - VERBS
    places = ((path, path.relative_to(PACKAGE).as_posix()) for path in PACKAGE.rglob("*.py"))
    assert [
        (place, name)
        for path, place in places
        if not place.startswith(READERS_OF_TEXT)
        for name in _FUNCTION.findall(path.read_text(encoding="utf-8"))
        if name in bare and (place, name) not in COMMANDS
    ] == []
