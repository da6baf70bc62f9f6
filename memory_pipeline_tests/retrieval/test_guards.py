"""What a read may not see, however well it matches: the rows say the same, so only guards tell them apart."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
WORDS = "Plays the cello in Lisbon."


def ids(reader: MemoryReader, home: Store, **given: Any) -> set[str]:
    return {item.id for item in reader.search("cello Lisbon", **home.owner, **{"layers": ["semantic"], **given})}


def rows(home: Store, column: str, *values: Any) -> dict[Any, str]:
    made = home.memories([(WORDS, {column: value}) for value in values])
    return dict(zip(values, (m.memory_id for m in made), strict=True))


def test_only_active_memories_unless_others_are_asked_for(home: Store, reader: MemoryReader) -> None:
    made = rows(home, "status", *Status)
    assert ids(reader, home) == {made[Status.ACTIVE]}
    assert ids(reader, home, statuses=["stale", "superseded"]) == {made[Status.STALE], made[Status.SUPERSEDED]}


def test_what_was_replaced_is_found_by_its_status_although_it_is_valid_no_more(
    home: Store, reader: MemoryReader
) -> None:
    made = {
        status: home.change(home.memory(WORDS), change, at=NOW - DAY, status=status, valid_until=NOW - DAY).memory_id
        for status, change in (
            (Status.SUPERSEDED, Change.SUPERSEDE),
            (Status.CONTRADICTED, Change.CONTRADICT),
            (Status.CLOSED, Change.CLOSE),
            (Status.ARCHIVED, Change.EXPIRE),
            (Status.ACTIVE, Change.REINFORCE),
        )
    }
    for status in (Status.SUPERSEDED, Status.CONTRADICTED, Status.CLOSED, Status.ARCHIVED):
        assert ids(reader, home, statuses=[status]) == {made[status]}
        assert ids(reader, home, statuses=[status], as_of=NOW) == {made[status]}
        assert ids(reader, home, statuses=[status], as_of=NOW - 2 * DAY) == set()
    assert ids(reader, home, statuses=["active"]) == set()  # it is over, and nothing says that it is meant as such
    assert ids(reader, home, detail="high") == set()
    # Before the end, all of them held.
    assert ids(reader, home, as_of=NOW - 2 * DAY) == set(made.values())


def test_what_was_replaced_is_not_hidden_by_the_turn_that_said_it(home: Store, reader: MemoryReader) -> None:
    turn = home.message(f"{WORDS} Yes.")
    memory = home.memory(WORDS, evidence=[turn.message_id])
    both = ["semantic", "episodic"]
    assert len(ids(reader, home, layers=both)) == 1
    home.change(memory, Change.SUPERSEDE, at=NOW - DAY, status=Status.SUPERSEDED, valid_until=NOW - DAY)
    assert ids(reader, home, layers=both, statuses=["superseded"]) == {turn.message_id, memory.memory_id}
    assert ids(reader, home, layers=both) == {turn.message_id}


def test_what_is_not_valid_yet_or_any_more_is_left_out(home: Store, reader: MemoryReader) -> None:
    made = home.memories(
        [
            (WORDS, {"valid_from": NOW - DAY, "valid_until": NOW + DAY}),
            (WORDS, {"valid_until": NOW - DAY}),
            (WORDS, {"valid_from": NOW + DAY}),
            (WORDS, {"valid_until": NOW}),
        ]
    )
    assert ids(reader, home) == {made[0].memory_id, made[3].memory_id}
    assert ids(reader, home, as_of=NOW - 2 * DAY) == {made[1].memory_id, made[3].memory_id}


def test_a_ceiling_of_classification(home: Store, reader: MemoryReader) -> None:
    made = rows(home, "classification", *Classification)
    for n, ceiling in enumerate(Classification):
        allowed = {made[c] for c in list(Classification)[: n + 1]}
        assert ids(reader, home, max_classification=ceiling.value) == allowed
    assert ids(reader, home) == {made[Classification.PUBLIC], made[Classification.INTERNAL]}


def test_another_domain_is_left_out_unless_public(home: Store, reader: MemoryReader) -> None:
    made = home.memories(
        [
            (WORDS, {"domain": "backend"}),
            (WORDS, {"domain": "frontend"}),
            (WORDS, {"domain": "backend", "classification": Classification.PUBLIC}),
            (WORDS, {}),
        ]
    )
    backend, frontend, public, anywhere = (m.memory_id for m in made)
    assert ids(reader, home, domain="frontend") == {frontend, public, anywhere}
    assert ids(reader, home) == {backend, frontend, public, anywhere}


def test_another_agents_memory_is_left_out_unless_shared(home: Store, reader: MemoryReader) -> None:
    made = home.memories(
        [
            (WORDS, {"agent_id": "a"}),
            (WORDS, {"agent_id": "b"}),
            (WORDS, {"agent_id": "b", "shared": True}),
            (WORDS, {}),
        ]
    )
    mine, others, shared, anyones = (m.memory_id for m in made)
    assert ids(reader, home, agent_id="a") == {mine, shared, anyones}
    assert ids(reader, home) == {mine, others, shared, anyones}


def test_types(home: Store, reader: MemoryReader) -> None:
    made = rows(home, "type", MemoryType.PREFERENCE, MemoryType.FINDING)
    home.message(WORDS)
    everything = ["semantic", "episodic"]
    assert ids(reader, home, types=["finding"], layers=everything) == {made[MemoryType.FINDING]}
    assert len(ids(reader, home, types=["message"], layers=everything)) == 1
    assert len(ids(reader, home, layers=everything)) == 3


def test_layers(home: Store, reader: MemoryReader) -> None:
    made = rows(home, "type", MemoryType.PROFILE_FACT, MemoryType.REFLECTION)
    message = home.message(WORDS)
    summary = home.summary(WORDS, date(2026, 3, 2))
    assert ids(reader, home) == {made[MemoryType.PROFILE_FACT]}
    assert ids(reader, home, layers=["episodic"]) == {message.message_id}
    assert ids(reader, home, layers=["narrative"]) == {made[MemoryType.REFLECTION], summary.summary_id}
    found = reader.search("cello", **home.owner, layers=["narrative"], types=["day_summary"])
    assert [(i.layer, i.type, i.status) for i in found] == [("narrative", "day_summary", "active")]


def test_one_session_on_request(home: Store, reader: MemoryReader) -> None:
    made = rows(home, "session_id", "s-1", "s-2")
    turns = home.messages([(WORDS, {"session_id": "s-1"}), (WORDS, {"session_id": "s-2"})])
    home.summary(WORDS, date(2026, 3, 2))
    layers = ["semantic", "episodic", "narrative"]
    assert ids(reader, home, session_id="s-2", layers=layers) == {made["s-2"], turns[1].message_id}


def test_messages_of_another_domain_or_agent(home: Store, reader: MemoryReader) -> None:
    turns = home.messages([(WORDS, {"domain": "x"}), (WORDS, {"agent_id": "a"}), (WORDS, {})])
    x, a, plain = (t.message_id for t in turns)
    assert ids(reader, home, layers=["episodic"], domain="y") == {a, plain}
    assert ids(reader, home, layers=["episodic"], agent_id="b") == {x, plain}


def test_messages_of_a_public_class_are_everywhere(home: Store, reader: MemoryReader) -> None:
    public = home.message(WORDS, domain="x", metadata='{"classification": "public"}')
    home.message(WORDS, domain="x")
    assert ids(reader, home, layers=["episodic"], domain="y") == {public.message_id}


@pytest.mark.parametrize("layer", ["episodic", "narrative"])
def test_a_ceiling_holds_for_turns_and_summaries(home: Store, reader: MemoryReader, layer: str) -> None:
    made = {}
    for n, one in enumerate(Classification):
        if layer == "episodic":
            turn = home.message(f"{WORDS} {one}", metadata=f'{{"classification": "{one}"}}')
            made[one] = turn.message_id
        else:
            made[one] = home.summary(WORDS, date(2026, 3, 2 + n), classification=one).summary_id
    for n, ceiling in enumerate(Classification):
        allowed = {made[c] for c in list(Classification)[: n + 1]}
        assert ids(reader, home, layers=[layer], max_classification=ceiling.value) == allowed
    assert ids(reader, home, layers=[layer]) == {made[Classification.PUBLIC], made[Classification.INTERNAL]}
    public = {"max_classification": "public"}
    assert set(reader.context("cello Lisbon", **home.owner, **public).item_ids) <= {made[Classification.PUBLIC]}


def test_a_class_that_does_not_exist_is_the_strictest(home: Store, reader: MemoryReader) -> None:
    turn = home.message(WORDS, metadata='{"classification": "top secret"}')
    assert ids(reader, home, layers=["episodic"], max_classification="restricted") == set()
    assert ids(reader, home, layers=["episodic"], max_classification="confidential") == {turn.message_id}


def test_summaries_of_another_domain_or_agent(home: Store, reader: MemoryReader) -> None:
    given: list[dict[str, Any]] = [
        {"domains": ("x",)},
        {"domains": ("x", "y")},
        {"agent_ids": ("a",)},
        {},
        {"domains": ("x",), "classification": Classification.PUBLIC},
        {"domains": None, "agent_ids": None},  # of an older release: it is not known what it tells of
    ]
    made = [home.summary(WORDS, date(2026, 3, 1 + n), **more).summary_id for n, more in enumerate(given)]
    narrative = {"layers": ["narrative"]}
    assert ids(reader, home, **narrative, domain="y") == {made[2], made[3], made[4]}
    assert ids(reader, home, **narrative, domain="x") == {made[0], made[2], made[3], made[4]}
    assert ids(reader, home, **narrative, agent_id="b") == {made[0], made[1], made[3], made[4]}
    assert ids(reader, home, **narrative, agent_id="a") == {made[0], made[1], made[2], made[3], made[4]}
    assert ids(reader, home, **narrative, k=20) == set(made)


def test_a_summary_whose_class_is_not_known_is_of_the_strictest(home: Store, reader: MemoryReader) -> None:
    summary = home.summary(WORDS, date(2026, 3, 2), classification=None)
    assert ids(reader, home, layers=["narrative"], max_classification="restricted") == set()
    assert ids(reader, home, layers=["narrative"], max_classification="confidential") == {summary.summary_id}


def test_what_was_made_of_several_domains_is_told_to_none_of_them(home: Store, reader: MemoryReader) -> None:
    """A reflection that rests on two domains bears the name of neither; its sources say where it may be told."""
    legal, leisure = home.memories([(WORDS, {"domain": "legal", "agent_id": "a"}), (WORDS, {"domain": "home"})])
    given = {"type": MemoryType.REFLECTION}
    both = home.memory(WORDS, **given, derived_from=(legal.memory_id, leisure.memory_id)).memory_id
    one = home.memory(WORDS, **given, domain="home", derived_from=(leisure.memory_id,)).memory_id
    gone = home.memory(WORDS, **given, derived_from=("mem_gone",)).memory_id
    narrative = {"layers": ["narrative"]}
    assert ids(reader, home, **narrative) == {both, one, gone}
    assert ids(reader, home, **narrative, domain="home") == {one}
    assert ids(reader, home, **narrative, domain="legal") == set()
    assert ids(reader, home, **narrative, agent_id="a") == {both, one}
    assert ids(reader, home, **narrative, agent_id="b") == {one}


def test_the_timeline_keeps_to_class_domain_and_agent(home: Store, reader: MemoryReader) -> None:
    home.summary("Played the cello.", date(2026, 3, 2), domains=("x",), agent_ids=("a",))
    home.summary("Was ill.", date(2026, 3, 3), classification=Classification.RESTRICTED)
    at = NOW - 7 * DAY
    home.memory("Plays the cello.", at=at, domain="x", agent_id="a")
    home.memory("Is ill.", at=at, classification=Classification.RESTRICTED)

    def told(**given: Any) -> set[str]:
        periods = reader.timeline(**home.owner, **given)
        return {p["summary"] for p in periods if p["summary"]} | {c["content"] for p in periods for c in p["changes"]}

    assert told() == {"Played the cello.", "Plays the cello."}
    assert told(max_classification="restricted") == {"Played the cello.", "Plays the cello.", "Was ill.", "Is ill."}
    assert told(domain="y") == told(agent_id="b") == told(max_classification="public") == set()


def test_a_minimum_score(home: Store, reader: MemoryReader) -> None:
    home.memories([(WORDS, {}), ("Sells cars in Lisbon on Sundays, mostly old ones.", {})])
    scores = [i.score for i in reader.search("cello Lisbon", **home.owner)]
    assert scores == sorted(scores, reverse=True)
    assert len(ids(reader, home, min_score=scores[1] + 0.001)) == 1
    assert ids(reader, home, min_score=2.0) == set()


class TestWhatTheUserTookBack:
    def test_a_forgotten_memory_takes_its_messages_and_summaries_along(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message(WORDS)
        memory = home.memory(WORDS, evidence=[turn.message_id])
        home.summary(WORDS, date(2026, 3, 2), memory_ids=(memory.memory_id,))
        layers = ["semantic", "episodic", "narrative"]
        assert len(ids(reader, home, layers=layers)) == 2  # the memory and its message count once
        home.change(memory, Change.FORGET, status=Status.ARCHIVED)
        assert ids(reader, home, layers=layers) == set()
        assert ids(reader, home, layers=layers, as_of=NOW - 5 * DAY) == set()
        assert reader.context("cello Lisbon", **home.owner).text == ""

    def test_the_old_words_of_an_edited_memory_are_gone(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message(WORDS)
        memory = home.memory(WORDS, evidence=[turn.message_id])
        home.change(memory, Change.EDIT, at=NOW - DAY, content="Plays the viola in Porto.")
        for moment in (None, NOW - 2 * DAY):
            found = reader.search("cello Lisbon plays", **home.owner, as_of=moment)
            assert [i.content for i in found] == ["Plays the viola in Porto."]

    def test_archived_by_time_is_not_forgotten(self, home: Store, reader: MemoryReader) -> None:
        turn = home.message(WORDS)
        memory = home.memory(WORDS, evidence=[turn.message_id])
        home.change(memory, Change.ARCHIVE, status=Status.ARCHIVED)
        assert ids(reader, home, layers=["semantic", "episodic"]) == {turn.message_id}

    def test_a_message_of_the_same_id_in_another_session_stays(self, home: Store, reader: MemoryReader) -> None:
        other = "Is there a cello in the hall?"
        home.messages([(WORDS, {"message_id": "1"}), (other, {"message_id": "1", "session_id": "s-2"})])
        memory = home.memory(WORDS, evidence=["1"])
        home.change(memory, Change.FORGET, status=Status.ARCHIVED)
        found = reader.search("cello", **home.owner)
        assert [i.session_id for i in found] == ["s-2"]


def test_a_message_behind_a_boundary_is_marked(home: Store, reader: MemoryReader) -> None:
    turns = home.messages([("Please never mention the cello again.", {}), ("The cello is old.", {})])
    home.memory("Does not want to talk about music.", surface=Surface.AVOID, evidence=[turns[0].message_id])
    found = reader.search("cello", **home.owner, layers=["episodic"])
    assert {i.id: i.surface for i in found} == {turns[0].message_id: "avoid", turns[1].message_id: "speak"}


@pytest.mark.parametrize("layer", ["semantic", "episodic", "narrative"])
def test_a_user_of_whom_nothing_is_known(home: Store, reader: MemoryReader, layer: str) -> None:
    assert ids(reader, home, layers=[layer]) == set()
