"""Proposals → gate → memories: each user's days are replayed in order, and the ledger gets the difference.

The state of a user is a fold over accepted proposals, the policy's transitions and what was done by hand. Re-running a
day that has not changed finds the same versions and writes nothing; a late message re-makes what came after it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.proposal import Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply
from memory_pipeline.inference.replies import JudgeReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.judge import Case, pack, singly
from memory_pipeline.stages.one_writer import VERDICTS, alone, in_turn
from memory_pipeline.stages.publish import index_memories, publish
from memory_pipeline.stages.quarantine import put_aside
from memory_pipeline.stages.replay import Replay
from memory_pipeline.stages.replay_inputs import replays

_USERS_AT_ONCE = 100


@dataclass
class ConsolidateReport:
    """What consolidation did.

    Attributes:
        verdicts: by day and (outcome, reason).
        changes: versions written, by day and change.
        withdrawn: versions withdrawn because what they rested on changed.
        replayed: partitions after the requested days that late input made anew.
        memory_ids: memories that got or lost a version.
        failed: days on which the judge's reply did not fit: what holds there is the cautious decision, and the next
            run asks again.
    """

    verdicts: dict[date, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    changes: dict[date, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    withdrawn: Counter[date] = field(default_factory=Counter)
    replayed: set[date] = field(default_factory=set)
    memory_ids: set[str] = field(default_factory=set)
    failed: set[date] = field(default_factory=set)


def consolidate(ctx: StageContext, days: Sequence[date]) -> ConsolidateReport:
    """Make the ``verdicts`` and ``memory_versions`` of some days out of their proposals.

    Raises:
        ModelError: the judge cannot be reached; users already consolidated are written, the others are as they were.
    """
    report = ConsolidateReport()
    span = sorted(set(days))
    if not span:
        return report
    users = _users(ctx, span)
    for start in range(0, len(users), _USERS_AT_ONCE):
        ctx.progress("consolidating", start, len(users))
        _consolidate_users(ctx, users[start : start + _USERS_AT_ONCE], span, report)
    ctx.progress("consolidating", len(users), len(users))
    return report


def replay_users(
    ctx: StageContext, users: Sequence[Scope], first: date, acts: Sequence[MemoryVersion] = ()
) -> ConsolidateReport:
    """Replay some users from a day on, because something before it changed; the index follows.

    Args:
        acts: what a user did by hand just now, to be done and written in the same replay.

    Raises:
        ModelError: the judge cannot be reached; nothing is written.
    """
    report = ConsolidateReport()
    last = max([*ctx.lake.days("memory_versions"), *(act.day for act in acts)], default=first)
    if users and last >= first:
        _consolidate_users(ctx, users, [first, last], report, acts)
        index_memories(ctx, report.memory_ids)
    return report


def _users(ctx: StageContext, days: Sequence[date]) -> list[Scope]:
    """Users with proposals, verdicts or versions in the span."""
    span = [days[0] + timedelta(days=n) for n in range((days[-1] - days[0]).days + 1)]
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id FROM proposals UNION SELECT tenant_id, user_id FROM verdicts "
        "UNION SELECT tenant_id, user_id FROM memory_versions ORDER BY ALL",
        days={"proposals": span, "verdicts": span, "memory_versions": span},
    )
    return [Scope(t, u) for t, u in zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)]


def _consolidate_users(
    ctx: StageContext,
    users: Sequence[Scope],
    days: Sequence[date],
    report: ConsolidateReport,
    acts: Sequence[MemoryVersion] = (),
) -> None:
    def work(some: Sequence[Scope]) -> Callable[[Collection[Scope]], None]:
        every = replays(ctx, some, days, acts)
        asyncio.run(_settle(ctx, every, days))
        return lambda fine: _write(ctx, [r for r in every if r.history.scope in fine], days, acts, report)

    in_turn(ctx, users, work)


def _write(
    ctx: StageContext,
    replays: Sequence[Replay],
    days: Sequence[date],
    acts: Sequence[MemoryVersion],
    report: ConsolidateReport,
) -> None:
    """Write verdicts and versions of some replayed users.

    Args:
        acts: of the user's hand that are replayed for the first time: the ledger does not hold them yet.
    """
    verdicts: dict[date, list[Verdict]] = defaultdict(list)
    touched: dict[date, set[Scope]] = defaultdict(set)
    for replay in replays:
        for day, made in replay.verdicts.items():
            verdicts[day] += made
            for verdict in made:
                report.verdicts[day][str(verdict.outcome), verdict.reason] += 1
        for day in replay.covered:
            touched[day].add(replay.history.scope)
        report.replayed |= {d for d in replay.covered if d > days[-1]}
        report.failed |= replay.failed
    with alone(ctx.settings, VERDICTS):
        for day in sorted(touched):
            _replace_users(ctx, day, touched[day], verdicts[day])
    users = {r.history.scope for r in replays}
    new = {act.version_id: act for act in acts if act.scope in users}
    moved = {v.version_id for r in replays for v in r.withdrawn}
    asserted = [v for r in replays for v in r.asserted] + [act for i, act in new.items() if i not in moved]
    withdrawn = [v for r in replays for v in r.withdrawn if v.version_id not in new]
    for version in asserted:
        report.changes[version.day][str(version.change)] += 1
    for version in withdrawn:
        report.withdrawn[version.day] += 1
    report.memory_ids |= {v.memory_id for v in (*asserted, *withdrawn)}
    publish(ctx, asserted, withdrawn)


async def _settle(ctx: StageContext, replays: Sequence[Replay], days: Sequence[date]) -> None:
    """Fold, ask the judge about all that was open, and fold again, until nothing is."""
    left = list(replays)
    while left:
        open_ = [(replay, case) for replay in left for case in replay.fold(days[0], days[-1])]
        if not open_:
            return
        answers = await _answers(ctx, [case for _, case in open_])
        for (replay, case), answer in zip(open_, answers, strict=True):
            replay.learn(case, answer)
        asked = {id(replay) for replay, _ in open_}
        left = [replay for replay in left if id(replay) in asked]


async def _answers(ctx: StageContext, cases: Sequence[Case]) -> list[ChatReply[JudgeReply] | ReplyError]:
    """Answers to cases; a few that a joint reply did not fit or left out are asked once more, each alone."""
    answers = await ctx.replies.complete_many([case.request for case in cases], pack)
    unfit = [n for n, answer in enumerate(answers) if isinstance(answer, ReplyError)]
    if 0 < len(unfit) <= ctx.policy.window.retry_calls and len(cases) > 1:
        again = await ctx.replies.complete_many([cases[n].request for n in unfit], singly)
        for n, answer in zip(unfit, again, strict=True):
            answers[n] = answer
    for case, answer in zip(cases, answers, strict=True):
        if isinstance(answer, ReplyError):
            put_aside(ctx, f"consolidate/{case.proposal.proposal_id}", 0, str(answer), answer.reply)
    return answers


def _replace_users(ctx: StageContext, day: date, users: set[Scope], verdicts: Sequence[Verdict]) -> None:
    """Replace some users' verdicts of a day, the other users' rows stay."""
    others = [v for v in ctx.lake.read("verdicts", Verdict, days=[day]) if Scope(v.tenant_id, v.user_id) not in users]
    ctx.lake.replace("verdicts", day, [*others, *verdicts])
