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
        from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
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
                "leave out --batch and MEMORY_PIPELINE_CHAT_BATCH",
                setting="MEMORY_PIPELINE_CHAT_BATCH",
            )
        return open_chat(settings)
    from memory_pipeline.inference.batches.batch import BatchChat
    from memory_pipeline.inference.batches.batch_records import BatchRecords
    from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
    from memory_pipeline.inference.prompts import Prompts

    live = OpenAIChat(settings, Prompts.open(settings))
    if settings.chat_batch or len(BatchRecords(settings)):
        return BatchChat(live, settings, tell, submit=settings.chat_batch)
    return live


def in_force(settings: Settings) -> Settings:
    """The settings with the encoder whose vectors the home has in force: the one that it was switched to, if any.

    Raises:
        SettingsError: that is a hosted one, and the settings do not allow texts to leave the machine.
    """
    if settings.encoder_fixed:
        return settings
    from memory_pipeline.storage.vectors.encoder_pointer import read

    pointer = read(settings)
    if pointer is None:
        return settings
    if pointer.choice.encoder != "builtin" and settings.encoder == "builtin":
        raise SettingsError(
            f"the home's vectors are those of {pointer.choice.name}, and texts leave this machine only when "
            f"MEMORY_PIPELINE_ENCODER says so: set it to {pointer.choice.encoder}, or go back with "
            "`memory-pipeline encoder switch --back`",
            setting="MEMORY_PIPELINE_ENCODER",
        )
    return pointer.choice.applied(settings)


def encoder_of_record(settings: Settings) -> str:
    """Name of the encoder by which what stands was made: part of the code version of what goes by vectors.

    After a switch that does not ask for more it is the earlier one: candidates for merging would be found by other
    vectors now, but what was decided stays decided, and is made anew only when somebody wants it to be.
    """
    if not settings.encoder_fixed:
        from memory_pipeline.storage.vectors.encoder_pointer import read

        pointer = read(settings)
        if pointer is not None:
            return pointer.made_by
    return encoder_name(settings)


def open_encoder(settings: Settings, *, few: bool = False) -> Encoder:
    """The encoder whose vectors are in force: that of ``MEMORY_PIPELINE_ENCODER``, or the one that the home was
    switched to. Nothing leaves the machine unless the variable says ``openai``.

    Args:
        few: for a process that encodes a text or two and ends; see ``BuiltinEncoder``.

    Raises:
        SettingsError: a hosted encoder without key and base URL, or one that the settings do not allow.
    """
    settings = in_force(settings)
    if settings.encoder == "openai":
        from memory_pipeline.inference.hosted.openai_encoder import OpenAIEncoder

        return OpenAIEncoder(settings)
    return _builtin_encoder(few=few)


def chat_name(settings: Settings) -> str:
    """Name of the chat model, without opening it: what the code versions and the plan go by."""
    if settings.chat == "openai":
        return settings.chat_model
    return open_chat(settings).model


def encoder_name(settings: Settings) -> str:
    """Name of the encoder in force, without opening it."""
    settings = in_force(settings)
    if settings.encoder == "openai":
        return f"{settings.encoder_model}-{settings.encoder_dimensions}"
    return _builtin_encoder(few=False).model


@cache
def _builtin_encoder(*, few: bool) -> Encoder:
    """One for the process: it holds 100 MB once loaded, and has no state of its own."""
    from memory_pipeline.inference.builtin_encoder import BuiltinEncoder

    return BuiltinEncoder(few=few)
