"""What the user has had forgotten, and what is not to be brought up, as masks over the rows of every layer.

The topics are read out of the user's memories as they are now; which rows speak of them is worked out once for a state
of the rows and kept with them. The pleas, their topics and what rests on them hold for every read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.entities import USER, Entity, Kind
from memory_pipeline.domain.memory import FORGOTTEN_TOPIC
from memory_pipeline.domain.topic_wordings import topics
from memory_pipeline.domain.topics import Statement, Topic, beside, source, speaks, touches
from memory_pipeline.retrieval.rows import MEMORIES, MESSAGES, SUMMARIES, UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

_DERIVED = ("reflection", "pattern")


@dataclass(frozen=True, slots=True)
class Plea:
    """A topic that is closed.

    Attributes:
        at: when it was asked for, in seconds since 1970; a boundary holds at all times.
        renewed: when the user first told something of the topic again, infinite where that has not been.
    """

    topic: Topic
    at: float = np.inf
    renewed: float = np.inf


@dataclass
class Marked:
    """What the pleas make of the rows of one table.

    Attributes:
        gone: what is to be forgotten, and is never shown, shape (rows,).
        closed: what each boundary keeps from being brought up, shape (boundaries + 1, rows); the last one is what says
            again what single memories do that must not be.
    """

    gone: Mask
    closed: Mask
    _avoided: frozenset[str] | None = None

    def avoided(self, rows: UserRows) -> frozenset[str]:
        """Ids of what any boundary keeps from being brought up; of turns their keys.

        Args:
            rows: those that were marked.
        """
        if self._avoided is None:
            keys = rows.values("message_key") if rows.name == MESSAGES else rows.ids
            self._avoided = frozenset(keys[self.closed.any(axis=0)])
        return self._avoided


class Topics:
    """The pleas of one user.

    Args:
        now: the user's memories as they are today.
        messages: the user's turns.
    """

    def __init__(self, now: UserRows, messages: UserRows) -> None:
        self._now = now
        self._messages = messages

    def unasked(self, marked: Marked, text: str) -> Mask:
        """What must not be brought up in reply to a text: what boundaries close and it does not name, shape (rows,)."""
        named = [speaks(plea.topic, text) for plea in self.boundaries]
        return np.asarray(marked.closed[[not n for n in (*named, False)]].any(axis=0), dtype=bool)

    def silent(self, text: str, at: float) -> bool:
        """Whether a text of the running conversation or a summary of it speaks of anything that is closed.

        Args:
            at: when it was said, in seconds since 1970.
        """
        if any(speaks(plea.topic, text) for plea in self.boundaries):
            return True
        if any(at < plea.renewed and speaks(plea.topic, text) for plea in self.holds):
            return True
        return any(said.held(text) for said, anew in self._forgotten if at < anew) or any(
            said.held(text) for said, _ in self._suppressed
        )

    # -- what is closed

    @cached_property
    def boundaries(self) -> tuple[Plea, ...]:
        """What is not to be brought up."""
        now = self._now
        stands = now.matching("type", ("boundary",)) & now.matching("status", ("active",))
        return tuple(Plea(topic) for n in np.flatnonzero(stands).tolist() for topic in self._topics(n))

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
        contents = self._now.table.column("content")
        likely = np.flatnonzero(_found(contents, [topic]))
        return {name for n in likely.tolist() for name in beside(topic, contents[n].as_py())}

    def _renewed(self, topic: Topic, at: float) -> float:
        """When the user told something of a topic again after a plea to forget it."""
        now = self._now
        told = now.matching("status", ("active",)) & ~now.matching("type", ("boundary", *_DERIVED))
        times = now.seconds("observed_at")
        later = np.flatnonzero(told & (times > at)).tolist()
        return float(min((times[n] for n in later if self._touched(topic, n)), default=np.inf))

    def _touched(self, topic: Topic, place: int, rows: UserRows | None = None) -> bool:
        row = (rows or self._now).row(place)
        return touches(topic, row["content"], subject=row["subject"], attribute=row["attribute"], value=row["value"])

    # -- what single memories say that are forgotten or suppressed

    @cached_property
    def _forgotten(self) -> tuple[tuple[Statement, float], ...]:
        """What was forgotten, and when it was told anew."""
        now = self._now
        gone = now.matching("memory_id", now.forgotten) & ~now.matching("attribute", (FORGOTTEN_TOPIC,))
        return tuple((said, self._told_anew(said, n)) for n, said in self._statements(gone))

    @cached_property
    def _suppressed(self) -> tuple[tuple[Statement, int], ...]:
        """What is not to be brought up, with the place of its boundary; behind the last what was suppressed alone."""
        now = self._now
        alone = now.matching("surface", ("avoid",)) & now.matching("status", ("active",))
        closed = self.marked(now).closed
        kept = np.vstack([closed[:-1], (alone & ~closed[:-1].any(axis=0))[None]])
        return tuple((said, n) for n, mask in enumerate(kept) for _, said in self._statements(mask))

    def _statements(self, mask: Mask) -> Iterator[tuple[int, Statement]]:
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
        likely = later & _found(now.table.column("content"), [said])
        again = [times[n] for n in np.flatnonzero(likely).tolist() if said.held(now.row(n)["content"])]
        return float(min(again, default=np.inf))

    # -- masks

    def marked(self, rows: UserRows) -> Marked:
        """What the pleas make of the user's memories (as they are now, or were once), turns or summaries."""
        return self._kept(rows, _MAKING[rows.name])

    def _kept(self, rows: UserRows, make: Callable[[Topics, UserRows], Marked]) -> Marked:
        kept = rows.marked
        if kept is None or kept[0] is not self:
            kept = rows.marked = (self, make(self, rows) if len(rows) else self._nothing(rows))
        found: Marked = kept[1]
        return found

    def _nothing(self, rows: UserRows) -> Marked:
        size = len(rows)
        return Marked(np.zeros(size, dtype=bool), np.zeros((len(self.boundaries) + 1, size), dtype=bool))

    def _memories(self, rows: UserRows) -> Marked:
        made = self._nothing(rows)
        said = rows.seconds("observed_at")
        derived = rows.matching("type", _DERIVED)
        notice = rows.matching("type", ("boundary",))
        for n, plea in enumerate(self.boundaries):
            made.closed[n] = self._about(plea.topic, rows) & ~notice
            self._passed_on(made.closed[n], rows, derived, every=True)
        for plea in self.holds:
            before = (said <= plea.at) | (derived & (said < plea.renewed))
            made.gone[:] |= self._about(plea.topic, rows) & ~notice & before
        self._passed_on(made.gone, rows, derived, every=False)
        return made

    @staticmethod
    def _passed_on(mask: Mask, rows: UserRows, derived: Mask, *, every: bool) -> None:
        """Mark what was derived from what is marked: from nothing else, or from any of it."""
        if not mask.any() or not derived.any():
            return
        ids, members = frozenset(rows.values("memory_id")[mask]), rows.values("derived_from")
        for n in np.flatnonzero(derived).tolist():
            rests = ids.issuperset(members[n]) if every else not ids.isdisjoint(members[n])
            mask[n] |= bool(members[n]) and rests

    def _about(self, topic: Topic, rows: UserRows) -> Mask:
        """Which memories speak of a topic, or were read out of a clause that does."""
        mask = np.zeros(len(rows), dtype=bool)
        columns = [rows.table.column(name) for name in ("content", "value", "attribute", "subject")]
        likely = np.zeros(len(rows), dtype=bool)
        for column in columns:
            likely |= _found(column, [topic])
        if topic.attributes:
            likely |= rows.matching("attribute", topic.attributes)
        for n in np.flatnonzero(likely).tolist():
            mask[n] = self._touched(topic, n, rows)
        messages = self._messages
        contents = messages.table.column("content")
        speaking = [n for n in np.flatnonzero(_found(contents, [topic])).tolist() if speaks(topic, contents[n].as_py())]
        by_id = rows.evidence_places if speaking else {}
        ids, sessions = messages.values("message_id"), messages.values("session_id")
        for n in speaking:
            text = contents[n].as_py()
            for place in by_id.get(ids[n], ()):
                row = rows.row(place)
                if not mask[place] and row["session_id"] == sessions[n] and not row["own_words"]:
                    mask[place] = len(row["evidence"]) == 1 and speaks(topic, source(row["content"], text))
        return mask

    def _turns(self, rows: UserRows) -> Marked:
        made, own = self._nothing(rows), self.marked(self._now)
        said, aside = rows.seconds("created_at"), ~rows.matching("role", ("user",))
        for n, plea in enumerate(self.boundaries):
            made.closed[n] = self._speaking(plea.topic, rows)
            made.closed[n][rows.places_of(self._now.cited(own.closed[n]))] = True
        for plea in self.holds:
            made.gone[:] |= self._speaking(plea.topic, rows) & ((said <= plea.at) | (aside & (said < plea.renewed)))
        made.gone[rows.places_of(self._now.cited(own.gone))] = True
        self._say_again(made, rows, said, aside)
        return made

    def _told(self, rows: UserRows) -> Marked:
        made, own = self._nothing(rows), self.marked(self._now)
        at = rows.seconds("observed_at")
        for n, plea in enumerate(self.boundaries):
            made.closed[n] = self._speaking(plea.topic, rows)
        for plea in self.holds:
            made.gone[:] |= self._speaking(plea.topic, rows) & (at < plea.renewed)
        self._say_again(made, rows, at, np.zeros(len(rows), dtype=bool))
        messages = self._messages
        memories = frozenset(self._now.values("memory_id")[own.gone])
        turns = frozenset(messages.values("message_id")[self.marked(messages).gone])
        if memories or turns:
            told = zip(rows.values("memory_ids"), rows.values("message_ids"), strict=True)
            spoilt = (not (memories.isdisjoint(m) and turns.isdisjoint(t)) for m, t in told)
            made.gone[:] |= np.fromiter(spoilt, dtype=bool, count=len(rows))
        return made

    def _speaking(self, topic: Topic, rows: UserRows) -> Mask:
        contents = rows.table.column("content")
        mask = _found(contents, [topic])
        for n in np.flatnonzero(mask).tolist():
            mask[n] = speaks(topic, contents[n].as_py())
        return mask

    def _say_again(self, made: Marked, rows: UserRows, at: npt.NDArray[np.float64], bare: Mask) -> None:
        """Mark what says again what single memories do.

        Args:
            at: when each row was said, in seconds since 1970.
            bare: which rows need hold no more than the memory's value.
        """
        contents = rows.table.column("content")
        likely = _found(contents, [said for said, _ in (*self._forgotten, *self._suppressed)])
        for n in np.flatnonzero(likely).tolist():
            text = contents[n].as_py()
            made.gone[n] |= any(at[n] < anew and said.held(text, bare=bare[n]) for said, anew in self._forgotten)
            for said, boundary in self._suppressed:
                made.closed[boundary, n] |= said.held(text, bare=bare[n])


