"""Time passes: the lifecycle policy's transitions up to a day, as versions with their reasons (DL-26)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from datetime import date, timedelta
from itertools import takewhile

from memory_pipeline.domain.calendar import Period
from memory_pipeline.domain.fading import NEVER, pass_time
from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.summary import is_over
from memory_pipeline.domain.transition import finish
from memory_pipeline.stages.clock import take_back_early
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.holds import holds_in_force
from memory_pipeline.stages.one_writer import one_writer
from memory_pipeline.stages.publish import index_memories, publish

_USERS_AT_ONCE = 500


def transitions(ctx: StageContext, through: date, scopes: Sequence[Scope] | None = None) -> list[MemoryVersion]:
    """What the policy changes by the end of a local day; nothing is written (the dry run).

    Args:
        scopes: users to look at; None = all.
    """
    from memory_pipeline.storage.ageing import ageing, reads_of

    memories = ageing(ctx.lake, through, ctx.policy, scopes)
    reads = reads_of(ctx.lake, memories)
    held = holds_in_force(ctx, {memory.scope for memory in memories})
    found = [
        finish(version, ctx.policy, ctx.run_id, ctx.now)
        for memory in memories
        for version in takewhile(
            _outside(held.get(memory.scope, {})),
            pass_time(memory, through, ctx.policy, reads.get(memory.memory_id, NEVER)),
        )
    ]
    return sorted(found, key=lambda v: (v.day, v.tenant_id, v.user_id, v.memory_id, v.version))


def _outside(held: Container[date]) -> Callable[[MemoryVersion], bool]:
    return lambda version: version.day not in held


def age(ctx: StageContext, days: Sequence[date]) -> dict[date, Counter[str]]:
    """Apply the policy up to the last of some days. Returns the changes by the day on which they took effect."""
    if not days:
        return {}
    take_back_early(ctx)
    scopes = sorted({v.scope for v in transitions(ctx, max(days))})
    made: list[MemoryVersion] = []
    for start in range(0, len(scopes), _USERS_AT_ONCE):
        ctx.progress("ageing", start, len(scopes))
        part = scopes[start : start + _USERS_AT_ONCE]
        with one_writer(ctx.settings, part):
            aged = transitions(ctx, max(days), part)
            publish(ctx, aged, [])
        made += aged
    index_memories(ctx, {v.memory_id for v in made})
    report: dict[date, Counter[str]] = {}
    for version in made:
        report.setdefault(version.day, Counter())[f"{version.type} → {version.status}"] += 1
    ctx.progress("ageing", len(scopes), len(scopes))
    return report


def let_time_pass(ctx: StageContext, weeks: Iterable[Period]) -> None:
    """Apply the policy up to the end of the weeks that are over, so that what looks back on them finds the same state
    whether it runs right after them or years later."""
    age(ctx, [week.end - timedelta(days=1) for week in weeks if is_over(week, ctx.now)])
