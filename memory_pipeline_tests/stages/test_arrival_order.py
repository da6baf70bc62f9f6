"""The order in which messages arrive, and over how many runs, changes no row of any dataset or index table."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.queries.ledger import CURRENT, STANDING
from memory_pipeline.storage.vectors.index import TABLES
from memory_pipeline_tests.stages.golden import FINDINGS, SELDOM, made
from memory_pipeline_tests.stages.whole import STAGES, Whole

NOW = datetime(2026, 4, 20, 12, tzinfo=UTC)
_DERIVED = ("messages", "windows", "proposals", "verdicts", "holds", "links", "entities", "summaries")
# Of acts by hand, of runs and what they cost, or of reads: not made of messages by a stage.
_OTHERS = {
    "message_classes", "message_revisions", "former_proposals", "replies", "vectors", "costs", "quarantined", "sources",
    "recalls", "usefulness", "evaluations", "audits", "made",
}  # fmt: skip
_SELDOM = {"holds"}
_OF_THE_RUN = {"run_id", "recorded_at", "source"}
# By user, session and time; sessions go on past midnight, and after a pause.
_TALKS: dict[tuple[str, str], list[tuple[str, str, str]]] = {
    ("alice", "evening"): [
        ("2026-03-09T23:50", "user", "I moved to Porto last week."),
        ("2026-03-09T23:52", "assistant", "How do you like it there?"),
        ("2026-03-10T00:03", "user", "A lot. My sister Ada lives here, too."),
        ("2026-03-10T00:05", "assistant", "Lovely. What do you eat there?"),
        ("2026-03-12T08:00", "user", "I am vegetarian, by the way."),
    ],
    ("alice", "later"): [
        ("2026-03-19T10:00", "user", "I eat fish again since Monday."),
        ("2026-03-19T10:01", "user", "I promised my sister I'd call her on Saturday."),
        ("2026-03-22T18:00", "user", "I called my sister."),
    ],
    ("dev", "work"): [(f"2026-03-{9 + n:02}T10:00", "user", content) for n, content in enumerate(FINDINGS)],
    ("bob", "evening"): [
        ("2026-03-10T21:00", "user", "I work as a nurse at the city hospital."),
        ("2026-03-10T21:01", "assistant", "Do you like night shifts?"),
        ("2026-03-11T07:00", "user", "No, I hate night shifts."),
        ("2026-04-02T07:00", "user", "I quit my job at the city hospital."),
        ("2026-03-11T07:01", "user", "I have a dentist appointment tomorrow at 3pm."),
    ],
}
LINES = [
    {
        "user_id": user,
        "session_id": session,
        "message_id": f"{user}-{session}-{n}",
        "role": role,
        "content": content,
        "created_at": f"{at}:00+00:00",
    }
    for (user, session), turns in _TALKS.items()
    for n, (at, role, content) in enumerate(turns)
]


def _rows(home: Whole) -> dict[str, list[str]]:
    """What a home holds, but for what tells of the runs themselves."""
    ctx = home.ctx(NOW)
    queries = {name: f"SELECT * FROM {name}" for name in _DERIVED} | {"ledger": STANDING, "current": CURRENT}
    found = {name: home.lake.sql(query).to_pylist() for name, query in queries.items()}
    for name in TABLES:
        found[f"index of {name}"] = ctx.index.all(name, ctx.index.schema(name).names).to_pylist()
    return {name: sorted(map(_plain, rows)) for name, rows in found.items()}


def _plain(row: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k not in _OF_THE_RUN}, default=str, sort_keys=True)


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    home = Whole(tmp_path_factory.mktemp("at-once") / "home")
    home.take(LINES, NOW)
    home.run(NOW)
    found = _rows(home)
    assert all(rows for name, rows in found.items() if name not in _SELDOM), "there is something to compare"
    idle = {stage.name for stage in STAGES if not made(home, stage)}
    assert idle <= SELDOM, "each stage makes something"
    assert {*_DERIVED, *_OTHERS, "memory_versions"} == set(DATASETS), "a new dataset is compared, or named as none"
    return found


@pytest.mark.parametrize("seed", [1])
def test_rows_are_the_same(tmp_path: Path, at_once: dict[str, list[str]], seed: int) -> None:
    home, rng = Whole(tmp_path / "home"), random.Random(seed)
    lines = rng.sample(LINES, len(LINES))
    parts = 4
    for n in range(parts):
        now = NOW - timedelta(minutes=parts - 1 - n)
        home.take(lines[n::parts], now)
        home.run(now)
    assert home.stale(NOW) == {}
    found = _rows(home)
    for name, rows in at_once.items():
        assert found[name] == rows, name


def test_a_turn_of_the_evening_before_that_arrives_late_is_shown_with_the_first_of_the_day(tmp_path: Path) -> None:
    home = Whole(tmp_path / "home")
    evening = [line for line in LINES if line["session_id"] == "evening" and line["user_id"] == "alice"]
    home.take(evening[2:], NOW)
    home.run(NOW)
    home.take(evening[:2], NOW + timedelta(minutes=1))
    assert "message_vectors" in home.stale(NOW + timedelta(minutes=1))
    home.run(NOW + timedelta(minutes=1))
    rows = home.ctx(NOW).index.all("messages", ["message_id", "previous"]).to_pylist()
    previous = {row["message_id"]: row["previous"] for row in rows}
    assert previous["alice-evening-2"] == "How do you like it there?"
    assert previous["alice-evening-4"] == "Lovely. What do you eat there?", "two days later"
