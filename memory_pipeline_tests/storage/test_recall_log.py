from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memory_pipeline.cli.operations.doctor import checks_of
from memory_pipeline.domain.scope import Scope
from memory_pipeline.orchestration.assets.stages import make
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog

ALICE = Scope("acme", "alice")
AT = datetime(2026, 3, 10, 23, 30, tzinfo=UTC)


def event(recall_id: str = "rec_1", scope: Scope = ALICE, **given: object) -> ReadEvent:
    fields = {
        "recall_id": recall_id,
        "kind": "search",
        "scope": scope,
        "query": "where do I live?",
        "session_id": "s-1",
        "profile": "default",
        "model": "test",
        "latency_ms": 1.23456,
        "recalled_at": AT,
        "items": (("mem_1", "semantic", 0.91), ("m-2", "episodic", 0.5)),
    }
    return ReadEvent(**{**fields, **given})  # type: ignore[arg-type]


def test_a_read_comes_back_as_one_row_for_each_item(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event())
    first, second = log.rows()
    assert (first.item_id, first.layer, first.rank, first.score) == ("mem_1", "semantic", 0, 0.91)
    assert (second.item_id, second.rank) == ("m-2", 1)
    assert (first.tenant_id, first.user_id, first.session_id) == ("acme", "alice", "s-1")
    assert (first.kind, first.query, first.profile, first.model) == ("search", "where do I live?", "default", "test")
    assert first.recalled_at == AT
    assert first.day == date(2026, 3, 10)
    assert first.latency_ms == 1.235
    assert first.helpful is None


