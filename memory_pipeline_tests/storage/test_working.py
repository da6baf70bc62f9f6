"""Working memory on disk: durable, each turn once, whatever dies, and gone when it is to be gone."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.working import in_view, under_way, with_place
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.working_files import WorkingMemory
from memory_pipeline_tests import factories

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
ANN = Scope("default", "ann")


def turn(n: int, *, user: str = "ann", session: str = "s", content: str = "I live in Oslo.") -> Message:
    made = factories.message(content, message_id=f"m-{n}", user_id=user, session_id=session, role=Role.USER)
    return replace(made, tenant_id="default", created_at=NOW + timedelta(seconds=n), recorded_at=NOW)


@pytest.fixture
def working(tmp_path: Path) -> WorkingMemory:
    return WorkingMemory(Settings.load(home=str(tmp_path / "home")))


def files(working: WorkingMemory) -> list[Path]:
    return sorted(working._root.glob("*/*.jsonl"))


def test_each_turn_once_in_the_order_of_the_talk(working: WorkingMemory) -> None:
    assert working.add([turn(2), turn(1), turn(2)]).taken == 2
    assert working.add([turn(1), turn(3)]) == type(working.add([]))(1, 1)
    assert [t.message_id for t in working.turns(ANN, "s")] == ["m-1", "m-2", "m-3"]
    assert working.turns(ANN, "s")[0] == turn(1), "a turn comes back as it went in"
    assert working.turns(ANN, "other") == () and working.turns(Scope("other", "ann"), "s") == ()


def test_it_is_on_disk_before_anybody_is_answered(working: WorkingMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.fstat(fd).st_ino), fsync(fd))[1])
    working.add([turn(1)])
    (file,) = files(working)
    assert file.stat().st_ino in synced and file.parent.stat().st_ino in synced
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_cut_off_is_no_turn(working: WorkingMemory) -> None:
    working.add([turn(1)])
    (file,) = files(working)
    with open(file, "ab") as stream:
        stream.write(b'{"tenant_id": "default", "us')
    fresh = WorkingMemory(Settings.load(home=str(file.parents[2])))
    assert [t.message_id for t in fresh.turns(ANN, "s")] == ["m-1"]
    fresh.add([turn(2)])
    for reader in (fresh, working):
        assert [t.message_id for t in reader.turns(ANN, "s")] == ["m-1", "m-2"]


def test_it_waits_until_it_is_taken(working: WorkingMemory) -> None:
    working.add([turn(1), turn(9, session="t")])
    first, second = working.waiting(NOW + timedelta(seconds=30))
    assert first.quiet_s == first.oldest_s == 30 and not first.ended
    assert working.count_waiting() == 2
    working.add([turn(2, session=first.turns[0].session_id)])
    working.taken(first)
    left = {w.turns[0].session_id: w for w in working.waiting(NOW)}
    assert [t.message_id for t in left[first.turns[0].session_id].turns] == ["m-2"], "what came meanwhile waits"
    assert second.turns[0].session_id in left
    for found in left.values():
        working.taken(found)
    assert list(working.waiting(NOW)) == [] and working.count_waiting() == 0


def test_a_session_whose_mark_was_lost_is_found_by_whoever_begins(working: WorkingMemory) -> None:
    working.add([turn(1)])
    for mark in (working._root / ".waiting").iterdir():
        mark.unlink()
    assert list(working.waiting(NOW)) == []
    (found,) = working.waiting(NOW, all_sessions=True)
    assert found.turns[0].message_id == "m-1"


def test_the_end_of_a_session(working: WorkingMemory) -> None:
    assert not working.end(ANN, "s")
    working.add([turn(1)])
    assert working.end(ANN, "s")
    (found,) = working.waiting(NOW)
    assert found.ended
    working.taken(found)
    working.add([turn(2)])
    (found,) = working.waiting(NOW)
    assert not found.ended, "it goes on"


def test_what_the_log_has_goes_when_its_time_is_over(working: WorkingMemory) -> None:
    working.add([turn(1)])
    late = NOW + timedelta(days=2)
    assert working.expire(late) == 0, "the log has it not"
    for found in working.waiting(NOW):
        working.taken(found)
    assert working.expire(NOW) == 0 and working.expire(late) == 1
    assert working.turns(ANN, "s") == ()


def test_what_is_erased_is_in_no_byte(working: WorkingMemory) -> None:
    working.add([turn(1, content="I own a Saab."), turn(2), turn(1, user="bob", content="I own a Lada.")])
    for found in working.waiting(NOW):
        working.taken(found)
    gone = [(ANN, {("s", "m-1")})]
    assert working.count([], gone) == 1
    working.forget([], gone)
    assert [t.message_id for t in working.turns(ANN, "s")] == ["m-2"]
    (again,) = working.waiting(NOW)
    assert [t.message_id for t in again.turns] == ["m-2"], "the log says what it has"
    assert working.count([ANN]) == 1
    working.forget([ANN])
    assert working.count([ANN]) == 0
    said = b"".join(path.read_bytes() for path in working._root.rglob("*") if path.is_file())
    assert b"Saab" not in said and b"Oslo" not in said and b"Lada" in said


def test_what_was_erased_while_it_was_taken_is_not_noted(working: WorkingMemory) -> None:
    working.add([turn(1), turn(2)])
    (found,) = working.waiting(NOW)
    working.forget([], [(ANN, {("s", "m-1")})])
    working.add([turn(3), turn(4)])
    working.taken(found)
    (left,) = working.waiting(NOW)
    assert [t.message_id for t in left.turns] == ["m-2", "m-3", "m-4"]


def test_many_at_once(working: WorkingMemory) -> None:
    def say(first: int) -> None:
        other = WorkingMemory(Settings.load(home=str(working._root.parent)))
        for n in range(first, first + 40, 2):
            other.add([turn(n // 2)])

    threads = [threading.Thread(target=say, args=(n,)) for n in (0, 1, 20, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = [t.message_id for t in working.turns(ANN, "s")]
    assert len(ids) == len(set(ids)) == 30


def test_a_home_on_object_storage_says_so() -> None:
    working = WorkingMemory(Settings.load(home="s3://bucket/home"))
    with pytest.raises(StorageError, match="local disk"):
        working.add([turn(1)])
    assert working.turns(ANN, "s") == () and list(working.waiting(NOW)) == []


def test_a_file_that_is_none(working: WorkingMemory) -> None:
    working.add([turn(1)])
    (file,) = files(working)
    file.write_bytes(b"[]\n")
    with pytest.raises(StorageError, match="cannot be used"):
        WorkingMemory(Settings.load(home=str(file.parents[2]))).turns(ANN, "s")


def test_the_first_turn_and_the_latest_are_in_view() -> None:
    turns = [turn(n) for n in range(30)]
    assert [t.message_id for t in in_view(turns, 3)] == ["m-0", "m-27", "m-28", "m-29"]
    assert in_view(turns[:4], 3) == tuple(turns[:4])


def test_a_session_is_under_way_for_its_time() -> None:
    assert under_way([turn(1)], NOW + timedelta(hours=23), timedelta(hours=24))
    assert not under_way([turn(1)], NOW + timedelta(hours=24), timedelta(hours=24))
    assert not under_way([], NOW, timedelta(hours=24))


def test_turns_of_one_time_keep_their_order() -> None:
    same = replace(turn(2), created_at=turn(1).created_at)
    assert with_place(same, [turn(1)]).ordinal == 1
    assert with_place(turn(2), [turn(1)]).ordinal == 0
