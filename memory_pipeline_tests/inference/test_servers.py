"""What real servers do to a request, each in its own way: the chat model works with it, and tells what to change."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from memory_pipeline.errors import ModelError, ReplyError, SettingsError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.hosted.connection import MOST_BYTES
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.structured_output import PromptTooLong
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.inference.replies import SummaryReply, dump
from memory_pipeline.settings import Settings
from memory_pipeline_tests.inference.sample_requests import EXTRACT, ROLLING, message
from memory_pipeline_tests.protocol_engines import at_most, llama_cpp, ollama, thinking, vllm, without_system
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, Step, says
from memory_pipeline_tests.stages.echoing import draft

FOUND = SummaryReply("Moved to Lisbon.", ["m1"], [])
SUMMARY = dump(FOUND)
LONG = replace(ROLLING, inputs={"messages": [message(content="word " * 8_000)], "max_tokens": 400})


def make(home: Any = None, **settings: Any) -> OpenAIChat:
    given = {"chat": "openai", "chat_model": "small", "chat_retries": 0, **({"home": str(home)} if home else {})}
    return OpenAIChat(Settings.load(**{**given, **settings}), Prompts())


def ask(chat: OpenAIChat, asked: ChatRequest[Any] = ROLLING) -> ChatReply[Any]:
    return asyncio.run(chat.complete(asked))


def said(_: Call) -> str:
    return SUMMARY


def test_a_context_is_learnt_from_the_refusal_and_kept_for_the_model(
    tmp_path: Any, protocol_server: ProtocolServer
) -> None:
    protocol_server.answer("rolling_summary", vllm(said, 2048))
    chat = make(tmp_path)
    assert ask(chat).value == FOUND and chat.limits.context == 2048
    assert len(protocol_server.calls) == 2
    assert ask(make(tmp_path)).value == FOUND
    assert len(protocol_server.calls) == 3, "the next process knows"
    assert ask(make(tmp_path, chat_model="other")).value == FOUND
    assert len(protocol_server.calls) == 5, "another model has its own"


@pytest.mark.parametrize("engine", [vllm, llama_cpp])
def test_a_prompt_beyond_the_context_says_what_to_change(
    tmp_path: Any, protocol_server: ProtocolServer, engine: Any
) -> None:
    protocol_server.answer("rolling_summary", engine(said, 4096))
    chat = make(tmp_path)
    with pytest.raises(ReplyError, match=r"context of 4,096 tokens.*(context length is|context size).*--max-model-len"):
        ask(chat, LONG)
    calls = len(protocol_server.calls)
    with pytest.raises(PromptTooLong):
        ask(chat, LONG)
    assert len(protocol_server.calls) == calls, "what cannot fit is not sent again"
    assert ask(chat).value == FOUND


def test_a_prompt_that_was_cut_without_a_word_is_refused(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("rolling_summary", ollama(said))
    chat = make(tmp_path)
    with pytest.raises(PromptTooLong, match="read as 4,096.*OLLAMA_CONTEXT_LENGTH"):
        ask(chat, LONG)
    assert chat.limits.context == 4096


@pytest.mark.parametrize("read", [9_990, 7_300, 12_000])
def test_a_tokenizer_that_counts_otherwise_cuts_nothing(
    tmp_path: Any, protocol_server: ProtocolServer, read: int
) -> None:
    usage = {"prompt_tokens": read, "completion_tokens": 9, "total_tokens": read + 9}
    protocol_server.script(Step(text=SUMMARY, usage=usage))
    assert ask(make(tmp_path), LONG).usage.prompt_tokens == read


def test_a_bound_on_the_reply_is_learnt(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("rolling_summary", at_most(said, 1000))
    chat = make(tmp_path)
    assert ask(chat).value == FOUND and chat.limits.output == 1000
    assert [c.body["max_tokens"] for c in protocol_server.calls] == [4096, 1000]


def test_a_system_message_stands_before_the_user_s_where_it_is_refused(
    tmp_path: Any, protocol_server: ProtocolServer
) -> None:
    protocol_server.answer("rolling_summary", without_system(said))
    chat = make(tmp_path)
    assert ask(chat).value == FOUND and ask(chat).value == FOUND
    first, second, third = (c.body["messages"] for c in protocol_server.calls)
    assert [m["role"] for m in second] == [m["role"] for m in third] == ["user"]
    assert second[0]["content"] == "\n\n".join(m["content"] for m in first)


def test_parts_of_a_content_are_joined(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    parts = [
        {"type": "thinking", "thinking": "Lisbon?"},
        {"type": "text", "text": SUMMARY[:9]},
        {"type": "text", "text": SUMMARY[9:]},
    ]
    protocol_server.script(Step(content=parts))
    assert ask(make(tmp_path)).value == FOUND


DRAFT = {"text": "A draft.", "messages": [], "memories": []}


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(DRAFT)} Hm, no.</think>{SUMMARY}",
        f"<think>{json.dumps(DRAFT)}</think>{SUMMARY}",
        f"<think>one</think><think>{json.dumps(DRAFT)}</think> Here: {SUMMARY}",
        f"First {json.dumps(DRAFT)}, better: {SUMMARY}",
        f"<|channel|>analysis<|message|>{json.dumps(DRAFT)}<|end|><|start|>assistant<|channel|>final<|message|>{SUMMARY}",
        f"<|channel|>analysis<|message|>x<|end|><|channel|>final <|constrain|>json<|message|>{SUMMARY}<|return|>",
    ],
)
def test_the_reply_is_what_stands_after_the_thoughts(tmp_path: Any, protocol_server: ProtocolServer, text: str) -> None:
    protocol_server.script(text)
    assert ask(make(tmp_path)).value == FOUND
    assert len(protocol_server.calls) == 1


def test_a_model_that_thinks_gets_room_for_it(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("rolling_summary", thinking(said, DRAFT, 600))
    chat = make(tmp_path)
    short = replace(ROLLING, max_tokens=500)
    assert ask(chat, short).value == FOUND
    assert len(protocol_server.calls) == 2 and chat.limits.thoughts > 500
    assert ask(make(tmp_path), short).value == FOUND
    assert len(protocol_server.calls) == 3, "the next request asks for the room at once"


def test_options_are_passed_to_the_server_and_change_the_key(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    chat = make(tmp_path, chat_options='{"reasoning_effort": "low", "temperature": null, "num_ctx": 8192}')
    ask(chat)
    body = protocol_server.calls[0].body
    assert (body["reasoning_effort"], body["num_ctx"]) == ("low", 8192) and "temperature" not in body
    assert chat.parameters != make(tmp_path).parameters
    assert "options" not in make(tmp_path).parameters, "kept replies of before stay valid"


@pytest.mark.parametrize("wrong", ["low", "[1]", '{"a": '])
def test_options_that_are_no_object_are_named(wrong: str) -> None:
    with pytest.raises(SettingsError, match="CHAT_OPTIONS"):
        Settings.load(chat_options=wrong)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": -900, "total_tokens": -905},
        {"prompt_tokens": 10**15, "completion_tokens": 10**15, "total_tokens": 1},
        {"prompt_tokens": "many", "completion_tokens": None},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": 1.5, "completion_tokens": True, "prompt_tokens_details": {"cached_tokens": -7}},
        {},
    ],
)
def test_usage_that_cannot_be_is_estimated(tmp_path: Any, protocol_server: ProtocolServer, usage: Any) -> None:
    protocol_server.script(Step(text=SUMMARY, usage=usage))
    took = ask(make(tmp_path)).usage
    assert took.prompt_tokens == pytest.approx(protocol_server.calls[0].prompt_tokens, abs=3)
    assert 0 < took.completion_tokens < 100 and took.usd > 0 and took.cached_tokens == 0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_leads_to_another_host(tmp_path: Any, protocol_server: ProtocolServer, status: int) -> None:
    with ProtocolServer() as elsewhere:
        place = f"{elsewhere.url}/chat/completions"
        protocol_server.script(Step(status=status, headers={"Location": place}, body=b""))
        with pytest.raises(ModelError, match="redirects to http://127.0.0.1:.*OPENAI_BASE_URL"):
            ask(make(tmp_path, chat_retries=3))
        assert not elsewhere.calls
    assert len(protocol_server.calls) == 1, "asking again would not help"


def test_a_redirect_on_the_same_host_is_followed(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    protocol_server.script(Step(status=307, headers={"Location": "/new/v1/chat/completions"}, body=b""), SUMMARY)
    assert ask(make(tmp_path)).value == FOUND
    assert [c.path for c in protocol_server.calls] == ["/v1/chat/completions", "/new/v1/chat/completions"]


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_without_end_is_given_up(tmp_path: Any, protocol_server: ProtocolServer, packed: bool) -> None:
    import gzip

    body = b" " * (MOST_BYTES + 1)
    headers = {"Content-Encoding": "gzip"} if packed else {}
    protocol_server.script(Step(headers=headers, body=gzip.compress(body * 30) if packed else body))
    with pytest.raises(ModelError, match="more than .* bytes"):
        ask(make(tmp_path, chat_retries=3))
    assert len(protocol_server.calls) == 1


def test_a_body_that_nests_without_end_is_no_answer(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    protocol_server.script(Step(body=b"[" * 200_000))
    with pytest.raises(ModelError, match="check OPENAI_BASE_URL"):
        ask(make(tmp_path))


def _window(name: str, *texts: str, **fields: Any) -> dict[str, Any]:
    return {"window": name, "proposals": [draft("m1", text, **fields) for text in texts]}


def test_one_bad_item_is_put_aside_with_its_reason(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    good, bad = _window("w1", "one", "two"), _window("w2", "three", operation="delete")
    bad["proposals"].append(draft("m2", "four"))
    protocol_server.script({"windows": [good, bad]})
    reply = ask(make(tmp_path), EXTRACT)
    assert [[p.content for p in w.proposals] for w in reply.value.windows] == [
        ["Said: one", "Said: two"],
        ["Said: four"],
    ]
    (aside,) = reply.aside
    assert aside.place == "windows.1.proposals.0" and "operation" in aside.reason and "three" in aside.content
    assert len(protocol_server.calls) == 1


def test_a_window_with_nothing_but_bad_items_is_none_of_the_answered(
    tmp_path: Any, protocol_server: ProtocolServer
) -> None:
    protocol_server.script({"windows": [_window("w1", "one"), _window("w2", "two", type="hobby")]})
    reply = ask(make(tmp_path), EXTRACT)
    assert [w.window for w in reply.value.windows] == ["w1"] and len(reply.aside) == 1


def test_of_a_divisible_reply_that_was_cut_off_the_finished_items_count(
    tmp_path: Any, protocol_server: ProtocolServer
) -> None:
    whole = json.dumps({"windows": [_window("w1", "one"), _window("w2", "two"), _window("w3", "three", "four")]})
    protocol_server.script(says(whole[: whole.index("four")], "length"))
    reply = ask(make(tmp_path), replace(EXTRACT, divisible=True))
    assert [w.window for w in reply.value.windows] == ["w1", "w2"] and not reply.aside
    assert len(protocol_server.calls) == 1, "the rest is asked for in a smaller request"


def test_of_a_single_reply_that_stays_cut_off_the_finished_items_count(
    tmp_path: Any, protocol_server: ProtocolServer
) -> None:
    whole = json.dumps({"windows": [_window("w1", "one", "two", "three")]})
    short = says(whole[: whole.index("three")], "length")
    protocol_server.script(short, short)
    reply = ask(make(tmp_path), EXTRACT)
    assert [p.content for p in reply.value.windows[0].proposals] == ["Said: one", "Said: two"]
    assert len(reply.aside) == 1 and len(protocol_server.calls) == 2


def test_a_long_reply_has_the_time_that_it_takes(tmp_path: Any, protocol_server: ProtocolServer) -> None:
    protocol_server.delay(0.8)
    assert ask(make(tmp_path, chat_timeout_s=0.4), replace(ROLLING, max_tokens=4000))
    with pytest.raises(ModelError, match="did not answer in time.*CHAT_TIMEOUT_S"):
        ask(make(tmp_path, chat_timeout_s=0.1), replace(ROLLING, max_tokens=100))
