"""Locks on a real S3 server: one writer at a time, whoever is killed is passed over, whoever lost one is told."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator
from typing import Any

import obstore
import pytest
from obstore.store import from_url

from memory_pipeline.errors import StorageError
from memory_pipeline.storage.exclusion.leases import Leases
from memory_pipeline.storage.exclusion.locks import lock, shared_lock
from memory_pipeline_tests.s3_server import s3_server

_ROUNDS = 8


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with s3_server() as uri:
        yield uri


def _count(uri: str, place: str) -> None:
    store = from_url(uri)
    for _ in range(_ROUNDS):
        with lock(place, "the count"):
            number = int(bytes(obstore.get(store, "count").bytes()))
            time.sleep(0.01)
            obstore.put(store, "count", str(number + 1).encode())


def _hold(uri: str, entered: Any) -> None:
    with Leases(uri, lease_s=1.0).lock("held", "something", 9.0):
        entered.set()
        time.sleep(60)


def test_processes_take_turns(bucket: str) -> None:
    obstore.put(from_url(bucket), "count", b"0")
    spawn = multiprocessing.get_context("spawn")
    counters = [spawn.Process(target=_count, args=(bucket, f"{bucket}/turns/count")) for _ in range(2)]
    for counter in counters:
        counter.start()
    _count(bucket, f"{bucket}/turns/count")
    for counter in counters:
        counter.join(timeout=60)
    assert bytes(obstore.get(from_url(bucket), "count").bytes()) == str(3 * _ROUNDS).encode()
    assert [meta["path"] for chunk in obstore.list(from_url(bucket), "turns/") for meta in chunk] == []


def test_a_lock_that_is_beaten_stays_and_that_of_a_killed_process_is_taken_over(bucket: str) -> None:
    uri = f"{bucket}/killed"
    spawn = multiprocessing.get_context("spawn")
    entered = spawn.Event()
    holder = spawn.Process(target=_hold, args=(uri, entered))
    holder.start()
    assert entered.wait(30)
    other = Leases(uri, lease_s=1.0)
    time.sleep(2.0)  # two leases long: its beats keep it
    with other.lock("held", "something", 9.0, wait=False) as alone:
        assert not alone
    began = time.monotonic()
    holder.kill()
    holder.join()
    with other.lock(
        "held", "something", 9.0, wait=False
    ) as alone:  # nor is a run that was killed taken for one at work
        assert alone
        assert 0.5 < time.monotonic() - began < 10


def test_who_lost_a_lock_is_told_at_the_end_and_leaves_that_of_the_next_alone(bucket: str) -> None:
    store = from_url(f"{bucket}/lost")
    with (
        pytest.raises(StorageError, match="lock on something was lost .* run the same command again"),
        Leases(f"{bucket}/lost", lease_s=0.6).lock("it", "something", 9.0),
    ):
        obstore.put(store, "it.lock", b"another process")
        time.sleep(0.5)
    assert bytes(obstore.get(store, "it.lock").bytes()) == b"another process"


def test_many_write_or_one_rewrites(bucket: str) -> None:
    place = f"{bucket}/fence/.fence"
    seen: list[str] = []

    def rewrite() -> None:
        with shared_lock(place, shared=False):
            seen.append("rewritten")

    def write() -> None:
        with shared_lock(place, shared=True):
            seen.append("written")

    with shared_lock(place, shared=True), shared_lock(place, shared=True):
        alone = threading.Thread(target=rewrite)
        alone.start()
        alone.join(0.4)
        assert seen == []
    alone.join(20)
    assert seen == ["rewritten"]
    with shared_lock(place, shared=False):
        late = threading.Thread(target=write)
        late.start()
        late.join(0.4)
        assert seen == ["rewritten"]
    late.join(20)
    assert seen == ["rewritten", "written"]


def test_the_mark_of_a_killed_writer_is_passed_over(bucket: str) -> None:
    obstore.put(from_url(f"{bucket}/left"), "fence/of-a-killed-one", b"")
    with Leases(f"{bucket}/left", lease_s=0.2).rewriting("fence", "the lake", 9.0):
        pass


def test_a_store_that_cannot_be_reached_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with (
        pytest.raises(StorageError, match="^cannot lock s3://nowhere/locks/it.lock") as refused,
        Leases("s3://nowhere/locks").lock("it", "something", 9.0),
    ):
        pass
    assert "\n" not in str(refused.value)
