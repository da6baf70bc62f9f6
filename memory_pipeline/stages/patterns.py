"""Many alike memories → one pattern; the members are superseded by it and stay in the ledger (LS-22, KN-23, KN-24)."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta

from memory_pipeline.domain.calendar import Period, day_end
from memory_pipeline.domain.clustering import clusters
from memory_pipeline.domain.curation import as_proposal
from memory_pipeline.domain.derivation import absorb, derive
from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.memory import Cause, MemoryVersion, Status, fold, standing
from memory_pipeline.domain.proposal import WORK_TYPES, MemoryType
from memory_pipeline.domain.replay import difference
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import numbers
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.inference.replies import PatternReply
from memory_pipeline.stages.consolidate import replay_users
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.inputs import memory_input
from memory_pipeline.stages.one_writer import in_turn
from memory_pipeline.stages.publish import index_memories, publish
from memory_pipeline.stages.quarantine import put_aside
from memory_pipeline.stages.regate import cited_messages

_USERS_AT_ONCE = 100
_CLUSTERED = WORK_TYPES | {MemoryType.EPISODIC_EVENT}


def find_patterns(ctx: StageContext, weeks: Sequence[Period]) -> Counter[date]:
    """Make the patterns of some weeks, oldest first. Returns how many stand, by the week's first day."""
    made: Counter[date] = Counter()
    for n, week in enumerate(sorted(set(weeks))):
        ctx.progress("finding patterns", n, len(weeks))
        made[week.start] = _week(ctx, week)
    ctx.progress("finding patterns", len(weeks), len(weeks))
    return made


def _week(ctx: StageContext, week: Period) -> int:
    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id FROM memory_versions ORDER BY ALL",
        days={"memory_versions": list(week.days())},
    )
    scopes = [Scope(t, u) for t, u in zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)]
    stand, changed = 0, set[Scope]()

    def work(users: Sequence[Scope]) -> Callable[[Collection[Scope]], None]:
        old, new = _found(ctx, users, week)

        def write(fine: Collection[Scope]) -> None:
            nonlocal stand
            here = [v for v in new if v.scope in fine]
            asserted, withdrawn = difference([v for v in old if v.scope in fine], here)
            publish(ctx, asserted, withdrawn)
            index_memories(ctx, {v.memory_id for v in asserted + withdrawn})
            changed.update(v.scope for v in asserted + withdrawn)
            stand += sum(v.version == 1 for v in here)

        return write

    for start in range(0, len(scopes), _USERS_AT_ONCE):
        in_turn(ctx, scopes[start : start + _USERS_AT_ONCE], work)
    # What came after the week was decided without these changes.
    replay_users(ctx, sorted(changed), week.end)
    return stand


def _found(ctx: StageContext, scopes: Sequence[Scope], week: Period) -> tuple[list[MemoryVersion], list[MemoryVersion]]:
    """What a week's patterns are in the ledger, and what they are now, of some users."""
    from memory_pipeline.storage.ledger import versions_of

    rows: dict[Scope, list[MemoryVersion]] = defaultdict(list)
    for row in versions_of(ctx.lake, scopes):
        rows[row.scope].append(row)
    groups = [(scope, group) for scope in scopes for group in _groups(ctx, rows[scope], week)]
    requests = [_request(scope, week, group) for scope, group in groups]
    answers = asyncio.run(ctx.replies.complete_many(requests))
    new: list[MemoryVersion] = []
    for (scope, group), answer in zip(groups, answers, strict=True):
        if isinstance(answer, ReplyError):
            put_aside(ctx, f"pattern/{scope.user_id}/{week.label}", 0, str(answer), answer.reply)
            continue
        new += _versions(ctx, week, group, answer.value)
    old = [
        v
        for scope in scopes
        for v in standing(rows[scope])
        if v.cause is Cause.PATTERN and week.start <= v.day < week.end
    ]
    return old, new


def _groups(ctx: StageContext, rows: Sequence[MemoryVersion], week: Period) -> list[list[MemoryVersion]]:
    """Clusters at the week's end, as if no pattern of this week existed yet; at least one member is of this week."""
    figures = ctx.policy.pattern
    before = [v for v in standing(rows) if v.day < week.end and not (v.cause is Cause.PATTERN and v.day >= week.start)]
    by_kind: dict[tuple[str, str, str], list[MemoryVersion]] = defaultdict(list)
    now = fold(rows)
    # What the user keeps in view or has taken back since does not go into a pattern (DL-27, RX-30).
    kept = {i for i, m in now.items() if m.pinned or m.forgotten or m.taken_back}
    for memory in fold(before).values():
        if memory.type in _CLUSTERED and memory.status is Status.ACTIVE and memory.memory_id not in kept:
            by_kind[memory.type, memory.domain or "", memory.agent_id or ""].append(memory)
    found = []
    for (kind, _, _), members in sorted(by_kind.items()):
        members.sort(key=lambda m: (m.observed_at, m.memory_id))
        least = figures.min_episodes if kind == MemoryType.EPISODIC_EVENT else figures.min_findings
        for group in clusters([m.content for m in members], figures.overlap, least):
            chosen = [members[n] for n in group][-figures.max_group :]
            if any(m.day >= week.start for m in chosen):
                found.append(chosen)
    return found


def _request(scope: Scope, week: Period, members: Sequence[MemoryVersion]) -> ChatRequest[PatternReply]:
    inputs = {"members": [memory_input(m, f"k{n}") for n, m in enumerate(members, 1)]}
    return ChatRequest("pattern", inputs, PatternReply, scope, week.start, max_tokens=512)


def _versions(
    ctx: StageContext, week: Period, members: Sequence[MemoryVersion], reply: PatternReply
) -> list[MemoryVersion]:
    """The pattern and its superseded members; nothing when it names numbers that no member does, or fails the gate."""
    content = " ".join(reply.content.split())
    known = frozenset().union(*(numbers(m.content) for m in members)) | {str(len(members))}
    if not content or not numbers(content) <= known:
        return []
    support = min(0.1 * len(members), 0.4)
    pattern = derive(
        MemoryType.PATTERN,
        content,
        members,
        importance=round(min(1.0, max(min(reply.importance, 1.0), 0.45 + support)), 4),
        confidence=round(min(0.95, 0.5 + support), 4),
        at=day_end(week.end - timedelta(days=1), members[0].timezone) - timedelta(seconds=1),
        day=week.end - timedelta(days=1),
        policy=ctx.policy,
        run_id=ctx.run_id,
        now=ctx.now,
    )
    given = GateInput(as_proposal(pattern), cited_messages(ctx, pattern), ctx.policy.gate, CANARIES)
    if first_failure(examine(given)) is not None:
        return []
    return [pattern, *(absorb(m, pattern, ctx.policy, ctx.run_id, ctx.now) for m in members)]
