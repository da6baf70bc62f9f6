"""Expected memories against those that are there: a memory fits only if every field that is named agrees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.consolidation.slots import same_value
from memory_pipeline.domain.ledger.memory import MemoryVersion, Status
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import negated, normalise
from memory_pipeline.evaluation.fixture import Fixture, Remembered
from memory_pipeline.evaluation.fixture_home import message_name

_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
Memories = Mapping[Scope, Sequence[MemoryVersion]]


@dataclass(frozen=True, slots=True)
class Matching:
    """Which memory fulfils which expectation; each at most one.

    Attributes:
        expected: memory by the place of the expectation in ``fixture.remembers``.
        allowed: memories that the fixture expects or permits.
        unexpected: all others.
    """

    expected: Mapping[int, MemoryVersion]
    allowed: tuple[MemoryVersion, ...]
    unexpected: tuple[MemoryVersion, ...]

    def labelled(self, fixture: Fixture) -> dict[str, MemoryVersion]:
        """Memory by label, as far as they are there."""
        return {
            wanted.label: self.expected[n]
            for n, wanted in enumerate(fixture.remembers)
            if wanted.label and n in self.expected
        }


def match(fixture: Fixture, memories: Memories) -> Matching:
    """The assignment that fulfils the most: expectations first, then what is permitted (augmenting paths)."""
    wanted = [*fixture.remembers, *fixture.may]
    held = [m for scope in fixture.everyone() for m in memories.get(scope, ())]
    fitting = [
        [
            n
            for n, memory in enumerate(held)
            if not faults(fixture, one, memory, one.status or ((Status.ACTIVE,) if place < _split(fixture) else ()))
        ]
        for place, one in enumerate(wanted)
    ]
    taken: dict[int, int] = {}
    for place in range(len(wanted)):
        _assign(place, fitting, taken, set())
    covered = {n: held[n] for n in taken}
    return Matching(
        expected={place: held[n] for n, place in taken.items() if place < _split(fixture)},
        allowed=tuple(covered.values()),
        unexpected=tuple(memory for n, memory in enumerate(held) if n not in covered),
    )


def _split(fixture: Fixture) -> int:
    return len(fixture.remembers)


def _assign(place: int, fitting: Sequence[Sequence[int]], taken: dict[int, int], seen: set[int]) -> bool:
    for n in fitting[place]:
        if n in seen:
            continue
        seen.add(n)
        if n not in taken or _assign(taken[n], fitting, taken, seen):
            taken[n] = place
            return True
    return False


def faults(fixture: Fixture, wanted: Remembered, memory: MemoryVersion, statuses: Sequence[Status] = ()) -> list[str]:
    """The fields in which a memory is not what an expectation asks for; none where it fits."""
    if memory.scope != wanted.scope(fixture.name):
        return ["owner"]
    return [name for name, agrees in _fields(fixture, wanted, memory, statuses) if not agrees]


def _fields(
    fixture: Fixture, wanted: Remembered, memory: MemoryVersion, statuses: Sequence[Status]
) -> Iterator[tuple[str, bool]]:
    cited = {e.message_id for e in memory.evidence}
    yield "words", all(has_word(memory.content, word) for word in wanted.words)
    yield "without", not any(has_word(memory.content, word) for word in wanted.without)
    yield "from", {message_name(fixture, name) for name in wanted.messages} <= cited
    yield "status", not statuses or memory.status in statuses
    yield "type", not wanted.type or memory.type in wanted.type
    yield "subject", wanted.subject is None or normalise(memory.subject or "") == normalise(wanted.subject)
    yield "attribute", wanted.attribute is None or memory.attribute == wanted.attribute
    yield "value", wanted.value is None or same_value(wanted.value, memory.value)
    yield "surface", wanted.surface is None or memory.surface is wanted.surface
    for name, day, at in (("due", wanted.due, memory.due_at), ("until", wanted.until, memory.valid_until)):
        yield name, day is None or (at is not None and local_day(at, fixture.timezone) == day)
    yield "denies", wanted.denies is None or (memory.negated or negated(memory.content)) == wanted.denies
    yield "pinned", wanted.pinned is None or memory.pinned == wanted.pinned
    yield "reinforced", wanted.reinforced is None or memory.reinforcements >= wanted.reinforced
    yield "never_reinforced", not wanted.never_reinforced or memory.reinforcements == 0
    yield "classification", wanted.classification is None or memory.classification is wanted.classification


def has_word(text: str, word: str) -> bool:
    """Whether a text has a word (or words in a row), in any case of letters; ``emoji*`` is any that begins so."""
    word, text = normalise(word), normalise(text)
    begin, open_ended = word.rstrip("*"), word.endswith("*")
    if _WIDE.search(begin):
        return begin in text
    return re.search(rf"(?<!\w){re.escape(begin)}" + ("" if open_ended else r"(?!\w)"), text) is not None


def closest(fixture: Fixture, wanted: Remembered, memories: Memories) -> str:
    """The memory that comes nearest to an expectation, and where it differs; for the report."""
    statuses = wanted.status or (Status.ACTIVE,)
    near = sorted(
        ((faults(fixture, wanted, m, statuses), m) for m in memories.get(wanted.scope(fixture.name), ())),
        key=lambda pair: ("words" in pair[0], len(pair[0]), pair[1].memory_id),
    )
    if not near:
        return "nothing is remembered of this user"
    differing, memory = near[0]
    return f"nearest is {shown(memory)}; differs in {', '.join(differing) or 'nothing, but stands for another one'}"


def shown(memory: MemoryVersion) -> str:
    """A memory in one line of the report."""
    cited = ", ".join(e.message_id.rpartition("/")[2] for e in memory.evidence)
    slot = f" [{memory.attribute}={memory.value}]" if memory.attribute else ""
    due = f", due {memory.due_at:%Y-%m-%d}" if memory.due_at else ""
    return f"{memory.status} {memory.type} “{memory.content}”{slot} (from {cited or 'hand'}{due})"
