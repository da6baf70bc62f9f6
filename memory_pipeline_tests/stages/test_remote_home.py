"""A home on a real S3 server: two writers of one user, and an erasure beside a run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.erasure import Erasure, Reached, Reason, Target
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import SettingsError, StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.erasing.traces import Traces
from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import NOON, proposal
from memory_pipeline_tests.s3_server import s3_server
from memory_pipeline_tests.store import WordEncoder

OWNER = {"user_id": "ann", "tenant_id": "default"}
EDITS = 2
WRITER = """
import sys
from memory_pipeline.curator import MemoryCurator
from memory_pipeline.settings import Settings
from memory_pipeline_tests.store import WordEncoder
curator = MemoryCurator(Settings(home=sys.argv[1]), encoder=WordEncoder())
curator.remember(f"Lives in {sys.argv[3]}.", user_id=sys.argv[3])  # everything is loaded
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[4])):
    curator.edit(sys.argv[2], f"Collects {number} stamps of {sys.argv[3]}.", user_id="ann")
"""


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with s3_server() as uri:
        yield uri


def test_two_writers_of_one_memory_leave_every_version_once(bucket: str) -> None:
    settings = Settings(home=f"{bucket}/writers")
    curator = MemoryCurator(settings, encoder=WordEncoder())
    memory_id = curator.remember("Collects stamps.", **OWNER).memory_id
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WRITER, settings.home, memory_id]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        subprocess.Popen([*command, "Peru", str(EDITS)], cwd=root, env=environment, text=True, **pipes) as first,
        subprocess.Popen([*command, "Chad", str(EDITS)], cwd=root, env=environment, text=True, **pipes) as second,
    ):
        writers = (first, second)
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        assert [writer.wait(90) for writer in writers] == [0, 0]
    rows = (
        Lake(settings.path("lake"))
        .sql("SELECT version, content FROM memory_versions WHERE user_id = 'ann' ORDER BY version")
        .to_pylist()
    )
    assert [row["version"] for row in rows] == list(range(1, 2 * EDITS + 2))
    assert len({row["content"] for row in rows}) == 2 * EDITS + 1


def test_what_was_read_before_an_erasure_is_not_written_after_it(bucket: str) -> None:
    settings = Settings(home=f"{bucket}/fence")
    lake = Lake(settings.path("lake"))
    late, kept = proposal(tenant_id="t", user_id="alice"), Erasures(settings)
    target = (Target(Scope("t", "alice"), None), Reached())
    nothing = Traces(kept.salt)
    kept.open(Erasure("ers_alice", Reason.REQUEST, NOON, (target,), "p"), nothing, nothing)
    with pytest.raises(StorageError, match="run it again"):
        lake.replace("proposals", late.day, [late])
    lake.replace("proposals", late.day, [proposal(tenant_id="t", user_id="bob")])
    assert lake.sql("SELECT user_id FROM proposals")["user_id"].to_pylist() == ["bob"]


def test_reads_are_recorded_an_object_a_process_and_minute(bucket: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(home=f"{bucket}/reads")
    place = settings.path("recall")
    log, other = RecallLog(place), RecallLog(place)
    log.read(read("rec_1", "alice"))
    log.read(read("rec_2", "bob"))
    assert list(other.rows()) == []  # they wait in the process that read
    assert {row.recall_id for row in log.rows()} == {"rec_1", "rec_2"}
    assert {row.recall_id for row in other.rows()} == {"rec_1", "rec_2"}
    assert len(other.files()) == 1
    assert other.erase(Scope("t", "alice")) == 1
    assert {row.recall_id for row in log.rows()} == {"rec_2"}
    assert other.find("rec_2")
    assert other.closed(datetime.now(UTC) + timedelta(minutes=1)) == other.files()

    log.read(read("rec_3", "alice"))
    kept = Erasures(settings)
    nothing = Traces(kept.salt)
    target = (Target(Scope("t", "alice"), None), Reached())
    kept.open(Erasure("ers_alice", Reason.REQUEST, NOON, (target,), "p"), nothing, nothing)
    assert {row.recall_id for row in log.rows()} == {"rec_2"}
    assert "1 reads before it are not recorded" in caplog.text
    other.remove(other.files()[0])
    assert other.files() == []


def read(recall_id: str, user: str) -> ReadEvent:
    return ReadEvent(
        recall_id,
        "search",
        Scope("t", user),
        "tea?",
        None,
        "default",
        "m",
        1.0,
        datetime.now(UTC),
        (("m1", "memory", 0.5),),
    )


def test_a_query_in_the_uri_is_refused_with_what_to_set() -> None:
    with pytest.raises(SettingsError, match="AWS_ENDPOINT_URL"):
        Settings.load(home="s3://memories/home?endpoint_override=localhost:9000&scheme=http")
