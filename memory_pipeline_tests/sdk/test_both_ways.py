"""The same calls on a home and on a server do the same, bring the same, and fail with the same errors; whole turns too,
against a real model server. One file: the home and the server are made once."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline import (
    CurationError,
    Memory,
    MemoryReader,
    ModelError,
    NotFound,
    QueryError,
    ServerError,
    SettingsError,
)
from memory_pipeline.domain.reading.recall import Answer, ContextBlock, Payload, RecalledItem, StandingProfile
from memory_pipeline.sdk.results import MemoryHistory, MemoryRecord, Receipt, Reply
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import fails
from memory_pipeline_tests.serving.running import Server, key_for

_session = itertools.count()
PARROT = "Try padel tonight."
ANN = {"user_id": "ann", "tenant_id": "acme"}


def test_what_was_added_is_remembered(memory: Memory) -> None:
    found = memory.memories(**ANN)
    assert {"Lives in Lisbon.", "Is allergic to hazelnuts."} <= {m.content for m in found}
    assert all(isinstance(m, MemoryRecord) and isinstance(m.observed_at, datetime) and m.evidence for m in found)


def test_reads_bring_what_a_reader_brings(memory: Memory, home: Path) -> None:
    with MemoryReader.open(str(home)) as reader:
        items = memory.search("Where do I live?", **ANN, k=3, explain=True, types={"profile_fact"})
        direct = reader.search("Where do I live?", **ANN, k=3, explain=True, types={"profile_fact"})
        assert [(i.id, i.content, i.evidence, i.observed_at) for i in items] == [
            (i.id, i.content, i.evidence, i.observed_at) for i in direct
        ]
        assert isinstance(items[0], RecalledItem) and items[0].signals.keys() == direct[0].signals.keys()
        block = memory.context("What should I cook?", **ANN)
        assert isinstance(block, ContextBlock) and block.text == reader.context("What should I cook?", **ANN).text
        assert "hazelnuts" in block.text
        assert memory.profile(**ANN) == reader.profile(**ANN)
    assert isinstance(memory.profile(**ANN), StandingProfile)
    assert memory.search("Where?", user_id="nobody", tenant_id="acme") == []


def test_the_payload_holds_service_data_and_history(memory: Memory) -> None:
    told = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}]
    payload = memory.payload("What is my order?", **ANN, services={"orders": {"order": "A-17"}}, history=told)
    assert isinstance(payload, Payload)
    assert [m["content"] for m in payload.messages[1:]] == ["Hi.", "Hello!", "What is my order?"]
    assert "A-17" in payload.messages[0]["content"]


def test_asking(memory: Memory) -> None:
    answer = memory.ask("Where do I live?", **ANN)
    assert isinstance(answer, Answer) and answer.known and "Lisbon" in answer.text and answer.citations
    assert not memory.ask("What is my shoe size?", **ANN).known


def test_dates_go_as_days_times_and_text(memory: Memory) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for when in (yesterday.date(), yesterday, yesterday.isoformat()):
        assert memory.search("Where do I live?", **ANN, as_of=when) == []
    assert memory.timeline(**ANN, start=yesterday.date())[-1]["messages"] == 3


def test_the_users_own_hand(memory: Memory, request: pytest.FixtureRequest) -> None:
    about = {"user_id": f"cleo-{request.node.callspec.id}", "tenant_id": "acme"}
    made = memory.remember("I play the harp.", **about, pinned=True, due_at=date(2031, 5, 1), type="open_loop")
    assert (made.change, made.pinned, made.tenant_id) == ("add", True, "acme")
    assert made.due_at == datetime(2031, 5, 1, 23, 59, 59, tzinfo=UTC)
    assert memory.update(made.memory_id, "I play the lute.", **about).content == "I play the lute."
    history = memory.history(made.memory_id, **about)
    assert isinstance(history, MemoryHistory) and [v["change"] for v in history.versions] == ["add", "edit"]
    assert memory.forget(made.memory_id, **about).status == "archived"
    assert memory.search("lute", **about) == []
    assert memory.undo(**about).content == memory.undo(made.memory_id, **about).content.replace("harp", "lute")
    assert memory.undo(**about).status == "archived", "what was remembered is forgotten"


def test_feedback(memory: Memory) -> None:
    item = memory.search("Where do I live?", **ANN)[0]
    assert memory.feedback(item.recall_id, item.id, True, **ANN) is None
    with pytest.raises(NotFound):
        memory.feedback("rec_none", item.id, True, **ANN)


def test_errors_are_the_same(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.history("mem_none", **ANN)
    with pytest.raises(QueryError, match="dreams"):
        memory.search("x", **ANN, layers=("dreams",))
    with pytest.raises(CurationError):
        memory.remember("", **ANN)
    with pytest.raises(CurationError, match="classification"):
        memory.remember("I like tea.", **ANN, classification="cosmic")


def test_a_turn_counts_once_and_what_is_no_turn_is_told(memory: Memory, request: pytest.FixtureRequest) -> None:
    about = {"user_id": f"dan-{request.node.callspec.id}", "tenant_id": "acme", "session_id": "d"}
    turn = {"role": "user", "content": "I keep two goats.", "message_id": "m-1", "created_at": datetime.now(UTC)}
    assert memory.add(turn, **about).taken == 1
    receipt = memory.add([turn, {"role": "user", "content": ""}], **about)
    assert receipt == Receipt(0, 1, 1, faults=({"index": 1, "reason": "empty content"},))
    assert "goats" in memory.context("What do my animals eat?", **about).text
    assert "goats" not in memory.context("hm", **{**about, "session_id": "e"}).text


def test_who_is_there(memory: Memory) -> None:
    found = {user["user_id"]: user for user in memory.users(tenant_id="acme")}
    assert (found["ann"]["messages"], found["ann"]["sessions"]) == (3, 1)


def test_results_are_json(memory: Memory) -> None:
    for result in (*memory.search("Lisbon", **ANN), *memory.memories(**ANN), memory.profile(**ANN)):
        assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


def test_asynchronous_twins(opened: Callable[[], Memory]) -> None:
    async def all_at_once() -> None:
        async with opened() as memory:
            found, block, answer, profile, listed = await asyncio.gather(
                memory.asearch("Where do I live?", **ANN),
                memory.acontext("What should I cook?", **ANN),
                memory.aask("Where do I live?", **ANN),
                memory.aprofile(**ANN),
                memory.amemories(**ANN, status="active"),
            )
            assert any("Lisbon" in item.content for item in found) and "hazelnuts" in block.text and answer.known
            assert profile == await memory.aprofile(**ANN) and len(listed) >= 2
            with pytest.raises(NotFound):
                await memory.aforget("mem_none", **ANN)

    asyncio.run(all_at_once())
    asyncio.run(all_at_once())


def test_every_call_has_a_twin() -> None:
    calls = {name for name in dir(Memory) if not name.startswith(("_", "a"))} - {"open", "connect"}
    assert {f"a{name}" for name in calls} | {"aadd", "aask"} <= set(dir(Memory))


def test_a_long_list_comes_whole(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_pipeline.sdk.remote._PAGE", 1)
    with Memory.connect(server.url, key_for(home, "acme")) as client, Memory.open(str(home), work=False) as own:
        assert client.memories(user_id="ann") == own.memories(**ANN)


def test_what_a_server_refuses(server: Server, home: Path) -> None:
    with Memory.connect(server.url, "mp_0_0") as nobody, pytest.raises(ServerError, match="unknown") as refused:
        nobody.profile(user_id="ann")
    assert refused.value.status == 401
    bound = key_for(home, "acme", "bob")
    with Memory.connect(server.url, bound) as bob:
        with pytest.raises(ServerError, match="another user"):
            bob.search("Lisbon", user_id="ann")
        assert "Lisbon" not in str(bob.memories(user_id="bob"))


def test_a_server_that_is_not_there() -> None:
    with Memory.connect("http://127.0.0.1:9") as memory, pytest.raises(ServerError, match="cannot be reached") as gone:
        memory.profile(user_id="ann")
    assert gone.value.status is None


@pytest.mark.parametrize(("url", "key"), [("http://127.0.0.1:9", "mp_…"), ("http://here:there", None)])
def test_what_is_no_address_and_no_key(url: str, key: str | None) -> None:
    with pytest.raises(SettingsError), Memory.connect(url, key) as memory:
        memory.profile(user_id="ann")


def test_address_and_key_come_from_the_environment(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_URL", server.url)
    monkeypatch.setenv("MEMORY_PIPELINE_KEY", key_for(home, "acme", "ann"))
    with Memory.connect() as ann:
        assert "Lisbon" in ann.profile(user_id="ann").text


# -- whole turns


@pytest.fixture
def place() -> dict[str, str]:
    """Ann, in a session of its own."""
    return {"user_id": "ann", "tenant_id": "acme", "session_id": f"chat-{next(_session)}"}


def turns(memory: Memory, place: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the next prompt of the session shows of it."""
    return [(m["role"], m["content"]) for m in memory.payload("And now?", **place).messages[1:-1]]


