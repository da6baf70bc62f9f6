"""The embedded chat model: rules and extraction of sentences, for English, without a key and without a network.

It answers every task of the protocol and says only what its inputs say: no generation, no randomness, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from memory_pipeline.errors import ModelError
from memory_pipeline.inference.builtin.answering.answer import answer
from memory_pipeline.inference.builtin.extraction.extract import extract
from memory_pipeline.inference.builtin.judge import judge
from memory_pipeline.inference.builtin.summaries.clusters import pattern
from memory_pipeline.inference.builtin.summaries.reflect import reflect
from memory_pipeline.inference.builtin.summaries.session import rolling
from memory_pipeline.inference.builtin.summaries.summarise import calendar
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import dump
from memory_pipeline.language.english import parser

R = TypeVar("R")

VERSION = 14
"""Part of the model's name: kept replies of another version are not used. Raise it with every change of the rules."""

_TASKS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "extract": extract,
    "consolidate": judge,
    "rolling_summary": rolling,
    "calendar": calendar,
    "reflect": reflect,
    "pattern": pattern,
    "answer": answer,
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
        task = _TASKS.get(request.task)
        if task is None:
            raise ModelError(f"the builtin model knows no task {request.task!r}; it knows {', '.join(_TASKS)}")
        try:
            value = task(request.inputs)
        except KeyError as error:
            raise ModelError(f"the inputs of task {request.task!r} lack {error}") from error
        return ChatReply(value, dump(value), self.model, Usage())

    async def aclose(self) -> None:
        """Nothing to release."""
