"""High detail reaches what has faded, and nothing that the user took away (NM-37)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store

WORDS = "Plays the cello in Lisbon."


def _found(reader: MemoryReader, home: Store, **given: Any) -> set[str]:
    return {item.id for item in reader.search("cello Lisbon", **home.owner, layers=["semantic"], **given)}


def test_it_finds_stale_and_archived_memories_but_none_that_are_no_longer_so(home: Store, reader: MemoryReader) -> None:
    made = {status: home.memory(WORDS, status=status).memory_id for status in Status}
    assert _found(reader, home) == _found(reader, home, detail="normal") == {made[Status.ACTIVE]}
    reached = {made[Status.ACTIVE], made[Status.STALE], made[Status.ARCHIVED]}
    assert _found(reader, home, detail="high") == reached
    assert _found(reader, home, detail="high", statuses=["closed"]) == {made[Status.CLOSED]}
    assert reached <= set(reader.context("cello Lisbon", **home.owner, detail="high").item_ids)


@pytest.mark.parametrize("statuses", [None, ["archived"], list(Status)])
def test_it_never_finds_what_was_forgotten_or_pruned(home: Store, reader: MemoryReader, statuses: Any) -> None:
    kept = home.memory(WORDS, status=Status.ARCHIVED)
    forgotten, pruned = home.memory(WORDS), home.memory(WORDS)
    home.change(forgotten, Change.FORGET, status=Status.ARCHIVED)
    home.change(pruned, Change.PRUNE, status=Status.ARCHIVED)
    hushed = home.memory(WORDS, status=Status.ARCHIVED, taken_back=("m-1", "mem_x"), memory_id="mem_x")
    assert hushed.forgotten
    assert _found(reader, home, detail="high", statuses=statuses) == {kept.memory_id}
    assert _found(reader, home, detail="high", statuses=statuses, as_of=NOW) == {kept.memory_id}


def test_what_is_no_longer_valid_stays_out(home: Store, reader: MemoryReader) -> None:
    home.memory(WORDS, status=Status.ARCHIVED, valid_until=NOW - timedelta(days=1))
    assert _found(reader, home, detail="high") == set()


def test_an_answer_rests_on_what_is_archived_only_in_high_detail(home: Store, reader: MemoryReader) -> None:
    memory = home.memory(
        "Lives in Lisbon.", status=Status.ARCHIVED, subject="user", attribute="residence", value="Lisbon"
    )
    assert not reader.ask("Where do I live?", **home.owner, layers=["semantic"]).known
    answer = reader.ask("Where do I live?", **home.owner, layers=["semantic"], detail="high")
    assert (answer.known, answer.citations) == (True, (memory.memory_id,))


def test_another_level_is_refused_with_those_that_exist(home: Store, reader: MemoryReader) -> None:
    with pytest.raises(QueryError, match="detail 'deep'.*high, normal"):
        _found(reader, home, detail="deep")
