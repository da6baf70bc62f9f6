"""Many alike memories → one pattern; the members are superseded by it and stay in the ledger (LS-22, KN-23, KN-24).

A week's patterns are made when it is over. What a pattern changes may change what was decided after it, so users with
changes are replayed from there, and looked at again until nothing changes any more.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from memory_pipeline.domain.calendar import Period
from memory_pipeline.domain.derived.faithfulness import unfaithful
from memory_pipeline.domain.derived.pattern import CLUSTERED
from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.ledger.curation import as_proposal
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.inference.replies import PatternReply
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.consolidation.consolidate import replay_on_top
from memory_pipeline.stages.consolidation.holds import held_weeks
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.insight.derived_gate import CitedMessages
from memory_pipeline.stages.insight.insight_report import InsightReport
from memory_pipeline.stages.insight.pattern_groups import Group, UserPatterns
from memory_pipeline.stages.insight.pattern_weeks import PatternWeeks
from memory_pipeline.stages.operations.age import let_time_pass
from memory_pipeline.stages.publication.auditing import combined
from memory_pipeline.stages.publication.layered_context import OnTop, on_top
from memory_pipeline.stages.publication.publish import publish
from memory_pipeline.stages.publication.staged_publication import staged
from memory_pipeline.stages.publication.staging import clear
from memory_pipeline.stages.quarantine import PutAside, put_all_aside
from memory_pipeline.stages.summaries.derived_evidence import objection

_USERS_AT_ONCE = 100
_KINDS = sorted(CLUSTERED | {MemoryType.PATTERN})


def find_patterns(ctx: StageContext, weeks: Sequence[Period]) -> InsightReport:
    """Make the patterns of some weeks that are over.

    Raises:
        AuditFailed: what was staged breaks a rule; nothing of it was published.
        ModelError: the model cannot be reached; users already worked on are written, the others are as they were.
    """
    report = InsightReport()
    ordered = sorted(set(weeks))
    passed = let_time_pass(ctx, ordered)
    users = _active(ctx, ordered)

    with staged(ctx, "patterns", users, at_once=_USERS_AT_ONCE) as publication:
        while publication.users:
            count = {}
            for batch in publication.batches("finding patterns"):
                with on_top(ctx, "patterns", batch, ordered[0].start) as top:
                    count[batch] = _Finder(top, ordered).find(batch.users, report)
            for batch, published in publication.publish():
                count[batch](published.users)
    if users:
        clear(ctx, "patterns", users)
    report.audits = combined(publication.audits, passed)
    return report


def _active(ctx: StageContext, weeks: Sequence[Period]) -> list[Scope]:
    """Users of whom the weeks bring something that may go into a pattern."""
    from memory_pipeline.storage.parquet.lake import scopes_in

    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id FROM memory_versions WHERE type IN (SELECT unnest($kinds)) ORDER BY ALL",
        {"kinds": [str(kind) for kind in _KINDS]},
        days={"memory_versions": [day for week in weeks for day in week.days()]},
    )
    return scopes_in(table)


class _Finder:
    """Finds the patterns of some users, and remembers what was answered meanwhile."""

    def __init__(self, ctx: OnTop, weeks: Sequence[Period]) -> None:
        self._ctx = ctx
        self._weeks = weeks
        self._cited = CitedMessages(ctx)
        self._replies: dict[Scope, dict[tuple[str, ...], PatternReply | None]] = defaultdict(dict)

    def find(self, users: Sequence[Scope], report: InsightReport) -> Callable[[Collection[Scope]], None]:
        """Write the patterns of users, replay what follows from them, and look again.

        Each round settles a week more at least, most often all of them: the replay makes the later weeks' patterns
        on its way, and the second round finds nothing to change.

        Returns:
            What counts them in the report, for some of the users.
        """
        found: dict[Scope, UserPatterns] = {}
        left, rounds = list(users), 0
        while left and rounds <= 1 + max((len(found[s].weeks) for s in left if s in found), default=0):
            here = self._walked(left)
            found.update((user.scope, user) for user in here)
            firsts = {user.scope: user.first for user in here if user.first is not None}
            free = [user for user in here if user.scope in firsts and user.free]
            weeks = {user.scope: PatternWeeks(user, firsts[user.scope], self._at_hand) for user in free}
            now = [user.changes(firsts.get(user.scope) if user.scope in weeks else None) for user in here]
            publish(self._ctx, [v for new, _ in now for v in new], [v for _, gone in now for v in gone])
            for first in sorted(set(firsts.values())):
                replay_on_top(self._ctx, sorted(s for s, day in firsts.items() if day == first), first, weeks)
            left, rounds = sorted(firsts), rounds + 1
        return lambda published: self._report([u for s, u in found.items() if s in published], report)

    def _walked(self, users: Sequence[Scope]) -> list[UserPatterns]:
        """What the users' patterns come to, all that is open asked."""
        since = min(self._weeks).start
        every = self._users(users, since)
        earlier = {user.scope for user in every if user.weeks and user.weeks[0].start < since}
        if earlier:  # what was taken back since reaches further back than what is read of the days before
            every = [user for user in every if user.scope not in earlier] + self._users(sorted(earlier), None)
        while open_ := [group for user in every for group in user.walk(self._replies[user.scope])]:
            self._ask(open_)
        return every

    def _users(self, users: Sequence[Scope], since: date | None) -> list[UserPatterns]:
        from memory_pipeline.storage.queries.ledger import versions_of

        rows: dict[Scope, list[MemoryVersion]] = defaultdict(list)
        for row in versions_of(self._ctx.lake, users, since):
            rows[row.scope].append(row)
        held = held_weeks(self._ctx, users, "patterns")
        return [UserPatterns(self._ctx, user, rows[user], self._weeks, held.get(user)) for user in users]

    def _at_hand(self, group: Group) -> PatternReply | None:
        """What is said of a group without waiting; the walk that follows looks whether what is new of it fits."""
        known = self._replies[group.scope]
        if group.key in known:
            return known[group.key]
        reply = self._ctx.replies.at_once(group.request())
        return None if reply is None else reply.value

    def _report(self, users: Iterable[UserPatterns], report: InsightReport) -> None:
        starts = {week.start for week in self._weeks}
        for user in users:
            report.made.update({start: n for start, n in user.stand.items() if start in starts})
            for key in (key for key, reply in self._replies[user.scope].items() if reply is None):
                label = key[0]
                week = next((w for w in self._weeks if w.label == label), min(self._weeks))
                report.failed[week.start] += 1

    # -- asking

    def _ask(self, groups: Sequence[Group]) -> None:
        """Ask about groups; where the reply does not fit, once more, saying why; what fits neither is put aside."""
        bad: dict[tuple[Scope, tuple[str, ...]], str] = {}
        self._cited.load((g.scope, m.memory_id) for g in groups for m in g.members)
        answers = asyncio.run(self._ctx.replies.complete_many([g.request() for g in groups]))
        for group, answer in zip(groups, answers, strict=True):
            self._take(group, answer, bad)
        again = [g for g in groups if (g.scope, g.key) in bad]
        unread = {g.key for g, a in zip(groups, answers, strict=True) if isinstance(a, ReplyError)}
        requests = [g.request("" if g.key in unread else bad[g.scope, g.key]) for g in again]
        # A second reply is kept only if it fits: the next run asks for it anew.
        fit = {id(r): partial(self._objection, g) for r, g in zip(requests, again, strict=True)}
        answers = asyncio.run(self._ctx.replies.complete_many(requests, partial(_fitting, fit=fit)))
        aside: list[PutAside] = []
        for group, answer in zip(again, answers, strict=True):
            reason = bad[group.scope, group.key]
            if not self._take(group, answer, bad):
                source = f"pattern/{group.scope.user_id}/{group.week.label}"
                raw = answer.reply if isinstance(answer, ReplyError) else answer.raw
                aside.append(PutAside(source, 0, reason, raw))
        put_all_aside(self._ctx, aside)

    def _take(
        self,
        group: Group,
        answer: ChatReply[PatternReply] | ReplyError,
        bad: dict[tuple[Scope, tuple[str, ...]], str],
    ) -> bool:
        """Remember an answer. Returns whether it fits."""
        wrong = str(answer) if isinstance(answer, ReplyError) else self._objection(group, answer.value)
        if wrong:
            bad[group.scope, group.key] = wrong
        self._replies[group.scope][group.key] = None if wrong or isinstance(answer, ReplyError) else answer.value
        return not wrong

    def _objection(self, group: Group, reply: PatternReply) -> str:
        """What is wrong with a reply: it says what no member says, or the gate turns it away; "" when it fits."""
        wrong = unfaithful(" ".join(reply.content.split()), [m.content for m in group.members])
        if wrong:
            return wrong
        pattern = group.pattern(reply, self._ctx)
        cited = self._cited.of(pattern)
        given = GateInput(as_proposal(pattern), cited, self._ctx.policy.gate, CANARIES)
        failed = first_failure(examine(given))
        if failed:
            return f"{failed.code}: {failed.detail}"
        return objection(self._ctx, pattern.content, list(cited.values()), group.members, model=self._ctx.chat.model)


def _fitting(requests: Sequence[ChatRequest[Any]], fit: Mapping[int, Callable[[PatternReply], str]]) -> list[Pack]:
    """A call for each request, whose reply is left out where it does not fit."""
    return [_one(request, fit[id(request)]) for request in requests]


def _one(request: ChatRequest[Any], wrong: Callable[[PatternReply], str]) -> Pack:
    return Pack(request, [request], lambda value: [None if wrong(value) else value])
