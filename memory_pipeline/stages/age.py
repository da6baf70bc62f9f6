"""Time passes: the lifecycle policy's transitions up to a day, as versions with their reasons (DL-26)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from memory_pipeline.domain.lifecycle import advance
from memory_pipeline.domain.memory import MemoryVersion, fold
from memory_pipeline.domain.transition import finish
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publish import index_memories, publish


def transitions(ctx: StageContext, through: date) -> list[MemoryVersion]:
    """What the policy changes by the end of a local day; nothing is written (the dry run)."""
    from memory_pipeline.storage.ledger import due, versions_of

    found: list[MemoryVersion] = []
    for memory in fold(versions_of(ctx.lake, due(ctx.lake, through))).values():
        if memory.review_on is not None and memory.review_on <= through:
            found += [
                finish(v, ctx.policy, ctx.run_id, ctx.now) for v in advance(memory, through, ctx.policy.lifecycle)
            ]
    return sorted(found, key=lambda v: (v.day, v.tenant_id, v.user_id, v.memory_id, v.version))


def age(ctx: StageContext, days: Sequence[date]) -> dict[date, Counter[str]]:
    """Apply the policy up to the last of some days. Returns the changes by the day on which they took effect."""
    if not days:
        return {}
    ctx.progress("ageing", 0, 1)
    made = transitions(ctx, max(days))
    publish(ctx, made, [])
    index_memories(ctx, {v.memory_id for v in made})
    report: dict[date, Counter[str]] = {}
    for version in made:
        report.setdefault(version.day, Counter())[f"{version.type} → {version.status}"] += 1
    ctx.progress("ageing", 1, 1)
    return report
