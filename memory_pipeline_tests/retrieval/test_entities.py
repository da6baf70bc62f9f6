"""The list of entities, for people."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)


def test_name_kind_aliases_and_memories(home: Store, reader: MemoryReader) -> None:
    told = home.memory("Has a sister called Nora.", at=NOW - 9 * DAY, subject="user", attribute="family", value="Nora")
    sings = home.memory("Nora Weber sings.", at=NOW - 5 * DAY, entities=("Nora Weber",))
    again = home.change(told, Change.REINFORCE, at=NOW - 2 * DAY, reinforcements=1, referenced_at=NOW - 2 * DAY)
    (entity,) = reader.entities(**home.owner)
    assert entity.pop("entity_id").startswith("ent_")
    assert entity == {
        "name": "Nora Weber",
        "kind": "person",
        "relations": ["sister"],
        "aliases": [
            {"name": "Nora", "reason": "first name", "memory_id": told.memory_id},
            {"name": "sister", "reason": "relation", "memory_id": told.memory_id},
        ],
        "memory_ids": [told.memory_id, sings.memory_id],
        "mentions": 3,
        "first_seen": NOW - 9 * DAY,
        "last_seen": again.referenced_at,
    }


def test_memories_carry_the_ids(home: Store, reader: MemoryReader) -> None:
    memory = home.memory("Went to Lisbon with Nora.", entities=("Lisbon", "Nora"))
    ids = {e["name"]: e["entity_id"] for e in reader.entities(**home.owner)}
    (row,) = reader.memories(**home.owner)
    assert row["entities"] == ["Lisbon", "Nora"]
    assert row["entity_ids"] == sorted(ids.values())
    assert reader.explain(memory.memory_id, **home.owner)["memory"]["entity_ids"] == row["entity_ids"]


def test_what_is_forgotten_or_edited_away_names_nothing(home: Store, reader: MemoryReader) -> None:
    shop = home.memory("Found a café called Rosenfeld.", entities=("Rosenfeld",))
    typo = home.memory("Met Norra.", entities=("Norra",))
    home.change(shop, Change.FORGET, status=Status.ARCHIVED)
    home.change(typo, Change.EDIT, content="Met Nora.", entities=("Nora",))
    assert [e["name"] for e in reader.entities(**home.owner)] == ["Nora"]
    assert [e["name"] for e in reader.entities(**home.owner, as_of=NOW - 9 * DAY)] == ["Nora"]


def test_the_past_counts_and_has_its_own_list(home: Store, reader: MemoryReader) -> None:
    old = home.memory("Lives in Berlin.", at=NOW - 30 * DAY, attribute="residence", value="Berlin")
    home.change(old, Change.SUPERSEDE, at=NOW - 10 * DAY, status=Status.SUPERSEDED)
    home.memory("Lives in Hamburg.", at=NOW - 10 * DAY, attribute="residence", value="Hamburg")
    assert [e["name"] for e in reader.entities(**home.owner)] == ["Berlin", "Hamburg"]
    assert [e["name"] for e in reader.entities(**home.owner, as_of=NOW - 20 * DAY)] == ["Berlin"]


def test_one_kind(home: Store, reader: MemoryReader) -> None:
    home.memory("Lives in Berlin.", attribute="residence", value="Berlin")
    home.memory("Has a dog called Max.", attribute="pet", value="Max")
    assert [e["name"] for e in reader.entities(**home.owner, kind="pet")] == ["Max"]
    with pytest.raises(QueryError, match="place"):
        reader.entities(**home.owner, kind="town")
    with pytest.raises(QueryError, match="user_id"):
        reader.entities(user_id="")
