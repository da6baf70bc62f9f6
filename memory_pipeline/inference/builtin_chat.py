"""The embedded chat model: rules and extraction of sentences, for English, without a key and without a network.

It answers every task of the protocol and says only what its inputs say: no generation, no randomness, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from memory_pipeline.errors import ModelError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import dump
from memory_pipeline.language.english import parser

R = TypeVar("R")

VERSION = 12
"""Part of the model's name: kept replies of another version are not used. Raise it with every change of the rules."""

# Modules of ``builtin`` with their functions: whoever asks a question loads what answers it, and no extraction.
_TASKS = {
    "extract": ("extract", "extract"),
    "consolidate": ("judge", "judge"),
    "rolling_summary": ("session", "rolling"),
    "calendar": ("summarise", "calendar"),
    "reflect": ("reflect", "reflect"),
    "pattern": ("clusters", "pattern"),
    "answer": ("answer", "answer"),
}


@cache
def _function(module: str, name: str) -> Callable[[Mapping[str, Any]], Any]:
    found: Callable[[Mapping[str, Any]], Any] = getattr(import_module(f"{__package__}.builtin.{module}"), name)
    return found


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
        if request.task not in _TASKS:
            raise ModelError(f"the builtin model knows no task {request.task!r}; it knows {', '.join(_TASKS)}")
        task = _function(*_TASKS[request.task])
        try:
            value = task(request.inputs)
        except KeyError as error:
            raise ModelError(f"the inputs of task {request.task!r} lack {error}") from error
        return ChatReply(value, dump(value), self.model, Usage())

    async def aclose(self) -> None:
        """Nothing to release."""
