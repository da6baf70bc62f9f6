"""The sensors that watch over runs and assets, and tell somebody."""

from datetime import UTC, datetime

import dagster as dg

from memory_pipeline.orchestration.alerts.run_alerts import alerts_of, not_fresh, tell
from memory_pipeline.settings import Settings

_ON = dg.DefaultSensorStatus.RUNNING


@dg.run_failure_sensor(
    default_status=_ON,
    minimum_interval_seconds=5,
    description="A run that failed, a blocking check, a spent budget → log, alerts folder, webhook.",
)
def failure_alerts(context: dg.RunFailureSensorContext) -> None:
    _tell(context)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    default_status=_ON,
    minimum_interval_seconds=30,
    description="Checks that only warn, of runs that went well → log, alerts folder, webhook.",
)
def warning_alerts(context: dg.RunStatusSensorContext) -> None:
    _tell(context)


def _tell(context: dg.RunStatusSensorContext) -> None:
    for alert in tell(Settings.load(), alerts_of(context.instance, context.dagster_run.run_id)):
        context.log.error(alert.message) if alert.severity == "error" else context.log.warning(alert.message)


@dg.sensor(
    default_status=_ON,
    minimum_interval_seconds=300,
    description="Assets that fail their freshness policy → log, alerts folder, webhook; once a day each.",
)
def freshness_alerts(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    assert context.repository_def is not None
    keys = context.repository_def.asset_graph.materializable_asset_keys
    told = tell(Settings.load(), not_fresh(context.instance, keys, datetime.now(UTC)))
    return dg.SkipReason(f"{len(told)} alerts")


SENSORS = [failure_alerts, warning_alerts, freshness_alerts]
