"""Retention by age: what the policy keeps for so many days only goes as if somebody had asked for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from memory_pipeline.domain.erasure import Reason, Target
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.landing.message_log import exclusive
from memory_pipeline.stages.operations.erasure.erase import CERTIFICATE_VERSION, erase, survey
from memory_pipeline.stages.operations.erasure.partitions import rewrite
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.parquet.files import day_of

_FENCES = timedelta(days=30)  # no run goes on for longer: a batch takes a day


def retain(ctx: StageContext) -> dict[str, int]:
    """Erase what the policy does not keep any longer. Returns what was removed, by name; nothing when nothing is due.

    Raises:
        ModelError, StorageError: as ``erase``.
    """
    done: Counter[str] = Counter()
    targets = aged_messages(ctx)
    if targets:
        certificate = erase(ctx, targets, Reason.RETENTION)
        done.update({f"aged {name}": n for name, n in certificate.removed.items()})
    partitions = dict(_aged_partitions(ctx))
    removed = Counter({f"aged partitions of {name}": _remove(ctx, name, days) for name, days in partitions.items()})
    if +removed:
        Erasures(ctx.settings).certify(f"retention-{ctx.now:%Y%m%dT%H%M%S%f}", _certificate(ctx, +removed))
    Erasures(ctx.settings).drop_fences(ctx.clock() - _FENCES)
    return dict(done + removed)


def due(ctx: StageContext) -> dict[str, int]:
    """What :func:`retain` would remove, by name; nothing is changed."""
    targets = aged_messages(ctx)
    found = {f"aged {name}": n for name, n in survey(ctx, targets).items()} if targets else {}
    return found | {f"aged partitions of {name}": len(days) for name, days in _aged_partitions(ctx) if days}


def aged_messages(ctx: StageContext) -> list[Target]:
    """The messages that are older than the policy keeps them, by user."""
    last = _cutoff(ctx, ctx.policy.retention.messages_days)
    days = [day for day in ctx.lake.days("messages") if last is not None and day < last]
    if not days:
        return []
    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id, session_id, message_id FROM messages ORDER BY ALL", days={"messages": days}
    )
    found: dict[Scope, list[tuple[str, str]]] = defaultdict(list)
    for row in table.to_pylist():
        found[Scope(row["tenant_id"], row["user_id"])].append((row["session_id"], row["message_id"]))
    return [Target(scope, tuple(pairs)) for scope, pairs in sorted(found.items())]


def _aged_partitions(ctx: StageContext) -> Iterable[tuple[str, list[date]]]:
    figures = ctx.policy.retention
    kept = {
        "quarantined": figures.quarantine_days,
        "recalls": figures.recalls_days,
        "replies": figures.replies_days,
    }
    for dataset, count in kept.items():
        last = _cutoff(ctx, count)
        days = [day for day in ctx.lake.days(dataset) if last is not None and day < last]
        yield dataset, sorted({day_of(info.path) for info in ctx.lake.store.infos(dataset, days)}) if days else []


def _cutoff(ctx: StageContext, count: int) -> date | None:
    return ctx.now.date() - timedelta(days=count) if count > 0 else None


def _remove(ctx: StageContext, dataset: str, days: list[date]) -> int:
    """Empty some partitions. Returns how many files they had."""
    with exclusive(ctx.settings):
        paths = [info.path for info in ctx.lake.store.infos(dataset, days)] if days else []
        for path in paths:
            rewrite(ctx, path, lambda table: table.slice(0, 0))
    return len(paths)


def _certificate(ctx: StageContext, removed: Counter[str]) -> dict[str, Any]:
    return {
        "schema_version": CERTIFICATE_VERSION,
        "erasure_id": f"retention-{ctx.run_id}",
        "reason": str(Reason.RETENTION),
        "subjects": [],
        "completed_at": ctx.clock().isoformat(),
        "policy_version": ctx.policy.version("retention"),
        "removed": dict(removed),
        "complete": True,
    }
