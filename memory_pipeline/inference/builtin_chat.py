"""The embedded chat model: rules and extraction of sentences, for English, without a key and without a network.

It answers every task of the protocol and says only what its inputs say: no generation, no randomness, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from memory_pipeline.errors import ModelError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import dump
from memory_pipeline.language.english import parser

R = TypeVar("R")

VERSION = 16
"""Part of the model's name: kept replies of another version are not used. Raise it with every change of the rules."""

Task = Callable[[Mapping[str, Any]], Any]


# Each is imported with its first request: a question that is asked once needs nothing of extraction.
def _extract() -> Task:
    from memory_pipeline.inference.builtin.extraction.extract import extract

    return extract


def _consolidate() -> Task:
    from memory_pipeline.inference.builtin.judge import judge

    return judge


def _rolling_summary() -> Task:
    from memory_pipeline.inference.builtin.summaries.session import rolling

    return rolling


def _calendar() -> Task:
    from memory_pipeline.inference.builtin.summaries.summarise import calendar

    return calendar


def _reflect() -> Task:
    from memory_pipeline.inference.builtin.summaries.reflect import reflect

    return reflect


def _pattern() -> Task:
    from memory_pipeline.inference.builtin.summaries.clusters import pattern

    return pattern


def _answer() -> Task:
    from memory_pipeline.inference.builtin.answering.answer import answer

    return answer


_TASKS: Mapping[str, Callable[[], Task]] = {
    "extract": _extract,
    "consolidate": _consolidate,
    "rolling_summary": _rolling_summary,
    "calendar": _calendar,
    "reflect": _reflect,
    "pattern": _pattern,
    "answer": _answer,
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
        task = _TASKS[request.task]()
        try:
            value = task(request.inputs)
        except KeyError as error:
            raise ModelError(f"the inputs of task {request.task!r} lack {error}") from error
        return ChatReply(value, dump(value), self.model, Usage())

    async def aclose(self) -> None:
        """Nothing to release."""
