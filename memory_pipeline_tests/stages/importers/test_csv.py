from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Fault, Record
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items
from memory_pipeline_tests.stages.landing_files import context, line, put_aside, stored

HEADER = "user_id,session_id,role,content,created_at\n"


def faults(path: Path) -> dict[int, str]:
    return {i.line: i.reason for i in items(path, "csv") if isinstance(i, Fault)}


def contents(path: Path) -> list[str]:
    return [i.fields["content"] for i in items(path, "csv") if isinstance(i, Record)]


def test_all_columns(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    fields = line(
        tenant_id="acme",
        message_id="m-1",
        speaker="Alice",
        agent_id="",
        domain="travel",
        content='Two\nlines, a "quote" and é',
        metadata='{"timezone": "Europe/Berlin", "k": [1]}',
        mood="sunny",
    )
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, fields)
    writer.writeheader()
    writer.writerow(fields)
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode())
    assert ingest(ctx, [path]).taken == 1
    (message,) = stored(ctx)
    assert message.content == 'Two\nlines, a "quote" and é'
    assert (message.tenant_id, message.message_id, message.speaker) == ("acme", "m-1", "Alice")
    assert (message.agent_id, message.domain, message.timezone) == (None, "travel", "Europe/Berlin")
    assert message.metadata == '{"k":[1],"mood":"sunny","timezone":"Europe/Berlin"}'


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends(tmp_path: Path, delimiter: str, end: str) -> None:
    path = tmp_path / "a.csv"
    rows = [HEADER.strip(), "alice,s,user,hello,2026-03-02", "", 'bob,s,user,"good\r\nbye",2026-03-02']
    path.write_bytes(end.join(rows).replace(",", delimiter).encode())
    assert contents(path) == ["hello", "good\r\nbye"]
    assert faults(path) == {}


def test_a_bad_row_costs_only_itself(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "a.csv"
    rows = [
        b"alice,s,user,one,2026-03-02",
        b"alice,s,user",
        b"alice,s,user,a,b,2026-03-02",
        b"alice,s,user,caf\xe9,2026-03-02",
        b",s,user,nobody,2026-03-02",
        b"alice,s,bot,robot,2026-03-02",
        b"alice,s,user,,2026-03-02",
        b"alice,s,user,two,2026-03-02",
    ]
    path.write_bytes(HEADER.encode() + b"\n".join(rows))
    report = ingest(ctx, [path])
    assert [m.content for m in stored(ctx)] == ["one", "two"]
    assert report.quarantined == 6
    reasons = {q.line: q.reason for q in put_aside(ctx)}
    assert reasons[3] == "3 cells where the header has 5"
    assert reasons[4] == "6 cells where the header has 5"
    assert reasons[5] == "not UTF-8: byte 0xe9 at 16"
    assert reasons[6].startswith("user_id is missing")
    assert reasons[7].startswith("role must be one of")
    assert reasons[8] == "content is missing"


@pytest.mark.parametrize(
    "bad", ['alice,s,user,"never closed,2026-03-02', 'alice,s,user,"closed" badly,2026-03-02', 'a"b,"']
)
def test_an_unbalanced_quote_costs_one_line(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "a.csv"
    good = ['alice,s,user,"one",2026-03-02', 'alice,s,user,"two\nlines",2026-03-02', "alice,s,user,three,2026-03-02"]
    path.write_text("\n".join([HEADER.strip(), good[0], bad, good[1], good[2], good[0]]))
    assert contents(path) == ["one", "two\nlines", "three", "one"]
    assert list(faults(path)) == [3]


def test_inches_are_no_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEADER + 'alice,s,user,a 5" nail,2026-03-02\nalice,s,user,a 6" nail,2026-03-02\n')
    assert contents(path) == ['a 5" nail', 'a 6" nail']


def test_long_cells_are_taken_and_endless_lines_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [
        f"alice,s,user,{'x' * 1_000_000},2026-03-02",
        f"alice,s,user,{'y' * 6_000_000},2026-03-02",
        "a,s,user,z,2026",
    ]
    path.write_text(HEADER + "\n".join(rows))
    assert [len(c) for c in contents(path)] == [1_000_000, 1]
    assert faults(path) == {3: "the line is longer than 5,000,000 bytes"}


def test_a_quote_that_is_never_closed_does_not_hold_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = ["alice,s,user,fine and long enough to count,2026-03-02"] * 150_000
    rows[10] = 'alice,s,user,"open,2026-03-02'
    path.write_text(HEADER + "\n".join(rows))
    assert len(contents(path)) == 149_999
    assert list(faults(path)) == [12]


def test_bad_metadata_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(HEADER.strip() + ",metadata\nalice,s,user,hi,2026-03-02,{oops\nalice,s,user,hi,2026-03-02,\n")
    assert faults(path) == {2: "not JSON: Expecting property name enclosed in double quotes at column 2"}
    assert contents(path) == ["hi"]


def test_gzip_that_breaks_off(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    whole = gzip.compress((HEADER + "alice,s,user,hello,2026-03-02\n" * 9_000).encode(), compresslevel=0)
    path.write_bytes(whole[:200_000])
    assert len(contents(path)) > 1_000
    assert [reason[:30] for reason in faults(path).values()] == ["the compressed data is damaged"]


@pytest.mark.parametrize(
    "header", ["user_id,session_id,role,content\n", "", "role,role,session_id,content,created_at\n"]
)
def test_a_header_that_will_not_do(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(header)
    with pytest.raises(IngestError, match="a CSV header needs each of session_id, role, content, created_at once"):
        items(path, "csv")
