"""Formats are told by what a file holds."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import detect
from memory_pipeline.stages.messages.importers.files.detection import first_keys
from memory_pipeline_tests.stages.importers.samples import DOCUMENTS
from memory_pipeline_tests.stages.landing_files import line

HEADER = "user_id,session_id,role,content,created_at\n"
LANDING = json.dumps(line())


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_documents(tmp_path: Path, name: str, indent: int | None) -> None:
    path = tmp_path / "export.json"
    path.write_text("\ufeff" + json.dumps(DOCUMENTS[name], indent=indent), encoding="utf-8")
    assert detect(path) == name
    packed = tmp_path / "export.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert detect(packed) == name


@pytest.mark.parametrize("name", ["chatgpt", "claude"])
def test_zipped_exports(tmp_path: Path, name: str) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("export/conversations.json", json.dumps(DOCUMENTS[name]))
    assert detect(path) == name


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.jsonl", LANDING, "jsonl"),
        ("a.ndjson", LANDING, "jsonl"),
        ("a.JSONL", LANDING, "jsonl"),
        ("a.json", LANDING, "jsonl"),
        ("a.txt", LANDING + "\n" + LANDING, "jsonl"),
        ("a", LANDING, "jsonl"),
        ("a.jsonl", "garbage\n" + LANDING, "jsonl"),
        ("a.jsonl", "", "jsonl"),
        ("a.jsonl", "\n\n", "jsonl"),
        ("a.jsonl", json.dumps(line(mapping={}, messages=[])), "jsonl"),
        ("a.jsonl", json.dumps({"messages": []}), "openai"),
        ("a.jsonl", "garbage\n" + json.dumps({"id": 1, "messages": []}), "openai"),
        ("a.json", json.dumps([line()]), "openai"),
        ("a.json", json.dumps(line(), indent=1), "openai"),
        ("a.json", json.dumps([{"role": "user", "content": "hi"}]), "openai"),
        ("a.json", json.dumps([[{"role": "user", "content": "hi"}]]), "openai"),
        ("a.csv", HEADER, "csv"),
        ("a.csv", HEADER.replace(",", ";"), "csv"),
        ("a.tsv", HEADER.replace(",", "\t"), "csv"),
        ("a.txt", '"user_id","session_id","role","content","created_at"\r\n', "csv"),
    ],
)
def test_text(tmp_path: Path, name: str, content: str, expected: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    assert detect(path) == expected


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "data"
    pq.write_table(pa.table({"a": [1]}), path)
    assert detect(path) == "parquet"


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "described"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "nothing but white space"),
        (b"Remember the milk.", "it is text of another kind"),
        (b"session_id,role\n1,2\n", "a table without the columns content, created_at"),
        (b"[]", "JSON without any message"),
        (b"{}", "JSON without any message"),
        (b'{"text": "x"}', "JSON of another kind, with the keys 'text'"),
        (b'[{"conversation": 1}]', "JSON of another kind, with the keys 'conversation'"),
        (b'[{"text": "x', "JSON that is cut off in the middle"),
        (b'{"text": 1,', "JSON that is cut off in the middle"),
        (b'{"text": nope, "a": 1}', "no valid JSON"),
        (b"[" * 5_000, "JSON that is"),
        (b"<!DOCTYPE html><html>", "a web page; of a ChatGPT export, take the conversations.json beside it"),
        (b"\x89PNG\r\n", "a PNG picture"),
        (b"%PDF-1.7", "a PDF document"),
        (bytes(range(256)), "binary data"),
        (b"PK\x03\x04 broken", "a zip archive that is cut off or damaged"),
        (zipped("1.jpg", "2.JPG", "notes.txt"), r"a zip archive without a conversations.json \(2 .jpg, 1 .txt\)"),
        (zipped(), "an empty zip archive"),
        (gzip.compress(b"Remember the milk.")[:-12], "damaged|text of another kind"),
    ],
    ids=lambda given: "bytes" if isinstance(given, bytes) else given,  # an archive holds the time
)
def test_unknown(tmp_path: Path, content: bytes, described: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(IngestError, match=f"of no known format: .*(?:{described}).*; known are jsonl, openai"):
        detect(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv"])
def test_another_encoding_is_named(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    path.write_bytes((LANDING if name != "a.csv" else HEADER).encode(encoding))
    with pytest.raises(IngestError, match="the text is UTF-16, and not UTF-8: save it as UTF-8"):
        detect(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="cannot read"):
        detect(tmp_path / "missing.json")


def test_first_keys_are_those_of_the_first_object_alone() -> None:
    text = r'[{"a": {"no": 1, "x": ["no", {"no": 2}]}, "b\"{": "no\": {", "c": [1], "d": null}, {"no": 3}]'
    assert list(first_keys(text)) == ["a", r"b\"{", "c", "d"]


@pytest.mark.parametrize("end", range(1, 60))
def test_first_keys_of_a_text_that_breaks_off(end: int) -> None:
    text = r'{"a": "x \" {\"no\": 1", "b": {"no": [1, 2]}, "c": 3}'
    assert list(first_keys(text[:end])) == ["a", "b", "c"][: len(list(first_keys(text[:end])))]
