"""One user's days, replayed in order: gate, decide, judge, apply, and let time pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.lifecycle import advance
from memory_pipeline.domain.memory import MemoryVersion, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Finding, Outcome, Proposal, Verdict
from memory_pipeline.domain.replay import REMADE, carry, difference
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.supersession import Action, Decision, decide
from memory_pipeline.domain.transition import apply, finish, identity
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.stages import judge
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.neighbours import Vectors, candidates
from memory_pipeline.stages.quarantine import put_aside


@dataclass(frozen=True, slots=True)
class UserHistory:
    """What a replay starts from.

    Attributes:
        ledger: every row of the user, withdrawals included.
        proposals: from the first replayed day on.
        messages: those the proposals cite, by id.
    """

    scope: Scope
    ledger: Sequence[MemoryVersion]
    proposals: Sequence[Proposal]
    messages: Mapping[str, Message]


class Replay:
    """Replays one user from a day on, and says how the ledger must change.

    After :meth:`run`: ``asserted`` and ``withdrawn`` versions, ``verdicts`` by day, and the days ``covered``.
    """

    def __init__(self, ctx: StageContext, history: UserHistory, vectors: Vectors) -> None:
        self.history = history
        self.verdicts: dict[date, list[Verdict]] = defaultdict(list)
        self.asserted: list[MemoryVersion] = []
        self.withdrawn: list[MemoryVersion] = []
        self.covered: set[date] = set()
        self._ctx = ctx
        self._vectors = vectors
        self._state: dict[str, MemoryVersion] = {}
        self._made: list[MemoryVersion] = []

    async def run(self, first: date, last: date) -> None:
        """Replay from ``first`` to ``last``, and on to the end of the user's history when that changed anything."""
        held = standing(self.history.ledger)
        self._state = fold(v for v in held if v.day < first)
        days = sorted({p.day for p in self.history.proposals} | {v.day for v in held if v.day >= first})
        now_and_later = [d for d in days if d <= last], [d for d in days if d > last]
        await self._days(now_and_later[0], held)
        self.covered = set(now_and_later[0])
        old = [v for v in held if first <= v.day <= last]
        if now_and_later[1] and self._differs(old):
            await self._days(now_and_later[1], held)
            self.covered = set(days)
            old = [v for v in held if v.day >= first]
        self.asserted, self.withdrawn = difference(old, self._made)

    def _differs(self, old: Sequence[MemoryVersion]) -> bool:
        return {v.version_id for v in old} != {v.version_id for v in self._made}

    async def _days(self, days: Sequence[date], held: Sequence[MemoryVersion]) -> None:
        proposals: dict[date, list[Proposal]] = defaultdict(list)
        carried: dict[date, list[MemoryVersion]] = defaultdict(list)
        for proposal in self.history.proposals:
            proposals[proposal.day].append(proposal)
        for row in held:
            if row.cause not in REMADE:
                carried[row.day].append(row)
        for day in days:
            self._let_time_pass(day)
            for row in sorted(carried[day], key=lambda v: (v.changed_at, v.memory_id, v.version)):
                again = carry(row, self._state.get(row.memory_id))
                if again is not None:
                    self._take(again)
            await self._day(day, sorted(proposals[day], key=lambda p: (p.observed_at, p.window_id, p.ordinal)))

    def _let_time_pass(self, day: date) -> None:
        policy = self._ctx.policy
        for memory_id in sorted(self._state):
            memory = self._state[memory_id]
            if memory.review_on is None or memory.review_on > day:
                continue
            for version in advance(memory, day, policy.lifecycle):
                self._take(finish(version, policy, self._ctx.run_id, self._ctx.now))

    def _take(self, version: MemoryVersion) -> None:
        self._state[version.memory_id] = version
        self._made.append(version)

    async def _day(self, day: date, proposals: Sequence[Proposal]) -> None:
        ambiguous: list[judge.Ambiguous] = []
        findings: dict[str, tuple[Finding, ...]] = {}
        for proposal in proposals:
            found = findings[proposal.proposal_id] = examine(
                GateInput(proposal, self.history.messages, self._ctx.policy.gate, canaries=CANARIES)
            )
            failed = first_failure(found)
            if failed is not None:
                self._verdict(proposal, Outcome.REJECTED, failed.code, found, None)
                continue
            near = candidates(proposal, self._state.values(), self._vectors, self._ctx.policy)
            decision = decide(proposal, near, self._ctx.policy.similarity)
            if decision.certain:
                self._apply(proposal, decision, found)
            else:
                ambiguous.append(judge.Ambiguous(proposal, near, decision))
        if ambiguous:
            for case, decision in zip(ambiguous, await self._judged(day, ambiguous), strict=True):
                self._apply(case.proposal, decision, findings[case.proposal.proposal_id])

    async def _judged(self, day: date, cases: Sequence[judge.Ambiguous]) -> list[Decision]:
        timezone = self._timezone(cases[0].proposal)
        request, ids = judge.request_for(self.history.scope, day, timezone, cases, self._state.values())
        try:
            reply = await self._ctx.replies.complete(request)
        except ReplyError as error:
            put_aside(self._ctx, f"consolidate/{self.history.scope.user_id}/{day}", 0, str(error), error.reply)
            return [case.fallback for case in cases]
        return judge.decisions(reply.value, cases, ids, self._state)

    def _apply(self, proposal: Proposal, decision: Decision, findings: tuple[Finding, ...]) -> None:
        ctx = self._ctx
        made = apply(proposal, decision, self._state, ctx.policy, ctx.run_id, ctx.now, self._timezone(proposal))
        for version in made:
            self._take(version)
        if not made:
            # It would end or confirm something, and nothing that is remembered is clearly meant.
            self._verdict(proposal, Outcome.REJECTED, "no_target", findings, None)
            return
        merged = decision.action in (Action.REINFORCE, Action.MERGE) or made[0].memory_id in decision.targets
        outcome = Outcome.MERGED if merged and made[-1].version > 1 else Outcome.ACCEPTED
        concerned = identity(proposal) if any(v.memory_id == identity(proposal) for v in made) else made[0].memory_id
        self._verdict(proposal, outcome, str(decision.action), findings, concerned)

    def _timezone(self, proposal: Proposal) -> str:
        cited = (self.history.messages.get(e.message_id) for e in proposal.evidence)
        return next((m.timezone for m in cited if m is not None), self._ctx.settings.timezone)

    def _verdict(
        self,
        proposal: Proposal,
        outcome: Outcome,
        reason: str,
        findings: tuple[Finding, ...],
        memory_id: str | None,
    ) -> None:
        self.verdicts[proposal.day].append(
            Verdict(
                verdict_id=identifier("vdt", proposal.proposal_id),
                proposal_id=proposal.proposal_id,
                tenant_id=proposal.tenant_id,
                user_id=proposal.user_id,
                day=proposal.day,
                outcome=outcome,
                reason=reason,
                findings=findings,
                memory_id=memory_id,
            )
        )
