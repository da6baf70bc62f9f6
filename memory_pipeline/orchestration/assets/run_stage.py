"""The one way an asset runs a stage: partitions in, work, a note of what was made from what, metadata out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import date
from traceback import clear_frames
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.ids import digest
from memory_pipeline.errors import BatchError, BudgetExceeded, ModelError, SettingsError
from memory_pipeline.orchestration.metadata.values import OF_RUN, OPEN, plot, table
from memory_pipeline.orchestration.partitions import dates, earlier
from memory_pipeline.orchestration.processes.interrupts import STOPPING
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.stages.publication.one_writer import alone

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

OWNERS = ["team:memory-pipeline"]
RETRY = dg.RetryPolicy(max_retries=2, delay=30, backoff=dg.Backoff.EXPONENTIAL)


@dataclass
class StageResult:
    """What a stage made.

    Attributes:
        rows: by partition.
        metadata: for the whole run.
        complete: partitions whose work was done in full; others stay stale. None = all.
        beside: rows written in partitions that were not asked for, by partition: what late input changed there.
        figures: of single partitions; the UI plots them over the days.
        examples: rows to look at, by partition.
        checks: results of the asset's own checks.
        inputs: of what is made from outside, a digest of what each partition holds now.
    """

    rows: Mapping[date, int]
    metadata: dict[str, Any] = field(default_factory=dict)
    complete: Sequence[date] | None = None
    beside: Mapping[date, int] = field(default_factory=dict)
    figures: Mapping[date, Mapping[str, int | float]] = field(default_factory=dict)
    examples: Mapping[date, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    checks: Sequence[dg.AssetCheckResult] = ()
    inputs: Mapping[date, str] = field(default_factory=dict)


Work = Callable[["StageContext", list[date]], StageResult]


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM raise KeyboardInterrupt, as long as a stage works.

    Dagster's own interruption is no KeyboardInterrupt: raised inside a callback of an event loop, asyncio takes it for
    a failure of that callback ("Fatal write error on socket transport"), and the run goes on as if nothing had been.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_stage(
    context: dg.AssetExecutionContext, pipeline: Pipeline, stage: str | None, work: Work
) -> dg.MaterializeResult[None]:
    """Run a stage on the step's partitions, while no other process makes the same stage: what was digested before the
    work began is then what it was made from, however many runs there are at once.

    Args:
        stage: name in ``stages.plan.registry``; None for what is made from outside (transcripts).

    Raises:
        dagster.Failure: trying again at once would not help: the day's budget is spent, the provider would not carry
            out a batch, a setting is wrong, or somebody has stopped the run.
    """
    try:
        return _run_stage(context, pipeline, stage, work)
    except BaseException as error:
        _let_go(error)
        raise


def _let_go(error: BaseException | None) -> None:
    """Empty the frames of an error and of those behind it. Dagster keeps the error of a failed step to the end of the
    process, and engines in its frames would outlive their modules and complain on stderr."""
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _run_stage(
    context: dg.AssetExecutionContext, pipeline: Pipeline, stage: str | None, work: Work
) -> dg.MaterializeResult[None]:
    from memory_pipeline.stages.plan import freshness, registry

    ctx = pipeline.stage_context(context.run.run_id)
    ctx.lake.fence.renew()
    known = registry.BY_NAME[stage] if stage else None
    asked = dates(context.partition_keys)
    before = [day for day in earlier(context.run, known.grain if known else Grain.DAY) if day not in asked]
    partitions = [*before, *asked]
    made_from: Mapping[date, str] = {}
    left_open: dict[date, str] = {}
    try:
        with alone(ctx.settings, f"stage-{stage}") if known else nullcontext(), interruptible():
            if known:
                made_from = freshness.inputs(ctx, known)
                freshness.begin(ctx, known)
            made = work(ctx, partitions)
            if known:
                done = partitions if made.complete is None else made.complete
                freshness.record(ctx, known, made_from, list(done), made.rows)
                left_open = {day: made_from[day] for day in set(partitions) - set(done) if day in made_from}
    except (BatchError, BudgetExceeded, SettingsError) as error:
        _not_asked(context, error)
        raise dg.Failure(str(error), allow_retries=False) from error
    except ModelError as error:
        _not_asked(context, error)
        raise
    except (dg.DagsterExecutionInterruptedError, KeyboardInterrupt) as stop:
        # Dagster's retry policy takes an interruption for a failure: it would wait, and start the step again.
        raise dg.Failure("interrupted", allow_retries=False) from stop
    for partition in partitions:
        rows = made.rows.get(partition, 0)
        told = {
            "rows": rows,
            **({"dagster/partition_row_count": rows} if rows else {}),
            **made.figures.get(partition, {}),
            **({OPEN: left_open[partition]} if partition in left_open else {}),
            **({"examples": table(made.examples[partition])} if made.examples.get(partition) else {}),
        }
        if partition in before:
            if rows:
                context.log_event(
                    dg.AssetMaterialization(context.asset_key, partition=partition.isoformat(), metadata=told)
                )
        else:
            context.add_asset_metadata(told, asset_key=context.asset_key, partition_key=partition.isoformat())
    for partition, rows in sorted(made.beside.items()):
        if partition not in partitions:
            context.log_event(
                dg.AssetMaterialization(
                    context.asset_key,
                    description="changed by what was made before it",
                    partition=partition.isoformat(),
                    metadata={"rows changed": rows},
                )
            )
    total = sum(made.rows.get(p, 0) for p in partitions)
    context.log.info(f"{context.asset_key.to_user_string()}: {total} rows in {len(partitions)} partitions")
    by_partition = {p: made.rows.get(p, 0) for p in partitions}
    # Of a range Dagster shows the same metadata at each partition: what is of the whole run stands at the last alone.
    whole = {"rows": total, "rows by partition": plot(by_partition), **made.metadata}
    if len(asked) == 1:
        context.add_asset_metadata(made.metadata, asset_key=context.asset_key, partition_key=context.partition_keys[0])
    else:
        context.add_asset_metadata(
            {OF_RUN + name: value for name, value in whole.items()},
            asset_key=context.asset_key,
            partition_key=context.partition_keys[-1],
        )
    code = freshness.code_version(ctx.settings, ctx.prompts, known) if known else ""
    version = _data_version(code, {**made_from, **made.inputs}, partitions)
    return dg.MaterializeResult(check_results=list(made.checks), data_version=version)


def _data_version(code: str, made_from: Mapping[date, str], partitions: Sequence[date]) -> dg.DataVersion | None:
    """What Dagster compares to tell whether an asset is stale: a digest of the code, and of what the step's partitions
    were made from. All partitions of one step share it, as Dagster records one a step; None leaves it to Dagster."""
    wanted = [made_from[day] for day in partitions if day in made_from]
    return dg.DataVersion(digest(code, *wanted)) if wanted else None


def _not_asked(context: dg.AssetExecutionContext, error: Exception) -> None:
    """Leave word at the asset that nothing was made because nobody was asked: it did not find nothing."""
    told: dict[str, int | str] = {"not asked": len(context.partition_keys), "because of": type(error).__name__}
    context.log_event(dg.AssetObservation(context.asset_key, description="not asked", metadata={**told}))
