"""The protocol of a chat model: one typed request in, one validated reply out.

A request names a task and carries its inputs as plain data. A hosted model gets them rendered by the task's template;
the builtin model reads them as they are. Nothing above this line knows which one answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from memory_pipeline.domain.scope import Scope

if TYPE_CHECKING:
    from memory_pipeline.inference.hosted.limits import Limits
    from memory_pipeline.inference.hosted.salvage import Aside

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ChatRequest(Generic[R]):
    """One call.

    Attributes:
        task: name of the template (``extract``, ``consolidate``, ``rolling_summary``, ``calendar``, ``reflect``,
            ``pattern``, ``answer``).
        inputs: JSON-able values for the template.
        reply: dataclass that the reply must fit; its JSON schema is sent along.
        scope: whose data it is, for the cost ledger; never two users in one request.
        day: event day it belongs to, for the cost ledger and the reply cache.
        max_tokens: bound on the reply.
        divisible: it asks about several things: of a reply that was cut off the finished items count, and the rest is
            asked again in a smaller request.
    """

    task: str
    inputs: Mapping[str, Any]
    reply: type[R]
    scope: Scope
    day: date
    max_tokens: int = 4096
    divisible: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took.

    Attributes:
        cached_tokens: prompt tokens that the provider had cached (billed lower).
        calls: completions that were asked for: a reply that did not fit is asked for once more.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    calls: int = 1


@dataclass(frozen=True, slots=True)
class ChatReply(Generic[R]):
    """A validated reply.

    Attributes:
        value: an instance of the request's ``reply`` class.
        raw: the text it was parsed from, which is what the reply cache keeps.
        cached: it came from the reply cache; no call was made.
        key: under which it is kept; empty outside the reply cache.
        cut_off: it ended at its limit of tokens, and ``value`` is what had been finished.
        aside: items of the reply that did not fit, with the reason; they are not in ``value``.
    """

    value: R
    raw: str
    model: str
    usage: Usage
    cached: bool = False
    key: str = ""
    cut_off: bool = False
    aside: tuple[Aside, ...] = ()


class ChatModel(Protocol):
    """Anything that answers requests.

    Attributes:
        model: name and version, part of the reply-cache key and of every memory's provenance.
        parameters: what else changes its replies (temperature, prices do not belong here).
    """

    @property
    def model(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    async def complete(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request.

        Raises:
            ReplyError: the reply does not fit the schema, even after one repair.
            ModelError: no reply after the retries.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


@runtime_checkable
class ImmediateModel(Protocol):
    """A model that runs in the process and costs nothing: nobody gains by asking it about many things together."""

    def reply(self, request: ChatRequest[R]) -> ChatReply[R]:
        """Answer one request, without waiting for anything.

        Raises:
            ModelError: it knows no such task.
        """
        ...


def limits_of(chat: ChatModel) -> Limits:
    """What is known of a model's limits; nothing of one that does not tell."""
    from memory_pipeline.inference.hosted.limits import Limits

    known = getattr(chat, "limits", None)
    return known if isinstance(known, Limits) else Limits()
