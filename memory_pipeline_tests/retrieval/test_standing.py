"""Whose words a found item is, and which memories rest on a turn."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest

from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.store.user_rows import MEMORIES, UserRows
from memory_pipeline.settings import Settings
from memory_pipeline.storage.vectors.index import vectors_of
from memory_pipeline_tests.store import Store


@pytest.mark.parametrize(
    ("content", "role", "standing"),
    [
        ("I play the viola in a quartet.", "user", "own"),
        ("Where is my viola?", "user", "question"),
        ("My viola is old. How much would a luthier ask for one with all strings?", "user", "question"),
        ("As you play the viola, you know it.", "assistant", "claim"),
        ("A viola has four strings.", "assistant", "reply"),
    ],
)
def test_a_turn_is_what_most_of_it_is(
    home: Store, reader: MemoryReader, content: str, role: str, standing: str
) -> None:
    home.message(content, role=Role(role))
    (item,) = reader.search("viola", **home.owner)
    assert item.standing == standing


def test_a_turn_without_words_is_a_filler(home: Store, reader: MemoryReader) -> None:
    home.messages([("🎻🎻", {"previous": "viola"})])
    assert [item.standing for item in reader.search("viola", **home.owner)] == ["filler"]


def test_memories_stand_as_their_state_says_and_summaries_are_derived(home: Store, reader: MemoryReader) -> None:
    home.memories([("Plays the viola.", {}), ("Sold a viola.", {"status": Status.CLOSED})])
    home.summary("A day of viola.", date(2026, 3, 2))
    found = reader.search("viola", **home.owner, statuses=["active", "closed"], layers=["semantic", "narrative"])
    assert {item.content: item.standing for item in found} == {
        "Plays the viola.": "active",
        "Sold a viola.": "closed",
        "A day of viola.": "derived",
    }


def test_of_a_message_all_memories_that_rest_on_it_are_known_whatever_their_state(home: Store) -> None:
    home.memories(
        [
            ("Plays the viola.", {"evidence": ["m-a", "m-b"]}),
            ("Has no evidence.", {}),
            ("Owns a viola.", {"evidence": ["m-b"], "status": Status.SUPERSEDED}),
            ("Likes the viola.", {"evidence": ["m-a"]}),
        ]
    )
    table = home.index.rows(MEMORIES, Scope(home.tenant_id, home.user_id))
    policy = Settings.load().policies.retrieval
    rows = UserRows(MEMORIES, table.drop_columns(["vector"]), vectors_of(table), policy)
    found = {key: {rows.row(place)["content"] for place in places} for key, places in rows.citing.items()}
    assert found == {"m-a": {"Plays the viola.", "Likes the viola."}, "m-b": {"Plays the viola.", "Owns a viola."}}


def test_where_nothing_is_remembered_nothing_rests_on_anything(home: Store) -> None:
    home.memory("Has no evidence.")
    table = home.index.rows(MEMORIES, Scope(home.tenant_id, home.user_id)).drop_columns(["vector"])
    policy = Settings.load().policies.retrieval
    for rows in (table, table.slice(0, 0)):
        assert UserRows(MEMORIES, rows, np.zeros((len(rows), 4), np.float32), policy).citing == {}


def test_results_are_json(home: Store, reader: MemoryReader) -> None:
    home.memory("Plays the violin.")
    home.message("The violin is loud.")
    (hit, *_) = reader.search("violin", **home.owner, explain=True)
    results = (hit, reader.context("How is the violin?", **home.owner), reader.profile(**home.owner))
    for result in (*results, reader.payload("How is the violin?", **home.owner)):
        assert json.loads(json.dumps(result.to_dict()))
    assert hit.to_dict()["observed_at"].startswith("2026-")
