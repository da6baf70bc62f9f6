from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Fault, Record
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items
from memory_pipeline_tests.stages.landing_files import context, line, put_aside, stored

AT = datetime(2026, 3, 2, 9, 15, 0, 123456, tzinfo=UTC)


def written(path: Path, rows: list[dict[str, Any]], **types: pa.DataType) -> Path:
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: pa.array([row.get(name) for row in rows], types.get(name)) for name in names}
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        (pa.string(), "2026-03-02T09:15:00.123456Z", AT),
        (pa.timestamp("us", tz="UTC"), AT, AT),
        (pa.timestamp("ns", tz="Asia/Tokyo"), AT, AT),
        (pa.timestamp("s"), AT.replace(tzinfo=None, microsecond=0), AT.replace(hour=8, microsecond=0)),
    ],
)
def test_times(tmp_path: Path, type: pa.DataType, value: Any, expected: datetime) -> None:
    ctx = context(tmp_path / "home")
    ingest(ctx, [written(tmp_path / "a.parquet", [line(created_at=value)], created_at=type)], timezone="Europe/Berlin")
    (message,) = stored(ctx)
    assert message.created_at == expected


def test_nanoseconds_are_cut(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    at = pa.scalar(1772442900123456789, pa.timestamp("ns", tz="UTC"))
    table = pa.table({**{k: [v] for k, v in line().items()}, "created_at": pa.array([at.value], at.type)})
    pq.write_table(table, tmp_path / "a.parquet")
    ingest(ctx, [tmp_path / "a.parquet"])
    assert stored(ctx)[0].created_at == AT


@pytest.mark.parametrize(
    ("type", "value"),
    [
        (pa.string(), '{"k": "v"}'),
        (pa.struct([("k", pa.string())]), {"k": "v"}),
        (pa.map_(pa.string(), pa.string()), [("k", "v")]),
    ],
)
def test_metadata_and_further_columns(tmp_path: Path, type: pa.DataType, value: Any) -> None:
    ctx = context(tmp_path / "home")
    row = line(metadata=value, seen=AT, score=0.5, nothing="")
    path = written(tmp_path / "a.parquet", [row], metadata=type)
    ingest(ctx, [path])
    assert stored(ctx)[0].metadata == ('{"k":"v","nothing":"","score":0.5,"seen":"2026-03-02 09:15:00.123456+00:00"}')


def test_bad_rows_cost_only_themselves(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    rows = [
        line(content="one"),
        line(content=None),
        line(role="bot"),
        line(user_id=None),
        line(metadata="{oops"),
        line(score=float("nan")),
        line(content="two"),
    ]
    report = ingest(ctx, [written(tmp_path / "a.parquet", rows)])
    assert {m.content for m in stored(ctx)} == {"one", "two"}
    assert report.quarantined == 5
    assert [q.line for q in put_aside(ctx)] == [2, 3, 4, 5, 6]


def test_a_row_that_python_cannot_hold_costs_only_itself(tmp_path: Path) -> None:
    contents = pa.array([b"one", b"caf\xe9", b"two", b"three"], pa.binary()).view(pa.string())
    times = pa.array([1_772_442_900, 1_772_442_900, 10**12, 1_772_442_900], pa.timestamp("s", tz="UTC"))
    fixed = {name: pa.array([line()[name]] * 4) for name in ("user_id", "session_id", "role")}
    pq.write_table(pa.table({**fixed, "content": contents, "created_at": times}), tmp_path / "a.parquet")
    found = items(tmp_path / "a.parquet", "parquet")
    assert [i.line for i in found if isinstance(i, Fault)] == [2, 3]
    assert [i.fields["content"] for i in found if isinstance(i, Record)] == ["one", "three"]


def test_many_rows_come_in_order(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [line(content=str(n)) for n in range(2_500)])
    assert [i.fields["content"] for i in items(path, "parquet")] == [str(n) for n in range(2_500)]  # type: ignore[union-attr]


def test_a_missing_column_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [{"role": "user", "content": "x"}])
    with pytest.raises(IngestError, match="the columns session_id, created_at are missing"):
        items(path, "parquet")


def test_damage_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [line(content=str(n)) for n in range(100)])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(IngestError, match="not a readable Parquet file"):
        items(path, "parquet")
