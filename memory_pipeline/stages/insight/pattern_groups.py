"""One user's patterns over some weeks: which memories go together, and what that makes of the ledger (KN-23, KN-24)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from memory_pipeline.domain.calendar import Grain, Period, day_end, period_of
from memory_pipeline.domain.derived.clustering import clusters
from memory_pipeline.domain.derived.derivation import absorb, derive
from memory_pipeline.domain.derived.pattern import CLUSTERED, absorbed, dissolved, least, support
from memory_pipeline.domain.derived.summary import is_over
from memory_pipeline.domain.ledger.curation import is_act
from memory_pipeline.domain.ledger.hold import Hold, stood_in
from memory_pipeline.domain.ledger.memory import RETIRED, Cause, MemoryVersion, Status, fold, standing
from memory_pipeline.domain.ledger.replay import difference
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import PatternReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.prompt_inputs import memory_input
from memory_pipeline.stages.insight.pattern_words import WordCounts, keywords_of

_REPLY_TOKENS = 512


@dataclass(frozen=True)
class Group:
    """Memories that go together at a week's end.

    Attributes:
        members: in the order in which they were first said; at least one is new in this week.
        fresh: those of them in whose place no pattern stands yet.
        instead_of: earlier patterns that it takes the place of, because the same theme came up again.
    """

    scope: Scope
    week: Period
    members: tuple[MemoryVersion, ...]
    fresh: tuple[MemoryVersion, ...]
    instead_of: tuple[MemoryVersion, ...]

    @cached_property
    def key(self) -> tuple[str, ...]:
        """What tells it from other groups of the same user, whatever has been answered about earlier ones."""
        return (self.week.label, *(text for m in self.members for text in (m.memory_id, m.content)))

    def request(self, objection: str = "") -> ChatRequest[PatternReply]:
        """What to ask about it.

        Args:
            objection: what was wrong with the last reply.
        """
        inputs: dict[str, Any] = {"members": [memory_input(m, f"k{n}") for n, m in enumerate(self.members, 1)]}
        if objection:
            inputs["objection"] = objection
        return ChatRequest("pattern", inputs, PatternReply, self.scope, self.week.start, max_tokens=_REPLY_TOKENS)

    def pattern(self, reply: PatternReply, ctx: StageContext) -> MemoryVersion:
        """The pattern that a reply makes of it."""
        weight = support(self.members, ctx.policy.pattern)
        typical = sum(m.importance for m in self.members) / len(self.members)
        last = self.week.end - timedelta(days=1)
        return derive(
            MemoryType.PATTERN,
            " ".join(reply.content.split()),
            self.members,
            importance=round(max(weight, typical), 4),
            confidence=round(weight, 4),
            at=day_end(last, self.members[0].timezone) - timedelta(seconds=1),
            day=last,
            policy=ctx.policy,
            run_id=ctx.run_id,
            now=ctx.now,
            instead_of=self.instead_of,
        )


Replies = Mapping[tuple[str, ...], PatternReply | None]
"""What was answered about groups; None where no reply fits."""


class UserPatterns:
    """A user's patterns, made anew week by week from the memories and from what a model says of them.

    After a :meth:`walk` that finds no open group: ``asserted`` and ``withdrawn`` versions, ``first``: the first day
    after a change, None when nothing changes, and ``stand``: patterns by the week's first day.

    Args:
        rows: every row of the user's ledger, withdrawals included.
        weeks: those to be made; what follows from them in later weeks is made again, and so is a pattern that rests on
            what the user has taken back since. Weeks that are not over wait.
        held: weeks that a rollback has put back.
    """

    def __init__(
        self,
        ctx: StageContext,
        scope: Scope,
        rows: Sequence[MemoryVersion],
        weeks: Iterable[Period],
        held: Mapping[Period, Hold] | None = None,
    ) -> None:
        self.scope = scope
        self.asserted: list[MemoryVersion] = []
        self.withdrawn: list[MemoryVersion] = []
        self.first: date | None = None
        self.stand: Counter[date] = Counter()
        self._ctx = ctx
        self._held = sorted(standing(rows), key=lambda v: (v.day, v.memory_id, v.version))
        self._patterns = {row.memory_id for row in rows if row.type is MemoryType.PATTERN}
        self._now = fold(self._held)
        self._kept = {m.memory_id for m in self._now.values() if self._is_kept(m)}
        self._gone = [v for v in self._held if self._is_birth(v) and dissolved(self._now[v.memory_id])]
        self.weeks = self._to_make(set(weeks))
        self._put_back = stood_in(held or {}, rows, self._held)
        self._made: list[MemoryVersion] = []
        self._state: dict[str, MemoryVersion] = {}
        self._words = WordCounts()

    def _is_kept(self, memory: MemoryVersion) -> bool:
        """What the user keeps in view, has taken back or keeps from a pattern does not go into one (DL-27, RX-30)."""
        apart = not self._patterns.isdisjoint(memory.apart)
        return memory.pinned or memory.forgotten or bool(memory.taken_back) or apart

    def _to_make(self, asked: set[Period]) -> list[Period]:
        lost = {
            period_of(Grain.WEEK, v.day)
            for v in self._held
            if self._is_birth(v)
            and not dissolved(self._now[v.memory_id])
            and any(i in self._kept or i not in self._now for i in v.derived_from)
        }
        active = {period_of(Grain.WEEK, v.day) for v in self._held if v.type in CLUSTERED or v.cause is Cause.PATTERN}
        first = min((asked & active) | lost, default=None)
        return sorted(w for w in active if first is not None and w >= first and is_over(w, self._ctx.now))

    @staticmethod
    def _is_birth(version: MemoryVersion) -> bool:
        return version.type is MemoryType.PATTERN and version.version == 1 and version.cause is Cause.PATTERN

    # -- going through the weeks

    def walk(self, replies: Replies) -> list[Group]:
        """Go through the weeks with the replies that are there.

        Returns:
            The groups that nothing is known about; what follows them was found as if each became a pattern.
        """
        self._made, self._state, self.stand = [], {}, Counter()
        self._words = WordCounts()
        old, others = self._apart(self.weeks)
        open_: list[Group] = []
        seen = 0
        for week in self.weeks:
            while seen < len(others) and others[seen].day < week.end:
                self._see(others[seen])
                seen += 1
            if week in self._put_back:
                self._take(week, self._put_back[week])
                continue
            for group in self._groups(week):
                if group.key not in replies:
                    open_.append(group)
                reply = replies.get(group.key, PatternReply("?".join(group.key), 0.0))
                if reply is not None:
                    self._put(group, reply)
        self.asserted, self.withdrawn = difference(old, self._made)
        changed = [v.day for v in (*self.asserted, *self.withdrawn)]
        self.first = min(changed) + timedelta(days=1) if changed else None
        return open_

    # -- going along with a replay

    @property
    def free(self) -> bool:
        """Whether a replay can make the patterns anew: no rollback has put a week back."""
        return not self._put_back

    def changes(self, until: date | None) -> tuple[list[MemoryVersion], list[MemoryVersion]]:
        """The versions to assert and to withdraw, of the days before one; of all days where None."""
        asserted, withdrawn = self.asserted, self.withdrawn
        if until is None:
            return asserted, withdrawn
        return [v for v in asserted if v.day < until], [v for v in withdrawn if v.day < until]

    def go_to(self, day: date) -> None:
        """Stand where the last walk stood before a day."""
        _, others = self._apart(self.weeks)
        self._made = [v for v in self._made if v.day < day]
        self._state, self._words = {}, WordCounts()
        before = [v for v in others if v.day < day]
        for version in fold([*before, *self._made]).values():
            self._hold(version)

    def follow(
        self, week: Period, state: Mapping[str, MemoryVersion], answer: Callable[[Group], PatternReply | None]
    ) -> list[MemoryVersion]:
        """Make a week's patterns of the memories as a replay has them by now. Returns the versions.

        Args:
            state: memories by id; what is not among them is as it was.
            answer: what is said of a group; None leaves it alone.
        """
        for memory_id, version in state.items():
            if self._state.get(memory_id) is not version:
                self._hold(version)
        answered = [(group, answer(group)) for group in self._groups(week)]
        return [v for group, reply in answered if reply is not None for v in self._put(group, reply)]

    def _apart(self, weeks: Collection[Period]) -> tuple[list[MemoryVersion], list[MemoryVersion]]:
        """The rows that the patterns of some weeks made, and all others."""
        weeks = set(weeks)
        mine, others = list[MemoryVersion](), list[MemoryVersion]()
        for row in self._held:
            own = row.cause is Cause.PATTERN and period_of(Grain.WEEK, row.day) in weeks
            (mine if own else others).append(row)
        return mine, others

    def _see(self, row: MemoryVersion) -> None:
        """Take a version of the ledger into the state, unless it belongs to a history without this walk's patterns."""
        current = self._state.get(row.memory_id)
        if current is not None and current.cause is Cause.PATTERN and not is_act(row):
            if row.previous_version_id != current.version_id:
                return
        elif current is not None and current.version > row.version:
            return
        self._hold(row)

    def _hold(self, version: MemoryVersion) -> None:
        self._words.replace(self._state.get(version.memory_id), version)
        self._state[version.memory_id] = version

    def _take(self, week: Period, versions: Iterable[MemoryVersion]) -> None:
        for version in versions:
            self._hold(version)
            self._made.append(version)
            self.stand[week.start] += self._is_birth(version)

    def _put(self, group: Group, reply: PatternReply) -> list[MemoryVersion]:
        ctx = self._ctx
        pattern = group.pattern(reply, ctx)
        taken = [absorb(m, pattern, ctx.policy, ctx.run_id, ctx.now) for m in (*group.fresh, *group.instead_of)]
        for version in (pattern, *taken):
            self._hold(version)
            self._made.append(version)
        self.stand[group.week.start] += 1
        return [pattern, *taken]

    # -- what goes together

    def _groups(self, week: Period) -> list[Group]:
        """Groups of one type, domain and agent at the week's end, with something new of this week."""
        barred = self._kept.union(*(pattern.derived_from for pattern in self._gone))
        by_kind: dict[tuple[str, str, str], list[MemoryVersion]] = defaultdict(list)
        for memory in self._state.values():
            if memory.type not in CLUSTERED or memory.memory_id in barred:
                continue
            if memory.status is Status.ACTIVE or self._home(memory) is not None:
                by_kind[memory.type, memory.domain or "", memory.agent_id or ""].append(memory)
        return self._dissolved(week) + [
            group
            for _, members in sorted(by_kind.items())
            if any(_is_news(m, week) for m in members)
            for group in self._alike(week, sorted(members, key=lambda m: (m.observed_at, m.memory_id)))
        ]

    def _dissolved(self, week: Period) -> list[Group]:
        """Patterns of the week that the user dissolved later: until then they were what they were, and nothing else is
        made of their members."""
        found = []
        for pattern in self._gone:
            ids = pattern.derived_from
            if period_of(Grain.WEEK, pattern.day) == week and all(i in self._state for i in ids):
                members = [self._state[i] for i in ids]
                fresh = [m for m in members if m.status is Status.ACTIVE]
                before = [m for m in self._state.values() if self._absorber(m) == pattern.memory_id]
                grown = [m for m in before if m.type is MemoryType.PATTERN]
                if self._kept.isdisjoint(ids):
                    found.append(Group(self.scope, week, tuple(members), tuple(fresh), tuple(grown)))
        return found

    def _absorber(self, memory: MemoryVersion) -> str | None:
        now = self._now.get(memory.memory_id)  # none of what a replay under way has just made
        return now.superseded_by if now is not None else None

    def _alike(self, week: Period, memories: Sequence[MemoryVersion]) -> Iterable[Group]:
        figures = self._ctx.policy.pattern
        minimum = least(memories[0].type, figures)
        homes = {m.memory_id: self._home(m) for m in memories}
        sizes = Counter(home.memory_id for home in homes.values() if home is not None)
        everywhere = self._words.everywhere(figures)
        for found in clusters([keywords_of(m.content) - everywhere for m in memories], figures, minimum):
            cluster = [memories[n] for n in found]
            here = Counter(home.memory_id for m in cluster if (home := homes[m.memory_id]) is not None)
            # A theme comes back when most of its memories are here.
            grown = [self._state[i] for i in sorted(here) if 2 * here[i] > sizes[i] and not self._state[i].pinned]
            theirs = {m.memory_id for m in memories if homes[m.memory_id] in grown}
            fresh = [m for m in cluster if homes[m.memory_id] is None][-figures.max_group :]
            members = [m for m in memories if m.memory_id in theirs or m in fresh][-figures.max_group :]
            if len(members) >= minimum and any(_is_news(m, week) for m in fresh):
                yield Group(self.scope, week, tuple(members), tuple(fresh), tuple(grown))

    def _home(self, memory: MemoryVersion) -> MemoryVersion | None:
        """The living pattern in which a memory has its place."""
        seen = set()
        while absorbed(memory) and memory.superseded_by in self._state and memory.memory_id not in seen:
            seen.add(memory.memory_id)
            memory = self._state[memory.superseded_by]
        return memory if seen and memory.type is MemoryType.PATTERN and memory.status not in RETIRED else None


def _is_news(memory: MemoryVersion, week: Period) -> bool:
    """Whether something was said of a memory in a week, and no pattern has its place."""
    return memory.status is Status.ACTIVE and memory.day >= week.start
