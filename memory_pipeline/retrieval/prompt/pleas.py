"""The pleas of a user, read out of the memories as they are now: what to leave alone, and what to forget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.consolidation.restatement import Statement
from memory_pipeline.domain.entities import USER, Entity, Kind
from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC
from memory_pipeline.domain.reading.topic_wordings import topics
from memory_pipeline.domain.reading.topics import Topic, beside, touches
from memory_pipeline.retrieval.store.user_rows import UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

DERIVED = ("reflection", "pattern")


@dataclass(frozen=True, slots=True)
class Plea:
    """A topic that is closed.

    Attributes:
        at: when it was asked for, in seconds since 1970; a boundary holds at all times.
        renewed: when the user first told something of the topic again, infinite where that has not been.
        place: of the memory that it was read out of, among the user's memories.
    """

    topic: Topic
    at: float = np.inf
    renewed: float = np.inf
    place: int = -1


class Pleas:
    """What one user has closed.

    Args:
        now: the user's memories as they are today.
        messages: the user's turns.
    """

    def __init__(self, now: UserRows, messages: UserRows) -> None:
        self._now = now
        self._messages = messages

    @cached_property
    def boundaries(self) -> tuple[Plea, ...]:
        """What is not to be brought up."""
        now = self._now
        stands = now.matching("type", ("boundary",)) & now.matching("status", ("active",))
        return tuple(Plea(topic, place=n) for n in np.flatnonzero(stands).tolist() for topic in self._topics(n))

    @cached_property
    def holds(self) -> tuple[Plea, ...]:
        """What was to be forgotten, each from a plea of the user's."""
        now = self._now
        held = now.matching("attribute", (FORGOTTEN_TOPIC,)) & now.matching("change", ("forget",))
        at = now.seconds("observed_at")
        return tuple(
            Plea(topic, float(at[n]), self._renewed(topic, at[n]))
            for n in np.flatnonzero(held).tolist()
            for topic in self._topics(n)
        )

    def _topics(self, place: int) -> Iterator[Topic]:
        row = self._now.row(place)
        for topic in topics(row["value"], row["content"]):
            yield self._known_as(topic)

    def _known_as(self, topic: Topic) -> Topic:
        """The topic with every name that the user's memories have for it."""
        topic = topic.called(self._in_contents(topic))
        for roster in self._now.names.rosters.values():
            named = {i for name in topic.names for i in roster.resolve(name)}
            meant = [e for e in roster.entities if e.entity_id in named or (not named and _is_called(e, topic))]
            for entity in meant:
                stated = (entity.name, *(a.name for a in entity.aliases if a.reason != "relation"))
                being = topic.person or entity.kind in (Kind.PERSON, Kind.PET)
                topic = topic.called((n for n in stated if n != USER), person=being)
                for who in entity.relations:
                    if not topic.parts and len(roster.resolve(who)) == 1:
                        topic = replace(topic, parts=next(iter(topics(who)), topic).parts)
        return topic

    def _in_contents(self, topic: Topic) -> set[str]:
        found: set[str] = set()
        for rows in (self._now, self._messages):
            contents = rows.table.column("content")
            own = rows.matching("role", ("user",)) if rows is self._messages else np.ones(len(rows), dtype=bool)
            for n in np.flatnonzero(likely(contents, [topic]) & own).tolist():
                found |= beside(topic, contents[n].as_py())
        return found

    def _renewed(self, topic: Topic, at: float) -> float:
        """When the user told something of a topic again after a plea to forget it."""
        now = self._now
        told = now.matching("status", ("active",)) & ~now.matching("type", ("boundary", *DERIVED))
        times = now.seconds("observed_at")
        later = np.flatnonzero(told & (times > at)).tolist()
        return float(min((times[n] for n in later if touched(topic, now, n)), default=np.inf))

    @cached_property
    def forgotten(self) -> tuple[tuple[Statement, float], ...]:
        """What single memories say that are forgotten, and when it was told anew."""
        now = self._now
        gone = now.matching("memory_id", now.forgotten) & ~now.matching("attribute", (FORGOTTEN_TOPIC,))
        return tuple((said, self._told_anew(said, n)) for n, said in self.statements(gone))

    def statements(self, mask: Mask) -> Iterator[tuple[int, Statement]]:
        """What some of the memories say, each with its place; of those that are derived, or notices, nothing."""
        for n in np.flatnonzero(mask & ~self._now.matching("type", ("boundary",))).tolist():
            row = self._now.row(n)
            said = Statement.of(row["content"], row["value"])
            if said and not row["derived_from"]:
                yield n, said

    def _told_anew(self, said: Statement, place: int) -> float:
        """When a memory that stands says again what a forgotten one did."""
        now = self._now
        times = now.seconds("observed_at")
        later = now.matching("status", ("active",)) & (times > now.seconds("referenced_at")[place])
        places = np.flatnonzero(later & likely(now.table.column("content"), [said])).tolist()
        again = [times[n] for n in places if said.held(now.row(n)["content"])]
        return float(min(again, default=np.inf))


def pleaded(now: UserRows) -> bool:
    """Whether a user's memories tell of anything that is forgotten, suppressed or not to be brought up."""
    avoided = now.matching("surface", ("avoid",)) & now.matching("status", ("active",))
    return bool(now.forgotten) or bool(avoided.any()) or bool(now.matching("type", ("boundary",)).any())


def _is_called(entity: Entity, topic: Topic) -> bool:
    """Whether somebody is to the user what a topic names: "my ex"."""
    described = (found.parts for who in entity.relations for found in topics(who))
    return bool(topic.parts) and topic.parts in described


def touched(topic: Topic, rows: UserRows, place: int) -> bool:
    """Whether a memory speaks of a topic, in its content or in its slot."""
    row = rows.row(place)
    return touches(topic, row["content"], subject=row["subject"], attribute=row["attribute"], value=row["value"])


def likely(column: pa.ChunkedArray, wanted: Iterable[Topic | Statement]) -> Mask:
    """Which texts hold a word that one of some topics or statements needs."""
    pattern = "|".join(filter(None, dict.fromkeys(thing.pattern for thing in wanted)))
    if not pattern or not len(column):
        return np.zeros(len(column), dtype=bool)
    found = pc.fill_null(pc.match_substring_regex(column, pattern, ignore_case=True), False)
    return np.asarray(found.to_numpy(), dtype=bool)


__all__ = ["DERIVED", "Plea", "Pleas", "likely", "pleaded", "touched"]
