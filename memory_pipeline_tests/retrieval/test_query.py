from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.lists.read_again import reach_again, reach_of
from memory_pipeline.retrieval.query import Query, checked, instant, scope_of
from memory_pipeline.settings import Settings

POLICY = Settings.load().policies
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def query(text: Any = "where do I live?", zone: str = "UTC", **given: Any) -> Query:
    return checked(text, Scope("t", "u"), POLICY, NOW, zone, **{"k": 10, **given})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"k": -1}, "from 0 to 10,000"),
        ({"k": 10_001}, "from 0 to 10,000"),
        ({"k": 2.5}, "2.5"),
        ({"k": True}, "True"),
        ({"profile": "best"}, "'best' does not exist; there are default, durable, knowlyr, logicspike, similarity"),
        ({"layers": ["semantic", "poetic"]}, "poetic.*episodic, narrative, semantic"),
        ({"types": ["fact"]}, "profile_fact"),
        ({"statuses": ["gone"]}, "archived"),
        ({"max_classification": "secret"}, "confidential, internal, public, restricted"),
        ({"as_of": "yesterday"}, "as_of: .* is no day or time"),
        ({"known_at": 5}, "known_at: .* is no day or time"),
        ({"text": None}, "NoneType"),
    ],
)
def test_an_argument_that_cannot_be_answered_is_refused_with_what_can(given: dict[str, Any], says: str) -> None:
    with pytest.raises(QueryError, match=says):
        query(**given)


@pytest.mark.parametrize("k", [0, 1, 1000, 10_000])
def test_any_sensible_k_is_taken(k: int) -> None:
    assert query(k=k).k == k


@pytest.mark.parametrize("bad", ["", "  ", None, 7])
def test_a_user_and_a_tenant_are_required(bad: Any) -> None:
    with pytest.raises(QueryError, match="user_id"):
        scope_of("t", bad)
    with pytest.raises(QueryError, match="tenant_id"):
        scope_of(bad, "u")


def test_by_default_active_memories_and_messages_of_now_are_asked_for() -> None:
    found = query()
    assert found.layers == {"semantic", "episodic"}
    assert found.statuses == {"active"}
    assert found.at == NOW
    assert found.as_of is None
    assert not found.historical


def test_a_date_is_the_end_of_the_local_day() -> None:
    found = query(as_of=date(2026, 3, 9), zone="Europe/Berlin")
    assert found.as_of == datetime(2026, 3, 9, 22, 59, 59, 999999, tzinfo=UTC)
    assert found.at == found.as_of
    assert found.historical


def test_a_time_without_a_zone_is_the_users() -> None:
    assert instant(datetime(2026, 7, 1, 10), "Europe/Berlin", "as_of") == datetime(2026, 7, 1, 8, tzinfo=UTC)
    assert instant(date.max, "UTC", "as_of") > datetime(9999, 12, 30, tzinfo=UTC)


def test_a_single_name_is_a_list_of_one() -> None:
    assert query(layers="episodic", types="preference").layers == {"episodic"}


def test_only_the_first_2000_characters_count() -> None:
    assert len(query(" x" * 50_000).text) == 2000


@pytest.mark.parametrize("given", [{}, {"detail": "high"}, {"statuses": ["superseded"]}, {"statuses": ["active"]}])
def test_a_logged_read_reaches_as_far_when_it_is_made_again(given: dict[str, Any]) -> None:
    first = query(**given)
    again = query(**reach_again(reach_of(first)))
    assert (again.statuses, again.layers) == (first.statuses, first.layers)
    assert again.named is (given.get("statuses") == ["superseded"])
