"""8 · How well what is in force remembers: the fixtures, and how their figures have moved."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.orchestration.assets.code_versions import version_in_force
from memory_pipeline.orchestration.assets.run_stage import OWNERS
from memory_pipeline.orchestration.metadata.charts import lines
from memory_pipeline.orchestration.metadata.values import chart, table
from memory_pipeline.orchestration.resources import Pipeline

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.schemas import Evaluation

_FIGURES = ("precision", "recall", "hit@3", "behaviours")
_COUNTS = ("leaks", "duplicates", "passed", "fixtures")
_SHOWN = 12
_PLACES = 60  # of the chart


class Played(dg.Config):
    """What is played."""

    fixtures: list[str] = []
    """By name; all of them when none is named."""


@dg.asset(
    group_name="8_evaluation",
    kinds={"parquet"},
    owners=OWNERS,
    code_version=version_in_force(),
    description="The fixtures, played in a temporary home under the policy in force with the builtin models: "
    "precision, hit@3, leaks and duplicates, and their history.",
)
def evaluation(config: Played, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    from memory_pipeline.evaluation.fixtures.fixture_run import run_fixtures
    from memory_pipeline.evaluation.fixtures.fixture_verdict import below
    from memory_pipeline.evaluation.history import FIXTURES, record, results
    from memory_pipeline.evaluation.shadow.candidate import digest_of, with_values
    from memory_pipeline.storage.parquet.lake import Lake

    settings = pipeline.settings()
    # Hosted models would be paid for outside of the day's budget.
    tried = with_values(settings, chat="builtin", encoder="builtin", chat_batch=False)
    report = run_fixtures(config.fixtures or None, tried)
    lake, digest = Lake(settings.path("lake")), digest_of(tried)
    reasons = below(report.metrics, settings.policies.evaluation)
    subject = f"the fixtures {', '.join(config.fixtures)}" if config.fixtures else "all fixtures"
    record(lake, FIXTURES, datetime.now(UTC), report.metrics, reasons, candidate=digest, base=digest, subject=subject)
    failures = [{"fixture": o.fixture, "check": o.check, "expected": o.expected} for o in report.failures]
    return dg.MaterializeResult(
        metadata={
            **{name: report.metrics[name] for name in (*_FIGURES, *_COUNTS)},
            "failures": table(failures[:50]),
            **_history([found for found in results(lake, FIXTURES) if found.subject == subject][-_PLACES:]),
        }
    )


def _history(results: Sequence["Evaluation"]) -> dict[str, Any]:
    """The figures so far, as a chart and, of the last ones, as a table."""
    from memory_pipeline.evaluation.history import metrics_of, series

    wide = [result for result in results for _ in range(max(_PLACES // len(results), 1))]
    ticks = [result.recorded_at.date().isoformat() for result in (results[0], results[-1])]
    rows = [
        {
            "made": result.recorded_at.isoformat(timespec="minutes"),
            **{name: metrics_of(result)[name] for name in (*_FIGURES, *_COUNTS)},
            "good enough": result.passed,
            "in force": result.candidate,
        }
        for result in reversed(results[-_SHOWN:])
    ]
    return {"history": chart(lines(series(wide, _FIGURES), ticks)), "latest": table(rows)}


@dg.asset_check(asset=evaluation, description="Precision, hit@3, leaks and duplicates keep to [evaluation].")
def fixtures_are_good_enough(pipeline: Pipeline) -> dg.AssetCheckResult:
    from memory_pipeline.evaluation.history import FIXTURES, metrics_of, results
    from memory_pipeline.storage.parquet.lake import Lake

    (newest,) = results(Lake(pipeline.settings().path("lake")), FIXTURES, most=1)
    return dg.AssetCheckResult(
        passed=newest.passed,
        description="; ".join(newest.reasons) or "every threshold is met",
        metadata={name: metrics_of(newest)[name] for name in ("precision", "hit@3", "leaks", "duplicates")},
    )
