"""What a completion took: the server's count where it can be one, else our estimate, so that a budget holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import Usage
from memory_pipeline.inference.prices import chat_usd
from memory_pipeline.inference.prompts import PromptMessage
from memory_pipeline.settings import Settings

_SCHEMA_TOKENS = 16_384  # a server may count the schema and its own instructions to the prompt
_THOUGHT_TOKENS = 262_144  # more thoughts than any model has
_LEAST_PROMPT = 1_000
_CUT = 0.5  # of our estimate: no tokenizer makes so few of a prompt that was read whole
_NEARLY = 0.85
_STEP = 256  # contexts are multiples of this


def usage_of(reported: Any, prompt: Sequence[PromptMessage], text: str, settings: Settings, price: float) -> Usage:
    """The usage of a completion.

    Args:
        reported: the server's, whatever it is; None where it has said nothing.
        text: what the model wrote.
        price: share of the settings' prices that is charged.
    """
    estimate, written = estimate_of(prompt), estimate_tokens(text)
    most = sum(len(m["content"].encode("utf-8", "replace")) for m in prompt) + _SCHEMA_TOKENS
    read = count_of(getattr(reported, "prompt_tokens", None), estimate, most)
    wrote = count_of(
        getattr(reported, "completion_tokens", None), written, len(text.encode("utf-8", "replace")) + _THOUGHT_TOKENS
    )
    details = getattr(reported, "prompt_tokens_details", None)
    cached = min(count_of(getattr(details, "cached_tokens", None), 0, read), read)
    return Usage(read, cached, wrote, price * chat_usd(settings, read, wrote, cached, live=True))


def estimate_of(prompt: Sequence[PromptMessage]) -> int:
    """Tokens of a prompt, by our estimate."""
    return sum(estimate_tokens(m["content"]) for m in prompt)


def cut_prompt(reported: Any, prompt: Sequence[PromptMessage]) -> int | None:
    """How many tokens of a prompt a model was shown, where the count tells that it was not all; else None.

    Servers that cut a prompt to their context report the context: half of what was sent, or a round number below it.
    """
    read, estimate = getattr(reported, "prompt_tokens", None), estimate_of(prompt)
    if not isinstance(read, int) or not _sound(read) or estimate < _LEAST_PROMPT or read < _STEP:
        return None
    off = min(read % _STEP, _STEP - read % _STEP)
    short = read < estimate * _CUT and read >= _LEAST_PROMPT or read < estimate * _NEARLY and off <= 2
    return read if short else None


def count_of(said: Any, estimate: int, most: int) -> int:
    """A count as a server states it; the estimate where that is none, is negative, or is beyond all reason."""
    if not _sound(said) or said > most or said == 0:
        return estimate
    return int(said)


def _sound(said: object) -> bool:
    return isinstance(said, int) and not isinstance(said, bool) and said >= 0
