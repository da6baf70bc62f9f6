from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_pipeline.domain.memory import Change, Status
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.cache import HotRows
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import Store

WRITER = """
import sys
from pathlib import Path
from memory_pipeline_tests.store import Store
home = Store(Path(sys.argv[1]), user_id=sys.argv[2])
home.memory("Written elsewhere about hedgehogs.", memory_id="mem_elsewhere")
home.message("Hedgehogs again, said elsewhere.", message_id="m-elsewhere")
"""


def hot(home: Store, **bounds: int) -> HotRows:
    return HotRows(home.index, home.settings.policies.retrieval, **bounds)


def test_rows_are_kept_while_nothing_changes(home: Store) -> None:
    home.memory("Likes hedgehogs.")
    rows, scope = hot(home), Scope(home.tenant_id, home.user_id)
    assert rows.rows("memories", scope) is rows.rows("memories", scope)
    assert rows.rows("memories", scope) is not rows.rows("messages", scope)


def test_a_write_by_another_process_is_seen_by_the_next_read(home: Store, reader: MemoryReader) -> None:
    home.memory("Likes hedgehogs.")
    assert len(reader.search("hedgehogs", **home.owner)) == 1
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", WRITER, str(home.home), home.user_id], check=True, cwd=root, env=environment)
    assert {i.id for i in reader.search("hedgehogs", **home.owner)} >= {"mem_elsewhere", "m-elsewhere"}


def test_a_change_and_a_deletion_are_seen_by_the_next_read(home: Store, reader: MemoryReader) -> None:
    memory = home.memory("Likes hedgehogs.")
    other = home.memory("Keeps hedgehogs.")
    assert len(reader.search("hedgehogs", **home.owner)) == 2
    home.change(memory, Change.FORGET, status=Status.ARCHIVED)
    assert [i.id for i in reader.search("hedgehogs", **home.owner)] == [other.memory_id]
    home.index.delete("memories", [other.memory_id])
    assert reader.search("hedgehogs", **home.owner) == []


def test_the_cache_is_bounded_by_number(home: Store) -> None:
    rows = hot(home, most_entries=3)
    first = rows.rows("memories", Scope("default", "u0"))
    for n in range(1, 6):
        rows.rows("memories", Scope("default", f"u{n}"))
    assert rows.statistics["entries"] == 3
    assert rows.rows("memories", Scope("default", "u0")) is not first


def test_the_least_recently_used_goes_first(home: Store) -> None:
    rows = hot(home, most_entries=2)
    a, b, c = (Scope("default", name) for name in "abc")
    kept = rows.rows("memories", a)
    rows.rows("memories", b)
    rows.rows("memories", a)
    rows.rows("memories", c)
    assert rows.rows("memories", a) is kept


def test_the_cache_is_bounded_by_bytes(home: Store) -> None:
    home.memories([(f"Likes hedgehog number {n}.", {}) for n in range(50)])
    scope = Scope(home.tenant_id, home.user_id)
    size = hot(home).rows("memories", scope).nbytes
    assert size > 50 * 512 * 4
    roomy, narrow = hot(home, most_bytes=size + 10), hot(home, most_bytes=size - 10)
    roomy.rows("memories", scope)
    narrow.rows("memories", scope)
    assert roomy.statistics == {"entries": 1, "bytes": size}
    assert narrow.statistics == {"entries": 0, "bytes": 0}


def test_sixteen_threads_that_miss_at_once_load_once(home: Store) -> None:
    home.memories([(f"Likes hedgehog number {n}.", {}) for n in range(40)])
    rows, scope = hot(home), Scope(home.tenant_id, home.user_id)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: rows.rows("memories", scope), range(64)))
    assert len(set(map(id, found))) == 1


def test_sixteen_threads_read_the_same(home: Store, reader: MemoryReader) -> None:
    home.memories([(f"Likes hedgehog number {n}.", {}) for n in range(40)])
    home.messages([(f"Saw hedgehog number {n} today.", {}) for n in range(40)])

    def read(_: int) -> list[str]:
        return [i.id for i in reader.search("hedgehog number 7", **home.owner, k=20)]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(read, range(64)))
    assert len(found[0]) == 20
    assert found == [found[0]] * 64


def test_threads_of_many_users_never_mix(own_home: Store) -> None:
    users = [own_home.of(f"user-{n}") for n in range(8)]
    owner = {home.memory("Likes hedgehogs.").memory_id: home.user_id for home in users}
    reader = own_home.reader()

    def read(n: int) -> bool:
        home = users[n % 8]
        items = reader.search("hedgehogs", **home.owner)
        return bool(items) and all(owner[item.id] == home.user_id for item in items)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(read, range(160)))


def test_a_home_without_any_table_is_empty_until_the_first_write(own_home: Store) -> None:
    reader = own_home.reader()
    assert reader.search("hedgehogs", **own_home.owner) == []
    assert reader.context("hedgehogs", **own_home.owner).text == ""
    own_home.memory("Likes hedgehogs.")
    assert len(reader.search("hedgehogs", **own_home.owner)) == 1


@pytest.mark.parametrize("name", ["memories", "messages", "summaries"])
def test_an_empty_table_has_rows_of_its_shape(own_home: Store, name: str) -> None:
    rows = hot(own_home).rows(name, Scope("default", "nobody"))
    assert len(rows) == 0
    assert rows.vectors.shape == (0, own_home.encoder.dimensions)
    nobodys = hot(own_home).rows("memories", Scope("default", "nobody"))
    assert rows.naming("anybody", nobodys.names).size == 0
