"""Time passes: the lifecycle policy's transitions up to a day, as versions with their reasons (DL-26)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from memory_pipeline.domain.lifecycle import advance
from memory_pipeline.domain.memory import MemoryVersion, fold
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.transition import finish
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.one_writer import one_writer
from memory_pipeline.stages.publish import index_memories, publish

_USERS_AT_ONCE = 500


def transitions(ctx: StageContext, through: date, scopes: Sequence[Scope] | None = None) -> list[MemoryVersion]:
    """What the policy changes by the end of a local day; nothing is written (the dry run).

    Args:
        scopes: users to look at; None = all who have something due.
    """
    from memory_pipeline.storage.ledger import due, versions_of

    found: list[MemoryVersion] = []
    for memory in fold(versions_of(ctx.lake, due(ctx.lake, through) if scopes is None else scopes)).values():
        if memory.review_on is not None and memory.review_on <= through:
            found += [
                finish(v, ctx.policy, ctx.run_id, ctx.now) for v in advance(memory, through, ctx.policy.lifecycle)
            ]
    return sorted(found, key=lambda v: (v.day, v.tenant_id, v.user_id, v.memory_id, v.version))


def age(ctx: StageContext, days: Sequence[date]) -> dict[date, Counter[str]]:
    """Apply the policy up to the last of some days. Returns the changes by the day on which they took effect."""
    if not days:
        return {}
    from memory_pipeline.storage.ledger import due

    scopes = due(ctx.lake, max(days))
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
