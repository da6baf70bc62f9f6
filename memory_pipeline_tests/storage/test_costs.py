"""The ledger read: sums by day of spending, day of the messages, stage, model, user and run."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Cost
from memory_pipeline.storage.queries.costs import GROUPINGS, entry, habits, of_runs, spending, spent_on

ANN, BOB = Scope("t", "ann"), Scope("t", "bob")
EVENT = date(2020, 5, 17)
AT = datetime(2026, 7, 1, 23, 30, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path))
    one = {"calls": 1, "prompt_tokens": 100, "completion_tokens": 10, "usd": 0.5}
    lake.append(
        "costs",
        [
            entry(ANN, EVENT, "extract", "big", "run-1", AT, **one),
            entry(BOB, EVENT, "extract", "big", "run-1", AT + timedelta(hours=1), **one),
            entry(ANN, EVENT + timedelta(days=1), "consolidate", "small", "run-2", AT + timedelta(hours=1), **one),
            entry(ANN, EVENT, "extract", "big", "run-2", AT, cached=3, saved_tokens=330, saved_usd=1.5),
            entry(None, None, "encode", "vectors", "run-2", AT, calls=1, prompt_tokens=50, usd=0.25),
        ],
    )
    return lake


def test_a_day_is_that_of_the_spending(lake: Lake) -> None:
    rows, total = spending(lake, "day")
    assert [(r["day"], r["usd"], r["calls"]) for r in rows] == [
        (date(2026, 7, 1), 0.75, 2),
        (date(2026, 7, 2), 1.0, 2),
    ]
    assert (total["usd"], total["calls"], total["cached"], total["saved_usd"]) == (1.75, 4, 3, 1.5)
    assert (total["tokens"], total["prompt_tokens"], total["saved_tokens"]) == (380, 350, 330)
    assert spent_on(lake, date(2026, 7, 2)) == 1.0 and spent_on(lake, EVENT) == 0.0


def test_the_day_of_the_messages_can_be_asked_for(lake: Lake) -> None:
    rows, _ = spending(lake, "event-day")
    assert [(r["event_day"], r["usd"]) for r in rows] == [
        (EVENT, 1.0),
        (EVENT + timedelta(days=1), 0.5),
        (date(2026, 7, 1), 0.25),
    ]


@pytest.mark.parametrize(
    ("by", "dearest"),
    [
        ("stage", {"stage": "extract", "usd": 1.0}),
        ("model", {"model": "big", "usd": 1.0}),
        ("user", {"tenant_id": "t", "user_id": "ann", "usd": 1.0}),
        ("run", {"run_id": "run-1", "usd": 1.0}),
    ],
)
def test_the_dearest_comes_first_and_groups_add_up(lake: Lake, by: str, dearest: dict[str, object]) -> None:
    rows, total = spending(lake, by)
    assert dearest.items() <= rows[0].items()
    for name in ("calls", "cached", "tokens", "usd", "saved_tokens"):
        assert sum(r[name] for r in rows) == total[name]


def test_filters(lake: Lake) -> None:
    assert spending(lake, "day", user="ann")[1]["usd"] == 1.0
    assert spending(lake, "day", tenant="other") == ([], dict.fromkeys(spending(lake, "day")[1], 0))
    assert spending(lake, "day", first=date(2026, 7, 2))[1]["usd"] == 1.0
    assert spending(lake, "day", last=date(2026, 7, 1))[1]["usd"] == 0.75
    assert of_runs(lake, ["run-2", "run-9"], AT.date())["usd"] == 0.75
    assert of_runs(lake, [], AT.date())["calls"] == 0


def test_an_entry_that_stands_twice_counts_once(lake: Lake) -> None:
    before = {by: spending(lake, by) for by in GROUPINGS}
    for row in lake.read("costs", Cost):
        lake.append("costs", [row])  # as a roll-up leaves behind that died before it removed the small files
    assert {by: spending(lake, by) for by in GROUPINGS} == before


def test_what_a_call_takes_on_average(lake: Lake) -> None:
    found = habits(lake, "big")
    assert set(found) == {"extract"}
    assert (found["extract"].calls, found["extract"].prompt_tokens, found["extract"].completion_tokens) == (2, 100, 10)
    assert habits(lake, "unknown") == {}


def test_files_of_the_first_version_are_read(tmp_path: Path) -> None:
    """They were kept by the day of the messages, and knew nothing of what was saved."""
    old = {
        "call_id": ["x"],
        "tenant_id": ["t"],
        "user_id": ["ann"],
        "day": [EVENT],
        "stage": ["extract"],
        "model": ["big"],
        "calls": [1],
        "cached": [0],
        "prompt_tokens": [7],
        "cached_tokens": [0],
        "completion_tokens": [1],
        "usd": [0.125],
        "run_id": ["run-0"],
        "recorded_at": [AT],
    }
    folder = tmp_path / "costs" / f"day={EVENT}"
    folder.mkdir(parents=True)
    pq.write_table(pa.table(old), folder / "old.parquet")
    lake = Lake(str(tmp_path))
    for by, column, day in (("day", "day", AT.date()), ("event-day", "event_day", EVENT)):
        rows, total = spending(lake, by)
        assert [(r[column], r["usd"]) for r in rows] == [(day, 0.125)] and total["saved_tokens"] == 0
    (row,) = lake.read("costs", Cost)
    assert (row.day, row.event_day, row.saved_usd) == (EVENT, EVENT, None)
