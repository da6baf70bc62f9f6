"""Which chat model and which encoder the settings name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from memory_pipeline.errors import SettingsError
from memory_pipeline.inference.chat import ChatModel
from memory_pipeline.inference.encoder import Encoder
from memory_pipeline.settings import Settings


def open_chat(settings: Settings) -> ChatModel:
    """The chat model of ``MEMORY_PIPELINE_CHAT``. Nothing leaves the machine unless it says ``openai``.

    Raises:
        SettingsError: a hosted model without key and base URL, or prompts that cannot be used.
    """
    if settings.chat == "openai":
        from memory_pipeline.inference.openai_chat import OpenAIChat
        from memory_pipeline.inference.prompts import Prompts

        return OpenAIChat(settings, Prompts.open(settings))
    from memory_pipeline.inference.builtin_chat import BuiltinChat

    return BuiltinChat()


def open_run_chat(settings: Settings, tell: Callable[[str, int, int | None], None]) -> ChatModel:
    """The chat model of a run: that of :func:`open_chat`, through the Batch API where the settings ask for it.

    A run that is not asked to use batches sends none; it takes what those of earlier runs have brought.

    Args:
        tell: progress of batches: a name, requests done, their number.

    Raises:
        SettingsError: see :func:`open_chat`, or there is nothing to batch.
    """
    if settings.chat == "builtin":
        if settings.chat_batch:
            raise SettingsError(
                "there is nothing to batch: the builtin chat model makes no calls. Set MEMORY_PIPELINE_CHAT=openai, or "
                "leave out --batch and MEMORY_PIPELINE_CHAT_BATCH"
            )
        return open_chat(settings)
    from memory_pipeline.inference.batch import BatchChat
    from memory_pipeline.inference.batch_records import BatchRecords
    from memory_pipeline.inference.openai_chat import OpenAIChat
    from memory_pipeline.inference.prompts import Prompts

    live = OpenAIChat(settings, Prompts.open(settings))
    if settings.chat_batch or len(BatchRecords(settings)):
        return BatchChat(live, settings, tell, submit=settings.chat_batch)
    return live


def open_encoder(settings: Settings) -> Encoder:
    """The encoder of ``MEMORY_PIPELINE_ENCODER``. Nothing leaves the machine unless it says ``openai``.

    Raises:
        SettingsError: a hosted encoder without key and base URL.
    """
    if settings.encoder == "openai":
        from memory_pipeline.inference.openai_encoder import OpenAIEncoder

        return OpenAIEncoder(settings)
    return _builtin_encoder()


def chat_name(settings: Settings) -> str:
    """Name of the chat model, without opening it: what the code versions and the plan go by."""
    if settings.chat == "openai":
        return settings.chat_model
    return open_chat(settings).model


def encoder_name(settings: Settings) -> str:
    """Name of the encoder, without opening it."""
    if settings.encoder == "openai":
        return f"{settings.encoder_model}-{settings.encoder_dimensions}"
    return _builtin_encoder().model


@cache
def _builtin_encoder() -> Encoder:
    """One for the process: it holds 100 MB once loaded, and has no state of its own."""
    from memory_pipeline.inference.builtin_encoder import BuiltinEncoder

    return BuiltinEncoder()
