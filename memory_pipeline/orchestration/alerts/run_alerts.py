"""What somebody should be told about a run: that it failed, that a check did not pass, that the money is spent.

An alert leaves the machine, so it says what we say, never what a stranger's error message quotes: those of databases
and model servers may hold the text they stumbled over.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline import errors
from memory_pipeline.orchestration.alerts.failure import STOPPED, error_of_run, innermost
from memory_pipeline.orchestration.alerts.webhook import post
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.alert_log import Alert, AlertKind, AlertLog

if TYPE_CHECKING:
    from memory_pipeline.orchestration.runs.run_report import RunReport

_BLOCKED = "DagsterAssetCheckFailedError"  # of the checks' step, whose checks are told each
# Their messages are figures and names of settings; those of the others may quote.
_OWN_WORDS = (errors.BudgetExceeded, errors.SettingsError, errors.IndexMismatch)
_TELLING = {
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.RUN_FAILURE,
    dg.DagsterEventType.ASSET_CHECK_EVALUATION,
}
_log = logging.getLogger(__name__)


def alerts_of(instance: dg.DagsterInstance, run_id: str) -> list[Alert]:
    """The alerts of a run, in the order of its events."""
    run = instance.get_run_by_id(run_id)
    job = run.job_name if run is not None else ""
    found: list[Alert] = []
    lost: Alert | None = None
    for record in instance.all_logs(run_id, of_type=_TELLING):
        event, at = record.get_dagster_event(), datetime.fromtimestamp(record.timestamp, UTC)
        if event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            seen = event.asset_check_evaluation_data
            if not seen.passed:
                check = f"{seen.asset_key.to_user_string()}: {seen.check_name}"
                severity = "error" if seen.severity is dg.AssetCheckSeverity.ERROR else "warning"
                told = f"the check {seen.check_name} of {seen.asset_key.to_user_string()} did not pass"
                found.append(Alert(AlertKind.CHECK_FAILED, at, severity, run_id, job, check, "", told))
        elif event.event_type is dg.DagsterEventType.STEP_FAILURE:
            failure = event.step_failure_data.error
            cause = innermost(failure) if failure is not None else None
            if cause is not None and cause.cls_name in STOPPED:
                return []  # somebody stopped it
            if cause is not None and cause.cls_name == _BLOCKED and found:
                continue
            found.append(_of_step(at, run_id, job, event.step_key or "", cause))
        elif not any(alert.kind is not AlertKind.CHECK_FAILED for alert in found):
            told = "the run ended without having finished; see its page in `memory-pipeline ui`"
            cause = error_of_run(event)
            if cause is not None and cause.cls_name in STOPPED:
                return []
            ended = Alert(AlertKind.RUN_FAILED, at, "error", run_id, job, "", "", told)
            lost = ended if cause is None else _of_step(at, run_id, job, "the run", cause)
    blocked = any(alert.severity == "error" for alert in found)
    return found if lost is None or blocked else [*found, lost]


def _of_step(at: datetime, run_id: str, job: str, step: str, cause: dg.SerializableErrorInfo | None) -> Alert:
    name = (cause.cls_name if cause is not None else None) or "Failure"
    known = getattr(errors, name, None)
    kind = AlertKind.BUDGET_SPENT if known is errors.BudgetExceeded else AlertKind.RUN_FAILED
    if cause is None or not (isinstance(known, type) and issubclass(known, errors.MemoryPipelineError)):
        told = f"{step} failed with {name}; see the run's page in `memory-pipeline ui`"
    elif issubclass(known, _OWN_WORDS):
        lines = cause.message.strip().partition(": ")[2].splitlines()
        told = f"{step}: {lines[0] if lines else name}"
    else:
        told = f"{step}: {(known.__doc__ or name).splitlines()[0]}"
    return Alert(kind, at, "error", run_id, job, step, name, told)


def tell(settings: Settings, alerts: Sequence[Alert]) -> list[Alert]:
    """Write alerts to the log, the home's ``alerts`` folder and the webhook. Returns those that were new.

    Raises:
        SettingsError: the webhook's URL is none.
    """
    new = AlertLog(settings).add(alerts)
    for alert in new:
        level = logging.ERROR if alert.severity == "error" else logging.WARNING
        _log.log(level, "%s: %s (run %s)", alert.kind, alert.message, alert.run_id or "none")
    post(settings, new)
    return new


@contextmanager
def told_of(instance: dg.DagsterInstance, settings: Settings, report: RunReport) -> Iterator[None]:
    """Tell of the runs that a report names, whether it goes well or not: no daemon watches those."""
    try:
        yield
    finally:
        tell(settings, [alert for run_id in report.run_ids for alert in alerts_of(instance, run_id)])


def not_fresh(instance: dg.DagsterInstance, keys: Iterable[dg.AssetKey], now: datetime) -> list[Alert]:
    """An alert for each asset that fails its freshness policy; once a day for as long as it does."""
    from dagster._core.definitions.freshness import FreshnessState

    states = instance.get_freshness_state_records(list(keys))
    return [
        Alert(
            AlertKind.NOT_FRESH,
            now,
            "error",
            "",
            now.date().isoformat(),
            key.to_user_string(),
            "",
            f"{key.to_user_string()} has not been made for too long, although schedules should have",
        )
        for key, record in sorted(states.items(), key=lambda item: item[0])
        if record.freshness_state is FreshnessState.FAIL
    ]
