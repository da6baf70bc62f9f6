"""The ``evaluation`` asset: its figures, its history, its check."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.domain.policy import EvaluationPolicy
from memory_pipeline.evaluation.fixtures.fixture_loading import load_fixtures
from memory_pipeline.evaluation.fixtures.fixture_verdict import below
from memory_pipeline.evaluation.history import FIXTURES, metrics_of, record, results, series
from memory_pipeline.orchestration.assets.evaluation import evaluation, fixtures_are_good_enough
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.storage.parquet.lake import Lake

POLICY = EvaluationPolicy(precision=0.96, hit3=0.95, leaks=0, duplicates=0)
GOOD = {"precision": 1.0, "recall": 1.0, "hit@3": 1.0, "behaviours": 1.0, "leaks": 0, "duplicates": 0}
NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        ({}, []),
        ({"precision": 0.96, "hit@3": 0.95}, []),
        ({"precision": 0.9599}, ["precision is 96.0%, less than 96.0%"]),
        ({"hit@3": 0.5, "leaks": 1}, ["hit@3 is 50.0%, less than 95.0%", "1 leaks, more than 0"]),
        ({"duplicates": 2}, ["2 duplicates, more than 0"]),
    ],
)
def test_thresholds(changed: dict[str, float], reasons: list[str]) -> None:
    assert below(GOOD | changed, POLICY) == reasons


def test_a_history_is_kept_in_order_and_by_kind(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    for week, precision in enumerate((0.9, 0.97, 1.0)):
        at = NOW + timedelta(weeks=week)
        found = GOOD | {"precision": precision}
        reasons = below(found, POLICY)
        record(lake, FIXTURES, at, found, reasons, candidate="c", base="c", subject="all fixtures")
    record(lake, "shadow", NOW, GOOD, [], candidate="d", base="c", subject="policy x.toml")
    kept = results(lake, FIXTURES)
    assert series(kept, ["precision", "leaks"]) == {"precision": [0.9, 0.97, 1.0], "leaks": [0, 0, 0]}
    assert [row.passed for row in kept] == [False, True, True]
    assert len({row.evaluation_id for row in kept}) == 1
    assert results(lake, FIXTURES, most=1) == kept[-1:]


def test_the_asset_plays_fixtures_under_the_home_s_policy_and_shows_the_history(tmp_path: Path) -> None:
    name = load_fixtures()[0].name
    (tmp_path / "policy.toml").write_text("[evaluation]\nhit3 = 0.0\n", encoding="utf-8")
    config = dg.RunConfig(ops={"evaluation": {"config": {"fixtures": [name]}}})
    with dg.instance_for_test() as instance:
        done = dg.materialize(
            [evaluation, fixtures_are_good_enough],
            instance=instance,
            resources={"pipeline": Pipeline(home=str(tmp_path))},
            run_config=config,
        )
        assert done.success
        (made,) = done.get_asset_materialization_events()
        (checked,) = done.get_asset_check_evaluations()
    metadata = made.step_materialization_data.materialization.metadata
    lake = Lake(str(tmp_path / "lake"))
    (kept,) = results(lake, FIXTURES)
    assert metadata["fixtures"].value == metrics_of(kept)["fixtures"] == 1
    assert "1 precision" in metadata["history"].value and kept.day.isoformat() in metadata["history"].value
    assert checked.passed is kept.passed
    assert not lake.days("messages")  # it was played elsewhere
