from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.store.cache import HotRows
from memory_pipeline.retrieval.store.user_rows import UserRows
from memory_pipeline.storage.vectors.index import TABLES, Index, vectors_of
from memory_pipeline.storage.vectors.index_snapshot import Snapshot
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


def by_key(name: str, rows: UserRows) -> Mapping[str, tuple[Any, ...]]:
    """What a cache holds of each row, its vector included."""
    key, vectors = TABLES[name].key, rows.vectors.tolist()
    return {row[key]: (row, vector) for row, vector in zip(rows.table.to_pylist(), vectors, strict=True)}


def loaded(index: Index, name: str, scope: Scope, columns: list[str]) -> Mapping[str, tuple[Any, ...]]:
    """The same, asked of the index anew."""
    table, key = index.rows(name, scope), TABLES[name].key
    rows = zip(table.select(columns).to_pylist(), vectors_of(table).tolist(), strict=True)
    return {row[key]: (row, vector) for row, vector in rows}


def test_rows_outlive_a_write_of_somebody_else(home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = home.of("cache-mine"), home.of("cache-other")
    mine.memories([(f"Likes hedgehog number {n}.", {"memory_id": f"mem_mine_{n}"}) for n in range(3)])
    theirs = other.memory("Keeps goats.", memory_id="mem_theirs")
    rows, scope = hot(home), Scope(home.tenant_id, "cache-mine")
    held = rows.rows("memories", scope)
    reads: list[int] = []
    whole = Snapshot.rows
    monkeypatch.setattr(
        Snapshot,
        "rows",
        lambda self, found, columns: (reads.append(len(found.addresses)), whole(self, found, columns))[1],
    )
    other.change(theirs, Change.FORGET, status=Status.ARCHIVED)
    other.memory("Keeps sheep.", memory_id="mem_sheep")
    assert rows.rows("memories", scope) is held
    assert reads == []
    mine.memory("Feeds hedgehogs.", memory_id="mem_mine_fed")
    assert "mem_mine_fed" in by_key("memories", rows.rows("memories", scope))
    assert reads == [4]


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_written_the_cache_holds_what_a_fresh_load_gives(own_home: Store, seed: int) -> None:
    draw, users = random.Random(seed), [own_home.of(f"u{n}", f"t{n % 2}") for n in range(4)]
    for user in users:
        user.memories([(f"Likes hedgehog number {n}.", {"memory_id": f"{user.user_id}_{n}"}) for n in range(6)])
        user.messages([(f"Saw hedgehog number {n}.", {"message_id": f"m{n}"}) for n in range(4)])
    writer = Index.open(own_home.settings, own_home.encoder)  # stands for another process: it has handles of its own
    keys = {name: TABLES[name].key for name in ("memories", "messages")}

    def own(name: str, user: Store) -> Any:
        return writer.rows(name, Scope(user.tenant_id, user.user_id))

    def add(name: str, user: Store) -> None:
        if name == "memories":
            user.memory(
                f"Feeds {draw.random()}.", memory_id=f"{user.user_id}_{draw.random()}", shared=draw.random() < 0.5
            )
        else:
            user.message(f"Fed {draw.random()}.", message_id=f"m{draw.random()}")

    def edit(name: str, user: Store) -> None:
        table = own(name, user)
        table = table.slice(draw.randrange(len(table) + 1), 2)
        words = [f"Edited {draw.random()}." for _ in range(len(table))]
        place = table.schema.get_field_index("content")
        writer.upsert(
            name, table.set_column(place, "content", [words]).drop_columns(["vector"]), own_home.encoder.encode(words)
        )

    def same_words_other_vectors(name: str, user: Store) -> None:
        table = own(name, user)
        vectors = np.roll(vectors_of(table), 1, axis=1)
        writer.upsert(name, table.drop_columns(["vector"]), vectors)

    def delete(name: str, user: Store) -> None:
        ids = own(name, user)[keys[name]].to_pylist()
        writer.delete(name, draw.sample(ids, min(2, len(ids))))

    def erase(name: str, user: Store) -> None:
        writer.delete_users(name, [Scope(user.tenant_id, user.user_id)])

    def tidy(*_: object) -> None:
        writer.optimize(timedelta(0), 1000)

    def purge(*_: object) -> None:
        writer.purge(1000)

    acts: list[Callable[[str, Store], None]] = [
        add,
        add,
        edit,
        edit,
        delete,
        same_words_other_vectors,
        erase,
        tidy,
        purge,
    ]
    cache, survived = hot(own_home), 0
    for _ in range(20):
        name, user, act = draw.choice(list(keys)), draw.choice(users), draw.choice(acts)
        before = {u.user_id: cache.rows(name, Scope(u.tenant_id, u.user_id)) for u in users}
        act(name, user)
        for u in users:
            scope = Scope(u.tenant_id, u.user_id)
            held = cache.rows(name, scope)
            survived += held is before[u.user_id] and u is not user
            assert by_key(name, held) == loaded(writer, name, scope, held.table.column_names), (act.__name__, u.user_id)
            around = own_home.index.lookup("memories", cache.shared(scope).ids.tolist(), ["user_id", "shared"])
            assert all(around["shared"].to_pylist())
            others = [o for o in users if o.tenant_id == u.tenant_id and o is not u]
            listed = [i for o in others for i in loaded_shared(writer, o)]
            assert sorted(cache.shared(scope).ids.tolist()) == sorted(listed), act.__name__
    assert survived > 12


def loaded_shared(index: Index, user: Store) -> list[str]:
    """Ids of the memories that a user shares."""
    rows = index.rows("memories", Scope(user.tenant_id, user.user_id), ["memory_id", "shared"])
    return [row["memory_id"] for row in rows.to_pylist() if row["shared"]]


def test_a_table_that_is_made_anew_is_read_anew(own_home: Store) -> None:
    own_home.memory("Likes hedgehogs.", memory_id="mem_first")
    rows, scope = hot(own_home), Scope(own_home.tenant_id, own_home.user_id)
    assert rows.rows("memories", scope).ids.tolist() == ["mem_first"]
    shutil.rmtree(Path(own_home.index.uri) / "memories.lance")
    again = own_home.of(own_home.user_id)
    again.index = Index.open(own_home.settings, own_home.encoder)
    again.memory("Likes hedgehogs.", memory_id="mem_second")
    assert rows.rows("memories", scope).ids.tolist() == ["mem_second"]


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
