"""The embedded chat model: rules and extraction of sentences, for English, without a key and without a network.

It answers every task of the protocol and says only what its inputs say: no generation, no randomness, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, TypeVar

from memory_pipeline.errors import ModelError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import dump
from memory_pipeline.language.english import parser

R = TypeVar("R")

VERSION = 14
"""Part of the model's name: kept replies of another version are not used. Raise it with every change of the rules."""

_TASKS = {
    "extract": "extraction.extract:extract",
    "consolidate": "judge:judge",
    "rolling_summary": "summaries.session:rolling",
    "calendar": "summaries.summarise:calendar",
    "reflect": "summaries.reflect:reflect",
    "pattern": "summaries.clusters:pattern",
    "answer": "answering.answer:answer",
}


class BuiltinChat:
    """A :class:`ChatModel` that runs in the process: deterministic, free, English only."""

    @property
    def model(self) -> str:
        """Version of the rules, and the parser that they read with: both are what a proposal was made from."""
        return f"builtin-{VERSION}+{parser().name}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    async def complete(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request.

        Raises:
            ModelError: there is no such task, or its inputs lack something.
        """
        return self.reply(request)

    def reply(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request at once (see :class:`ImmediateModel`).

        Raises:
            ModelError: there is no such task, or its inputs lack something.
        """
        if request.task not in _TASKS:
            raise ModelError(f"the builtin model knows no task {request.task!r}; it knows {', '.join(_TASKS)}")
        task = _task(request.task)
        try:
            value = task(request.inputs)
        except KeyError as error:
            raise ModelError(f"the inputs of task {request.task!r} lack {error}") from error
        return ChatReply(value, dump(value), self.model, Usage())

    async def aclose(self) -> None:
        """Nothing to release."""


@cache
def _task(name: str) -> Callable[[Mapping[str, Any]], Any]:
    """What does a task. Imported with its first request: a question that is asked once needs nothing of extraction."""
    found: Callable[[Mapping[str, Any]], Any] = resolve_name(f"memory_pipeline.inference.builtin.{_TASKS[name]}")
    return found
