"""Asking about several things in one call, and again in smaller calls about what the reply left out or spoilt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.reply_cache import Pack, Packer
from memory_pipeline.stages.context import StageContext

_FRUITLESS_ROUNDS = 3  # a model that has answered nothing for so long will not begin now


class Askable(Protocol):
    """Something to be asked about; its request alone is what the reply cache knows."""

    @property
    def request(self) -> ChatRequest[Any]: ...


M = TypeVar("M", bound=Askable)
Answer = ChatReply[Any] | ReplyError


async def ask_jointly(
    ctx: StageContext,
    members: Sequence[M],
    grouped: Callable[[Sequence[M]], Sequence[Sequence[M]]],
    joined: Callable[[Sequence[M]], Pack],
) -> list[Answer]:
    """The answers about some members, in order; a ReplyError for those that got none.

    What kept replies answer is not asked. What a joint reply leaves out is asked again without the rest; a pack whose
    reply does not fit at all is asked again in halves, so that one bad member does not hold back the others.

    Args:
        grouped: members → packs.
        joined: a pack → its call.

    Raises:
        ModelError: the model cannot be reached; replies that had arrived are kept.
    """
    by_request = {id(m.request): m for m in members}
    packs: list[Sequence[M]] = []

    def first(missing: Sequence[ChatRequest[Any]]) -> list[Pack]:
        packs.extend(grouped([by_request[id(request)] for request in missing]))
        return [joined(pack) for pack in packs]

    answers = await ctx.replies.complete_many([m.request for m in members], first)
    found = {id(m): answer for m, answer in zip(members, answers, strict=True)}
    fruitless = 0
    while packs:
        failed = [[m for m in pack if isinstance(found[id(m)], ReplyError)] for pack in packs]
        fruitless = 0 if any(len(bad) < len(pack) for pack, bad in zip(packs, failed, strict=True)) else fruitless + 1
        if fruitless == _FRUITLESS_ROUNDS:
            break
        packs = [part for pack, bad in zip(packs, failed, strict=True) for part in _smaller(pack, bad)]
        again = [m for pack in packs for m in pack]
        answers = await ctx.replies.complete_many([m.request for m in again], _fixed([joined(p) for p in packs]))
        found |= {id(m): answer for m, answer in zip(again, answers, strict=True)}
    return [found[id(m)] for m in members]


def _fixed(calls: Sequence[Pack]) -> Packer:
    return lambda _: calls


def _smaller(pack: Sequence[M], failed: Sequence[M]) -> list[Sequence[M]]:
    """What of a pack is asked once more; one member alone never is."""
    if len(pack) == 1 or not failed:
        return []
    half = (len(failed) + 1) // 2
    return [failed] if len(failed) < len(pack) else [failed[:half], failed[half:]]
