"""The fixtures are played: the figures hold, and each of the three phases can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.evaluation.fixture_isolation import Owners
from memory_pipeline.evaluation.fixture_report import FixtureReport
from memory_pipeline.evaluation.fixture_run import run_fixtures

STORY = """\
today: 2026-03-20 18:00
fixtures:
  - name: told
    kind: test
    tags: [DL-32]
    about: Everything that is expected here is wrong, but for one thing each.
    chats:
      - id: s1
        at: 2026-03-02 09:15
        turns:
          - user: I'm allergic to peanuts. I live in Rome.
      - id: s2
        at: 2026-03-03 09:15
        turns:
          - user: What goes with rice?
          - assistant: Lentils do.
          - user: And with bread?
          - assistant: Cheese, or soup.
    remembers:
      - {words: [peanuts], type: preference, from: s1.1, label: nuts}
    forbids:
      - {words: [peanuts]}
    rejects:
      - {reason: secret, from: s1.1}
    asks:
      - {query: "what am I allergic to?", finds: [s1.1], never: [peanuts]}
      - {query: "what goes with rice?", finds: [s1.1]}
    contexts:
      - message: "Which snack is safe for my allergy to peanuts?"
        holds: {ALWAYS-KNOWN: [nuts]}
        lacks: {anywhere: [peanuts]}
        tokens: 1
        drops: true
    answers:
      - {ask: "What am I allergic to?", known: false, says: [walnuts], never: [peanuts], cites: s2.1}
"""


@pytest.fixture(scope="module")
def everything() -> FixtureReport:
    return run_fixtures()


def test_figures_of_the_shipped_fixtures(everything: FixtureReport) -> None:
    """The reference is 14 fixtures with 93 %, 89 % and no leak (DL-36)."""
    metrics, failures = everything.metrics, [o for o in everything.failures]
    assert metrics["precision"] >= 0.96, failures
    assert metrics["hit@3"] >= 0.95, failures
    assert metrics["leaks"] == 0, [o for o in failures if o.check == "leak"]


def test_a_second_run_adds_nothing(everything: FixtureReport) -> None:
    assert everything.rerun_changes == 0
    assert everything.duplicates == 0, [o for o in everything.failures if o.check == "duplicate"]


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    (tmp_path / "story.yaml").write_text(STORY)
    report = run_fixtures(folder=tmp_path)
    failed = [(o.check, o.expected.rpartition(": ")[2]) for o in report.failures]
    assert failed == [
        ("memory", "s1.1"),
        ("unexpected", "no such memory"),
        ("unexpected", "no such memory"),
        ("forbidden", "peanuts"),
        ("rejected", "rejected for secret"),
        ("never", "search “what am I allergic to?” never finds peanuts"),
        ("hit", "search “what goes with rice?” finds s1.1 in its first 3"),
        ("context", "nuts stands under ALWAYS-KNOWN"),
        ("context", "no “peanuts” under anywhere"),
        ("context", "at most 1 tokens"),
        ("context", "True"),
        ("answer", "known is False"),
        ("answer", "says walnuts"),
        ("answer", "does not say peanuts"),
        ("answer", "cites s2.1"),
    ]
    assert report.metrics["precision"] == 0.0
    assert report.metrics["hit@3"] == 0.5
    assert (report.leaks, report.duplicates, report.rerun_changes) == (0, 0, 0)


def test_foreign_rows_are_seen() -> None:
    """Whose a row is decides, not what it says; what the tenant shares is its own only when the pool was asked for."""
    own, other, far = Scope("t", "u"), Scope("t", "v"), Scope("x", "u")
    owners = Owners({"a": own, "b": other, "c": other, "d": far}, frozenset({"c", "d"}))
    assert owners.foreign(["a", "b", "c", "d", "e"], own) == ["b", "c", "d", "e"]
    assert owners.foreign(["a", "b", "c", "d", "e"], own, pool=True) == ["b", "d", "e"]
