"""A run's staged rows: opened, thrown away once they are published or in vain, kept where an audit has failed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import date, timedelta

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import AuditFailed, StorageError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.staged_rows import StagedRows, extent, staged_runs

_KEPT = timedelta(days=7)
_RUNS = 1_000  # with the same id at the same time


@contextmanager
def staging(ctx: StageContext) -> Iterator[StagedRows]:
    """A place for what a run stages, empty at first.

    It is gone afterwards, whether all went well or not: another run makes the same rows again without a model call.
    Where an audit has failed it stays, to be looked at.
    """
    for n in range(1, _RUNS):
        staged = StagedRows.of(ctx.lake, ctx.run_id if n == 1 else f"{ctx.run_id}-{n}")
        with staged.held() as mine:
            if mine and not staged.note():  # what another stage of this run was refused stays, to be looked at
                yield from _kept_if_refused(staged)
                return
    raise StorageError(f"{_RUNS} runs called {ctx.run_id} are at work")


def _kept_if_refused(staged: StagedRows) -> Iterator[StagedRows]:
    staged.empty()
    try:
        yield staged
    except AuditFailed:
        raise
    except BaseException:
        staged.remove()
        raise
    staged.remove()


def clear(
    ctx: StageContext,
    writer: str = "",
    users: Collection[Scope] | None = (),
    days: Collection[date] | None = None,
) -> int:
    """Remove what earlier runs have left staged. Returns of how many runs.

    Args:
        writer, users, days: just published: what the same writer had staged for none but these is out of date; None =
            all. Everything else goes once it is older than a week. A run that is at work keeps its rows.
    """
    removed = 0
    for staged in staged_runs(ctx.lake):
        with staged.held() as idle:
            if idle and _over(ctx, staged, writer, users, days):
                staged.remove()
                removed += 1
    return removed


def _over(
    ctx: StageContext,
    staged: StagedRows,
    writer: str,
    users: Collection[Scope] | None,
    days: Collection[date] | None,
) -> bool:
    note = staged.note()
    if (ctx.lake.store.local and not note) or staged.older_than(_KEPT):
        return True  # whoever had staged it was stopped, or nobody has looked at it
    if note.get("writer", "memories") != writer:  # a note of before was of the only stage that staged
        return False
    of, on = extent(staged)
    return (users is None or of <= set(users)) and (days is None or on <= set(days))


def erase_staged(ctx: StageContext, scope: Scope) -> int:
    """Remove every staged row of a user, and what is noted of them, whatever run has staged it. To be called while
    nobody else writes the user's memories. Returns how many rows there were."""
    return sum(staged.drop(scope) for staged in staged_runs(ctx.lake))
