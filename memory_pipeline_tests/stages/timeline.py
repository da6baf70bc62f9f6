"""One user's life in memory: statements that arrive, acts of the user's own hand, and the ledger that both make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from memory_pipeline.domain.gate import GateInput
from memory_pipeline.domain.ledger.memory import MemoryVersion, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.encoder import RememberingEncoder
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.neighbours import Vectors
from memory_pipeline.stages.consolidation.replay import Replay, UserHistory
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.hand.undo import overruling
from memory_pipeline.stages.hand.user_memories import Desk
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.store import WordEncoder

SCOPE = Scope("t", "u")
_NOWHERE = Settings(home="/nonexistent")
_ENCODER = RememberingEncoder(WordEncoder())
_UNANSWERED = ReplyError("nobody judges here")


def source(said: Proposal) -> Message:
    """The message that a proposal cites."""
    evidence = said.evidence[0]
    return message(
        evidence.quote,
        said.observed_at,
        message_id=evidence.message_id,
        tenant_id=said.tenant_id,
        user_id=said.user_id,
        session_id=said.session_id,
    )


class Timeline:
    """The ledger of a user as runs and acts write it; nothing is stored."""

    def __init__(self) -> None:
        self.ledger: list[MemoryVersion] = []
        self.said: list[Proposal] = []
        self._runs = 0

    @property
    def memories(self) -> list[MemoryVersion]:
        """What stands now, in the order of ids."""
        return sorted(fold(self.ledger).values(), key=lambda m: m.memory_id)

    @property
    def standing(self) -> set[str]:
        return {v.version_id for v in standing(self.ledger)}

    @property
    def days(self) -> list[date]:
        return sorted({p.day for p in self.said} | {v.day for v in standing(self.ledger)})

    def context(self, now: datetime) -> StageContext:
        ctx = StageContext(_NOWHERE, f"run-{self._runs}", now)
        ctx.encoder = _ENCODER
        return ctx

    def arrive(self, proposals: Sequence[Proposal], now: datetime) -> None:
        """Statements arrive, and the days that they are of are consolidated."""
        self.said += proposals
        if proposals:
            days = [p.day for p in proposals]
            self.write(self.replay(min(days), max(days), now), now)

    def extract_again(self, proposals: Sequence[Proposal], now: datetime) -> None:
        """All proposals are replaced, as another prompt or model would, and everything is consolidated again."""
        days = [*self.days, *(p.day for p in proposals)]
        self.said = list(proposals)
        self.write(self.replay(min(days), max(days), now), now)

    def undo(self, memory: MemoryVersion, now: datetime) -> None:
        """Overrule the latest decision about a memory."""
        desk = Desk(self.context(now), SCOPE, self.ledger)
        act, first = overruling(desk, desk.find(memory.memory_id), {p.proposal_id: p for p in self.said})
        replay = self.replay(first, max(self.days[-1], act.day), now, act)
        if act in replay.withdrawn:
            replay.withdrawn.remove(act)
        else:
            replay.asserted.append(act)
        self.write(replay, now)

    def replay(self, first: date, last: date, now: datetime, *acts: MemoryVersion) -> Replay:
        """A replay of some days, and of what follows from them; the judge is never reached."""
        ctx = self.context(now)
        messages = {p.evidence[0].message_id: source(p) for p in self.said}
        proposals = [p for p in self.said if p.day >= first]
        given = {p.proposal_id: GateInput(p, messages, ctx.policy.gate) for p in proposals}
        replay = Replay(ctx, UserHistory(SCOPE, [*self.ledger, *acts], proposals, messages, given), Vectors(ctx))
        while cases := replay.fold(first, last):
            for case in cases:
                replay.learn(case, _UNANSWERED)
        return replay

    def write(self, replay: Replay, now: datetime) -> None:
        """What a replay changes goes to the ledger, as publishing does it."""
        self._runs += 1
        last: dict[str, datetime] = {}
        for row in self.ledger:
            last[row.version_id] = max(row.recorded_at, last.get(row.version_id, row.recorded_at))
        tick = timedelta(microseconds=1)
        for version in replay.withdrawn:
            at = max(now, last[version.version_id] + tick)
            self.ledger.append(replace(version, asserted=False, recorded_at=at))
        for version in replay.asserted:
            seen = last.get(version.version_id)
            at = version.recorded_at if seen is None else max(version.recorded_at, seen + tick)
            self.ledger.append(replace(version, recorded_at=at))

    def act(self, now: datetime, do: Callable[[Desk], object]) -> None:
        """Do something by hand."""
        self._runs += 1
        desk = Desk(self.context(now), SCOPE, self.ledger)
        do(desk)
        self.ledger += desk.made
