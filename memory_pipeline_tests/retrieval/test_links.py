"""Links as readers see them: both ways, the strongest, and never to what is gone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from memory_pipeline.domain.entities import Entity
from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.queries.console import query
from memory_pipeline.storage.queries.ledger import current_of
from memory_pipeline_tests.linking import run
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
START = NOW - 90 * DAY


@pytest.fixture
def home(own_home: Store) -> Store:
    return own_home


@pytest.fixture
def reader(home: Store) -> MemoryReader:
    return home.reader()


def shown(home: Store, reader: MemoryReader, memory_id: str) -> list[tuple[str, str, str]]:
    found = reader.links([memory_id], **home.owner).get(memory_id, ())
    return [(link.memory_id, link.relation, link.direction) for link in found]


def in_sql(home: Store) -> set[tuple[str, str, str]]:
    table = query(home.settings, "SELECT source_id, target_id, relation FROM links")
    return {tuple(row.values()) for row in table.to_pylist()}  # type: ignore[misc]


def test_read_both_ways(home: Store, reader: MemoryReader) -> None:
    old = home.memory("Plays the violin.", at=START)
    new = home.memory("Plays the violin in a quartet.", at=START + DAY)
    run(home)
    assert shown(home, reader, old.memory_id) == [(new.memory_id, "elaborates", "in")]
    assert shown(home, reader, new.memory_id) == [(old.memory_id, "elaborates", "out")]
    assert reader.links(["mem_unknown"], **home.owner) == {}
    assert in_sql(home) == {(new.memory_id, old.memory_id, "elaborates")}


def test_at_most_twenty_in_both_directions_together_the_certain_first(home: Store, reader: MemoryReader) -> None:
    made = home.memories([(f"red green blue {n}", {"at": START + n * DAY}) for n in range(50)])
    home.change(made[0], Change.SUPERSEDE, at=START + 60 * DAY, status=Status.SUPERSEDED, superseded_by="mem_50")
    run(home)
    links = reader.links([m.memory_id for m in made], **home.owner)
    assert max(map(len, links.values())) == 20
    assert (links["mem_1"][0].memory_id, links["mem_1"][0].relation) == ("mem_50", "supersedes")
    for memory_id, ends in links.items():
        assert [e.weight for e in ends] == sorted((e.weight for e in ends), reverse=True)
        for end in ends:
            assert memory_id in {back.memory_id for back in links[end.memory_id]}
    counted = Counter(i for source, target, _ in in_sql(home) for i in (source, target))
    assert {i: len(ends) for i, ends in links.items()} == counted


class TestGone:
    def pair(self, home: Store) -> list[str]:
        made = home.memories([("red green blue grey", {"at": START}), ("red green cat dog", {"at": START + DAY})])
        run(home)
        return [m.memory_id for m in made]

    def test_forgotten_since(self, home: Store, reader: MemoryReader) -> None:
        old, new = self.pair(home)
        assert shown(home, reader, new)
        home.change(self.version(home, old), Change.FORGET, at=NOW, status=Status.ARCHIVED)
        assert shown(home, reader, new) == shown(home, reader, old) == []
        assert in_sql(home) == set()

    def test_edited_since(self, home: Store, reader: MemoryReader) -> None:
        old, new = self.pair(home)
        assert shown(home, reader, new)
        home.change(self.version(home, old), Change.EDIT, at=NOW, content="something else")
        assert shown(home, reader, new) == []
        assert in_sql(home) == set()

    def test_withdrawn_since(self, home: Store, reader: MemoryReader) -> None:
        old, new = self.pair(home)
        assert shown(home, reader, old)
        home.lake.append("memory_versions", [replace(self.version(home, new), asserted=False, recorded_at=NOW)])
        home.index.delete("memories", [new])
        assert shown(home, reader, old) == []
        assert in_sql(home) == set()

    def test_only_confirmed_since(self, home: Store, reader: MemoryReader) -> None:
        old, new = self.pair(home)
        home.change(self.version(home, old), Change.REINFORCE, at=NOW, reinforcements=1)
        assert shown(home, reader, new) == [(old, "related", "out")]

    def version(self, home: Store, memory_id: str) -> MemoryVersion:
        (version,) = current_of(home.lake, [memory_id])
        return version


def test_another_users_links_are_not_there(home: Store, reader: MemoryReader) -> None:
    other = home.of("bob")
    ids = []
    for one in (home, other):
        ids += [one.memory("red green blue grey", at=START).memory_id]
        ids += [one.memory("red green cat dog", at=START + DAY).memory_id]
    run(home)
    assert set(reader.links(ids, **home.owner)) == set(ids[:2])
    assert set(reader.links(ids, **other.owner)) == set(ids[2:])
    owners = query(home.settings, "SELECT user_id, count(*) AS n FROM links GROUP BY ALL ORDER BY ALL").to_pylist()
    assert owners == [{"user_id": "alice", "n": 1}, {"user_id": "bob", "n": 1}]


def test_entities_in_sql(home: Store) -> None:
    nora = home.memory("Met Nora.", at=START, entities=("Nora",))
    home.memory("Met Max.", at=START + DAY, entities=("Max",))
    run(home)
    home.memory("Met Ida.", at=START + 2 * DAY, entities=("Ida",))
    run(home, (START + 2 * DAY).date())
    names = "SELECT name FROM entities"
    assert query(home.settings, names)["name"].to_pylist() == ["Ida", "Max", "Nora"]
    assert {e.day for e in home.lake.read("entities", Entity)} == {(START + 2 * DAY).date()}
    home.change(nora, Change.FORGET, at=NOW, status=Status.ARCHIVED)
    assert query(home.settings, names)["name"].to_pylist() == ["Ida", "Max"]
