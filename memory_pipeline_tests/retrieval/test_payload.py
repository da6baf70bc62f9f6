"""The whole prompt of a turn, and blocks that stay the same for a session."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_pipeline.domain.derived.summary import SummaryGrain
from memory_pipeline.domain.ledger.memory import Change
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.reading.recall import Payload
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.prompt.payload import RULES
from memory_pipeline.retrieval.prompt.session.conversation import turn_tokens
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store

SERVICES = {"violin shop orders": {"violin bow": "shipped"}, "weather": {"forecast": "rain"}}


def known(home: Store) -> Store:
    home.memories(
        [
            ("Is called Ada.", {"subject": "user", "attribute": "name", "value": "Ada"}),
            ("Plays the violin in a quartet.", {}),
            (
                "Does not want to talk about the accident.",
                {"surface": Surface.AVOID, "type": MemoryType.BOUNDARY, "pinned": True},
            ),
        ]
    )
    return home


def talk(count: int, words: int = 10) -> list[dict[str, Any]]:
    return [
        {
            "role": "assistant" if n % 2 else "user",
            "content": f"I moved to town {n} with my brother. " + "blah " * words,
        }
        for n in range(count)
    ]


def size(payload: Payload) -> int:
    head = payload.messages[0]["content"] if payload.messages[0]["role"] == "system" else ""
    return estimate_tokens(head) + sum(turn_tokens(m) for m in payload.messages if m["role"] != "system")


class TestPayload:
    def test_the_sections_in_order_and_then_the_turns(self, home: Store, reader: MemoryReader) -> None:
        history = talk(3)
        made = reader.payload("Where is my violin bow?", services=SERVICES, history=history, **known(home).owner)
        assert list(made.sections) == ["system", "profile", "memories", "services"]
        assert made.messages[0] == {"role": "system", "content": "\n\n".join(made.sections.values())}
        assert list(made.messages[1:]) == [*history, {"role": "user", "content": "Where is my violin bow?"}]
        assert made.sections["system"] == RULES
        assert "Is called Ada." in made.sections["profile"]
        assert "Plays the violin" in made.sections["memories"]
        assert '"violin bow": "shipped"' in made.sections["services"]
        assert "weather" in made.dropped

    def test_the_account(self, home: Store, reader: MemoryReader) -> None:
        made = reader.payload("violin?", services=SERVICES, history=talk(40, 60), **known(home).owner)
        total = made.budget["total"]
        parts = [line for name, line in made.budget.items() if name != "total"]
        assert total["used"] == made.tokens == sum(line["used"] for line in parts)
        assert total["limit"] == 8000
        assert total["dropped"] == sum(line["dropped"] for line in parts) > 0
        assert all(line["used"] <= line["limit"] for line in parts)
        assert made.budget["history"]["dropped"] == 40 - (len(made.messages) - 2)
        assert size(made) <= total["limit"] - made.budget["tools"]["limit"] - made.budget["reserve"]["limit"]

    @pytest.mark.parametrize("budget", [400, 700, 1000, 2000, 4000, 8000, 16000])
    def test_the_budget_is_never_exceeded(self, home: Store, reader: MemoryReader, budget: int) -> None:
        rich = known(home)
        rich.memories([(f"Plays violin piece number {n} by heart on Sundays.", {}) for n in range(60)])
        made = reader.payload(
            "violin?", services=SERVICES, history=talk(30, 40), system="Be kind.", budget=budget, **rich.owner
        )
        assert made.tokens <= budget
        assert size(made) <= budget

    def test_long_system_prompts_take_from_the_memories(self, home: Store, reader: MemoryReader) -> None:
        rich = known(home)
        rich.memories([(f"Plays violin piece number {n} by heart on Sundays.", {}) for n in range(80)])
        small = reader.payload("violin?", system="Be kind.", budget=2000, **rich.owner)
        large = reader.payload("violin?", system="Be kind. " * 550, budget=2000, **rich.owner)
        assert large.sections["system"] == "Be kind. " * 550
        assert large.budget["memories"]["used"] < small.budget["memories"]["used"]

    def test_turns_that_are_not_shown_are_told(self, home: Store, reader: MemoryReader) -> None:
        made = reader.payload("hello", history=talk(40, 0), **known(home).owner)
        assert made.messages[1]["content"].startswith("I moved to town 0 ")
        assert made.messages[2]["content"].startswith("I moved to town 20 ")
        assert "town" in made.sections["summary"]
        assert made.budget["history"]["dropped"] == 19

    def test_the_rolling_summary_of_the_session_is_used(self, home: Store, reader: MemoryReader) -> None:
        known(home).summary(
            "They compared two flats.",
            (NOW - timedelta(days=1)).date(),
            grain=SummaryGrain.SESSION,
            session_id="s-9",
            summary_id="sum_s9",
        )
        made = reader.payload("hello", history=talk(40, 0), session_id="s-9", **home.owner)
        assert "They compared two flats." in made.sections["summary"]
        other = reader.payload("hello", history=talk(40, 0), session_id="s-8", **home.owner)
        assert "flats" not in other.sections["summary"]

    def test_a_summary_that_tells_what_was_forgotten_is_not_used(self, home: Store, reader: MemoryReader) -> None:
        memory = known(home).memory("Looks at flats in Rome.", evidence=["m-77"])
        home.summary(
            "They compared two flats in Rome.",
            (NOW - timedelta(days=1)).date(),
            grain=SummaryGrain.SESSION,
            session_id="s-9",
            summary_id="sum_s9",
            memory_ids=(memory.memory_id,),
        )
        home.change(memory, Change.FORGET, status="archived")
        made = reader.payload("hello", history=talk(40, 0), session_id="s-9", **home.owner)
        assert "Rome" not in made.sections["summary"]

    def test_what_must_not_be_brought_up_is_in_no_summary(self, home: Store, reader: MemoryReader) -> None:
        history = talk(40, 0)
        history[5]["content"] = "I had an accident in May."
        made = reader.payload("hello", history=history, **known(home).owner)
        assert "accident" not in made.sections["summary"]

    def test_nothing_known(self, home: Store, reader: MemoryReader) -> None:
        made = reader.payload("hello", system="", user_id="nobody")
        assert made.messages == ({"role": "user", "content": "hello"},)
        assert made.sections == {} and made.item_ids == ()

    def test_what_can_not_fit_is_refused(self, home: Store, reader: MemoryReader) -> None:
        with pytest.raises(QueryError, match="raise the budget"):
            reader.payload("hello " * 9000, user_id="alice")

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"system": 3}, "system is text"),
            ({"services": ["x"]}, "services maps names"),
            ({"history": ["x"]}, r"history\[0\]"),
            ({"budget": -1}, "budget"),
            ({"budget": True}, "budget"),
            ({"layout": "other"}, "layout"),
        ],
    )
    def test_arguments_of_the_wrong_kind(self, reader: MemoryReader, given: dict[str, Any], said: str) -> None:
        with pytest.raises(QueryError, match=said):
            reader.payload("hello", user_id="alice", **given)


class TestStable:
    def test_a_session_keeps_the_block_that_it_began_with(self, home: Store, reader: MemoryReader) -> None:
        owner = {**known(home).owner, "session_id": "s-5", "stable": True}
        first = reader.context("How is the violin?", **owner)
        home.memory("Sold the violin.")
        assert reader.context("Anything else?", **owner).text == first.text
        assert "Sold" in reader.context("violin?", **{**owner, "session_id": "s-6"}).text
        assert "Sold" in reader.context("violin?", session_id="s-5", **home.owner).text

    def test_what_the_user_takes_back_ends_it(self, home: Store, reader: MemoryReader) -> None:
        known(home)
        memory = home.memory("Owns a violin from 1890.", evidence=["m-5"])
        owner = {**home.owner, "session_id": "s-5", "stable": True}
        assert "1890" in reader.context("violin?", **owner).text
        home.change(memory, Change.FORGET, status="archived")
        assert "1890" not in reader.context("violin?", **owner).text

    def test_what_the_user_silences_ends_it(self, home: Store, reader: MemoryReader) -> None:
        known(home)
        memory = home.memory("Owns a violin from 1890.", evidence=["m-5"])
        owner = {**home.owner, "session_id": "s-5", "stable": True}
        before = reader.context("violin?", **owner)
        home.change(memory, Change.SUPPRESS, surface=Surface.AVOID)
        after = reader.context("violin?", **owner)
        assert "1890" in before.sections["RELEVANT FOR THIS TURN:"]
        assert "1890" not in after.sections.get("RELEVANT FOR THIS TURN:", "")

    def test_what_is_gone_ends_it(self, home: Store, reader: MemoryReader) -> None:
        known(home)
        memory = home.memory("Owns a violin from 1890.")
        turn = home.message("I tuned the violin from 1890.")
        owner = {**home.owner, "session_id": "s-5", "stable": True}
        assert "1890" in reader.context("violin from 1890", **owner).text
        home.index.delete("memories", [memory.memory_id])
        assert "Owns a violin from 1890" not in reader.context("violin from 1890", **owner).text
        assert "tuned" in reader.context("violin from 1890", **owner).text
        key = next(iter(home.index.rows("messages", Scope(turn.tenant_id, turn.user_id))["message_key"].to_pylist()))
        home.index.delete("messages", [key])
        assert "tuned" not in reader.context("violin from 1890", **owner).text

    def test_users_and_reaches_are_kept_apart(self, home: Store, reader: MemoryReader) -> None:
        known(home)
        home.of("bob").memory("Plays the drums.")
        first = reader.context("violin?", session_id="s-5", stable=True, **home.owner)
        other = reader.context("violin?", session_id="s-5", stable=True, **home.of("bob").owner)
        narrow = reader.context("violin?", session_id="s-5", stable=True, budget=40, **home.owner)
        assert len({first.text, other.text, narrow.text}) == 3

    def test_it_needs_a_session(self, home: Store, reader: MemoryReader) -> None:
        with pytest.raises(QueryError, match="session_id"):
            reader.context("violin?", stable=True, **known(home).owner)
