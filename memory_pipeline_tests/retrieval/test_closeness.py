"""What the time that a question speaks of, and links between memories, do for the rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reading.recall import RecalledItem
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.queries.ledger import current_of
from memory_pipeline_tests.linking import run
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)


def asked(reader: MemoryReader, home: Store, query: str, **given: Any) -> list[RecalledItem]:
    return reader.search(query, **{**home.owner, "explain": True, "k": 200, **given})


def values(items: Sequence[RecalledItem], signal: str) -> dict[str, float]:
    return {item.content: item.signals[signal].value for item in items}


class TestInPeriod:
    def concerts(self, home: Store) -> None:
        for months, name in enumerate(("Björk", "Radiohead", "Bowie")):
            home.message(f"Concert: {name}!", at=NOW - timedelta(days=5 + 30 * months), session_id=name)

    def test_the_turn_of_that_time_comes_first(self, home: Store, reader: MemoryReader) -> None:
        self.concerts(home)
        assert NOW.month == 3
        items = asked(reader, home, "Which concert did I go to last month?")
        assert items[0].content == "Concert: Radiohead!"
        found = values(items, "in_period")
        assert found["Concert: Radiohead!"] == 1
        assert 0 < found["Concert: Bowie!"] < 1
        assert 0 < found["Concert: Björk!"] < 1

    def test_without_a_time_it_is_nothing(self, home: Store, reader: MemoryReader) -> None:
        self.concerts(home)
        assert set(values(asked(reader, home, "Which concert did I go to?"), "in_period").values()) == {0}
        assert set(values(asked(reader, home, "When did I go to a concert?"), "in_period").values()) == {0}

    @pytest.mark.parametrize("profile", ["similarity", "durable", "logicspike", "knowlyr"])
    def test_named_profiles_are_what_they_were(self, home: Store, reader: MemoryReader, profile: str) -> None:
        self.concerts(home)
        home.message("Nothing at all.", at=NOW - 35 * DAY)
        items = asked(reader, home, "concert last month", profile=profile)
        assert {(s.value, s.weight) for i in items for s in (i.signals["in_period"], i.signals["linked"])} == {(0, 0)}
        assert "Nothing at all." not in values(items, "in_period")

    def test_what_says_none_of_the_words_comes_in_too(self, home: Store, reader: MemoryReader) -> None:
        home.memories([(f"Did something else {n}", {"at": NOW - 200 * DAY}) for n in range(70)])
        home.memory("Painted our fence", at=NOW - DAY)
        found = values(asked(reader, home, "what did something happen yesterday"), "in_period")
        assert found["Painted our fence"] == 1
        assert "Painted our fence" not in values(asked(reader, home, "what did something happen"), "in_period")

    def test_it_fades_by_the_days(self, home: Store, reader: MemoryReader) -> None:
        midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
        home.message("Jog at noon", at=midnight - DAY / 2)
        home.message("Jog today", at=midnight + DAY / 4)
        home.message("Jog before", at=midnight - 3 * DAY)
        found = values(asked(reader, home, "Where did I jog yesterday?"), "in_period")
        fades = 4 + 0.5
        assert found == {
            "Jog at noon": 1,
            "Jog today": pytest.approx(math.exp(-0.25 / fades)),
            "Jog before": pytest.approx(math.exp(-2 / fades)),
        }

    def test_a_memory_lies_where_it_holds_or_is_due(self, home: Store, reader: MemoryReader) -> None:
        told = {"at": NOW - 100 * DAY}
        home.memory("Trip to Rome", valid_from=NOW - DAY, **told)
        home.memory("Trip to Pisa", valid_from=NOW - 90 * DAY, valid_until=NOW + DAY, **told)
        home.memory("Trip to Bern", valid_from=NOW - 90 * DAY, **told)
        home.memory("Trip to plan", type=MemoryType.OPEN_LOOP, due_at=NOW - DAY, **told)
        found = values(asked(reader, home, "Which trip did I take yesterday?", layers=["semantic"]), "in_period")
        assert found.pop("Trip to Bern") == pytest.approx(0, abs=1e-6)
        assert found == {"Trip to Rome": 1, "Trip to Pisa": 1, "Trip to plan": 1}

    def test_the_day_is_that_of_the_zone_the_user_was_last_in(self, home: Store, reader: MemoryReader) -> None:
        late = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)  # in Tokyo the 10th, and so today
        home.message("Jog late", at=late)
        assert values(asked(reader, home, "Where did I jog today?"), "in_period")["Jog late"] < 1
        home.memory("Lives in Berlin", at=NOW - 9 * DAY, timezone="Europe/Berlin")
        home.memory("Lives in Tokyo", at=NOW - 3 * DAY, timezone="Asia/Tokyo")
        assert values(asked(reader, home, "Where did I jog today?"), "in_period")["Jog late"] == 1

    def test_what_may_not_be_seen_stays_unseen(self, home: Store, reader: MemoryReader) -> None:
        home.message("Concert secret", at=NOW - DAY, domain="work")
        gone = home.memory("Concert gone", at=NOW - DAY)
        home.change(gone, Change.FORGET, status=Status.ARCHIVED, at=NOW)
        assert asked(reader, home, "Which concert yesterday?", domain="home") == []

    def test_as_of_moves_what_yesterday_is(self, home: Store, reader: MemoryReader) -> None:
        home.message("Jog then", at=NOW - 30 * DAY)
        then = asked(reader, home, "Where did I jog yesterday?", as_of=NOW - 29 * DAY)
        assert values(then, "in_period") == {"Jog then": 1}


class TestEvents:
    def told(self, home: Store) -> None:
        home.message("I moved to Lisbon today!", at=NOW - 50 * DAY, session_id="s2")
        home.message("My favourite bakery is Acker", at=NOW - 90 * DAY, session_id="s1")
        home.message("My favourite bakery is Belém", at=NOW - 20 * DAY, session_id="s3")

    def test_before_and_after(self, home: Store, reader: MemoryReader) -> None:
        self.told(home)
        for relation, first in (("before", "Acker"), ("after", "Belém"), ("since", "Belém")):
            items = asked(reader, home, f"Which was my favourite bakery {relation} I moved to Lisbon?")
            bakeries = [i.content for i in items if "bakery" in i.content]
            assert bakeries[0].endswith(first)
            assert values(items, "in_period")[bakeries[0]] == 1
            assert values(items, "in_period")[bakeries[1]] < 0.25

    def test_a_memory_says_since_when_it_holds(self, home: Store, reader: MemoryReader) -> None:
        self.told(home)
        home.memory("Moved to Porto", at=NOW, valid_from=NOW - 100 * DAY)
        items = asked(reader, home, "Which was my favourite bakery after I moved to Porto?")
        assert values(items, "in_period")["My favourite bakery is Acker"] == 1

    def test_an_event_that_nobody_told_of_parts_nothing(self, home: Store, reader: MemoryReader) -> None:
        self.told(home)
        items = asked(reader, home, "Which was my favourite bakery before the earthquake?")
        assert set(values(items, "in_period").values()) == {0}

    def test_another_users_event_is_none(self, home: Store, reader: MemoryReader) -> None:
        home.of("somebody-else").message("I moved to Lisbon today!", at=NOW - 50 * DAY)
        home.message("My favourite bakery is Acker", at=NOW - 90 * DAY)
        items = asked(reader, home, "Which was my favourite bakery before I moved to Lisbon?")
        assert values(items, "in_period") == {"My favourite bakery is Acker": 0}


class TestLinked:
    def pair(self, home: Store) -> list[str]:
        made = home.memories(
            [
                ("violin teacher Graz Nora", {"at": NOW - 30 * DAY}),
                ("Nora Graz baker", {"at": NOW - 29 * DAY}),
                ("unlike everything", {"at": NOW - 28 * DAY}),
            ]
        )
        run(home)
        return [m.memory_id for m in made]

    def test_one_hop(self, own_home: Store) -> None:
        self.pair(own_home)
        items = asked(own_home.reader(), own_home, "violin teacher")
        found = values(items, "linked")
        score = (items[0].signals["similarity"].value + items[0].signals["keyword"].value) / 2
        weight = own_home.reader().links([items[0].id], **own_home.owner)[items[0].id][0].weight
        assert found == {"violin teacher Graz Nora": 0, "Nora Graz baker": pytest.approx(weight * score)}
        assert items[1].score > 0

    def test_other_profiles_follow_none(self, own_home: Store) -> None:
        self.pair(own_home)
        items = asked(own_home.reader(), own_home, "violin teacher", profile="durable", k=1)
        assert {i.signals["linked"].value for i in items} == {0}

    def test_a_retired_memory_is_not_brought_back(self, own_home: Store) -> None:
        _, old, _ = self.pair(own_home)
        (current,) = current_of(own_home.lake, [old])
        own_home.change(current, Change.SUPERSEDE, status=Status.SUPERSEDED, at=NOW)
        assert values(asked(own_home.reader(), own_home, "violin teacher"), "linked") == {"violin teacher Graz Nora": 0}

    def test_a_past_state_follows_none(self, own_home: Store) -> None:
        self.pair(own_home)
        items = asked(own_home.reader(), own_home, "violin teacher", as_of=NOW - DAY)
        assert set(values(items, "linked").values()) == {0}
