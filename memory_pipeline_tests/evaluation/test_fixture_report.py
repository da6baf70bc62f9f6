"""The figures follow from the outcomes."""

from __future__ import annotations

from memory_pipeline.evaluation.fixture_report import FixtureReport, Outcome


def outcome(fixture: str, check: str, met: bool) -> Outcome:
    return Outcome(fixture, check, met, "expected", "found")


def test_metrics() -> None:
    report = FixtureReport(["a", "b", "c"], stored=4, duplicates=1, leaks=2, reads=9)
    report.outcomes = [
        *(outcome("a", "memory", True) for _ in range(3)),
        outcome("b", "memory", False),
        outcome("b", "unexpected", False),
        outcome("a", "hit", True),
        outcome("b", "hit", False),
        outcome("a", "context", True),
        outcome("a", "never", True),
        outcome("b", "answer", False),
        outcome("b", "duplicate", False),
        outcome("b", "leak", False),
    ]
    assert report.metrics == {
        "fixtures": 3,
        "passed": 2,
        "precision": 0.75,
        "recall": 0.75,
        "hit@3": 0.5,
        "behaviours": 0.6667,
        "duplicates": 1,
        "rerun_changes": 0,
        "leaks": 2,
        "memories": 4,
        "queries": 2,
        "isolation_reads": 9,
    }


def test_every_failure_says_what_was_expected_and_found() -> None:
    report = FixtureReport(["a"], outcomes=[outcome("a", "hit", False), outcome("a", "hit", True)])
    assert report.to_dict()["fixtures"]["failures"] == [
        {"fixture": "a", "check": "hit", "expected": "expected", "found": "found"}
    ]


def test_nothing_to_count_is_no_failure() -> None:
    metrics = FixtureReport([]).metrics
    assert (metrics["precision"], metrics["recall"], metrics["hit@3"]) == (1.0, 1.0, 1.0)
