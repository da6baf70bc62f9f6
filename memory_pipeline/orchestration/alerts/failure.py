"""Why a Dagster run failed, as an error of ours in one line."""

from __future__ import annotations

import dagster as dg
from dagster._core.events import JobFailureData
from dagster_shared.error import SerializableErrorInfo

from memory_pipeline.errors import AuditFailed, BudgetExceeded, MemoryPipelineError

STOPPED = frozenset({"DagsterExecutionInterruptedError", "KeyboardInterrupt"})
"""Names of the errors by which a run ends that somebody has stopped."""


def innermost(error: SerializableErrorInfo) -> SerializableErrorInfo:
    """The cause of a cause of an error."""
    while error.cause is not None:
        error = error.cause
    return error


def error_of_run(event: dg.DagsterEvent) -> SerializableErrorInfo | None:
    """The innermost cause of a run's failure outside of its steps; None where the event tells of none."""
    data = event.event_specific_data
    return innermost(data.error) if isinstance(data, JobFailureData) and data.error is not None else None


def why(result: dg.ExecuteInProcessResult) -> MemoryPipelineError:
    """The innermost cause of the first failed step, and where to read the rest."""
    for event in result.all_events:
        if event.is_step_failure and event.step_failure_data.error is not None:
            error = innermost(event.step_failure_data.error)
            if error.cls_name in STOPPED:
                raise KeyboardInterrupt
            message = error.message.strip()
            of = {"run_id": result.run_id, "stage": event.step_key}
            if error.cls_name == BudgetExceeded.__name__:
                return BudgetExceeded(f"{event.step_key}: {message.partition(': ')[2]}", **of)
            if error.cls_name == AuditFailed.__name__:
                return AuditFailed(f"{event.step_key}: {message.partition(': ')[2]}", **of)
            return MemoryPipelineError(
                f"{event.step_key} failed: {message} (run {result.run_id}; see `memory-pipeline ui`)", **of
            )
    failed = [
        e.asset_check_evaluation_data for e in result.all_events if e.event_type_value == "ASSET_CHECK_EVALUATION"
    ]
    names = ", ".join(c.check_name for c in failed if not c.passed)
    told = f": the check {names} did not pass" if names else ""
    for event in result.all_events if not names else ():
        if (cause := error_of_run(event)) is not None:
            if cause.cls_name in STOPPED:
                raise KeyboardInterrupt
            told = f": {cause.message.strip()}"
    return MemoryPipelineError(f"run {result.run_id} failed{told}; see `memory-pipeline ui`", run_id=result.run_id)
