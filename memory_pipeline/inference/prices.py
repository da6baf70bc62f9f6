"""What hosted models cost: the settings' prices, applied before a call (an estimate) and after it (its usage)."""

from __future__ import annotations

from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings

_MILLION = 1_000_000
_PRICES = ("chat_input_usd", "chat_cached_usd", "chat_output_usd", "encoder_usd")


def chat_usd(settings: Settings, prompt: int, completion: int, cached: int = 0, *, live: bool = False) -> float:
    """USD of a call to the chat model that the settings name; the builtin one is free.

    Args:
        prompt: its tokens, those that the provider had cached included.
        live: at the full price, although the settings ask for the Batch API.
    """
    if settings.chat == "builtin":
        return 0.0
    millions = (
        (prompt - cached) * settings.chat_input_usd
        + cached * settings.chat_cached_usd
        + completion * settings.chat_output_usd
    )
    return (settings.chat_batch_price if settings.chat_batch and not live else 1.0) * millions / _MILLION


def task_usd(settings: Settings, task: str, prompt: int, completion: int) -> float:
    """USD of calls for a task before they are made: some tasks are asked live whatever the settings say."""
    from memory_pipeline.inference.batches.batch import LIVE_TASKS

    return chat_usd(settings, prompt, completion, live=task in LIVE_TASKS)


def encoder_usd(settings: Settings, tokens: int) -> float:
    """USD of encoding; the builtin encoder is free."""
    return 0.0 if settings.encoder == "builtin" else tokens * settings.encoder_usd / _MILLION


def prompt_tokens(prompts: Prompts, request: ChatRequest[Any]) -> int:
    """Tokens of a request's rendered prompt, by our estimate."""
    return sum(estimate_tokens(m["content"]) for m in prompts.render(request.task, request.inputs))


def most_usd(settings: Settings, prompts: Prompts, request: ChatRequest[Any]) -> float | None:
    """What a request may cost at most when its first reply fits: its prompt and the longest reply it allows.

    None for the builtin model, which costs nothing.
    """
    if settings.chat == "builtin":
        return None
    return task_usd(settings, request.task, prompt_tokens(prompts, request), request.max_tokens)


def prices(settings: Settings) -> dict[str, float]:
    """The prices that count, by the name of their setting: none when nothing is hosted."""
    counts = {"chat": settings.chat != "builtin", "encoder": settings.encoder != "builtin"}
    return {name: getattr(settings, name) for name in _PRICES if counts[name.partition("_")[0]]}


def where_prices_come_from(settings: Settings) -> str:
    """A sentence on the prices, for whoever reads figures in USD: they are only as right as the settings."""
    used = prices(settings)
    if not used:
        return "The builtin models cost nothing."
    named = ", ".join(f"MEMORY_PIPELINE_{name.upper()}={value:g}" for name, value in used.items())
    told = f"USD by the prices set for a million tokens: {named}."
    if settings.chat_batch and settings.chat != "builtin":
        told += f" Batched calls at {settings.chat_batch_price:g} of them."
    for role in ("chat", "encoder"):
        model = getattr(settings, f"{role}_model")
        default = type(settings).model_fields[f"{role}_model"].default
        unset = [name for name in used if name.startswith(role) and name not in settings.model_fields_set]
        if unset and model != default:
            told += f" No price of {model} is set: {default}'s is used."
    return told