def test_a_whole_turn(memory: Memory, chat_server: ProtocolServer, place: dict[str, str]) -> None:
    chat_server.script(PARROT)
    reply = memory.chat("What should I cook?", **place, options={"temperature": 0.25})
    assert isinstance(reply, Reply) and (reply.text, reply.model) == (PARROT, "parrot")
    assert reply.item_ids and reply.recall_id and reply.kept == Receipt(2, 0, 0)
    asked = chat_server.calls[-1].body
    assert "hazelnuts" in asked["messages"][0]["content"] and asked["temperature"] == 0.25
    assert asked["messages"][1:] == [{"role": "user", "content": "What should I cook?"}]
    assert turns(memory, place) == [("user", "What should I cook?"), ("assistant", PARROT)]
    memory.chat("Another one?", **place)
    assert [m["content"] for m in chat_server.calls[-1].body["messages"][1:]] == [
        "What should I cook?",
        PARROT,
        "Another one?",
    ]


def test_a_turn_in_parts(memory: Memory, chat_server: ProtocolServer, place: dict[str, str]) -> None:
    chat_server.script(PARROT, PARROT)
    parts = memory.chat_stream("What now?", **place)
    assert next(parts) == "Try " and turns(memory, place) == []
    assert list(parts) == ["padel ", "tonight."]
    assert turns(memory, place) == [("user", "What now?"), ("assistant", PARROT)]


