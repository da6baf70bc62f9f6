from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.errors import ModelError, QueryError
from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, fails
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)


@pytest.fixture
def asker(home: Store, protocol_server: ProtocolServer) -> MemoryReader:
    """A reader whose chat model is the protocol server."""
    settings = Settings(home=str(home.home), chat="openai", chat_retries=0)
    return home.reader(chat=lambda: OpenAIChat(settings, Prompts()))


def citing(*items: str, known: bool = True) -> Callable[[Call], dict[str, Any]]:
    return lambda call: {"text": "In Lisbon, since March.", "citations": list(items), "known": known}


def test_an_answer_cites_messages(home: Store, asker: MemoryReader, protocol_server: ProtocolServer) -> None:
    turn = home.message("I live in Lisbon now.", at=NOW - 3 * DAY)
    home.memory("Lives in Lisbon.", evidence=[turn.message_id, "m-later"], at=NOW - 3 * DAY)
    protocol_server.answer("answer", citing("i1", "i99"))
    answer = asker.ask("lives in Lisbon", **home.owner)
    assert (answer.text, answer.known) == ("In Lisbon, since March.", True)
    assert answer.citations == (turn.message_id, "m-later")
    (call,) = protocol_server.calls
    said = '2026-03-07T12:00:00+00:00, 3 days ago | "Lives in Lisbon."'
    assert f"i1 | semantic | profile_fact | active | {said}" in call.prompt
    assert "2026-03-10T12:00:00+00:00" in call.prompt


def test_a_memory_without_messages_is_its_own_source(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer
) -> None:
    memory = home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", citing("i1"))
    assert asker.ask("lives in Lisbon", **home.owner).citations == (memory.memory_id,)


def test_nothing_near_enough_is_not_known_and_costs_no_call(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer
) -> None:
    home.memory("Lives in Lisbon.")
    answer = asker.ask("which instrument does my brother play", **home.owner)
    assert (answer.known, answer.citations) == (False, ())
    assert "not" in answer.text
    assert protocol_server.calls == []


@pytest.mark.parametrize(("cited", "known"), [((), True), (("i9", "x"), True), (("i1",), False)])
def test_a_claim_without_a_source_is_no_answer(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer, cited: tuple[str, ...], known: bool
) -> None:
    home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", citing(*cited, known=known))
    answer = asker.ask("lives in Lisbon", **home.owner)
    assert (answer.known, answer.citations) == (False, ())
    assert known is (answer.text != "In Lisbon, since March.")


@pytest.mark.parametrize(
    "text", ["In Lisbon, with Anna.", "In Lisbon, for 1,300 euros.", "In Lisbon, since June.", "In Lisbon and Porto."]
)
def test_a_model_may_add_no_names_and_no_numbers(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer, text: str
) -> None:
    home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", {"text": text, "citations": ["i1"], "known": True})
    answer = asker.ask("lives in Lisbon", **home.owner)
    assert (answer.known, answer.citations) == (False, ())
    assert text not in answer.text


def test_a_secret_in_a_question_reaches_no_model(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer
) -> None:
    home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", citing("i1"))
    asker.ask("lives in Lisbon, PGPASSWORD=swordfish", **home.owner)
    (call,) = protocol_server.calls
    assert "swordfish" not in call.prompt and "lives in Lisbon" in call.prompt


def test_a_change_stays_answerable_and_what_was_forgotten_does_not(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer
) -> None:
    old, new = home.memory("Lives in Berlin."), home.memory("Lives in Lisbon.", at=NOW - DAY)
    home.change(old, Change.SUPERSEDE, status=Status.SUPERSEDED, superseded_by=new.memory_id, valid_until=NOW - DAY)
    gone = home.memory("Lives in Rome.")
    home.change(gone, Change.FORGET, status=Status.ARCHIVED)
    protocol_server.answer("answer", citing("i1"))
    asker.ask("lives in Berlin", **home.owner)
    (call,) = protocol_server.calls
    items = [line for line in call.prompt.splitlines() if line.startswith("i") and " | semantic | " in line]
    assert [line.split(" | ")[3] for line in items] == ["active", "superseded"]
    assert "Rome" not in call.prompt
    assert 'until 2026-03-09T12:00:00+00:00 | "Lives in Berlin."' in call.prompt


