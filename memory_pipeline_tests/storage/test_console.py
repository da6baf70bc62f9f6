"""``sql``: bounded in time and memory, and whatever is asked, an answer or one clear sentence."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.cli.output import plain
from memory_pipeline.errors import QueryError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.queries.console import query
from memory_pipeline.storage.queries.plain_values import plain_rows


def _asked(home: Path, text: str, **given: Any) -> list[dict[str, Any]]:
    return plain_rows(query(Settings.load(home=str(home), **given), text))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(*) FROM range(10000000000) a, range(1000) b",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        "SELECT x FROM range(100000000000) t(x)",
    ],
)
def test_a_query_that_takes_too_long_is_stopped(tmp_path: Path, text: str) -> None:
    began = time.monotonic()
    with pytest.raises(QueryError, match=r"took longer than 0\.3 s \(MEMORY_PIPELINE_SQL_TIMEOUT_S\)"):
        _asked(tmp_path, text, sql_timeout_s=0.3)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "text",
    [
        "SELECT repeat('a', 1000) || x FROM range(10000000) t(x)",
        "SELECT list(x::VARCHAR || repeat('b', 100)) FROM range(100000000) t(x)",
    ],
)
def test_a_query_that_grows_too_large_is_stopped(tmp_path: Path, text: str) -> None:
    with pytest.raises(QueryError, match=r"takes more than 64 MB \(MEMORY_PIPELINE_SQL_MEMORY_MB\)"):
        _asked(tmp_path, text, sql_memory_mb=64)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("SELECT 170141183460469231731687303715884105727", [170141183460469231731687303715884105727]),
        ("SELECT 1.50::DECIMAL(9, 2)", ["1.50"]),
        ("SELECT '\\xFF'::BLOB, TIME '12:00', INTERVAL 90 MINUTE", ["ff", "12:00:00", None]),
        ("SELECT 1 AS a, 2 AS a", [1, 2]),
        ("SELECT MAP {'a': 1}, [1, NULL]", [None, [1, None]]),
    ],
)
def test_every_value_is_one_that_json_has(tmp_path: Path, text: str, values: list[Any]) -> None:
    (row,) = _asked(tmp_path, text)
    assert len(row) == len(values)
    assert all(wanted is None or value == wanted for value, wanted in zip(row.values(), values, strict=True))
    json.dumps(plain(row))


@pytest.mark.parametrize(
    "text", ["'infinity'::TIMESTAMP", "'-infinity'::DATE", "DATE '290000-01-01'", "TIMESTAMP '0001-01-01 (BC)'"]
)
def test_a_date_that_python_does_not_know_is_text(tmp_path: Path, text: str) -> None:
    (row,) = _asked(tmp_path, f"SELECT {text} AS at")
    assert isinstance(row["at"], str)


@pytest.mark.parametrize("text", ["", ";", "SELECT \ud800", "SELECT $1", "SELECT 1; SELECT 2", "SELECT * FROM nowhere"])
def test_what_is_no_query_is_told_in_a_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(QueryError):
        _asked(tmp_path, text)
