"""Store maintenance: what keeps nights from growing longer with the age of the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import date, timedelta

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.landing.message_log import exclusive
from memory_pipeline.stages.one_writer import MAINTENANCE, alone
from memory_pipeline.storage.files import day_of
from memory_pipeline.storage.partition_values import by_partition

_KEPT_VERSIONS = timedelta(days=1)
_KEPT_FILES = timedelta(hours=1)
_UNFINISHED = timedelta(days=1)
_OPEN = timedelta(days=2)  # a day goes on for up to 14 hours somewhere, and a run that follows it for some more


def maintain(
    ctx: StageContext,
    kept_versions: timedelta = _KEPT_VERSIONS,
    kept_files: timedelta = _KEPT_FILES,
    unfinished: timedelta = _UNFINISHED,
) -> Mapping[str, int]:
    """Remove what killed processes left, roll up closed days, bring the ledger's checkpoint up to date, and compact
    the index. A second one waits for the first.

    Args:
        kept_versions: how long a reader may go on with a version of the index that it has opened.
        kept_files: how long one may take to read the files of the lake that it has listed.
        unfinished: how long a file that is being written may lie untouched.

    Returns:
        What was done and what is there, by name.
    """
    from memory_pipeline.storage.checkpoint import refresh
    from memory_pipeline.storage.unfinished import remove_unfinished

    with alone(ctx.settings, MAINTENANCE):
        found = {"unfinished files removed": remove_unfinished(ctx.settings, unfinished)}
        found |= _rolled_up(ctx, kept_files)
        found["parts of the checkpoint written"] = refresh(ctx.lake, ctx.now.date(), kept_files)
        return found | ctx.index.optimize(kept_versions)


def _rolled_up(ctx: StageContext, kept: timedelta) -> dict[str, int]:
    """Roll up the closed days that may have several files: those of the last weeks, and those that changed since."""
    from memory_pipeline.storage.checkpoint import LEDGER, load
    from memory_pipeline.storage.roll_up import APPENDED, roll_up, sweep

    closed = ctx.now.date() - _OPEN
    held = load(ctx.lake)
    written = removed = 0
    for dataset in APPENDED:
        days = _several(ctx, dataset, closed)
        removed += sweep(ctx.lake, dataset, days, kept)
        if dataset == LEDGER and held is not None:  # it knows the files of its days by their names
            days = [day for day in days if day > held.through]
        with exclusive(ctx.settings):  # an edited message is put into the file that holds it
            written += roll_up(ctx.lake, dataset, days)
    return {"days rolled up": written, "files removed": removed}


def _several(ctx: StageContext, dataset: str, closed: date) -> list[date]:
    """Closed partitions that hold several files."""

    def compute(days: Collection[date]) -> Mapping[date, int]:
        return Counter(day_of(info.path) for info in ctx.lake.store.infos(dataset, days))

    counts = by_partition(ctx.lake, f"files_{dataset}", "1", dataset, compute)
    return [day for day, files in counts.items() if files > 1 and day <= closed]
