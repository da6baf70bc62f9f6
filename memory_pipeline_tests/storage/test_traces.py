from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.storage.erasing.trace_search import search
from memory_pipeline.storage.erasing.traces import SHORTEST, WINDOW, Traces

SALT = b"0123456789abcdef0123456789abcdef"
TEXTS = st.text(st.characters(codec="utf-8"), min_size=WINDOW) | st.sampled_from(
    [
        'Robert\'); DROP TABLE messages;-- likes "quotes"',
        "引っ越しました。妹は東京に住んでいます。",
        "a\\b\tc\nd" * 4,
        "x" * 40,
    ]
)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, before=st.binary(max_size=40), after=st.binary(max_size=40), cut=st.integers(0, 6))
def test_a_text_is_found_in_any_bytes_and_as_json_spells_it(text: str, before: bytes, after: bytes, cut: int) -> None:
    traces = Traces.of(SALT, [text])
    raw = text.encode()
    fragment = raw[cut : cut + WINDOW + 7] if len(raw) >= cut + WINDOW + 7 else raw
    for said in (raw, fragment, json.dumps(text).encode(), json.dumps(json.dumps(text, ensure_ascii=False)).encode()):
        assert traces.count(before + said + after)


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, other=st.binary(max_size=200))
def test_what_others_hold_is_not_looked_for(text: str, other: bytes) -> None:
    traces = Traces.of(SALT, [text])
    rest = traces.without([traces.found_in(other + text.encode() + other)])
    assert not rest.count(text.encode())
    loaded = Traces.load(SALT, traces.dump())
    assert loaded.count(text.encode()) == traces.count(text.encode())


def test_short_texts_are_told_apart_only_by_several_words() -> None:
    traces = Traces.of(SALT, ["yes", "my birthday is", "assistant-model", "x" * (SHORTEST - 1)])
    assert traces.too_short == 3
    assert traces.count(b"so my birthday is in May")
    assert not traces.count(b"so my birthday was in May")
    assert not Traces.of(SALT, []).count(b"anything at all, however long it may be")


def test_every_kind_of_file_is_searched_as_its_reader_sees_it(tmp_path: Path) -> None:
    text = "Wilhelmina blows glass in Marinha Grande every other Thursday"
    table = pa.table({"content": [text] * 50, "evidence": [[{"quote": text}]] * 50})
    pq.write_table(table, tmp_path / "rows.parquet", compression="zstd")
    pq.write_table(table, tmp_path / "unfinished.tmp", compression="zstd")
    (tmp_path / "inbox.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    with sqlite3.connect(tmp_path / "events.db") as database:
        database.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, event TEXT)")
        database.execute("INSERT INTO events (event) VALUES (?)", (text,))
    database.close()
    (tmp_path / "clean.txt").write_text("Wilhelmina blows")
    (tmp_path / "hashes").mkdir()
    (tmp_path / "hashes" / "skipped").write_text(text)

    found = search(str(tmp_path), Traces.of(SALT, [text]), skip=("hashes/",))

    assert set(found.hits) == {"rows.parquet", "unfinished.tmp", "inbox.jsonl.gz", "events.db"}
    assert found.undecoded == []
    assert found.files == 5
