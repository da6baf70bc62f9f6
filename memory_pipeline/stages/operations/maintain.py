"""Store maintenance: what keeps the stores small, and nights from growing longer with their age.

It changes nothing that the stores say, but for what the policy has run out. Each step can be done again, or stop half
done, without harm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.landing.message_log import exclusive
from memory_pipeline.stages.publication.one_writer import MAINTENANCE, alone
from memory_pipeline.storage.parquet.files import day_of
from memory_pipeline.storage.parquet.partition_values import by_partition

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.size import StoreSize

_OPEN = timedelta(days=2)  # a day goes on for up to 14 hours somewhere, and a run that follows it for some more


@dataclass(frozen=True, slots=True)
class Grace:
    """How long what is no longer current stays.

    Attributes:
        versions: for a reader that has opened a version of the index.
        files: for a reader that has listed the files of the lake.
        unfinished: for whoever is writing a file.
    """

    versions: timedelta
    files: timedelta
    unfinished: timedelta


class Step(NamedTuple):
    """A part of maintenance; it returns what it did, by name."""

    name: str
    run: Callable[[StageContext, Grace], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What maintenance did, and what the stores took before and after it.

    Attributes:
        done: by step and name.
    """

    before: StoreSize
    after: StoreSize
    done: Mapping[str, Mapping[str, int]]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"before": self.before.to_dict(), "after": self.after.to_dict(), "steps": self.done}


def maintain(ctx: StageContext, grace: Grace | None = None) -> MaintenanceReport:
    """Do every step of :data:`STEPS`, in order. A second maintenance waits for the first.

    Args:
        grace: in place of the policy's.
    """
    from memory_pipeline.storage.parquet.size import size_of

    kept = grace or _grace(ctx)
    done = {}
    with alone(ctx.settings, MAINTENANCE):
        done[_FIRST.name] = _FIRST.run(ctx, kept)
        before = size_of(ctx.lake, ctx.index)
        for n, step in enumerate(STEPS):
            ctx.progress("maintaining", n, len(STEPS))
            done[step.name] = step.run(ctx, kept)
        ctx.progress("maintaining", len(STEPS), len(STEPS))
        return MaintenanceReport(before, size_of(ctx.lake, ctx.index), done)


def _grace(ctx: StageContext) -> Grace:
    figures = ctx.policy.maintenance
    hours = figures.kept_versions_hours, figures.kept_files_hours, figures.unfinished_hours
    return Grace(*(timedelta(hours=n) for n in hours))


def _roll_up(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """One file of each closed day that may have several: those of the last weeks, and those that changed since."""
    from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, load
    from memory_pipeline.storage.parquet.layouts.roll_up import APPENDED, roll_up, sweep

    closed = ctx.now.date() - _OPEN
    held = load(ctx.lake)
    written = removed = 0
    for dataset in APPENDED:
        days = _several(ctx, dataset, closed)
        removed += sweep(ctx.lake, dataset, days, grace.files)
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


def _checkpoint(ctx: StageContext, grace: Grace) -> dict[str, int]:
    from memory_pipeline.storage.parquet.layouts.checkpoint import refresh
    from memory_pipeline.storage.queries.ageing import keep_due

    written = refresh(ctx.lake, ctx.now.date(), grace.files)
    keep_due(ctx.lake, ctx.policy)
    return {"parts written": written}


def _by_user(ctx: StageContext, grace: Grace) -> dict[str, int]:
    from memory_pipeline.storage.parquet.layouts.by_user import LAID_OUT, refresh

    return {"parts written": sum(refresh(ctx.lake, dataset, grace.files) for dataset in LAID_OUT)}


def _vectors(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """The kept vectors of the oldest days, where all together take more than the policy allows."""
    from memory_pipeline.storage.vectors.kept_vectors import bound

    with exclusive(ctx.settings):
        return {"days removed": bound(ctx.lake, ctx.policy.maintenance.kept_vectors_bytes)}


def _index(ctx: StageContext, grace: Grace) -> dict[str, int]:
    return ctx.index.optimize(grace.versions, ctx.policy.maintenance.fragment_rows)


def _unfinished(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """Files that a process which was killed has left half written."""
    from memory_pipeline.storage.erasing.unfinished import remove_unfinished

    return {"files removed": remove_unfinished(ctx.settings, grace.unfinished)}


def _staged(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """Rows that a run has staged and did not publish, once nobody has looked at them for a week."""
    from memory_pipeline.stages.publication.staging import clear

    return {"runs removed": clear(ctx)}


def _erasures(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """What was begun to be erased, what the policy keeps no longer, and what providers are still to delete."""
    from memory_pipeline.stages.operations.clock import may_decide
    from memory_pipeline.stages.operations.erasure.erase import complete
    from memory_pipeline.stages.operations.erasure.provider import settle
    from memory_pipeline.stages.operations.erasure.retention import retain
    from memory_pipeline.storage.erasing.erasures import Erasures

    done = {"erasures completed": len(complete(ctx)), **(retain(ctx) if may_decide(ctx) else {})}
    return done | settle(ctx, Erasures(ctx.settings))


def _blocks(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """Prompt blocks of sessions that nobody goes on with."""
    from memory_pipeline.storage.logs.block_files import BlockFiles

    first = ctx.now - timedelta(days=ctx.policy.summary.session_days)
    return {"files removed": BlockFiles(ctx.settings.path("recall")).remove_before(first.timestamp())}


def _repair(ctx: StageContext, grace: Grace) -> dict[str, int]:
    """Tables of the index of which a file is gone or damaged: nothing else can be done to them."""
    from memory_pipeline.stages.operations.index_repair import repair

    return {f"{name} made again": 1 for name in repair(ctx)}


_FIRST = Step("damaged index", _repair)
"""Before the stores are measured, which a damaged table would stop."""
STEPS = (
    Step("erasures", _erasures),
    Step("unfinished files", _unfinished),
    Step("staged rows", _staged),
    Step("blocks of sessions", _blocks),
    Step("kept vectors", _vectors),
    Step("roll up closed days", _roll_up),
    Step("checkpoint of the ledger", _checkpoint),
    Step("layout by user", _by_user),
    Step("index", _index),
)
"""What maintenance does, in order: what removes rows stands before what makes files of those that are left."""
