"""Scores against figures worked out by hand. With ``WordEncoder`` a cosine is shared words over √(words · words)."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reading import ranking
from memory_pipeline.domain.reading.recall import RecalledItem
from memory_pipeline.errors import QueryError, SettingsError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.scores.scoring import recencies
from memory_pipeline.settings import Settings
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
# One of the query's two words, in a text of four: 1 / √(2 · 4).
COSINE = 1 / math.sqrt(8)
# Two texts; "violin" stands in the first and "granite" in none. Lengths 4 and 4, so that length plays no part.
VIOLIN = math.log(1 + (2 - 1 + 0.5) / 1.5)
UNKNOWN = math.log(1 + 2.5 / 0.5)
KEYWORD = VIOLIN / (VIOLIN + UNKNOWN)
QUERY = "granite violin"


def found(reader: MemoryReader, home: Store, profile: str, query: str = QUERY, **given: Any) -> RecalledItem:
    return reader.search(query, **home.owner, layers=["semantic"], profile=profile, explain=True, k=1, **given)[0]


def fill(home: Store, **given: Any) -> str:
    plain = {"at": NOW - 100 * DAY, "importance": 0.8, "salience": 0.6, "confidence": 0.7}
    made = home.memories([("Practises violin every evening.", {**plain, **given}), ("Drinks tea without sugar.", {})])
    return made[0].memory_id


def test_similarity_alone(home: Store, reader: MemoryReader) -> None:
    fill(home)
    assert found(reader, home, "similarity").score == pytest.approx(COSINE)


def test_durable_is_normalised(home: Store, reader: MemoryReader) -> None:
    fill(home, pinned=True)
    item = found(reader, home, "durable")
    raw = 0.35 * COSINE + 0.20 * 0.6 + 0.15 * 1 + 0.20 * 0 + 0.10 * 0.7 + 0.10 * math.exp(-1)
    assert item.score == pytest.approx(raw / 1.10)
    assert item.pinned


def test_durable_counts_the_urgency_of_open_loops(home: Store, reader: MemoryReader) -> None:
    fill(home, type=MemoryType.OPEN_LOOP, due_at=NOW + 7 * DAY)
    urgency = found(reader, home, "durable").signals["open_loop_urgency"]
    assert (urgency.value, urgency.weight) == (0.5, pytest.approx(0.20 / 1.10))


def test_logicspike(home: Store, reader: MemoryReader) -> None:
    memory_id = fill(home, entities=("Violin",))
    home.usefulness(memory_id, date(2026, 3, 9), access_count=5, last_access=NOW - 73 * DAY)
    expected = 0.40 * COSINE + 0.25 * 0.8 + 0.20 * 0.8 + 0.10 * 0.25 + 0.05
    assert found(reader, home, "logicspike").score == pytest.approx(expected)


def test_knowlyr_from_five_recalls_on_is_stable(home: Store, reader: MemoryReader) -> None:
    memory_id = fill(home)
    home.usefulness(
        memory_id, date(2026, 3, 9), access_count=5, verified_count=4, q_value=0.9, last_access=NOW - 100 * DAY
    )
    expected = 0.15 * KEYWORD + 0.40 * COSINE + 0.15 * 0.9 + 0.15 * 0.8 + 0.15 * math.exp(-1)
    assert [found(reader, home, "knowlyr").score for _ in range(3)] == [pytest.approx(expected)] * 3


def test_knowlyr_samples_the_unproven_from_a_seed(home: Store, everyone: Store) -> None:
    memory_id = fill(home)
    home.usefulness(memory_id, date(2026, 3, 9), access_count=4, verified_count=4)

    def values(seed: int) -> list[float]:
        reader = everyone.reader(seed=seed)
        return [found(reader, home, "knowlyr").signals["q_value"].value for _ in range(60)]

    once = values(1)
    assert once == values(1)
    assert once != values(2)
    assert len(set(once)) == 60
    # Beta(5, 1) has a mean of 5/6 and a standard deviation of 0.14.
    assert sum(once) / 60 == pytest.approx(5 / 6, abs=0.08)


def test_default(home: Store, reader: MemoryReader) -> None:
    fill(home)
    best_of_session = (COSINE + KEYWORD) / 2
    policy = Settings.load().policies.retrieval
    late = policy.late_similarity * COSINE + policy.late_keyword * KEYWORD  # a memory has no tokens
    plain = 0.27 * COSINE + 0.31 * KEYWORD + 0.21 * best_of_session + 0.02 * math.exp(-0.5) + 0.02 * 0.8
    neither_more_distinct = 0.2 * 0.5
    score = plain + neither_more_distinct + (0.29 + 0.14) * late
    assert found(reader, home, "default").score == pytest.approx(
        score / (0.27 + 0.31 + 0.29 + 0.21 + 0.14 + 0.8 - 0.2 + 0.03)
    )


@pytest.mark.parametrize(("kind", "rate"), [("none", 0.0), ("linear", 365.0), ("exponential", 0.01)])
def test_recency_of_many_rows_is_that_of_each(kind: str, rate: float) -> None:
    days = [-1.0, 0.0, 0.5, 364.0, 366.0, 5000.0]
    each = [ranking.recency(kind, rate, d) for d in days]
    assert recencies(kind, rate, np.array(days)) == pytest.approx(each)


def test_a_recency_of_no_known_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no recency of kind 'lunar'"):
        recencies("lunar", 1.0, np.zeros(1))


@pytest.mark.parametrize("profile", ["default", "durable", "logicspike", "knowlyr", "similarity"])
def test_contributions_add_up_to_the_score(home: Store, reader: MemoryReader, profile: str) -> None:
    fill(home)
    item = found(reader, home, profile)
    assert sum(s.contribution for s in item.signals.values()) == pytest.approx(item.score)
    assert all(s.contribution == pytest.approx(s.value * s.weight) for s in item.signals.values())
    assert all(0 <= s.value <= 1 for s in item.signals.values())
    assert reader.search(QUERY, **home.owner, profile=profile)[0].signals == {}


class TestImportance:
    def test_fades_by_the_curve_of_its_type(self, home: Store, reader: MemoryReader) -> None:
        fill(home, type=MemoryType.FINDING)
        fading = found(reader, home, "knowlyr").signals["importance"].value
        assert fading == pytest.approx(0.8 * 0.98**60 * 0.95**10)

    def test_counts_from_the_last_access(self, home: Store, reader: MemoryReader) -> None:
        memory_id = fill(home, type=MemoryType.FINDING)
        home.usefulness(memory_id, date(2026, 3, 1), last_access=NOW - 31 * DAY)
        home.usefulness(memory_id, date(2026, 2, 1), last_access=NOW - 60 * DAY)
        assert found(reader, home, "knowlyr").signals["importance"].value == pytest.approx(0.8 * 0.98)

    def test_does_not_fade_when_pinned(self, home: Store, reader: MemoryReader) -> None:
        fill(home, type=MemoryType.FINDING, pinned=True)
        assert found(reader, home, "knowlyr").signals["importance"].value == pytest.approx(0.8)


def test_the_past_knows_only_what_was_useful_by_then(home: Store, reader: MemoryReader) -> None:
    memory_id = fill(home)
    home.usefulness(memory_id, date(2026, 1, 1), access_count=2)
    home.usefulness(memory_id, date(2026, 3, 1), access_count=20)
    now, then = (found(reader, home, "logicspike", as_of=at) for at in (None, NOW - 30 * DAY))
    assert now.signals["access_frequency"].value == 1
    assert then.signals["access_frequency"].value == pytest.approx(0.1)


def test_usefulness_belongs_to_its_user(home: Store, everyone: Store, reader: MemoryReader) -> None:
    memory_id = fill(home)
    everyone.of("somebody else").usefulness(memory_id, date(2026, 3, 1), access_count=20)
    assert found(reader, home, "logicspike").signals["access_frequency"].value == 0


def test_messages_and_summaries_have_neutral_figures(home: Store, reader: MemoryReader) -> None:
    home.message("Practises violin every evening.")
    (item,) = reader.search(QUERY, **home.owner, layers=["episodic"], profile="durable", explain=True)
    assert {n: item.signals[n].value for n in ("importance", "salience", "confidence", "q_value", "pinned")} == {
        "importance": 0.6,
        "salience": 0.5,
        "confidence": 1.0,
        "q_value": 0.5,
        "pinned": 0.0,
    }


def test_what_the_query_names_is_ranked_although_nothing_else_speaks_for_it(home: Store, reader: MemoryReader) -> None:
    rows = [(f"Question number {n} about Zoltan.", {}) for n in range(70)]
    home.memories([*rows, ("Met at the conference.", {"entities": ("Zoltan Kiss",)}), ("Sings.", {})])
    items = reader.search("question about zoltan kiss", **home.owner, profile="logicspike", k=100, explain=True)
    met = next(i for i in items if i.content == "Met at the conference.")
    assert met.signals["entity_match"].value == 1
    assert met.signals["similarity"].value == 0
    assert all(i.content != "Sings." for i in items)


def test_long_texts_count_less_for_their_keywords(home: Store, reader: MemoryReader) -> None:
    home.messages([("violin " + "word " * 300, {}), ("tea", {})])
    (item,) = reader.search("violin", **home.owner, layers=["episodic"], explain=True)
    characters = len("violin " + "word " * 300)
    plain = item.signals["keyword"].value * characters / 600
    assert 0 < item.signals["keyword"].value < 600 / characters
    assert 0 < plain <= 1


def test_a_short_turn_is_found_by_a_short_turn_before_it(home: Store, reader: MemoryReader) -> None:
    home.messages(
        [
            ("Yes, since March.", {"previous": "Do you play the violin?"}),
            ("Yes, since April. " + "word " * 200, {"previous": "Do you play the violin?"}),
            ("Yes, since May.", {"previous": ("Do you play the violin? " + "word " * 200)[:300]}),
        ]
    )
    found = reader.search("violin", **home.owner, layers=["episodic"])
    assert [i.content for i in found] == ["Yes, since March."]


def test_an_unknown_profile_is_refused_with_those_that_exist(home: Store, reader: MemoryReader) -> None:
    with pytest.raises(QueryError, match="default, durable, knowlyr, logicspike, similarity"):
        found(reader, home, "best")


def test_a_profile_of_ones_own(home: Store, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        "[profiles.newest]\nrecency = 'linear'\nrecency_rate = 200.0\nrecency_base = 'event'\nnormalise = false\n"
        "exploration = false\nweights = { recency = 1.0 }\n"
    )
    fill(home)
    settings = Settings(home=str(home.home), policy=policy)
    reader = MemoryReader(settings, encoder=home.encoder, clock=lambda: NOW)
    assert found(reader, home, "newest").score == pytest.approx(0.5)
    policy.write_text(policy.read_text().replace("recency = 1.0", "charm = 1.0"))
    with pytest.raises(SettingsError, match="profiles.newest.*charm"):
        MemoryReader(Settings(home=str(home.home), policy=policy))


def test_ages_count_from_the_moment_asked_for(home: Store, reader: MemoryReader) -> None:
    fill(home, at=datetime(2026, 1, 10, 12, tzinfo=NOW.tzinfo))
    assert found(reader, home, "default").age == "1 month ago"
    assert found(reader, home, "default", as_of=NOW - 56 * DAY).age == "3 days ago"


def test_equals_come_in_the_order_of_time_and_then_of_their_ids(home: Store, reader: MemoryReader) -> None:
    early = NOW - timedelta(days=40)
    for memory_id in ("mem_c", "mem_a", "mem_b"):
        home.memory("Likes tea.", memory_id=memory_id, session_id=memory_id)
    home.memory("Likes tea.", memory_id="mem_0", session_id="mem_0", at=early)
    home.memory("Likes green tea.", memory_id="mem_z", session_id="mem_z")
    found = [i.id for i in reader.search("tea", **home.owner, profile="similarity")]
    assert found == ["mem_a", "mem_b", "mem_c", "mem_0", "mem_z"]
