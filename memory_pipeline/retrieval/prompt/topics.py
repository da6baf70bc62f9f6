"""What the user has had forgotten, and what is not to be brought up, as masks over the rows of every layer.

The topics are read out of the user's memories as they are now; which rows speak of them is worked out once for a state
of the rows and kept with them. The pleas, their topics and what rests on them hold for every read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.consolidation.restatement import Statement, Statements
from memory_pipeline.domain.passage import Passage, source
from memory_pipeline.domain.reading.topics import Topic, speaks
from memory_pipeline.retrieval.prompt.pleas import DERIVED, Plea, Pleas, likely, touched
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, SUMMARIES, UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]


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
    """What one user has closed, over all layers.

    Args:
        now: the user's memories as they are today.
        messages: the user's turns.
    """

    def __init__(self, now: UserRows, messages: UserRows) -> None:
        self._now = now
        self._messages = messages
        self._pleas = Pleas(now, messages)

    @property
    def boundaries(self) -> tuple[Plea, ...]:
        """What is not to be brought up."""
        return self._pleas.boundaries

    @property
    def holds(self) -> tuple[Plea, ...]:
        """What was to be forgotten, each from a plea of the user's."""
        return self._pleas.holds

    def unasked(self, marked: Marked, text: str) -> Mask:
        """What must not be brought up in reply to a text: what boundaries close and it does not name, shape (rows,)."""
        named = [speaks(plea.topic, text) for plea in self.boundaries]
        return np.asarray(marked.closed[[not n for n in (*named, False)]].any(axis=0), dtype=bool)

    def far(
        self,
        text: str,
        vector: npt.NDArray[np.float32],
        least: float,
        session_id: str | None = None,
        under_way: Sequence[str] = (),
    ) -> frozenset[str]:
        """Ids of the boundaries that a request is far from: the masks hold them, and to name them would only bring them
        up. One that was pinned, or names no topic that a mask could hold, is never far.

        Args:
            vector: of the request, shape (dimensions,), of length 1.
            least: cosine to the boundary's own words from which on a request is near it.
            session_id: of the conversation that the request belongs to.
            under_way: turns of that conversation that are in no row yet.
        """
        now, turns = self._now, self._messages
        here = turns.matching("session_id", () if session_id is None else (session_id,))
        closed = self.marked(turns).closed if here.any() else self._nothing(turns).closed
        named = {
            plea.place
            for plea, about in zip(self.boundaries, closed, strict=False)
            if (about & here).any() or any(speaks(plea.topic, said) for said in (text, *under_way))
        }
        held = {plea.place for plea in self.boundaries} - named
        pinned = now.numbers("pinned") == 1
        return frozenset(now.ids[n] for n in held if not pinned[n] and now.vectors[n] @ vector < least)

    def silent(self, text: str, at: float) -> bool:
        """Whether a text of the running conversation or a summary of it speaks of anything that is closed.

        Args:
            at: when it was said, in seconds since 1970.
        """
        if any(speaks(plea.topic, text) for plea in self.boundaries):
            return True
        if any(at < plea.renewed and speaks(plea.topic, text) for plea in self.holds):
            return True
        return any(said.held(text) for said, anew in self._pleas.forgotten if at < anew) or any(
            said.held(text) for said, _ in self._suppressed
        )

    @cached_property
    def _suppressed(self) -> tuple[tuple[Statement, int], ...]:
        """What is not to be brought up, with the place of its boundary; behind the last what was suppressed alone."""
        now = self._now
        alone = now.matching("surface", ("avoid",)) & now.matching("status", ("active",))
        closed = self.marked(now).closed
        kept = np.vstack([closed[:-1], (alone & ~closed[:-1].any(axis=0))[None]])
        return tuple((said, n) for n, mask in enumerate(kept) for _, said in self._pleas.statements(mask))

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
        derived = rows.matching("type", DERIVED)
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
        mask, some = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
        for name in ("content", "value", "attribute", "subject"):
            some |= likely(rows.table.column(name), [topic])
        if topic.attributes:
            some |= rows.matching("attribute", topic.attributes)
        for n in np.flatnonzero(some).tolist():
            mask[n] = touched(topic, rows, n)
        messages, speaking = self._messages, np.flatnonzero(self._said[topic]).tolist()
        texts, ids = messages.table.column("content"), messages.values("message_id")
        sessions = messages.values("session_id")
        cited = rows.citing if speaking else {}
        for n in speaking:
            for place in cited.get(ids[n], ()):
                row = rows.row(place)
                alone = len(row["evidence"]) == 1 and row["session_id"] == sessions[n] and not row["own_words"]
                if alone and not mask[place]:
                    mask[place] = speaks(topic, source(row["content"], texts[n].as_py()))
        return mask

    def _turns(self, rows: UserRows) -> Marked:
        made, own = self._nothing(rows), self.marked(self._now)
        said, aside = rows.seconds("created_at"), ~rows.matching("role", ("user",))
        told = self._said if rows is self._messages else self._speaking(rows)
        for n, plea in enumerate(self.boundaries):
            made.closed[n] = told[plea.topic]
            made.closed[n][rows.places_of(self._now.cited(own.closed[n]))] = True
        for plea in self.holds:
            made.gone[:] |= told[plea.topic] & ((said <= plea.at) | (aside & (said < plea.renewed)))
        made.gone[rows.places_of(self._now.cited(own.gone))] = True
        self._say_again(made, rows, said, aside)
        return made

    def _told(self, rows: UserRows) -> Marked:
        made, own = self._nothing(rows), self.marked(self._now)
        at, told = rows.seconds("observed_at"), self._speaking(rows)
        for n, plea in enumerate(self.boundaries):
            made.closed[n] = told[plea.topic]
        for plea in self.holds:
            made.gone[:] |= told[plea.topic] & (at < plea.renewed)
        self._say_again(made, rows, at, np.zeros(len(rows), dtype=bool))
        messages = self._messages
        memories = frozenset(self._now.values("memory_id")[own.gone])
        turns = frozenset(messages.values("message_id")[self.marked(messages).gone])
        if memories or turns:
            rests = zip(rows.values("memory_ids"), rows.values("message_ids"), strict=True)
            spoilt = (not (memories.isdisjoint(m) and turns.isdisjoint(t)) for m, t in rests)
            made.gone[:] |= np.fromiter(spoilt, dtype=bool, count=len(rows))
        return made

    @cached_property
    def _said(self) -> Mapping[Topic, Mask]:
        return self._speaking(self._messages)

    def _speaking(self, rows: UserRows) -> Mapping[Topic, Mask]:
        """Which texts speak of each topic; a text of several is taken apart once."""
        contents = rows.table.column("content")
        masks = {plea.topic: likely(contents, [plea.topic]) for plea in (*self.boundaries, *self.holds)}
        some = np.logical_or.reduce(list(masks.values())) if masks else np.zeros(len(rows), dtype=bool)
        for n in np.flatnonzero(some).tolist():
            text = Passage(contents[n].as_py())
            for topic, mask in masks.items():
                mask[n] = mask[n] and speaks(topic, text)
        return masks

    def _say_again(self, made: Marked, rows: UserRows, at: npt.NDArray[np.float64], bare: Mask) -> None:
        """Mark what says again what single memories do.

        Args:
            at: when each row was said, in seconds since 1970.
            bare: which rows need hold no more than the memory's value.
        """
        gone, closed = Statements(self._pleas.forgotten), Statements(self._suppressed)
        contents = rows.table.column("content")
        some = likely(contents, [said for said, _ in (*self._pleas.forgotten, *self._suppressed)])
        for n in np.flatnonzero(some).tolist():
            text = Passage(contents[n].as_py())
            made.gone[n] |= any(at[n] < anew for anew in gone.held(text, bare=bool(bare[n])))
            made.closed[[*closed.held(text, bare=bool(bare[n]))], n] = True


class _NothingClosed(Topics):
    """Of a user who has closed nothing."""

    def __init__(self) -> None:
        pass

    def unasked(self, marked: Marked, text: str) -> Mask:
        return marked.gone

    @property
    def boundaries(self) -> tuple[Plea, ...]:
        return ()

    def silent(self, text: str, at: float) -> bool:
        return False

    def marked(self, rows: UserRows) -> Marked:
        nothing = np.zeros((1, len(rows)), dtype=bool)
        return Marked(nothing[0], nothing)


_MAKING = {MEMORIES: Topics._memories, MESSAGES: Topics._turns, SUMMARIES: Topics._told}
NOTHING_CLOSED: Topics = _NothingClosed()

__all__ = ["NOTHING_CLOSED", "Marked", "Topics"]
