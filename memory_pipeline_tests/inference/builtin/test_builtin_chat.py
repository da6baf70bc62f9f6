"""The embedded model behind the protocol of every chat model."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ModelError
from memory_pipeline.inference.builtin_chat import VERSION, BuiltinChat
from memory_pipeline.inference.chat import ChatModel, ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import TASKS, parse
from memory_pipeline.language.english import parser
from memory_pipeline_tests.inference.sample_requests import inputs

SCOPE = Scope("acme", "alice")


def _asked(task: str, reply: type[Any], given: dict[str, Any]) -> ChatReply[Any]:
    request: ChatRequest[Any] = ChatRequest(task, given, reply, SCOPE, date(2026, 3, 10))
    return asyncio.run(BuiltinChat().complete(request))


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.name)
def test_every_task_is_answered_with_its_own_reply(task: Any) -> None:
    answered = _asked(task.name, task.reply, inputs()[task.name])
    assert isinstance(answered.value, task.reply)
    assert parse(task.reply, answered.raw) == answered.value
    assert answered.usage == Usage()
    assert not answered.cached


def test_it_is_a_chat_model_with_a_version() -> None:
    model: ChatModel = BuiltinChat()
    assert model.model == f"builtin-{VERSION}+{parser().name}"  # other rules or other weights: other proposals
    assert model.parameters == {}
    asyncio.run(model.aclose())


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.name)
def test_the_same_request_gives_the_same_text(task: Any) -> None:
    first, second = (_asked(task.name, task.reply, inputs()[task.name]).raw for _ in range(2))
    assert first == second


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(ModelError, match="poetry"):
        _asked("poetry", TASKS[0].reply, {})


def test_missing_inputs_are_named() -> None:
    with pytest.raises(ModelError, match="windows"):
        _asked("extract", TASKS[0].reply, {"timezone": "UTC"})