class _NothingClosed(Topics):
    """Of a user who has closed nothing."""

    def __init__(self) -> None:
        pass

    boundaries = holds = ()

    def silent(self, text: str, at: float) -> bool:
        return False

    def marked(self, rows: UserRows) -> Marked:
        nothing = np.zeros((1, len(rows)), dtype=bool)
        return Marked(nothing[0], nothing)


def pleaded(now: UserRows) -> bool:
    """Whether a user's memories tell of anything that is forgotten, suppressed or not to be brought up."""
    avoided = now.matching("surface", ("avoid",)) & now.matching("status", ("active",))
    return bool(now.forgotten) or bool(avoided.any()) or bool(now.matching("type", ("boundary",)).any())


def _is_called(entity: Entity, topic: Topic) -> bool:
    """Whether somebody is to the user what a topic names: "my ex"."""
    described = (found.parts for who in entity.relations for found in topics(who))
    return bool(topic.parts) and topic.parts in described


def _found(column: pa.ChunkedArray, wanted: Iterable[Topic | Statement]) -> Mask:
    """Which texts hold a word that one of some topics or statements needs."""
    pattern = "|".join(filter(None, dict.fromkeys(thing.pattern for thing in wanted)))
    if not pattern or not len(column):
        return np.zeros(len(column), dtype=bool)
    found = pc.fill_null(pc.match_substring_regex(column, pattern, ignore_case=True), False)
    return np.asarray(found.to_numpy(), dtype=bool)


_MAKING = {MEMORIES: Topics._memories, MESSAGES: Topics._turns, SUMMARIES: Topics._told}
NOTHING_CLOSED: Topics = _NothingClosed()

__all__ = ["NOTHING_CLOSED", "Marked", "Plea", "Topics", "pleaded"]
