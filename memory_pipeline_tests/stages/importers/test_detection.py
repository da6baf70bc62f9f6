"""Formats are told by what a file holds."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import detect
from memory_pipeline.stages.messages.importers.detection import first_keys
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


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Remember the milk.",
        b"a,b,c\n1,2,3\n",
        b"[]",
        b"{}",
        b'{"text": "x"}',
        b'[{"conversation": 1}]',
        b"\x89PNG\r\n",
        b"PK\x03\x04 broken",
    ],
)
def test_unknown(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(IngestError, match="of no known format; known are jsonl, openai"):
        detect(path)


def test_a_zip_without_conversations_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.json", "{}")
    with pytest.raises(IngestError, match="of no known format"):
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