def test_feedback_comes_back_with_its_judgement(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    log.feedback("rec_1", ALICE, "mem_1", False, AT)
    (row,) = log.rows()
    assert (row.kind, row.recall_id, row.item_id, row.helpful) == ("feedback", "rec_1", "mem_1", False)


def test_a_read_is_found_by_its_id_without_its_feedback(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event("rec_1"))
    log.read(event("rec_2", items=(("mem_9", "semantic", 0.1),)))
    log.feedback("rec_2", ALICE, "mem_9", True, AT)
    assert [row.item_id for row in log.find("rec_2")] == ["mem_9"]
    assert log.find("rec_3") == []
    assert log.find('x"},{') == []


def test_a_line_that_is_still_being_written_is_left_for_later(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event("rec_1"))
    (path,) = log.files()
    whole = Path(path).read_bytes()
    with open(path, "ab") as file:
        file.write(whole[: len(whole) // 2])
    assert {row.recall_id for row in log.rows()} == {"rec_1"}
    with open(path, "ab") as file:
        file.write(whole[len(whole) // 2 :])
    assert len(list(log.rows())) == 4


def test_a_broken_line_is_passed_over_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event("rec_1"))
    with open(log.files()[0], "ab") as file:
        file.write(b"\x00\x00 half a li\n[1, 2]\n")
    log.read(event("rec_2"))
    assert [row.recall_id for row in log.rows()] == ["rec_1", "rec_1", "rec_2", "rec_2"]
    assert "jsonl:2" in caplog.text
    assert "jsonl:3" in caplog.text


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: log.read(event(f"rec_{n}", query="é" * (n % 400))), range(800)))
    assert Counter(row.recall_id for row in log.rows()) == {f"rec_{n}": 2 for n in range(800)}
    assert len(log.files()) == 1


FORKING = """
import os, sys
from memory_pipeline_tests.storage.test_recall_log import RecallLog, event
log = RecallLog(sys.argv[1])
log.read(event("rec_parent"))
child = os.fork()
log.read(event("rec_after" if child else "rec_child"))
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


def test_each_process_has_a_file_of_its_own_also_after_a_fork(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event("rec_here"))
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", FORKING, str(tmp_path)], check=True, cwd=root, env=environment)
    assert len(log.files()) == 3
    found = Counter(row.recall_id for row in log.rows())
    assert found == {"rec_here": 2, "rec_parent": 2, "rec_child": 2, "rec_after": 2}


def test_a_full_spool_is_followed_by_another(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path), rotate_bytes=1000)
    for n in range(20):
        log.read(event(f"rec_{n}"))
    assert len(log.files()) > 1
    assert all(os.path.getsize(path) <= 1000 for path in log.files())
    assert len({row.recall_id for row in log.rows()}) == 20


def test_a_failure_is_reported_once_and_breaks_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    blocked = tmp_path / "recall"
    blocked.write_text("a file where the folder should be")
    log = RecallLog(str(blocked))
    with caplog.at_level(logging.WARNING):
        log.read(event())
        log.read(event())
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    blocked.unlink()
    log.read(event("rec_later"))
    assert {row.recall_id for row in log.rows()} == {"rec_later"}


def test_erasing_a_user_leaves_the_others_and_the_writer_goes_on(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    bob = Scope("acme", "bob")
    log.read(event("rec_1"))
    log.read(event("rec_2", bob))
    log.read(event("rec_3", Scope("other", "alice")))
    log.feedback("rec_1", ALICE, "mem_1", True, AT)
    assert RecallLog(str(tmp_path)).erase(ALICE) == 2
    log.read(event("rec_4", bob))
    assert {row.recall_id for row in log.rows()} == {"rec_2", "rec_3", "rec_4"}
    assert all(b"rec_1" not in Path(path).read_bytes() for path in log.files())
    assert log.erase(ALICE) == 0


def test_queries_are_kept_in_part_and_in_ascii(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event(query="日\n" * 5000))
    raw = Path(log.files()[0]).read_bytes()
    assert raw.count(b"\n") == 1
    assert len(json.loads(raw)["query"]) == 500


@pytest.mark.parametrize(
    "torn",
    [
        b'{"kind":"search","recall":"rec_1","ten\n',  # cut, and gone on with by another
        b"\x00" * 4096 + b"\n",
        b'{"kind":"search","recall":"rec_9","form":7}\n',  # of another release
        b'{"kind":"search","recall":"r","tenant":"t","user":"u","at":5,"items":[]}\n',
        b'{"kind":"search","recall":"r","tenant":"t","user":"u","at":"2026-03-10T00:00:00+00:00","items":[["a"]]}\n',
        b"[" * 100_000 + b"\n",
        b"\xff\xfe{}\n",
    ],
)
def test_a_line_that_holds_no_event_is_counted_and_passed_over(tmp_path: Path, torn: bytes) -> None:
    log = RecallLog(str(tmp_path))
    log.read(event("rec_1"))
    with open(log.files()[0], "ab") as file:
        file.write(torn)
    log.read(event("rec_2"))
    with open(log.files()[0], "ab") as file:
        file.write(torn[:-1])  # no end yet: perhaps somebody is writing it
    (tmp_path / "recall-empty.jsonl").touch()
    assert Counter(row.recall_id for row in log.rows()) == {"rec_1": 2, "rec_2": 2}
    assert log.unreadable() == 1
    assert [row.item_id for row in log.find("rec_2")] == ["mem_1", "m-2"]
    assert log.erase(ALICE) == 2 and list(log.rows()) == []


def test_what_follows_a_line_cut_by_a_full_disk_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, write = RecallLog(str(tmp_path)), os.write
    log.read(event("rec_1"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, line: write(fd, line[: len(line) // 2]))
        log.read(event("rec_2"))
    log.read(event("rec_3"))
    assert {row.recall_id for row in log.rows()} == {"rec_1", "rec_3"}


def test_lines_that_hold_no_event_are_told_of(tmp_path: Path) -> None:
    """By doctor, and with every run of the asset that folds the spools."""
    ctx = StageContext(Settings(home=str(tmp_path)), "test", AT)
    look = dict(checks_of(ctx))["recall log"]
    assert look() == (True, "0 spools")
    log = RecallLog(ctx.settings.path("recall"))
    log.read(event("rec_1"))
    with open(log.files()[0], "ab") as file:
        file.write(b'{"kind":"sea\n')
    assert look() == (True, "1 spools; 1 lines cannot be read (torn, or of another release) and are passed over")
    made = make(ctx, BY_NAME["recall_feedback"], [AT.date()])
    assert made.rows == {AT.date(): 2} and made.metadata == {"lines of spools that cannot be read": 1}
