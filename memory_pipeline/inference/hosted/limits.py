"""What a model can take and give at once, as its server says when it refuses: learnt once, and kept for the model."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.settings import Settings

_KEPT_S = 7 * 24 * 3600  # a server may be started again with more
_LEAST_CONTEXT = 256
_NUMBER = r"(\d[\d,_]{2,})"
_CONTEXT = (
    rf"maximum context length (?:is|of) (?:only )?{_NUMBER}",
    rf"context length (?:is|of) (?:only )?{_NUMBER}",
    rf"context (?:size|window|length)\D{{0,30}}\(?{_NUMBER} tokens",
    rf"max_(?:model|seq)_len\D{{0,12}}{_NUMBER}",
    rf"n_ctx\D{{0,6}}{_NUMBER}",
    rf"\d+ tokens? > {_NUMBER} maximum",
    rf"max_new_tokens` must be <= {_NUMBER}",
)
_OUTPUT = (
    rf"supports at most {_NUMBER} completion",
    rf"max(?:_completion|_output)?_tokens:? \d+ > {_NUMBER}",
    rf"max(?:_completion|_output)?_tokens\W{{0,3}} must be (?:less than or equal to|at most|<=) \W?{_NUMBER}",
    rf"valid range of max_tokens is \[\d+, ?{_NUMBER}\]",
    rf"maximum (?:allowed )?(?:number of )?(?:output|completion|generated) tokens\D{{0,40}}{_NUMBER}",
    rf"max_tokens cannot exceed {_NUMBER}",
    rf"from 1 \(inclusive\) to {_NUMBER} \(exclusive\)",
)
_PROMPT = (
    rf"{_NUMBER} (?:tokens )?(?:in|from) (?:the |your )?(?:messages|prompt|input)",
    rf"{_NUMBER} (?:input|prompt) tokens",
    rf"messages resulted in {_NUMBER}",
    rf"n_prompt_tokens\D{{0,6}}{_NUMBER}",
    rf"(?:request|prompt|input) \(?(?:of )?{_NUMBER} tokens\)? exceeds",
)
_REPLY_NAMED = re.compile(r"max_(?:completion_|output_|new_)?tokens|maxoutputtokens")
_TOO_MUCH = re.compile(r"too large|too high|too big|exceed|at most|less than|maximum|must be|out of range")


@dataclass(frozen=True, slots=True)
class Limits:
    """What is known of a model.

    Attributes:
        context: tokens of a prompt and its reply together; None = not known.
        output: tokens of a reply; None = not known.
        scale: its tokens for one of our estimate.
        thoughts: tokens that it thinks before a reply, the most that was seen: a reply needs that room besides.
    """

    context: int | None = None
    output: int | None = None
    scale: float = 1.0
    thoughts: int = 0

    def room(self, prompt: int, wanted: int) -> int:
        """Tokens to allow for a reply to a prompt: what is wanted and thoughts, as far as the model allows it.

        Args:
            prompt: its tokens, by our estimate. The result is 0 or less where the prompt leaves no room.
        """
        most = wanted + self.thoughts
        if self.output is not None:
            most = min(most, self.output)
        if self.context is not None:
            most = min(most, self.context - self.prompt(prompt))
        return most

    def prompt(self, estimate: int) -> int:
        """The model's own tokens of a prompt, and some more for the marks around its messages."""
        return int(estimate * self.scale) + 48

    def told(self, text: str, prompt: int, asked: int) -> Limits:
        """With what a refusal says; the same where it names no limit.

        Args:
            text: everything the server said, in lower case.
            prompt: tokens of the refused prompt, by our estimate.
            asked: tokens of reply that it asked for.
        """
        context, output, counted = _first(_CONTEXT, text), _first(_OUTPUT, text), _first(_PROMPT, text)
        learnt = self
        if context is not None and context >= _LEAST_CONTEXT:
            learnt = replace(learnt, context=context)
        if output is not None:
            learnt = replace(learnt, output=output - ("(exclusive)" in text))
        elif context is None and _REPLY_NAMED.search(text) and _TOO_MUCH.search(text) and asked > 256:
            learnt = replace(learnt, output=asked // 2)
        if counted is not None and prompt > 200 and counted > prompt * learnt.scale:
            learnt = replace(learnt, scale=min(counted / prompt, 8.0))
        return learnt

    def thought(self, tokens: int) -> Limits:
        """With room for so many tokens of thoughts, and half as many more."""
        return self if tokens + tokens // 2 <= self.thoughts else replace(self, thoughts=tokens + tokens // 2)


class LimitsFile:
    """Where the limits of one model of one server are kept between runs: in the home, when that is local."""

    def __init__(self, settings: Settings, url: str) -> None:
        name = f"{digest(url, settings.chat_model)[:16]}.json"
        self._path = None if settings.remote else Path(settings.path("models", name))
        self._named = {"url": url, "model": settings.chat_model}

    def read(self) -> Limits:
        """What was learnt lately; what is older, or cannot be read, counts as not known."""
        if self._path is None:
            return Limits()
        try:
            if time.time() - self._path.stat().st_mtime > _KEPT_S:
                return Limits()
            known: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))["limits"]
            return Limits(known["context"], known["output"], float(known["scale"]), int(known["thoughts"]))
        except (OSError, ValueError, KeyError, TypeError):
            return Limits()

    def write(self, limits: Limits) -> None:
        """Keep them; a home that cannot be written to goes without."""
        if self._path is None:
            return
        part = self._path.with_suffix(f".{os.getpid()}.part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps({**self._named, "limits": asdict(limits)}), encoding="utf-8")
            os.replace(part, self._path)
        except OSError:
            part.unlink(missing_ok=True)


def _first(expressions: tuple[str, ...], text: str) -> int | None:
    for expression in expressions:
        match = re.search(expression, text)
        if match is not None:
            return int(re.sub(r"[,_]", "", match[1]))
    return None
