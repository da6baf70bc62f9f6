from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from memory_pipeline.errors import ModelError, ReplyError, SettingsError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.structured_output import UnfitReply
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.inference.replies import ExtractReply, SummaryReply, WindowReply, dump, parse
from memory_pipeline.settings import Settings
from memory_pipeline_tests.inference.sample_requests import EXTRACT, ROLLING, request
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import (
    HTML,
    NO_CHOICES,
    RESET,
    TRUNCATED_BODY,
    Step,
    drips,
    fails,
    hangs,
    refuses,
    says,
)

FOUND = SummaryReply("Moved to Lisbon.", ["m1"], [])
SUMMARY = dump(FOUND)
NOW = {"Retry_After": "0"}


@pytest.fixture
def chat(protocol_server: ProtocolServer) -> OpenAIChat:
    return make()


def make(**settings: Any) -> OpenAIChat:
    return OpenAIChat(Settings.load(chat="openai", chat_model="small", **settings), Prompts())


def ask(chat: OpenAIChat, asked: ChatRequest[Any] = ROLLING) -> ChatReply[Any]:
    return asyncio.run(chat.complete(asked))


def test_a_request_is_rendered_sent_and_its_reply_validated(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    reply = ask(chat, EXTRACT)
    assert reply.value == ExtractReply([WindowReply("w1", [])])
    assert parse(ExtractReply, reply.raw) == reply.value
    (call,) = protocol_server.calls
    assert (call.task, call.path) == ("extract", "/v1/chat/completions")
    assert call.body["model"] == reply.model == chat.model == "small"
    assert call.body["messages"] == Prompts().render("extract", EXTRACT.inputs)
    assert call.body["response_format"]["json_schema"]["strict"] is True
    assert {name: call.body[name] for name in chat.parameters} == dict(chat.parameters)
    assert call.body["max_tokens"] == EXTRACT.max_tokens
    assert call.headers["authorization"] == "Bearer test-key"


def test_usage_counts_cached_tokens_at_their_own_price(protocol_server: ProtocolServer) -> None:
    protocol_server.cached_tokens = 100
    protocol_server.script(SUMMARY)
    reply = ask(make(chat_input_usd=1.0, chat_cached_usd=0.1, chat_output_usd=10.0))
    prompt, written = protocol_server.calls[0].prompt_tokens, reply.usage.completion_tokens
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (prompt, 100)
    assert written > 0
    assert reply.usage.usd == pytest.approx(((prompt - 100) * 1.0 + 100 * 0.1 + written * 10.0) / 1e6)


def test_usage_is_estimated_where_the_server_does_not_say(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    protocol_server.reports_usage = False
    usage = ask(chat).usage
    assert usage.prompt_tokens == pytest.approx(protocol_server.calls[0].prompt_tokens, abs=3)
    assert usage.completion_tokens > 0 and usage.usd > 0


@pytest.mark.parametrize(
    "fault",
    [
        fails(429, "slow down", **NOW),
        fails(500, **NOW),
        fails(503, "loading the model", **NOW),
        fails(408, **NOW),
        fails(409, **NOW),
        RESET,
        TRUNCATED_BODY,
        NO_CHOICES,
    ],
)
def test_what_passes_is_waited_for(chat: OpenAIChat, protocol_server: ProtocolServer, fault: Step) -> None:
    protocol_server.script(fault, SUMMARY)
    assert ask(chat).value == FOUND
    assert len(protocol_server.calls) == 2


def test_the_server_says_how_long_to_wait(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    protocol_server.script(fails(429, Retry_After="1.5"), SUMMARY)
    started = time.monotonic()
    ask(chat)
    assert 1.5 <= time.monotonic() - started < 5


@pytest.mark.parametrize("fault", [hangs(30), drips(30)], ids=["silent", "kept alive"])
def test_a_hung_call_is_given_up_and_made_again(protocol_server: ProtocolServer, fault: Step) -> None:
    protocol_server.script(fault, SUMMARY)
    started = time.monotonic()
    assert ask(make(chat_timeout_s=0.5)).value == FOUND
    assert time.monotonic() - started < 5


def test_after_the_retries_the_last_error_is_told(protocol_server: ProtocolServer) -> None:
    protocol_server.script(*[fails(503, "out to lunch", **NOW)] * 3)
    with pytest.raises(ModelError, match=r"failed \(503\), also when asked again: out to lunch") as caught:
        ask(make(chat_retries=2))
    assert not isinstance(caught.value, ReplyError)
    assert len(protocol_server.calls) == 3


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (fails(401), "does not accept OPENAI_API_KEY"),
        (fails(403, "not for you"), "denies this key the model small"),
        (fails(404, "no such model"), "MEMORY_PIPELINE_CHAT_MODEL"),
        (fails(400, "no"), r"refused the request for small \(400\): no"),
        (fails(429, "You exceeded your current quota"), "top it up"),
    ],
)
def test_what_will_not_change_is_told_at_once(
    chat: OpenAIChat, protocol_server: ProtocolServer, fault: Step, message: str
) -> None:
    protocol_server.script(fault)
    with pytest.raises(ModelError, match=message):
        ask(chat)
    assert len(protocol_server.calls) == 1


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ModelError, match=f"{url} cannot be reached .*check OPENAI_BASE_URL"):
        ask(make(chat_retries=1))


