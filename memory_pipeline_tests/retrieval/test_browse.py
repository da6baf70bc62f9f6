"""A user's memories as a person looks through them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store


@pytest.fixture
def full(home: Store) -> Store:
    day = timedelta(days=1)
    home.memory("Likes green tea.", type=MemoryType.PREFERENCE, importance=0.9, at=NOW - 3 * day)
    home.memory("Has a Dog called Max.", importance=0.3, at=NOW - 2 * day)
    home.memory("Needs to call Max.", type=MemoryType.OPEN_LOOP, due_at=NOW + 2 * day, importance=0.4, at=NOW - 5 * day)
    home.memory("Lives in Lisbon.", status=Status.SUPERSEDED, at=NOW - 9 * day)
    gone = home.memory("Likes cilantro.", at=NOW - 8 * day)
    home.change(gone, Change.FORGET, status=Status.ARCHIVED, taken_back=(gone.memory_id,))
    home.of("bob").memory("Likes green snakes.")
    return home


def shown(reader: MemoryReader, home: Store, **wanted: Any) -> list[str]:
    return [item["content"] for item in reader.browse(**home.owner, **wanted)["items"]]


def test_words_types_states_and_times(reader: MemoryReader, full: Store) -> None:
    assert shown(reader, full, text="max DOG") == ["Has a Dog called Max."]
    assert shown(reader, full, text="green") == ["Likes green tea."], "nobody else's"
    assert shown(reader, full, text="%") == []
    assert shown(reader, full, type="open_loop") == ["Needs to call Max."]
    assert shown(reader, full, state="superseded") == ["Lives in Lisbon."]
    assert shown(reader, full, state="archived") == [], "what is forgotten is in no state"
    assert shown(reader, full, state="forgotten") == ["Likes cilantro."]
    assert len(shown(reader, full, state="all")) == 5
    since, until = (NOW - timedelta(days=3)).date(), (NOW - timedelta(days=3)).date().isoformat()
    assert shown(reader, full, since=since, until=until) == ["Likes green tea."]
    assert shown(reader, full, since=since) == ["Has a Dog called Max.", "Likes green tea."]


def test_orders_and_pages(reader: MemoryReader, full: Store) -> None:
    tea, dog, call = "Likes green tea.", "Has a Dog called Max.", "Needs to call Max."
    assert shown(reader, full) == [dog, tea, call]
    assert shown(reader, full, order="oldest") == [call, tea, dog]
    assert shown(reader, full, order="important") == [tea, call, dog]
    assert shown(reader, full, order="due") == [call, dog, tea]
    assert shown(reader, full, order="words") == [dog, tea, call]
    page = reader.browse(**full.owner, offset=1, limit=1)
    assert [item["content"] for item in page["items"]] == [tea] and (page["total"], page["offset"]) == (3, 1)


def test_each_choice_says_how_many_it_would_show(reader: MemoryReader, full: Store) -> None:
    found = reader.browse(**full.owner, text="max", type="profile_fact")
    assert found["types"] == {"profile_fact": 1, "open_loop": 1}
    assert (found["states"]["active"], found["states"]["all"], found["states"]["forgotten"]) == (1, 1, 0)
    assert reader.browse(**full.owner)["states"] == {"active": 3, "superseded": 1, "forgotten": 1, "all": 5}


def test_ages_and_due_dates_count_from_the_read(reader: MemoryReader, full: Store) -> None:
    (item,) = reader.browse(**full.owner, type="open_loop")["items"]
    assert item["age"] == "5 days ago" and item["due"].endswith("in 2 days") and not item["forgotten"]


@pytest.mark.parametrize(
    "wrong", [{"type": "x"}, {"state": "x"}, {"order": "x"}, {"since": "soon"}, {"since": NOW, "until": "2000-01-01"}]
)
def test_what_cannot_be_asked(reader: MemoryReader, full: Store, wrong: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        reader.browse(**full.owner, **wrong)
