"""What the rows around a turn do for its rank."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.reading.recall import RecalledItem
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.store.user_rows import MESSAGES, UserRows
from memory_pipeline.settings import Settings
from memory_pipeline.storage.vectors.index import vectors_of
from memory_pipeline_tests.store import NOW, Store

MINUTE = timedelta(minutes=1)
Turn = tuple[str, dict[str, Any]]


def rows_of(home: Store, turns: Sequence[Turn]) -> UserRows:
    home.messages(turns)
    table = home.index.rows(MESSAGES, Scope(home.tenant_id, home.user_id))
    return UserRows(MESSAGES, table.drop_columns(["vector"]), vectors_of(table), Settings.load().policies.retrieval)


def asked(reader: MemoryReader, home: Store, query: str, **given: Any) -> list[RecalledItem]:
    return reader.search(query, **home.owner, layers=["episodic"], explain=True, k=50, **given)


def values(items: Sequence[RecalledItem], signal: str) -> dict[str, float]:
    return {item.content: item.signals[signal].value for item in items}


def test_the_following_turn_is_the_next_of_the_same_session(home: Store) -> None:
    rows = rows_of(
        home,
        [
            ("c", {"session_id": "s1", "at": NOW + 2 * MINUTE}),
            ("a", {"session_id": "s1", "at": NOW}),
            ("x", {"session_id": "s2", "at": NOW}),
            ("b", {"session_id": "s1", "at": NOW + MINUTE}),
        ],
    )
    weights = {"a": 1.0, "b": 2.0, "c": 3.0, "x": 4.0}
    numbers = np.array([weights[text] for text in rows.values("content")])
    following = dict(zip(rows.values("content"), rows.surroundings.following(numbers), strict=True))
    session = dict(zip(rows.values("content"), rows.surroundings.session(numbers), strict=True))
    assert following == {"a": 2.0, "b": 3.0, "c": 0.0, "x": 0.0}
    assert session == {"a": 3.0, "b": 3.0, "c": 3.0, "x": 4.0}


def test_what_resembles_everything_is_less_distinct(home: Store) -> None:
    rows = rows_of(home, [("red apple", {}), ("red plum", {}), ("red red", {}), ("a boat", {})])
    found = dict(zip(rows.values("content"), rows.surroundings.distinct, strict=True))
    assert found["red red"] < found["red apple"] < found["a boat"]
    assert sum(found.values()) / 4 == pytest.approx(0.5)


def test_a_lone_row_is_neither_typical_nor_distinct(home: Store, reader: MemoryReader) -> None:
    home.message("I play the violin.")
    assert values(asked(reader, home, "violin"), "distinct") == {"I play the violin.": pytest.approx(0.5)}


def test_a_session_that_answers_lifts_its_turns_but_not_those_that_say_nothing(
    home: Store, reader: MemoryReader
) -> None:
    turns: list[Turn] = [
        ("My violin teacher lives in Graz.", {"session_id": "s1"}),
        ("The violin needs strings.", {"session_id": "s1"}),
        ("Bought a sofa.", {"session_id": "s1"}),
        ("The violin costs a lot.", {"session_id": "s2"}),
    ]
    home.messages(turns)
    items = asked(reader, home, "violin teacher graz")
    assert [i.content for i in items][:2] == ["My violin teacher lives in Graz.", "The violin needs strings."]
    assert "Bought a sofa." not in values(items, "session")
    lifted = values(items, "session")
    assert lifted["The violin needs strings."] == lifted["My violin teacher lives in Graz."]
    assert lifted["The violin costs a lot."] < lifted["The violin needs strings."]


def test_what_the_read_may_not_see_lends_nothing(home: Store, reader: MemoryReader) -> None:
    turns: list[Turn] = [
        ("Which violin?", {"session_id": "s1", "domain": "work", "at": NOW - 2 * MINUTE}),
        ("A violin from Graz.", {"session_id": "s1", "domain": "home", "at": NOW - MINUTE}),
    ]
    home.messages(turns)
    all_of_them = asked(reader, home, "violin graz")
    work_only = asked(reader, home, "violin graz", domain="work")
    for signal in ("following", "session"):
        assert values(all_of_them, signal)["Which violin?"] > values(work_only, signal)["Which violin?"]
    assert values(work_only, "following") == {"Which violin?": 0}


@pytest.mark.parametrize(
    ("role", "speaker", "query", "aside"),
    [
        ("assistant", None, "which violin is best", 1),
        ("assistant", "assistant", "which violin is best", 1),
        ("assistant", "Melanie", "which violin is best", 0),
        ("user", None, "which violin is best", 0),
        ("assistant", None, "which violin did you recommend", 0),
    ],
)
def test_the_assistants_turns_stand_back_unless_they_are_asked_for(
    home: Store, reader: MemoryReader, role: str, speaker: str | None, query: str, aside: float
) -> None:
    home.message("This violin is the best.", role=role, speaker=speaker)
    (item,) = asked(reader, home, query)
    assert item.signals["aside"].value == aside
    assert item.signals["aside"].contribution <= 0


def test_a_question_for_the_time_prefers_what_names_one(home: Store, reader: MemoryReader) -> None:
    home.messages([("I sold the violin yesterday.", {}), ("I sold the violin, sadly.", {})])
    when, where = (asked(reader, home, f"{word} did I sell the violin?") for word in ("When", "Where"))
    assert values(when, "dated") == {"I sold the violin yesterday.": 1, "I sold the violin, sadly.": 0}
    assert set(values(where, "dated").values()) == {0}


@pytest.mark.parametrize(
    ("query", "replaced"),
    [("where do I live?", 1.0), ("where did I live before?", 0.0), ("which violin is loud?", 0.0)],
)
def test_a_turn_whose_memory_another_has_replaced_counts_less(
    home: Store, reader: MemoryReader, query: str, replaced: float
) -> None:
    turn = home.message("I live in Graz and my violin is loud.")
    now = home.memory("Lives in Linz.", at=NOW - MINUTE, session_id=turn.session_id)
    old = home.memory("Lives in Graz.", evidence=[turn.message_id], session_id=turn.session_id)
    home.change(old, Change.SUPERSEDE, status=Status.SUPERSEDED, superseded_by=now.memory_id, valid_until=NOW - MINUTE)
    found = {item.id: item for item in reader.search(query, **home.owner, k=5, explain=True)}
    assert found[turn.message_id].signals["replaced"].value == replaced
    assert found[turn.message_id].signals["replaced"].contribution <= 0
