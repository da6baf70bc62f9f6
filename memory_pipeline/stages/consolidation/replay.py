"""One user's days, replayed in order: gate, decide, judge, apply, and let time pass."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date
from heapq import heapify

from memory_pipeline.domain.consolidation.plans.outcome import Result, boosted, decision_behind, result_of
from memory_pipeline.domain.consolidation.slots import Slot, attribute
from memory_pipeline.domain.consolidation.supersession import Action, Candidate, Decision, decide
from memory_pipeline.domain.gate import examine, first_failure, nods
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.attachment import overruled, sources_of, spared
from memory_pipeline.domain.ledger.curation import take_back
from memory_pipeline.domain.ledger.hold import HELD, put_back
from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC, RETIRED, MemoryVersion, fold
from memory_pipeline.domain.ledger.replay import carried, difference
from memory_pipeline.domain.ledger.transition import apply, finish, identity
from memory_pipeline.domain.proposal import Finding, MemoryType, Operation, Outcome, Proposal, Verdict
from memory_pipeline.domain.reasons import Reason
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply
from memory_pipeline.inference.replies import JudgeReply
from memory_pipeline.stages.consolidation import judge
from memory_pipeline.stages.consolidation.kept_judgements import JudgedBefore
from memory_pipeline.stages.consolidation.neighbours import Neighbourhood, Vectors, near_loops
from memory_pipeline.stages.consolidation.user_state import UserHistory as UserHistory
from memory_pipeline.stages.consolidation.user_state import UserState, WeekEnds, in_time
from memory_pipeline.stages.context import StageContext

_STATING = frozenset({Operation.ADD, Operation.UPDATE, Operation.REINFORCE})
# What is decided by slot or words about a memory that states the same, or another value of the same.
_MEETING = frozenset({Action.REINFORCE, Action.MERGE, Action.SUPERSEDE, Action.CONTRADICT})
# What can tell that something is done; a wish, a rule or a taste cannot.
_TELLING = frozenset(
    {
        MemoryType.EPISODIC_EVENT,
        MemoryType.PROFILE_FACT,
        MemoryType.EPHEMERAL,
        MemoryType.DECISION,
        MemoryType.FINDING,
        MemoryType.CORRECTION,
    }
)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A replay at the start of a day, before which no question was open.

    Attributes:
        span: first and last day of the fold.
        made: how many versions there were.
    """

    span: tuple[date, date]
    day: date
    state: Mapping[str, MemoryVersion]
    made: int
    near: Neighbourhood
    reviews: Sequence[tuple[date, str]]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is done with a proposal.

    Attributes:
        reply_key: of the judge's reply that says so; None where rules decided.
    """

    decision: Decision
    reply_key: str | None = None


class Replay(UserState):
    """Replays one user from a day on, and says how the ledger must change.

    A fold goes through all days with what the judge is known to say; one that runs in the process is asked on the way.
    Another is asked afterwards, for all days at once, and the fold is done again from the first day with a question.
    So a back-fill asks a few times, a single day once, and both find the same state. After the last :meth:`fold`:
    ``asserted`` and ``withdrawn`` versions, ``verdicts`` by day, and the days ``covered``.

    Args:
        before: the judge's answers that are at hand.
        weeks: what is made anew at the ends of weeks.
    """

    def __init__(
        self,
        ctx: StageContext,
        history: UserHistory,
        vectors: Vectors,
        before: JudgedBefore | None = None,
        weeks: WeekEnds | None = None,
    ) -> None:
        super().__init__(ctx, history, vectors)
        self._weeks = None if history.held else weeks  # what a rollback has put back is not made anew
        self.verdicts: dict[date, list[Verdict]] = defaultdict(list)
        self.asserted: list[MemoryVersion] = []
        self.withdrawn: list[MemoryVersion] = []
        self.covered: set[date] = set()
        self.failed: set[date] = set()
        self._vectors = vectors
        self._before = before
        self._gated: dict[str, tuple[Finding, ...]] = {}
        self._said: dict[str, JudgeReply | None] = {}
        self._keys: dict[str, str] = {}
        self._unknown: dict[str, judge.Case] = {}
        self._mark: _Mark | None = None

    def fold(self, first: date, last: date) -> list[judge.Case]:
        """Replay from ``first`` to ``last``, and on to the end of the user's history when that changed anything.

        Returns:
            Cases that the judge has not been asked about, and can be; none when the result stands.
        """
        since = self._begin(first, last)
        days = sorted(
            {p.day for p in self.history.proposals}
            | {v.day for v in self._held if v.day >= first}
            | {day for day in self.history.held if day >= first}
            | {day for day in (self._weeks.days if self._weeks else ()) if day >= first}
        )
        now, later = [d for d in days if d <= last], [d for d in days if d > last]
        self._days([d for d in now if d >= since], (first, last))
        self.covered = set(now)
        old = [v for v in self._held if first <= v.day <= last]
        if later and not self._unknown and {v.version_id for v in old} != {v.version_id for v in self._made}:
            self._days([d for d in later if d >= since], (first, last))
            self.covered = set(days)
            old = [v for v in self._held if v.day >= first]
        self.asserted, self.withdrawn = difference(old, self._made)
        return judge.ready(list(self._unknown.values()))

    def learn(self, case: judge.Case, answer: ChatReply[JudgeReply] | ReplyError) -> None:
        """Take the judge's answer to a case; without a fitting one the fallback holds, and the day stays open."""
        if isinstance(answer, ReplyError):
            self.failed.add(case.proposal.day)
        else:
            self._keys[case.key] = answer.key
        self._said[case.key] = None if isinstance(answer, ReplyError) else answer.value

    def _begin(self, first: date, last: date) -> date:
        """Go back to before the first question of the last fold, or to the start. Returns the day to go on from."""
        self._unknown.clear()
        if self._weeks is not None:
            self._weeks.begin()
        mark = self._mark
        if mark is not None and mark.span == (first, last):
            for day in [day for day in self.verdicts if day >= mark.day]:
                del self.verdicts[day]
            self._made = self._made[: mark.made]
            self._state, self._reviews, self._near = dict(mark.state), list(mark.reviews), mark.near.copy()
            return mark.day
        self.verdicts.clear()
        self._made = []
        self._first = first
        self._state = fold(v for v in self._held if v.day < first)
        self._near = Neighbourhood(self._vectors, self._state.values())
        self._reviews = [(m.review_on, i) for i, m in self._state.items() if m.review_on is not None]
        heapify(self._reviews)
        self._mark = None
        return first

    def _days(self, days: Sequence[date], span: tuple[date, date]) -> None:
        proposals: dict[date, list[Proposal]] = defaultdict(list)
        others: dict[date, list[MemoryVersion]] = defaultdict(list)
        for proposal in self.history.proposals:
            proposals[proposal.day].append(proposal)
        for row in self._held:
            if carried(row) and not (row.day in self.history.held and row.cause in HELD) and not self._remade(row):
                others[row.day].append(row)
        for day in days:
            if not self._unknown and proposals[day]:
                self._mark = _Mark(
                    span, day, dict(self._state), len(self._made), self._near.copy(), tuple(self._reviews)
                )
            self._let_time_pass(day)
            if day in self.history.held:
                self._put_back(day, others[day])
                self._overlook(day, proposals[day])
                continue
            said = sorted(proposals[day], key=lambda p: (p.observed_at, p.window_id, p.ordinal))
            for row in sorted(others[day], key=in_time):
                before = bisect_right(said, row.changed_at, key=lambda p: p.observed_at)
                self._day(said[:before])
                said = said[before:]
                self._carry(row)
            self._day(said)
            if self._weeks is not None and day in self._weeks.days:
                for row in self._weeks.made(day, self._state):
                    self._carry(row)

    def _remade(self, row: MemoryVersion) -> bool:
        return self._weeks is not None and self._weeks.remakes(row)

    def _put_back(self, day: date, others: Sequence[MemoryVersion]) -> None:
        """A day that a rollback has put back: what stood then, and between it what other hands did."""
        stood = [self._rows[i] for i in self.history.held[day] if i in self._rows]
        for row in sorted([*stood, *others], key=in_time):
            if carried(row) and row.cause not in HELD:
                self._carry(row)
                continue
            again = put_back(row, self._rows.get(row.previous_version_id or ""), self._state.get(row.memory_id))
            if again is not None:
                new = again.version_id not in self._rows
                self._put(replace(again, run_id=self._ctx.run_id, recorded_at=self._ctx.now) if new else again)

    def _overlook(self, day: date, proposals: Sequence[Proposal]) -> None:
        """The verdicts of such a day: what does not stand behind a version was rolled back."""
        behind = {v.proposal_id: v for v in self._made if v.day == day and v.proposal_id}
        for proposal in proposals:
            version, found = behind.get(proposal.proposal_id), self._examined(proposal)
            if version is None:
                self._verdict(proposal, Outcome.REJECTED, Reason.ROLLED_BACK.value, found, None)
            else:
                outcome = Outcome.ACCEPTED if version.version == 1 else Outcome.MERGED
                self._verdict(proposal, outcome, str(version.change), found, version.memory_id)

    def _day(self, proposals: Sequence[Proposal]) -> None:
        """What is certain is done at once; what the judge is asked about comes after it, and with it whatever else is
        said of the same slot: of two values that cannot stand together the later one holds."""
        waiting: list[tuple[Proposal, judge.Case | None, int]] = []
        slots: set[tuple[str, str] | None] = set()
        for proposal in proposals:
            found = self._examined(proposal)
            failed = first_failure(found)
            if failed is not None:
                self._verdict(proposal, Outcome.REJECTED, failed.code, found, None)
                continue
            near, slot = self._candidates(proposal), _of_one_value(proposal)
            decision = decide(proposal, near, self._ctx.policy.similarity)
            loops = self._near.open_loops
            certain = decision.certain and not self._may_close(proposal, loops)
            if certain and slot not in slots:
                self._apply(proposal, decision, found)
                continue
            case = None if certain else self._case(proposal, near, decision)
            waiting.append((proposal, case, len(self._made)))
            slots |= {slot} - {None}
        for proposal, case, then in waiting:
            answer = self._decided(proposal) if case is None else self._judged(case)
            answer = self._meanwhile(proposal, case, answer, {v.memory_id for v in self._made[then:]})
            self._apply(proposal, answer.decision, self._examined(proposal), answer.reply_key)

    def _decided(self, proposal: Proposal, among: AbstractSet[str] | None = None) -> _Answer:
        """What is done with a proposal as things stand, by rules or by the judge.

        Args:
            among: ids of the memories that it is held against; all where None.
        """
        policy = self._ctx.policy
        near = self._candidates(proposal)
        near = near if among is None else [c for c in near if c.memory.memory_id in among]
        decision = decide(proposal, near, policy.similarity)
        if decision.certain or among is not None and decision.action not in _MEETING:
            return _Answer(decision)
        return self._judged(self._case(proposal, near, decision))

    def _case(self, proposal: Proposal, near: Sequence[Candidate], decision: Decision) -> judge.Case:
        loops = self._near.open_loops
        closable = near_loops(proposal, loops, self._vectors, self._ctx.policy)
        return judge.case(proposal, near, decision, loops, self._timezone(proposal), closable)

    def _meanwhile(
        self, proposal: Proposal, case: judge.Case | None, answer: _Answer, touched: AbstractSet[str]
    ) -> _Answer:
        """A decision in view of what the same day has made since: what is a memory by now is confirmed or replaced, and
        not added once more; what has ended by now is not ended again.

        Args:
            touched: ids of the memories that got a version since the question was asked.
        """
        decision = answer.decision
        if not touched:
            return answer
        if any(i in touched and self._state[i].status in RETIRED for i in decision.targets):
            again = self._decided(proposal)
            return replace(again, decision=replace(again.decision, closes=decision.closes))
        if decision.action not in (Action.ADD, Action.SUPERSEDE):
            return answer
        policy = self._ctx.policy
        new = [c for c in self._candidates(proposal) if c.memory.memory_id in touched]
        found = decide(proposal, new, policy.similarity)
        if found.action not in _MEETING:
            return answer
        if not found.certain:
            unasked = touched - set(case.ids.values() if case is not None else ())
            again = self._decided(proposal, unasked) if decision.action is Action.ADD else answer
            found = again.decision
            if found.action not in _MEETING:
                return answer
            answer = again
        if decision.action is Action.SUPERSEDE is found.action:
            return replace(
                answer, decision=replace(decision, targets=tuple(sorted({*decision.targets, *found.targets})))
            )
        # What its twin has been spared, as the user wants it, is not for a second saying to do.
        if decision.action is Action.ADD or found.action is Action.REINFORCE:
            return replace(answer, decision=replace(found, closes=decision.closes))
        return answer

    def _examined(self, proposal: Proposal) -> tuple[Finding, ...]:
        found = self._gated.get(proposal.proposal_id)
        if found is None:
            found = self._gated[proposal.proposal_id] = examine(self.history.given[proposal.proposal_id])
        return found

    def _may_close(self, proposal: Proposal, loops: Sequence[MemoryVersion]) -> bool:
        """Whether a statement may tell that an open loop is done: "called mom" closes it without saying so (DL-37)."""
        if proposal.operation not in _STATING or proposal.type not in _TELLING:
            return False
        return bool(near_loops(proposal, loops, self._vectors, self._ctx.policy))

    def _judged(self, case: judge.Case) -> _Answer:
        if case.key not in self._said:
            kept = self._before.answer(case) if self._before is not None else None
            if kept is None:
                self._unknown[case.key] = case
                return _Answer(case.fallback)
            self.learn(case, kept)
        reply = self._said[case.key]
        decision = case.fallback if reply is None else judge.decision(reply, case, self._state)
        return _Answer(decision, self._keys.get(case.key))

    def _apply(
        self, proposal: Proposal, decision: Decision, findings: tuple[Finding, ...], reply_key: str | None = None
    ) -> None:
        ctx = self._ctx
        closing = proposal.operation is Operation.CLOSE_OPEN_LOOP  # "yes" to "have you called?" is what closes
        if decision.action is not Action.REINFORCE and not closing and nods(self.history.given[proposal.proposal_id]):
            decision = Decision(Action.NONE, (), "a bare yes to what was recalled adds nothing")
        decision = spared(proposal, decision, self._state, self._undone)
        made = apply(proposal, decision, self._state, ctx.policy, ctx.run_id, ctx.now, self._timezone(proposal))
        for version in (*made, *self._outcome(proposal)):
            self._take(take_back(version, self._cited(version.memory_id)) if version.forgotten else version)
        if not made:
            # Either it adds nothing to what is remembered, or it would end something and nothing is clearly meant.
            reason = "covered" if proposal.operation in _STATING else "no_target"
            self._verdict(proposal, Outcome.REJECTED, reason, findings, None, reply_key)
            return
        merged = decision.action in (Action.REINFORCE, Action.MERGE) or made[0].memory_id in decision.targets
        stated = [v for v in made if v.attribute != FORGOTTEN_TOPIC] or made
        outcome = Outcome.MERGED if merged and stated[-1].version > 1 else Outcome.ACCEPTED
        concerned = identity(proposal) if any(v.memory_id == identity(proposal) for v in made) else made[0].memory_id
        self._verdict(proposal, outcome, str(decision.action), findings, concerned, reply_key)

    def _outcome(self, proposal: Proposal) -> list[MemoryVersion]:
        """A decision that is told to have turned out well, with the weight that this gives it (LS-19)."""
        if result_of(proposal) is not Result.POSITIVE:
            return []
        policy = self._ctx.policy
        behind = decision_behind(proposal, self._candidates(proposal))
        if behind is None or overruled(self._undone, behind, sources_of(proposal), self._state):
            return []
        version = boosted(behind, proposal, policy.consolidation.outcome_importance)
        return [finish(version, policy, self._ctx.run_id, self._ctx.now)]

    def _candidates(self, proposal: Proposal) -> list[Candidate]:
        cited = (self.history.messages.get(e.message_id) for e in proposal.evidence)
        message = next((m.content for m in cited if m is not None), "")
        return self._near.candidates(proposal, self._ctx.policy, message)

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
        reply_key: str | None = None,
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
                reply_key=reply_key,
            )
        )


def _of_one_value(proposal: Proposal) -> tuple[str, str] | None:
    """The slot that a proposal fills, where it holds one value at a time."""
    key = Slot(proposal.subject, proposal.attribute, proposal.value).key
    return key if key is not None and attribute(key[1]).single else None