def test_a_call_that_cost_something_is_in_the_ledger(own_home: Store, protocol_server: ProtocolServer) -> None:
    settings = Settings(home=str(own_home.home), chat="openai", chat_retries=0)
    reader = own_home.reader(chat=lambda: OpenAIChat(settings, Prompts()))
    own_home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", citing("i1"))
    reader.ask("lives in Lisbon", **own_home.owner)
    costs = reader.frame("costs", **own_home.owner)
    assert list(costs["stage"]) == ["answer"]
    assert list(costs["day"]) == [date(2026, 3, 10)]
    assert costs["prompt_tokens"][0] > 50


def test_a_model_that_fails_is_an_error_and_not_an_answer(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer
) -> None:
    home.memory("Lives in Lisbon.")
    protocol_server.script(fails(400, "no"))
    with pytest.raises(ModelError):
        asker.ask("lives in Lisbon", **home.owner)


def test_asking_inside_an_event_loop(home: Store, asker: MemoryReader, protocol_server: ProtocolServer) -> None:
    home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", citing("i1"))

    async def both() -> tuple[Any, Any]:
        return asker.ask("lives in Lisbon", **home.owner), await asker.aask("lives in Lisbon", **home.owner)

    first, second = asyncio.run(both())
    assert first.citations == second.citations
    assert first.known and second.known


def test_a_question_without_a_user_is_refused(asker: MemoryReader) -> None:
    with pytest.raises(QueryError, match="user_id"):
        asker.ask("who?", user_id="")


def test_a_model_without_words_still_gets_an_honest_answer(
    home: Store, asker: MemoryReader, protocol_server: ProtocolServer
) -> None:
    home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", {"text": "", "citations": [], "known": False})
    assert "do not know" in asker.ask("lives in Lisbon", **home.owner).text


def test_the_embedded_models_answer_from_memory(own_home: Store) -> None:
    home = Store(own_home.home, encoder=BuiltinEncoder(threads=1))
    turn = home.message("I moved to Lisbon last week.", message_id="m-lisbon")
    home.memories(
        [
            ("Lives in Lisbon.", {"evidence": [turn.message_id], "attribute": "residence", "value": "Lisbon"}),
            ("Is allergic to peanuts.", {}),
        ]
    )
    reader = MemoryReader(home.settings, clock=lambda: NOW)
    answer = reader.ask("Where do I live?", **home.owner)
    assert answer.known
    assert "Lisbon" in answer.text
    assert answer.citations == ("m-lisbon",)
    unknown = reader.ask("Which football club won the cup final in 1987?", **home.owner)
    assert (unknown.known, unknown.citations) == (False, ())


def test_the_past_is_answered_by_what_was_replaced(own_home: Store) -> None:
    home = Store(own_home.home, encoder=BuiltinEncoder(threads=1))
    slot = {"attribute": "residence", "subject": "user"}
    old = home.memory("Lives in Berlin.", **slot, value="Berlin", evidence=["m-berlin"])
    home.memory("Lives in Lisbon.", **slot, value="Lisbon", evidence=["m-lisbon"], at=NOW - DAY)
    home.change(old, Change.SUPERSEDE, status=Status.SUPERSEDED, valid_until=NOW - DAY)
    reader = MemoryReader(home.settings, clock=lambda: NOW)
    now, before = (reader.ask(f"Where do I live{when}?", **home.owner) for when in ("", " before that"))
    assert (now.citations, before.citations) == (("m-lisbon",), ("m-berlin",))
    assert "Berlin" not in now.text
    still = reader.ask("Do I still live in Berlin?", **home.owner)
    assert still.text.startswith("No, not any more: you lived in Berlin")
    assert still.citations == ("m-berlin", "m-lisbon")