def test_a_web_server_is_not_taken_for_a_model(protocol_server: ProtocolServer) -> None:
    protocol_server.script(HTML)
    with pytest.raises(ModelError, match="does not answer like an OpenAI-compatible server"):
        ask(make(chat_retries=0))


def test_without_key_and_url_nothing_starts() -> None:
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        make()


def test_a_server_without_keys_gets_a_placeholder(
    protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    ask(make())
    assert protocol_server.calls[0].headers["authorization"].startswith("Bearer ")


@pytest.mark.parametrize(
    ("rejected", "modes"),
    [
        (["json_schema"], ["json_schema", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", None]),
    ],
)
def test_a_server_without_schemas_is_asked_in_words_and_remembered(
    chat: OpenAIChat, protocol_server: ProtocolServer, rejected: list[str], modes: list[str | None]
) -> None:
    protocol_server.reject(*rejected)
    protocol_server.answer("rolling_summary", f"Here it is:\n```json\n{SUMMARY}\n```")
    for _ in range(2):
        assert ask(chat).value == FOUND
    asked = [call.body.get("response_format", {}).get("type") for call in protocol_server.calls]
    assert asked == [*modes, modes[-1]]
    assert protocol_server.calls[-1].task == "rolling_summary"


def test_parameters_that_a_model_does_not_take_are_dropped_and_remembered(
    chat: OpenAIChat, protocol_server: ProtocolServer
) -> None:
    protocol_server.reject("temperature", "seed")
    before = dict(chat.parameters)
    ask(chat)
    ask(chat)
    assert len(protocol_server.calls) == 4
    assert not {"temperature", "seed"} & protocol_server.calls[-1].body.keys()
    assert protocol_server.calls[-1].body["response_format"]["type"] == "json_schema"
    assert dict(chat.parameters) == before, "the key of the reply cache must not drift"


def test_reasoning_models_get_their_own_name_for_the_limit(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    protocol_server.script(fails(400, "'max_tokens' is not supported, use 'max_completion_tokens' instead"), SUMMARY)
    ask(chat)
    last = protocol_server.calls[-1].body
    assert last["max_completion_tokens"] == ROLLING.max_tokens and "max_tokens" not in last


@pytest.mark.parametrize(
    ("bad", "mode"),
    [
        ("I would rather talk about the weather.", "json_object"),
        ('{"summary": "Moved to Lisbon."}', "json_object"),
        (SUMMARY[:-8], "json_schema"),
        ("", "json_schema"),
    ],
    ids=["prose", "another schema", "broken", "nothing"],
)
def test_a_reply_that_does_not_fit_is_repaired_once(
    chat: OpenAIChat, protocol_server: ProtocolServer, bad: str, mode: str
) -> None:
    protocol_server.script(bad, SUMMARY)
    reply = ask(chat)
    assert reply.value == FOUND
    first, second = protocol_server.calls
    assert "does not fit" in second.body["messages"][-1]["content"]
    assert second.body["response_format"]["type"] == mode
    assert ('JSON schema "rolling_summary"' in second.prompt) == (mode == "json_object"), (
        "told in words what it ignored"
    )
    assert reply.usage.prompt_tokens == first.prompt_tokens + second.prompt_tokens


def test_two_unfit_replies_are_an_error_that_keeps_the_text(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    protocol_server.script("first nonsense", '{"text": "second"}')
    with pytest.raises(
        UnfitReply, match="task rolling_summary: messages: Field required .*the first: .*Invalid JSON"
    ) as caught:
        ask(chat)
    assert caught.value.reply == '{"text": "second"}'
    assert caught.value.usage.prompt_tokens == sum(call.prompt_tokens for call in protocol_server.calls)
    assert len(protocol_server.calls) == 2


def test_a_reply_that_was_cut_off_gets_more_room_once(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    protocol_server.script(says(SUMMARY[:20], finish_reason="length"), SUMMARY)
    assert ask(chat, request("rolling_summary", max_tokens=300)).value == FOUND
    first, second = (call.body for call in protocol_server.calls)
    assert (first["max_tokens"], second["max_tokens"]) == (300, 600)
    assert first["messages"] == second["messages"] and second["response_format"]["type"] == "json_schema"


def test_a_reply_that_stays_cut_off_is_an_error(chat: OpenAIChat, protocol_server: ProtocolServer) -> None:
    protocol_server.script(*[says('{"text": "Mo', finish_reason="length")] * 2)
    with pytest.raises(ReplyError, match="cut off") as caught:
        ask(chat)
    assert caught.value.reply == '{"text": "Mo'


def test_a_server_that_allows_no_more_room_loses_this_request_only(
    chat: OpenAIChat, protocol_server: ProtocolServer
) -> None:
    protocol_server.script(says("{", finish_reason="length"), fails(400, "the request is too large for this engine"))
    with pytest.raises(ReplyError, match="cut off"):
        ask(chat)


def test_a_prompt_that_is_too_long_concerns_this_request_only(
    chat: OpenAIChat, protocol_server: ProtocolServer
) -> None:
    protocol_server.script(fails(400, "The prompt is too long for this model."))
    with pytest.raises(ReplyError, match="too long"):
        ask(chat)
    assert len(protocol_server.calls) == 1


@pytest.mark.parametrize("step", [refuses("I cannot help with that."), says("", finish_reason="content_filter")])
def test_a_refusal_is_an_error_at_once(chat: OpenAIChat, protocol_server: ProtocolServer, step: Step) -> None:
    protocol_server.script(step)
    with pytest.raises(ReplyError, match=r"the model refused: (I cannot|its content filter)"):
        ask(chat)
    assert len(protocol_server.calls) == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_calls_are_under_way_than_the_settings_allow(protocol_server: ProtocolServer, limit: int) -> None:
    protocol_server.delay(0.05)
    chat = make(chat_concurrency=limit)

    async def many() -> list[ChatReply[Any]]:
        return await asyncio.gather(*(chat.complete(ROLLING) for _ in range(8)))

    assert len(asyncio.run(many())) == 8
    assert protocol_server.most_at_once == limit


def test_one_chat_serves_several_event_loops_and_leaves_nothing_open(
    chat: OpenAIChat, protocol_server: ProtocolServer
) -> None:
    async def once(finish: Callable[[], Any]) -> None:
        await chat.complete(ROLLING)
        await finish()

    for _ in range(3):
        asyncio.run(once(chat.aclose))
        asyncio.run(once(lambda: asyncio.sleep(0)))
    assert len(protocol_server.calls) == 6
    assert chat._sessions == {}


def test_a_cancelled_call_frees_its_place(protocol_server: ProtocolServer) -> None:
    chat = make(chat_concurrency=1)
    protocol_server.script(hangs(30), SUMMARY)

    async def impatient() -> ChatReply[Any]:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(chat.complete(ROLLING), 0.3)
        return await chat.complete(ROLLING)

    assert asyncio.run(impatient()).value == FOUND


def test_nothing_is_spent_on_a_prompt_that_cannot_be_rendered(
    chat: OpenAIChat, protocol_server: ProtocolServer
) -> None:
    broken = ChatRequest("rolling_summary", {"label": "2026-03-10"}, SummaryReply, ROLLING.scope, ROLLING.day)
    with pytest.raises(SettingsError, match="undefined"):
        ask(chat, broken)
    assert not protocol_server.calls
