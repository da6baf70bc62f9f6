from __future__ import annotations

import json
from typing import Any

import pytest

from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.hosted.structured_output import Dialect, ignores_schema, read, repair, strict_schema
from memory_pipeline.inference.prompts import PromptMessage
from memory_pipeline.inference.replies import TASKS, AnswerReply, dump, parse
from memory_pipeline_tests.protocol_steps import minimal

REPLY = AnswerReply("You live in Lisbon {now}.", ["i1"], True)
JSON = dump(REPLY)
PROMPT = [PromptMessage(role="system", content="Rules."), PromptMessage(role="user", content="Data.")]


def nodes(schema: Any) -> list[dict[str, Any]]:
    inner = list(schema.values()) if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    return ([schema] if isinstance(schema, dict) else []) + [n for value in inner for n in nodes(value)]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_schemas_are_what_strict_mode_wants(task: Any) -> None:
    schema = strict_schema(task.reply)
    assert "$ref" not in json.dumps(schema) and "$defs" not in schema
    for node in nodes(schema):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        assert "default" not in node
    parse(task.reply, json.dumps(minimal(schema)))


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"Here you are:\n{JSON}\nAnything else?",
        f'<think>Maybe {{"text": "no", "citations": [], "known": false}}?</think>{JSON}',
        f"I looked at {{the items}} first. {JSON}",
        f'{{"note": "first something else"}} {JSON}',
    ],
)
def test_the_reply_is_found_in_what_models_write(text: str) -> None:
    value, raw = read(AnswerReply, text)
    assert value == REPLY
    assert parse(AnswerReply, raw) == value


def test_half_surrogates_in_a_reply_do_not_cost_another_call() -> None:
    value, raw = read(AnswerReply, '{"text": "a cat \\ud83d", "citations": [], "known": true}')
    assert value.text == "a cat ?"
    assert parse(AnswerReply, raw) == value


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("You live in Lisbon.", True),
        (f"```json\n{JSON}\n```", True),
        ('{"answer": "Lisbon"}', True),
        ("[]", True),
        (JSON[:-5], False),
        ("", False),
    ],
)
def test_only_a_reply_that_no_schema_could_have_shaped_shows_that_it_was_ignored(text: str, ignored: bool) -> None:
    assert ignores_schema(text) is ignored


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the reply"),
        ("I do not know.", "Invalid JSON"),
        (JSON[:-5], "Invalid JSON"),
        ('{"text": "x", "citations": "i1", "known": true}', "citations"),
        ('```{"text": "x", "known": true}```', "citations: Field required"),
        ('{"text": "x", "citations": [], "known": true, "extra": 1}', "extra"),
        ("{" * 100_000, "JSON"),
    ],
)
def test_a_reply_that_does_not_fit_says_where(text: str, message: str) -> None:
    with pytest.raises(ReplyError, match=message) as caught:
        read(AnswerReply, text)
    assert caught.value.reply == text


def test_a_request_asks_for_everything_at_first() -> None:
    request = Dialect().request("answer", PROMPT, AnswerReply, 500)
    assert request["response_format"]["json_schema"]["name"] == "answer"
    assert request["response_format"]["json_schema"]["strict"] is True
    assert (request["temperature"], request["max_tokens"], request["messages"]) == (0, 500, PROMPT)
    assert "seed" in request


@pytest.mark.parametrize("mode", ["json_object", "text"])
def test_without_schema_support_the_prompt_states_the_schema(mode: Any) -> None:
    request = Dialect(mode=mode).request("answer", PROMPT, AnswerReply, 500)
    system, user = request["messages"]
    assert system["content"].startswith("Rules.")
    assert json.dumps(strict_schema(AnswerReply), separators=(",", ":")) in system["content"]
    assert user == PROMPT[1]
    assert request.get("response_format") == ({"type": "json_object"} if mode == "json_object" else None)


@pytest.mark.parametrize(
    ("refusal", "changed"),
    [
        ("unsupported value: 'temperature' does not support 0 with this model", {"temperature": False}),
        ("extra inputs are not permitted: seed", {"seed": False}),
        ("'max_tokens' is not supported. use 'max_completion_tokens' instead.", {"limit": "max_completion_tokens"}),
        ("invalid parameter: 'response_format' of type 'json_schema'", {"mode": "json_object"}),
        ("no endpoints found that can handle the requested parameters", {"mode": "json_object"}),
        ("this model does not support structured outputs", {"mode": "json_object"}),
    ],
)
def test_what_a_refusal_names_is_left_out(refusal: str, changed: dict[str, Any]) -> None:
    assert Dialect().without(refusal) == Dialect(**changed)


def test_when_nothing_is_left_to_leave_out_there_is_no_other_way() -> None:
    assert Dialect().without("your account is not active") is None
    assert Dialect().without("max_tokens is too large: 9000") is None
    last = Dialect(mode="text", temperature=False, seed=False, limit="max_completion_tokens")
    assert last.without("temperature seed max_completion_tokens response_format") is None


def test_a_schema_that_was_ignored_is_stated_in_the_prompt_from_then_on() -> None:
    assert Dialect().unenforced().mode == "json_object"
    assert Dialect(mode="text").unenforced().mode == "text"


def test_a_repair_shows_the_reply_and_its_fault() -> None:
    *before, said, asked = repair(PROMPT, '{"text": 1}', "text: Input should be a valid string")
    assert before == PROMPT
    assert said == {"role": "assistant", "content": '{"text": 1}'}
    assert asked["role"] == "user" and "text: Input should be a valid string" in asked["content"]
    assert [m["role"] for m in repair(PROMPT, "", "empty")] == ["system", "user", "user"]
