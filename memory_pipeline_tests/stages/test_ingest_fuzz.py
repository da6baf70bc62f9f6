"""Whatever stands in a file, reading it ends, and every line is counted once."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import FORMATS, Fault, Record, Skipped, SourceFile, detect
from memory_pipeline.stages.messages.importers.csv import REQUIRED
from memory_pipeline.stages.messages.importers.files.diagnosis import encoding_fault
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.messages.landing.inbox import days_of
from memory_pipeline.stages.messages.landing.validation import FIELDS, Defaults, Validator
from memory_pipeline_tests.stages.importers.samples import DOCUMENTS
from memory_pipeline_tests.stages.landing_files import NOW, context, line, stored

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
LANDING = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.text(max_size=12) | JSON for name in FIELDS},
        "role": st.sampled_from(["user", "assistant", "system", "tool", "bot"]),
        "created_at": st.datetimes().map(str) | st.text(max_size=30),
        "metadata": st.dictionaries(st.sampled_from(["timezone", "a"]), st.text(max_size=5) | JSON) | JSON,
    },
)
LINES = st.lists(
    st.binary(max_size=80).map(lambda b: b.replace(b"\n", b" "))
    | LANDING.map(lambda v: json.dumps(v).encode())
    | st.just(json.dumps(line()).encode()),
    max_size=20,
)
slow = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
fast = settings(max_examples=300, deadline=None)


@slow
@given(LINES)
def test_counts_add_up(lines: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        ctx = context(Path(folder) / "home")
        file = Path(folder) / "fuzz.jsonl"
        file.write_bytes(b"\n".join(lines))
        report = ingest(ctx, [file], format="jsonl")
        blank = sum(not given.strip() for given in file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"))
        total = len(file.read_bytes().split(b"\n"))
        assert report.taken + report.known + report.quarantined == total - blank
        assert len(stored(ctx)) == report.taken
        again = ingest(ctx, [file], format="jsonl")
        assert (again.taken, again.known, again.quarantined) == (
            0,
            report.taken + report.known,
            report.quarantined,
        )


@fast
@given(LANDING)
def test_fields_make_a_message_or_give_a_reason(fields: dict[str, Any]) -> None:
    validator = Validator("fuzz", Defaults(None, "u", "UTC"), date(2020, 1, 1), NOW)
    try:
        message = validator.message(fields)
    except ValueError as error:
        assert str(error)
        assert "Traceback" not in str(error)
    else:
        assert message.content.strip()
        assert message.session_id and message.user_id and message.tenant_id
        assert isinstance(json.loads(message.metadata), dict)
        message.content.encode()


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a document with each of its keys."""
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value) if isinstance(value, list) else [])
    )
    return [(value, key) for key, _ in inner] + [place for _, below in inner for place in places(below)]


@settings(max_examples=200, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(DOCUMENTS)))
def test_a_document_damaged_anywhere_ends_in_items_or_in_an_ingest_error(data: st.DataObject, name: str) -> None:
    document = deepcopy(DOCUMENTS[name])
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(document)))
        if data.draw(st.booleans()):
            container[key] = data.draw(JSON)
        else:
            del container[key]
        if not places(document):
            break
    with TemporaryDirectory() as folder:
        file = Path(folder) / "fuzz.json"
        file.write_text(json.dumps(document))
        read_all(file, name)


@settings(max_examples=150, deadline=None)
@given(
    content=st.binary(max_size=400),
    name=st.sampled_from(sorted(FORMATS)),
    suffix=st.sampled_from(["json", "jsonl", "csv", "zip", "bin"]),
)
@example(content=b"\x1f\x8b", name="openai", suffix="json")  # gzip, cut off in its head
def test_bytes_end_in_items_or_in_an_ingest_error(content: bytes, name: str, suffix: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"fuzz.{suffix}"
        file.write_bytes(content)
        read_all(file, name)
        days_of(file)
        try:
            read_all(file, detect(file))
        except IngestError:
            assert suffix != "jsonl" or encoding_fault(content)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.lists(st.text(st.sampled_from('ab",;\n\r 1'), max_size=6), max_size=5).map(",".join), max_size=8)
)
def test_csv_rows_end_in_items(rows: list[str]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "fuzz.csv"
        good = "alice,s-1,user,the good row,2026-03-02"
        file.write_text("\n".join([",".join(("user_id", *REQUIRED)), *rows, good]), newline="")
        items = read_all(file, "csv")
        numbers = [item.line for item in items]
        assert numbers == sorted(numbers)
        assert numbers[0] >= 2


def read_all(file: Path, name: str) -> list[Record | Fault]:
    validator = Validator("fuzz", Defaults(None, "u", "UTC"), date(2020, 1, 1), NOW)
    items = []
    try:
        for item in FORMATS[name].read(SourceFile(file, file.name)):
            items.append(item)
            if isinstance(item, Record):
                assert isinstance(item.text(), str)
                try:
                    validator.message(item.fields)
                except ValueError as error:
                    assert str(error)
            else:
                assert item.reason
                assert isinstance(item, Skipped) or isinstance(item.content, str)
    except IngestError as error:
        assert str(file) in str(error)
    return items