def test_say_asks_memory_or_chats(memory: Memory, chat_server: ProtocolServer, place: dict[str, str]) -> None:
    before = len(chat_server.calls)
    answer = memory.say("Where do I live?", **place)
    assert isinstance(answer, Answer) and "Lisbon" in answer.text and len(chat_server.calls) == before
    chat_server.script(PARROT)
    assert memory.say("What is my shoe size?", **place).text == PARROT, "memory does not know it"
    assert isinstance(memory.say("Write a haiku.", **place), Reply)
    told = [text for role, text in turns(memory, place) if role == "user"]
    assert told == ["Where do I live?", "What is my shoe size?", "Write a haiku."]


def test_nothing_is_kept_when_the_model_fails(
    memory: Memory, chat_server: ProtocolServer, place: dict[str, str]
) -> None:
    chat_server.script(fails(400, "no such thing"))
    with pytest.raises(ModelError, match="no such thing"):
        memory.chat("Hello?", **place)
    assert turns(memory, place) == []
    assert memory.chat("Hello?", **place).kept == Receipt(2, 0, 0)


def test_the_same_without_blocking(
    opened: Callable[[], Memory], chat_server: ProtocolServer, place: dict[str, str]
) -> None:
    chat_server.script(PARROT, PARROT)

    async def talk() -> None:
        async with opened() as memory:
            assert (await memory.achat("What should I cook?", **place)).kept == Receipt(2, 0, 0)
            parts = [part async for part in memory.achat_stream("And then?", **place)]
            assert parts == ["Try ", "padel ", "tonight."]
            assert isinstance(await memory.asay("What's my sister's name?", **place), Answer)
            assert isinstance(await memory.asay("Write a haiku.", **place), Reply)
            assert len((await memory.apayload("And now?", **place)).messages) == 1 + 8 + 1
            chat_server.script(fails(400, "no such thing"))
            with pytest.raises(ModelError, match="no such thing"):
                await memory.achat("Hello?", **place)

    asyncio.run(talk())
