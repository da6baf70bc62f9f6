"""What a chat completion says: its text, whether it is whole, what it took. Live and batched calls share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.hosted.reply_usage import cut_prompt, usage_of
from memory_pipeline.inference.hosted.retries import MalformedAnswer
from memory_pipeline.inference.hosted.salvage import finished_parts, sound_items, whole_items
from memory_pipeline.inference.hosted.structured_output import UnfitReply, read
from memory_pipeline.inference.hosted.thoughts import after, content_text, thought_tokens
from memory_pipeline.inference.prompts import PromptMessage
from memory_pipeline.inference.replies import dump
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion, read.

    Attributes:
        text: without the thoughts before it.
        cut_off: it ended at the limit of tokens.
        refusal: why the model would not answer; None when it did.
        thoughts: tokens that went into thoughts, as far as that can be told.
        shown: tokens of the prompt that the model was shown, where that was not all of it.
    """

    text: str
    cut_off: bool
    refusal: str | None
    usage: Usage
    thoughts: int = 0
    shown: int | None = None


def checked(completion: Any) -> ChatCompletion:
    """A completion that has something to read in it.

    Raises:
        MalformedAnswer: it has no choices, as broken gateways send.
    """
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices or getattr(choices[0], "message", None) is None:
        raise MalformedAnswer(f"no choices in it: {str(completion)[:200]}")
    answered: ChatCompletion = completion
    return answered


def answer_of(
    completion: ChatCompletion, messages: Sequence[PromptMessage], settings: Settings, price: float = 1.0
) -> Answer:
    """Read a completion.

    Args:
        messages: the prompt, for counting tokens where the server does not.
        price: share of the settings' prices that is charged.
    """
    choice = completion.choices[0]
    said = content_text(choice.message.content)
    text = after(said) if said.lstrip()[:1] != "{" else said
    refusal = choice.message.refusal if isinstance(choice.message.refusal, str) else None
    if choice.finish_reason == "content_filter":
        refusal = refusal or "its content filter stepped in"
    reported = completion.usage
    return Answer(
        text or said,
        choice.finish_reason == "length",
        refusal,
        usage_of(reported, messages, said, settings, price),
        thought_tokens(choice.message, said, getattr(reported, "completion_tokens_details", None)),
        cut_prompt(reported, messages),
    )


def fitting(request: ChatRequest[R], answer: Answer, model: str, spent: Usage) -> ChatReply[R]:
    """The reply in an answer.

    Args:
        spent: by all calls made for the request.

    Raises:
        UnfitReply: there is none; it says why, and what that took.
    """
    about = f"{model}, task {request.task}"
    if answer.refusal:
        raise UnfitReply(f"{about}: the model refused: {answer.refusal}", answer.text or answer.refusal, spent)
    if answer.cut_off:
        raise UnfitReply(f"{about}: the reply was cut off at its limit of tokens", answer.text, spent, cut_off=True)
    try:
        value, raw = read(request.reply, answer.text)
    except ReplyError as error:
        raise UnfitReply(f"{about}: {error}", answer.text, spent) from error
    return ChatReply(value, raw, model, spent)


def salvaged(request: ChatRequest[R], answer: Answer, model: str, spent: Usage, *, strict: bool) -> ChatReply[R] | None:
    """The reply that the sound items of an unfit one make; None where there is none.

    Args:
        strict: not of a reply of which a repair may be better: more items are bad than good, or it was cut off and
            cannot be asked for in parts.
    """
    text = after(answer.text)
    if answer.cut_off:
        if request.divisible:
            found = whole_items(request.reply, text)
        else:
            found = None if strict else finished_parts(request.reply, text)
    else:
        found = sound_items(request.reply, text[text.find("{") : text.rfind("}") + 1])
        if strict and found is not None and len(found.aside) > found.kept:
            found = None
    if found is None:
        return None
    return ChatReply(found.value, dump(found.value), model, spent, cut_off=answer.cut_off, aside=found.aside)


def total(a: Usage, b: Usage) -> Usage:
    """What two calls took together."""
    return Usage(
        a.prompt_tokens + b.prompt_tokens,
        a.cached_tokens + b.cached_tokens,
        a.completion_tokens + b.completion_tokens,
        a.usd + b.usd,
        a.calls + b.calls,
    )
