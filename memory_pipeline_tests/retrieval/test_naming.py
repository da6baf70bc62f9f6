"""Queries that name somebody by another name than the memory does (LS-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.entities import Statement
from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.reading.recall import RecalledItem
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.store.naming import MemoryNames
from memory_pipeline.retrieval.store.user_rows import MEMORIES, UserRows
from memory_pipeline.settings import Settings
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.vectors.index import IndexedMemory
from memory_pipeline.storage.vectors.projection import indexed_memory
from memory_pipeline_tests import factories
from memory_pipeline_tests.domain.entities.said import says, stated_names
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
WALK = "Enjoyed the long hike."


def fill(home: Store) -> None:
    """What is known of Max; the memory to be found shares no word with any query."""
    noise = [(f"What about question {n}, where and when?", {}) for n in range(70)]
    home.memories(
        [
            ("Has a brother called Max.", {"subject": "user", "attribute": "family", "value": "Max"}),
            ("Lives in New York City.", {"subject": "user", "attribute": "residence", "value": "New York City"}),
            (WALK, {"entities": ("Max Weber",), "at": NOW - 40 * DAY}),
            ("Saw a play there.", {"entities": ("NYC",), "at": NOW - 40 * DAY}),
            ("Sings.", {"entities": ("Nora",)}),
            *noise,
        ]
    )


def matched(items: Sequence[RecalledItem]) -> set[str]:
    return {i.content for i in items if i.signals["entity_match"].value == 1}


@pytest.mark.parametrize("query", ["my brother", "Max's", "what about MAX?", "where and when did Max Weber go"])
def test_an_alias_finds_what_is_said_of_the_entity(home: Store, reader: MemoryReader, query: str) -> None:
    fill(home)
    items = reader.search(query, **home.owner, k=100, explain=True)
    assert matched(items) == {"Has a brother called Max.", WALK}
    walk = next(i for i in items if i.content == WALK)
    assert (walk.signals["similarity"].value, walk.signals["entity_match"].value) == (0, 1)


@pytest.mark.parametrize("query", ["NYC", "in New York", "New York City?", "n.y.c."])
def test_initials_and_places(home: Store, reader: MemoryReader, query: str) -> None:
    fill(home)
    items = reader.search(query, **home.owner, k=100, explain=True)
    assert matched(items) == {"Lives in New York City.", "Saw a play there."}


@pytest.mark.parametrize("query", ["her brother", "Nora's brother", "maximum", "Maxim", "what a brotherhood"])
def test_what_only_sounds_like_it_does_not(home: Store, reader: MemoryReader, query: str) -> None:
    fill(home)
    assert WALK not in matched(reader.search(query, **home.owner, k=100, explain=True))


def test_other_scripts(home: Store, reader: MemoryReader) -> None:
    home.memories(
        [
            ("Sings.", {"entities": ("田中さん",)}),
            ("Dances.", {"entities": ("أحمد",)}),
            ("Paints.", {"entities": ("민수",)}),
            ("Swims.", {"entities": ("Алёна",)}),
        ]
    )
    for query, found in {
        "昨日田中は何をしましたか": "Sings.",
        "ماذا فعل وأحمد؟": "Dances.",
        "민수는 어디에": "Paints.",
        "где Алена": "Swims.",
    }.items():
        assert matched(reader.search(query, **home.owner, explain=True)) == {found}


def test_an_entity_in_many_memories_brings_those_that_say_most(home: Store, reader: MemoryReader) -> None:
    home.memories([(f"Number {n}.", {"entities": ("Nora",)}) for n in range(90)])
    home.memory("Number of Nora's piano keys.", entities=("Nora",))
    items = reader.search("Nora piano", **home.owner, k=10, explain=True)
    assert items[0].content == "Number of Nora's piano keys."
    assert len(items) == 10 and matched(items) >= {i.content for i in items}


class TestApart:
    def test_two_users_with_the_same_names(self, home: Store, reader: MemoryReader) -> None:
        other = home.of(f"{home.user_id} two")
        home.memory("Has a brother called Max.", subject="user", attribute="family", value="Max")
        home.memory("Sings.", entities=("Max",))
        other.memory("Has a dog called Max.", subject="user", attribute="pet", value="Max")
        other.memory("Barks.", entities=("Max",))
        assert matched(reader.search("my brother", **home.owner, explain=True)) == {
            "Has a brother called Max.",
            "Sings.",
        }
        assert matched(reader.search("my brother", **other.owner, explain=True)) == set()
        assert matched(reader.search("my dog", **other.owner, explain=True)) == {"Has a dog called Max.", "Barks."}
        ids = [{e["entity_id"] for e in reader.entities(**one.owner)} for one in (home, other)]
        assert ids[0] and ids[1] and ids[0].isdisjoint(ids[1])

    def test_another_users_shared_memories_answer_to_names_only(self, own_home: Store) -> None:
        bob = own_home.of("bob")
        bob.memory("Has a brother called Max.", subject="user", attribute="family", value="Max", shared=True)
        own_home.memory("Has a brother called Tom.", subject="user", attribute="family", value="Tom")
        reader = own_home.reader()
        for query, found in {
            "my brother": {"Has a brother called Tom."},
            "Max": {"Has a brother called Max."},
        }.items():
            items = reader.search(query, **own_home.owner, include_shared=True, explain=True)
            assert matched(items) == found


class TestTime:
    def test_what_is_remembered_and_forgotten_counts_at_once(self, home: Store, reader: MemoryReader) -> None:
        home.memory(WALK, entities=("Max",))
        assert matched(reader.search("my brother", **home.owner, explain=True)) == set()
        told = home.memory("Brother is called Max.", subject="brother", attribute="name", value="Max")
        assert WALK in matched(reader.search("my brother", **home.owner, explain=True))
        home.change(told, Change.FORGET, status=Status.ARCHIVED)
        assert matched(reader.search("my brother", **home.owner, explain=True)) == set()

    def test_a_past_state_has_the_names_of_its_time(self, home: Store, reader: MemoryReader) -> None:
        home.memory(WALK, entities=("Max",), at=NOW - 40 * DAY)
        home.memory("Brother is called Max.", subject="brother", attribute="name", value="Max", at=NOW - 5 * DAY)
        assert WALK in matched(reader.search("my brother", **home.owner, explain=True))
        then = reader.search("my brother", **home.owner, explain=True, as_of=NOW - 20 * DAY)
        assert matched(then) == set()


class TestSpeakers:
    def test_their_turns_are_about_them(self, home: Store, reader: MemoryReader) -> None:
        home.messages(
            [
                ("Good morning!", {"speaker": "Caroline Smith"}),
                ("Hello there.", {"speaker": "Melanie"}),
                ("Anything else?", {"speaker": "assistant"}),
            ]
        )
        for query in ("Caroline", "Caroline's", "caroline smith"):
            items = reader.search(query, **home.owner, layers=["episodic"], explain=True)
            assert matched(items) == {"Good morning!"}
        assert reader.search("Carol", **home.owner, layers=["episodic"]) == []

    def test_by_another_name_that_memories_know(self, home: Store, reader: MemoryReader) -> None:
        home.message("Good morning!", speaker="Nora")
        home.memory("Has a sister called Nora.", subject="user", attribute="family", value="Nora")
        items = reader.search("my sister", **home.owner, layers=["episodic"], explain=True)
        assert matched(items) == {"Good morning!"}


_ASKED = (
    "max", "Weber", "my brother", "Mum", "doctor weber", "Dr. Weber's", "nyc", "in N.Y.C.", "New York", "york city",
    "What New York City", "the oven", "cousin", "Will", "is it will", "Phone", "my heart rate", "resting heart rate",
    "田中", "Who Am I", "like tea", "US", "in the US", "the us", "NATO", "North Atlantic Treaty Org", "phone",
)  # fmt: skip
_ODD = ("Will", "US", "Who Am I", "NATO", "North Atlantic Treaty Organisation", "Jean-Luc", "St. Mary, Ohio", "O'Neil")


@given(
    stated_names(),
    st.booleans(),
    st.lists(st.sampled_from(_ODD), max_size=3),
    st.lists(st.sampled_from(_ASKED), max_size=4),
)
@settings(max_examples=150, deadline=None)
def test_a_text_without_a_hint_of_a_name_names_nobody(
    stated: list[Statement], plain: bool, odd: list[str], asked: list[str]
) -> None:
    told = [says(f"Uses iPhone also known as {name}.", "user", "visited", name, n=90 + n) for n, name in enumerate(odd)]
    names = MemoryNames(indexed([*(s for s in stated if not plain or s.content.isascii()), *told]))
    text = " ".join(asked)
    found = {i for roster in names.rosters.values() for i in roster.find(text)}
    assert names.named(text).find(text) == found


_INDEXED, _POLICY = indexed_memory(factories.memory()), Settings().policies.retrieval


def indexed(stated: Sequence[Statement]) -> UserRows:
    """Rows of the index that say the same."""
    made = [
        replace(
            _INDEXED,
            content=s.content,
            subject=s.subject,
            attribute=s.attribute,
            memory_id=s.memory_id,
            value=s.value,
            entities=s.entities,
            status="active" if s.living else "superseded",
            observed_at=s.observed_at,
        )
        for s in stated
    ]
    return UserRows(MEMORIES, to_table(made, IndexedMemory), np.zeros((len(made), 4), np.float32), _POLICY)
