"""What a chat completion says: its text, whether it is whole, what it took. Live and batched calls share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.prices import chat_usd
from memory_pipeline.inference.prompts import PromptMessage
from memory_pipeline.inference.retries import MalformedAnswer
from memory_pipeline.inference.structured_output import UnfitReply, read
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion, read.

    Attributes:
        cut_off: it ended at the limit of tokens.
        refusal: why the model would not answer; None when it did.
    """

    text: str
    cut_off: bool
    refusal: str | None
    usage: Usage


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
    text = choice.message.content or ""
    refusal = choice.message.refusal
    if choice.finish_reason == "content_filter":
        refusal = refusal or "its content filter stepped in"
    return Answer(text, choice.finish_reason == "length", refusal, _usage(completion, messages, text, settings, price))


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
        raise UnfitReply(f"{about}: the reply was cut off at its limit of tokens", answer.text, spent)
    try:
        value, raw = read(request.reply, answer.text)
    except ReplyError as error:
        raise UnfitReply(f"{about}: {error}", answer.text, spent) from error
    return ChatReply(value, raw, model, spent)


def total(a: Usage, b: Usage) -> Usage:
    """What two calls took together."""
    return Usage(
        a.prompt_tokens + b.prompt_tokens,
        a.cached_tokens + b.cached_tokens,
        a.completion_tokens + b.completion_tokens,
        a.usd + b.usd,
        a.calls + b.calls,
    )


def _usage(
    completion: ChatCompletion, messages: Sequence[PromptMessage], text: str, settings: Settings, price: float
) -> Usage:
    """Tokens as the server counts them, estimated where it does not, so that a budget holds everywhere."""
    if completion.usage is None:
        prompt, written, cached = sum(estimate_tokens(m["content"]) for m in messages), estimate_tokens(text), 0
    else:
        details = completion.usage.prompt_tokens_details
        prompt, written = completion.usage.prompt_tokens or 0, completion.usage.completion_tokens or 0
        cached = min((details.cached_tokens if details else None) or 0, prompt)
    return Usage(prompt, cached, written, price * chat_usd(settings, prompt, written, cached, live=True))
