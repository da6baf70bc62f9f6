"""YAML files → fixtures, with errors that name the file, the line, the fixture and the field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.fixture import Fixture, Remembered

FOLDER = Path(__file__).parent / "fixtures"
_SUITE = ("today", "fixtures")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where libyaml is not there, the slower one
_Path = Sequence[str | int]


def load_fixtures(folder: Path = FOLDER, names: Collection[str] | None = None) -> list[Fixture]:
    """All fixtures of a folder, or some by name, in the order of files and of each file.

    Raises:
        EvaluationError: a file does not hold what the format asks for, a name stands for two fixtures, or for none.
    """
    found: list[Fixture] = []
    places: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        for fixture, line in _read(path):
            place = f"{path.name}:{line}"
            if fixture.name in places:
                raise EvaluationError(f"{place}: a fixture {fixture.name!r} stands in {places[fixture.name]} already")
            places[fixture.name] = place
            found.append(fixture)
    if missing := sorted(set(names or ()) - set(places)):
        raise EvaluationError(f"no fixture called {', '.join(missing)}; there are {', '.join(sorted(places))}")
    return [f for f in found if names is None or f.name in names]


def _read(path: Path) -> Iterator[tuple[Fixture, int]]:
    """The fixtures of one file with their lines."""
    text = path.read_text(encoding="utf-8")
    try:
        loader = _LOADER(text)
        root = loader.get_single_node()
        suite = loader.construct_document(root) if root is not None else None
    except yaml.YAMLError as error:
        raise EvaluationError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(suite, dict) or set(suite) != set(_SUITE) or not isinstance(suite["fixtures"], list):
        raise EvaluationError(f"{path.name}: a file of fixtures has the keys {' and '.join(_SUITE)} (a list)")
    for n, given in enumerate(suite["fixtures"]):
        here: _Path = ("fixtures", n)
        name = given.get("name", f"number {n + 1}") if isinstance(given, dict) else f"number {n + 1}"
        try:
            fixture = Fixture.model_validate({"today": suite["today"], **given} if isinstance(given, dict) else given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise _wrong(path, root, (*here, *first["loc"]), name, first["msg"]) from error
        for where, fault in _faults(fixture):
            raise _wrong(path, root, (*here, *where), name, fault)
        yield fixture, _line(root, here)


def _wrong(path: Path, root: yaml.Node | None, where: _Path, name: str, fault: str) -> EvaluationError:
    field = ".".join(str(part) for part in where[2:])
    return EvaluationError(f"{path.name}:{_line(root, where)}: fixture {name!r}: {field or 'fixture'}: {fault}")


def _line(node: yaml.Node | None, where: _Path) -> int:
    """Line of the deepest node on a path of keys and places that the file has."""
    line = 1
    for part in where:
        if node is not None:
            line = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == part), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        else:
            node = None
        if node is None:
            return line
    return line if node is None else node.start_mark.line + 1


def _faults(fixture: Fixture) -> Iterator[tuple[_Path, str]]:
    """What is well-formed and means nothing: messages, labels, chats and people that the fixture does not have."""
    ids = [chat.id for chat in fixture.chats]
    if len(set(ids)) < len(ids):
        yield ("chats",), "two chats have one id"
    known = set(message_names(fixture))
    labels = {e.label for e in fixture.remembers if e.label}
    if len(labels) < sum(e.label is not None for e in fixture.remembers):
        yield ("remembers",), "two memories have one label"
    people = set(fixture.everyone())
    for where, owned in _owned(fixture):
        if owned.scope(fixture.name) not in people:
            yield (*where, "user"), f"nobody called {owned.user!r} of {owned.tenant!r} speaks or acts here"
    for where, names in _named(fixture):
        for name in names:
            if name not in known:
                yield where, f"no message {name!r}; a message is CHAT.NUMBER, as in s1.2"
    for where, names in _labelled(fixture):
        for name in names:
            if name not in labels:
                yield where, f"no memory is labelled {name!r}"
    for n, ask in enumerate(fixture.asks):
        for one in (name for entry in ask.finds for name in entry):
            if one not in known | labels:
                yield ("asks", n, "finds"), f"{one!r} is neither a message (CHAT.NUMBER) nor a label"
        if ask.session is not None and ask.session not in {c.id for c in (*fixture.chats, *fixture.late)}:
            yield ("asks", n, "session"), f"no chat {ask.session!r}"


def message_names(fixture: Fixture) -> dict[str, Scope]:
    """The name of every message, with its owner."""
    return {
        f"{chat.id}.{n}": chat.scope(fixture.name)
        for chat in (*fixture.chats, *fixture.late)
        for n in range(1, len(chat.turns) + 1)
    }


def _owned(fixture: Fixture) -> Iterator[tuple[_Path, Any]]:
    for group in ("remembers", "may", "forbids", "rejects", "asks", "contexts", "answers"):
        for n, part in enumerate(getattr(fixture, group)):
            yield (group, n), part


def _named(fixture: Fixture) -> Iterator[tuple[_Path, Sequence[str]]]:
    for where, part in _owned(fixture):
        if isinstance(part, Remembered) or where[0] == "rejects":
            yield (*where, "from"), part.messages
        elif where[0] == "answers":
            yield (*where, "cites"), part.cites


def _labelled(fixture: Fixture) -> Iterator[tuple[_Path, Sequence[str]]]:
    for n, context in enumerate(fixture.contexts):
        for title, labels in context.holds.items():
            yield ("contexts", n, "holds", title), labels
        yield ("contexts", n, "only_there"), context.only_there
    for n, expected in enumerate(fixture.remembers):
        yield ("remembers", n, "follows"), [expected.follows] if expected.follows else []
