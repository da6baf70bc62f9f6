"""The ends of the recall spools, read on as any process adds to them."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.logs.recall_log import OFFERED, ReadEvent, RecallLog
from memory_pipeline.storage.logs.spool_tail import SpoolTail

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
ANN = Scope("t", "ann")


def _read(log: RecallLog, name: str, *offered: str, scope: Scope = ANN) -> None:
    log.read(ReadEvent(name, "context", scope, "q", "s", "default", "m", 1.0, AT, (), offered=offered))


def _names(tail: SpoolTail) -> list[str]:
    return [event["recall"] for event in tail.new()]


def test_what_any_process_adds_is_read_once(tmp_path: Path) -> None:
    tail, first, second = SpoolTail(str(tmp_path), OFFERED), RecallLog(str(tmp_path)), RecallLog(str(tmp_path))
    assert _names(tail) == [], "no folder yet"
    _read(first, "a", "x")
    _read(second, "b")
    assert sorted(_names(tail)) == ["a", "b"]
    _read(first, "c", "x")
    assert (_names(tail), _names(tail)) == (["c"], [])


def test_other_lines_and_torn_ones_are_passed_over(tmp_path: Path) -> None:
    tail, log = SpoolTail(str(tmp_path), OFFERED), RecallLog(str(tmp_path))
    log.read(ReadEvent("search", "search", ANN, "q", None, "default", "m", 1.0, AT, ()))
    _read(log, "a")
    (path,) = log.files()
    with open(path, "ab") as file:
        file.write(b'{"recall":"torn","offered":[\n{"recall":"open","offered":')
    assert _names(tail) == ["a"]
    with open(path, "ab") as file:
        file.write(b'[],"at":""}\n')
    assert _names(tail) == ["open"], "a line that was being written is read when it is whole"


def test_of_a_long_spool_only_the_end_is_read(tmp_path: Path) -> None:
    log = RecallLog(str(tmp_path))
    for n in range(2_000):
        _read(log, f"r{n}", *"abcdefgh")
    names = _names(SpoolTail(str(tmp_path), OFFERED))
    assert names[-1] == "r1999" and 50 < len(names) < 1_000
    assert names == [f"r{n}" for n in range(2_000 - len(names), 2_000)], "no line without its beginning"


def test_what_an_erasure_has_rewritten_is_not_read_again(tmp_path: Path) -> None:
    tail, log = SpoolTail(str(tmp_path), OFFERED), RecallLog(str(tmp_path))
    _read(log, "a")
    _read(log, "b", scope=Scope("t", "bob"))
    assert len(_names(tail)) == 2
    log.erase(Scope("t", "bob"))
    assert _names(tail) == []
    _read(log, "c")
    assert _names(tail) == ["c"]


def test_spools_that_are_gone_and_homes_elsewhere(tmp_path: Path) -> None:
    tail, log = SpoolTail(str(tmp_path), OFFERED), RecallLog(str(tmp_path))
    _read(log, "a")
    (path,) = log.files()
    assert _names(tail) == ["a"]
    os.unlink(path)
    assert _names(tail) == []
    assert _names(SpoolTail("s3://bucket/recall", OFFERED)) == []


def test_a_look_costs_far_less_than_a_millisecond(tmp_path: Path) -> None:
    tail = SpoolTail(str(tmp_path), OFFERED)
    for n in range(40):
        _read(RecallLog(str(tmp_path)), f"r{n}")
    tail.new()
    best = min(_seconds(tail) for _ in range(50))
    assert best < 0.001


def _seconds(tail: SpoolTail) -> float:
    start = time.perf_counter()
    tail.new()
    return time.perf_counter() - start
