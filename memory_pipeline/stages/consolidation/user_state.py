"""A user's memories while one day after another is replayed: what is taken over, and what time does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from heapq import heappop, heappush
from itertools import chain
from typing import Protocol

from memory_pipeline.domain.derived.pattern import holds, takes
from memory_pipeline.domain.gate import GateInput
from memory_pipeline.domain.ledger.attachment import attached, overruled
from memory_pipeline.domain.ledger.curation import is_act, versions_of_act
from memory_pipeline.domain.ledger.lifecycle import advance
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, standing
from memory_pipeline.domain.ledger.replay import carry
from memory_pipeline.domain.ledger.transition import finish
from memory_pipeline.domain.ledger.twins import REWORDING, absorbed, twin_of
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.neighbours import Neighbourhood, Vectors
from memory_pipeline.stages.context import StageContext


@dataclass(frozen=True, slots=True)
class UserHistory:
    """What a replay starts from.

    Attributes:
        ledger: every row of the user, withdrawals included.
        proposals: from the first replayed day on, screened.
        messages: those the proposals cite, by id.
        given: what the gate looks at, by proposal id.
        proposed: ids of the proposals as they were read.
        held: by day that a rollback has put back the ids of the versions that stand (``domain.ledger.hold``).
    """

    scope: Scope
    ledger: Sequence[MemoryVersion]
    proposals: Sequence[Proposal]
    messages: Mapping[str, Message]
    given: Mapping[str, GateInput]
    proposed: frozenset[str] = frozenset()
    held: Mapping[date, frozenset[str]] = field(default_factory=dict)


class WeekEnds(Protocol):
    """What another stage makes at the ends of weeks of what a replay has come to by then."""

    @property
    def days(self) -> Set[date]:
        """The last day of each of the weeks."""
        ...

    def begin(self) -> None:
        """The replay starts anew."""
        ...

    def remakes(self, row: MemoryVersion) -> bool:
        """Whether a row of the ledger was made so before, and is not carried over."""
        ...

    def made(self, day: date, state: Mapping[str, MemoryVersion]) -> Sequence[MemoryVersion]:
        """The versions to take over at the end of such a day."""
        ...


class UserState:
    """The state that a replay has come to, and the versions that it has made on the way."""

    def __init__(self, ctx: StageContext, history: UserHistory, vectors: Vectors) -> None:
        self.history = history
        self._ctx = ctx
        self._held = standing(history.ledger)
        self._undone = [row for row in self._held if is_act(row) and row.change is Change.UNDO]
        self._rows = {row.version_id: row for row in history.ledger}
        self._first = date.min
        self._state: dict[str, MemoryVersion] = {}
        self._made: list[MemoryVersion] = []
        self._near = Neighbourhood(vectors, ())
        self._reviews: list[tuple[date, str]] = []

    def _carry(self, row: MemoryVersion) -> None:
        """Take over what another hand did, at its own time among what was said."""
        if not is_act(row):
            again = carry(row, self._state.get(row.memory_id))
            if again is not None and self._borne(again):
                self._take(again)
            return
        policy = self._ctx.policy
        current = attached(row, self._rows.get(row.previous_version_id or ""), self._state)
        cited = self._cited(current.memory_id) if current is not None else ()
        for version in versions_of_act(row, current, self._state, policy, cited=cited, undone=self._undone):
            self._put(version)  # an act has settled with the memories beside it

    def _borne(self, row: MemoryVersion) -> bool:
        """Whether a pattern, or its taking a member's place, still has what it rests on."""
        if row.cause is not Cause.PATTERN:
            return True
        if row.version == 1:
            return holds(row, self._state, self._undone, self._ctx.policy.pattern)
        return takes(row, self._state[row.memory_id], self._state, self._undone)

    def _cited(self, memory_id: str) -> set[str]:
        """Every message that a memory has rested on so far; its last version names only some of many."""
        known = chain((v for v in self._held if v.day < self._first), self._made)
        return {e.message_id for v in known if v.memory_id == memory_id for e in v.evidence}

    def _let_time_pass(self, day: date) -> None:
        policy = self._ctx.policy
        due = set()
        while self._reviews and self._reviews[0][0] <= day:
            due.add(heappop(self._reviews)[1])
        for memory_id in sorted(due):
            memory = self._state[memory_id]
            if memory.review_on is None or memory.review_on > day:
                continue
            for version in advance(memory, day, policy.lifecycle):
                if version.day in self.history.held:
                    break
                self._take(finish(version, policy, self._ctx.run_id, self._ctx.now))

    def _take(self, version: MemoryVersion) -> None:
        self._put(version)
        if version.change in REWORDING and version.status is Status.ACTIVE:
            self._without_twin(version)

    def _put(self, version: MemoryVersion) -> None:
        self._state[version.memory_id] = version
        self._made.append(version)
        self._near.put(version)
        if version.review_on is not None:
            heappush(self._reviews, (version.review_on, version.memory_id))

    def _without_twin(self, version: MemoryVersion) -> None:
        """A memory that came to say what another one says does not stand beside it."""
        twin = twin_of(version, self._near.like(version))
        if twin is None:
            return
        ended = absorbed(version, twin)
        if not overruled(self._undone, ended, (ended.superseded_by or "",), self._state):
            self._take(finish(ended, self._ctx.policy, self._ctx.run_id, self._ctx.now))


def in_time(row: MemoryVersion) -> tuple[datetime, bool, str, int]:
    """The order in which what is taken over was done: a pattern comes before what it takes the place of."""
    return row.changed_at, row.cause is Cause.PATTERN and row.version > 1, row.memory_id, row.version
