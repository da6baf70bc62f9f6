from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import dagster as dg
from dagster._serdes import deserialize_value, serialize_value

from memory_pipeline.orchestration.metadata.values import table
from memory_pipeline.settings import Settings
from memory_pipeline.stages.operations.erasure.run_records import ERASED, Redaction, redact
from memory_pipeline.storage.erasing.traces import Traces

SECRET = "Wilhelmina blows glass in Marinha Grande"


def test_records_keep_their_shape_and_lose_the_words_of_an_erased_user(tmp_path: Path) -> None:
    rows = table([{"user_id": "alice", "content": "Is 30."}, {"user_id": "bob", "content": "Is 31."}])
    told = dg.MetadataValue.md("**alice, 2026-W11** — short.")
    event = dg.AssetMaterialization("proposals", metadata={"most salient": rows, "latest": told, "rows": 2})
    home = tmp_path / "dagster" / "history"
    home.mkdir(parents=True)
    with sqlite3.connect(home / "runs.db") as database:
        database.execute("CREATE TABLE event_logs (id INTEGER PRIMARY KEY, event TEXT, asset_key TEXT)")
        database.execute("CREATE TABLE job_ticks (id INTEGER PRIMARY KEY, tick_body TEXT)")
        values = [serialize_value(event), json.dumps({"error": f"failed at: {SECRET}!", "n": 1}), "all is well"]
        database.executemany("INSERT INTO event_logs (event, asset_key) VALUES (?, 'k')", [(v,) for v in values])
        database.execute("INSERT INTO job_ticks (tick_body) VALUES (?)", (f"not JSON: {SECRET}",))
    database.close()
    log = tmp_path / "dagster" / "run.err"
    log.write_text(f"fine\nquoting {SECRET}\n")
    redaction = Redaction(Traces.of(b"salt", [SECRET]), ["alice"])
    settings = Settings(home=str(tmp_path))

    assert redact(settings, redaction, dry=True) == {"records of runs": 3, "lines of logs": 1}
    assert SECRET.encode() in (home / "runs.db").read_bytes()
    assert redact(settings, redaction) == {"records of runs": 3, "lines of logs": 1}
    assert redact(settings, redaction) == {}

    raw = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert not any(gone in raw for gone in (SECRET.encode(), b"alice", b"Is 30.", b"short"))
    with sqlite3.connect(home / "runs.db") as database:
        first, error, fine = (row[0] for row in database.execute("SELECT event FROM event_logs ORDER BY id"))
    database.close()
    again = deserialize_value(first, dg.AssetMaterialization)
    records = again.metadata["most salient"].records
    assert [record.data["content"] for record in records] == [ERASED, "Is 31."]
    assert again.metadata["rows"].value == 2
    assert json.loads(error) == {"error": ERASED, "n": 1}
    assert fine == "all is well"
    assert log.read_text() == f"fine\n{ERASED}\n"
