"""One user's reflections, re-made week by week from the memories and from what a model says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

from memory_pipeline.domain.calendar import Grain, Period, day_end, period_of
from memory_pipeline.domain.derived.derivation import derive
from memory_pipeline.domain.derived.derived_numbers import underived
from memory_pipeline.domain.derived.reflection import (
    bears_out,
    confirm,
    due_day,
    enough,
    is_news,
    known_as,
    news,
    recent,
    retire,
)
from memory_pipeline.domain.derived.summary import is_over
from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.ledger.curation import as_proposal
from memory_pipeline.domain.ledger.hold import Hold, stood_in
from memory_pipeline.domain.ledger.memory import RETIRED, Cause, Change, MemoryVersion, fold, standing
from memory_pipeline.domain.ledger.replay import difference
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.inference.replies import Insight, ReflectReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.insight.derived_gate import CitedMessages
from memory_pipeline.stages.insight.reflect_requests import Question, in_order
from memory_pipeline.stages.summaries.derived_evidence import objection

_STANDING = frozenset({Change.ADD, Change.REINFORCE, Change.REVIVE})


class Insights:
    """A user's reflections over some weeks.

    After :meth:`settle`: ``asserted`` and ``withdrawn`` versions, ``refused``: insights that are not kept, with the
    reason, and ``orphaned``: the first day on which something was done to a reflection that is no more.

    Args:
        rows: of the user's ledger, withdrawals included: every one since the first of the weeks, and the state before.
        cited: what memories rest on.
        weeks: those to be made; later ones that were reflected on are made again, mostly from kept replies.
        held: weeks that a rollback has put back.
    """

    def __init__(
        self,
        ctx: StageContext,
        scope: Scope,
        rows: Iterable[MemoryVersion],
        weeks: Iterable[Period],
        cited: CitedMessages,
        held: Mapping[Period, Hold] | None = None,
    ) -> None:
        self.scope = scope
        self.asserted: list[MemoryVersion] = []
        self.withdrawn: list[MemoryVersion] = []
        self.refused: list[tuple[Question, str, str]] = []
        self.orphaned: date | None = None
        self._ctx = ctx
        self._cited = cited
        rows = list(rows)
        stands = standing(rows)
        self._put_back = stood_in(held or {}, rows, stands)
        self._memories = [v for v in stands if v.type is not MemoryType.REFLECTION]
        self._own = [v for v in stands if v.cause is Cause.REFLECTION]
        self._others = [v for v in stands if v.type is MemoryType.REFLECTION and v.cause is not Cause.REFLECTION]
        self._asked = set(weeks)
        self.weeks = self._to_make()
        self.questions = [q for week in self.weeks if (q := self._question(week)) is not None]
        self._said: dict[Period, Sequence[Insight]] = {}
        self._state: dict[str, MemoryVersion] = {}
        self._made: list[MemoryVersion] = []

    def _to_make(self) -> list[Period]:
        active = {period_of(Grain.WEEK, v.day) for v in (*self._memories, *self._own)}
        first = min(self._asked & active, default=None)
        if first is None:
            return []
        reflected = {period_of(Grain.WEEK, v.day) for v in self._own}
        return sorted((self._asked & active) | {week for week in reflected if week > first})

    # -- asking

    def _question(self, week: Period) -> Question | None:
        """What to ask about a week; None where nothing is new, or where too little is there to bear an insight."""
        if week in self._put_back:
            return None
        figures = self._ctx.policy.reflection
        inside = [v for v in self._memories if week.start <= v.day < week.end]
        through = due_day(week, news(inside), figures.importance_threshold, over=is_over(week, self._ctx.now))
        if through is None:
            return None
        state = fold(v for v in self._memories if v.day <= through)
        since = week.start - timedelta(days=figures.recent_days)
        shown = recent(state.values(), since, figures.shown)
        new = frozenset(v.memory_id for v in inside if v.day <= through and is_news(v))
        if not enough(shown, figures) or new.isdisjoint(v.memory_id for v in shown):
            return None
        return Question(self.scope, week, through, tuple(sorted(shown, key=in_order)), new, figures)

    def learn(self, question: Question, reply: ReflectReply) -> None:
        """Take the answer to a question."""
        (told,) = reply.periods
        self._said[question.week] = told.insights

    def named(self) -> set[tuple[Scope, str]]:
        """The memories that the answers name, of whom :meth:`settle` will ask what they rest on."""
        return {
            (self.scope, member.memory_id)
            for question in self.questions
            for insight in self._said.get(question.week, ())
            for member in _members(question, insight)
        }

    # -- settling

    def settle(self) -> None:
        """Work out how the ledger must change. A week whose question got no answer keeps what it has."""
        asked = {q.week: q for q in self.questions}
        old = []
        for week in self.weeks:
            held = [v for v in self._own if week.start <= v.day < week.end]
            old += held
            if week in self._put_back:
                self._made += self._put_back[week]
                continue
            if week in asked and week not in self._said:
                self._made += held
                continue
            self._state = self._at(week)
            if week in asked:
                self._settle_week(asked[week], self._said[week])
            self._retire(week)
        self.asserted, self.withdrawn = difference(old, self._made)
        alive = {v.version_id for v in (*self._before(), *self._made, *self._others)}
        self.orphaned = min((v.day for v in self._others if v.previous_version_id not in alive), default=None)

    def _before(self) -> list[MemoryVersion]:
        made = set(self.weeks)
        return [v for v in self._own if period_of(Grain.WEEK, v.day) not in made]

    def _at(self, week: Period) -> dict[str, MemoryVersion]:
        """The reflections as they stand at the end of a week, before it is reflected on."""
        rows = [v for v in (*self._before(), *self._others) if v.day < week.end]
        state = fold([*rows, *self._made])
        made = {v.memory_id for v in (*rows, *self._made) if v.version == 1}
        return {i: v for i, v in state.items() if i in made}

    def _settle_week(self, question: Question, insights: Sequence[Insight]) -> None:
        figures = self._ctx.policy.reflection
        for insight in insights[: figures.max_insights]:
            members = _members(question, insight)
            if enough(members, figures):
                self._take(question, insight, members)

    def _take(self, question: Question, insight: Insight, members: Sequence[MemoryVersion]) -> None:
        """A new reflection, a known one confirmed by something new, or nothing."""
        policy = self._ctx.policy
        content = " ".join(insight.content.split())
        earlier = [r for r in self._ordered() if r.day < question.week.start]
        known = known_as(content, members, self._ordered(), earlier, policy)
        day, at = question.through, self._end(question, members)
        if known is None:
            version = derive(
                MemoryType.REFLECTION,
                content,
                members,
                importance=min(max(insight.importance, 0.0), 1.0),
                confidence=min(max(insight.confidence, 0.0), 1.0),
                at=at,
                day=day,
                policy=policy,
                run_id=self._ctx.run_id,
                now=self._ctx.now,
                reason=" ".join(insight.question.split()),
            )
            wrong = self._objection(version, members)
            if wrong:
                self.refused.append((question, content, wrong))
            else:
                self._put(version)
        elif not _kept_away(known) and bears_out(members, known) and known.day < question.week.start:
            self._put(
                confirm(
                    known,
                    members,
                    at=at,
                    day=day,
                    reason=f"borne out again in {question.week.label}",
                    policy=policy,
                    run_id=self._ctx.run_id,
                    now=self._ctx.now,
                )
            )

    def _ordered(self) -> list[MemoryVersion]:
        """The reflections known so far: living ones first, oldest first."""
        return sorted(self._state.values(), key=lambda v: (v.status in RETIRED, v.observed_at, v.memory_id))

    def _end(self, question: Question, members: Sequence[MemoryVersion]) -> datetime:
        return day_end(question.through, members[0].timezone) - timedelta(seconds=1)

    def _objection(self, version: MemoryVersion, members: Sequence[MemoryVersion]) -> str:
        """Why an insight is not kept: its numbers do not follow from its memories, the gate turns it away, or
        it says what they do not."""
        foreign = underived(version.content, [m.content for m in members])
        if foreign:
            return f"its memories do not give {', '.join(foreign)}, and it does not follow from their numbers"
        cited = self._cited.of(version)
        given = GateInput(as_proposal(version), cited, self._ctx.policy.gate, canaries=CANARIES)
        failed = first_failure(examine(given))
        if failed:
            return f"{failed.code}: {failed.detail}"
        return objection(self._ctx, version.content, list(cited.values()), members, model=self._ctx.chat.model)

    def _retire(self, week: Period) -> None:
        """Reflections that have lost too much of what they rest on by the end of a week."""
        memories = fold(v for v in self._memories if v.day < week.end)
        for reflection in list(self._state.values()):
            ended = retire(reflection, memories, self._ctx.policy, self._ctx.run_id, self._ctx.now)
            if ended is not None:
                self._put(ended)

    def _put(self, version: MemoryVersion) -> None:
        self._state[version.memory_id] = version
        self._made.append(version)

    def stand(self) -> Counter[date]:
        """Insights that the requested weeks brought or confirmed, by first day."""
        found: Counter[date] = Counter()
        for version in self._made:
            week = period_of(Grain.WEEK, version.day)
            if week in self._asked and version.change in _STANDING:
                found[week.start] += 1
        return found


def _members(question: Question, insight: Insight) -> list[MemoryVersion]:
    """The memories that an insight names."""
    by_alias = {f"k{n}": v for n, v in enumerate(question.memories, 1)}
    return [by_alias[a] for a in dict.fromkeys(insight.evidence) if a in by_alias]


def _kept_away(reflection: MemoryVersion) -> bool:
    """Whether the user has had it forgotten, or ended it by hand: then it does not come back."""
    return reflection.forgotten or (reflection.status in RETIRED and reflection.cause is Cause.MANUAL)
