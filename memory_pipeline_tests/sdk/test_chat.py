"""Whole turns against a real model server: the prompt, the reply, and then what is kept."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from memory_pipeline import Memory, ModelError, SettingsError, StorageError
from memory_pipeline.domain.reading.recall import Answer, Payload
from memory_pipeline.sdk.model import Model
from memory_pipeline.sdk.results import Receipt, Reply
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import fails

PARROT = "Try padel tonight."
_session = itertools.count()


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


def test_a_model_without_a_key_says_so() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        Model("any").reply([{"role": "user", "content": "Hi."}], {})


class Recorded:
    """A way that only notes what is called."""

    def __init__(self, noted: list[str]) -> None:
        self.noted = noted
        self.full = False

    def do(self, call: str, given: Mapping[str, Any]) -> Any:
        self.noted.append(call)
        if call == "add" and self.full:
            raise StorageError("the disk is full")
        return Receipt(2, 0, 0) if call == "add" else Payload((), {}, (), 0, (), {}, "rec_1")

    async def ado(self, call: str, given: Mapping[str, Any]) -> Any:
        return self.do(call, given)

    def close(self) -> None:
        """Nothing is open."""

    async def aclose(self) -> None:
        """Nothing is open."""


class Parrot(Model):
    """A model that notes when it is asked."""

    def __init__(self, noted: list[str]) -> None:
        super().__init__("parrot")
        self.noted = noted

    def reply(self, prompt: Any, options: Any) -> tuple[str, str]:
        self.noted.append("model")
        return PARROT, "parrot"


def test_a_reply_waits_for_its_prompt_and_is_kept_after(caplog: pytest.LogCaptureFixture) -> None:
    noted: list[str] = []
    way = Recorded(noted)
    memory = Memory(way, Parrot(noted))
    assert memory.chat("Hi.", user_id="ann", session_id="s").kept == Receipt(2, 0, 0)
    assert noted == ["payload", "model", "add"], "no memory work before the reply"
    way.full = True
    reply = memory.chat("Hi.", user_id="ann", session_id="s")
    assert reply.text == PARROT and reply.kept is None, "whoever waits gets the reply"
    assert "the disk is full" in caplog.text
