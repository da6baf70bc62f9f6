"""Asking about windows: rolling summaries where needed, joint calls, and smaller ones for what a joint reply spoilt.

A reply that does not fit has been repaired once by the model's side. Then its windows are asked again without those
that were answered, or in halves, so that one poisonous window does not hold back the others of its pack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_pipeline.domain.text import truncate
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.hosted.structured_output import PromptTooLong, UnfitReply
from memory_pipeline.inference.replies import ExtractReply, dump
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract_requests import Work, summary_request
from memory_pipeline.stages.extraction.packer import Packer
from memory_pipeline.stages.extraction.packing import Joint, to_summarise
from memory_pipeline.stages.quarantine import PutAside, put_all_aside
from memory_pipeline.stages.summaries.derived_evidence import vetted

Answer = ChatReply[ExtractReply] | ReplyError
_FRUITLESS_ROUNDS = 3  # a model that has answered nothing for so long will not begin now


@dataclass
class _Allowance:
    """How many further calls the windows of one pack may take."""

    calls: int


async def ask(ctx: StageContext, works: Sequence[Work]) -> list[Answer]:
    """The answers to some windows, in order; a ReplyError for those that got none.

    Raises:
        ModelError: the model cannot be reached; replies that had arrived are kept.
    """
    packer = Packer(ctx)
    summaries: Mapping[str, str] = {}
    if any(work.lookback.summarised for work in works):
        kept = ctx.replies.kept([work.request for work in works])
        new = [work for work, found in zip(works, kept, strict=True) if found is None]
        summaries = await _summaries(ctx, packer.grouped(new))
    answers, packs = await _round(ctx, works, packer.grouped, summaries)
    left = [(pack, _Allowance(ctx.policy.window.retry_calls)) for pack in packs]
    fruitless = 0
    while True:
        for pack, _ in left:
            packer.learn(pack, answers)
        failed = [[w for w in pack if isinstance(answers[id(w)], ReplyError)] for pack, _ in left]
        fruitful = any(len(bad) < len(pack) for (pack, _), bad in zip(left, failed, strict=True))
        fruitless = 0 if fruitful else fruitless + 1
        left = [
            (smaller, allowance)
            for (pack, allowance), bad in zip(left, failed, strict=True)
            for smaller in _smaller(pack, bad, answers, allowance, packer)
        ]
        if not left or fruitless == _FRUITLESS_ROUNDS:
            return [answers[id(work)] for work in works]
        answers |= await _again(ctx, [pack for pack, _ in left])


def _smaller(
    pack: Sequence[Work], failed: Sequence[Work], answers: Mapping[int, Answer], allowance: _Allowance, packer: Packer
) -> Sequence[Sequence[Work]]:
    """What of a pack is asked once more: what was left out, a whole pack in parts, one window never.

    The parts are as large as the model has turned out to be able to answer. What was only too long for it costs none
    of the allowance, which is there for a model that does not say what it was asked.
    """
    if len(pack) == 1 or not failed:
        return []
    parts: Sequence[Sequence[Work]] = packer.grouped(failed)
    if len(parts) == 1 and len(failed) == len(pack):
        first = 1 if _stuck(answers[id(failed[0])]) else (len(failed) + 1) // 2
        parts = [failed[:first], failed[first:]]
    if all(_only_too_long(answers[id(work)], len(failed) < len(pack)) for work in failed):
        return parts
    if len(parts) > allowance.calls:
        return []
    allowance.calls -= len(parts)
    return parts


def _stuck(answer: Answer) -> bool:
    """Whether a reply was begun and is of no use from its first window on: that one is rather the bad one."""
    return isinstance(answer, UnfitReply) and (answer.cut_off or answer.reply.lstrip().startswith("{"))


def _only_too_long(answer: Answer, others: bool) -> bool:
    """Whether nothing else was wrong with a window than the length of the prompt or of the reply that it stood in.

    Args:
        others: other windows of the pack were answered.
    """
    return isinstance(answer, PromptTooLong) or others and isinstance(answer, UnfitReply) and answer.cut_off


async def _again(ctx: StageContext, packs: Sequence[Sequence[Work]]) -> dict[int, Answer]:
    works = [work for pack in packs for work in pack]
    found, _ = await _round(ctx, works, lambda _: packs, await _summaries(ctx, packs))
    return found


async def _round(
    ctx: StageContext,
    works: Sequence[Work],
    pack: Callable[[Sequence[Work]], Sequence[Sequence[Work]]],
    summaries: Mapping[str, str],
) -> tuple[dict[int, Answer], Sequence[Sequence[Work]]]:
    """Ask once: the answers by identity of their window, and the packs in which those without a kept reply went."""
    joints: list[Joint] = []

    def joined(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
        missing = {id(request) for request in requests}
        parts = pack([w for w in works if id(w.request) in missing])
        joints.extend(Joint(part, summaries, ctx.policy.window.reply_tokens) for part in parts)
        return [joint.pack for joint in joints]

    answers = await ctx.replies.complete_many([work.request for work in works], joined)
    put_all_aside(
        ctx,
        [
            PutAside(f"extract/{joint.first}", 0, f"no such window: {stray.window}", dump(ExtractReply([stray])))
            for joint in joints
            for stray in joint.strays
        ],
    )
    found = {id(work): answer for work, answer in zip(works, answers, strict=True)}
    return found, [joint.works for joint in joints]


async def _summaries(ctx: StageContext, packs: Iterable[Sequence[Work]]) -> Mapping[str, str]:
    """The rolling summaries that some packs need, by their key: for understanding only, never extracted (RX-23).

    One that does not come, or that does not follow from its messages, is left out: the context still stands before the
    window.
    """
    wanted = {work.summary_of: work for pack in packs for work in to_summarise(pack)}
    if not wanted:
        return {}
    answers = await ctx.replies.complete_many([summary_request(ctx, work) for work in wanted.values()])
    found = {}
    unfit = []
    for (key, work), answer in zip(wanted.items(), answers, strict=True):
        if isinstance(answer, ReplyError):
            unfit.append(PutAside(f"rolling_summary/{work.window.window_id}", 0, str(answer), answer.reply))
        else:
            told = vetted(
                ctx, answer.value.text, work.request.scope, work.lookback.summarised, (), model=ctx.chat.model
            )
            source = f"rolling_summary/{work.window.window_id}"
            unfit += [PutAside(source, n, f"{r.code}: {r.detail}", r.text) for n, r in enumerate(told.refused, 1)]
            found[key] = truncate(told.text if told.sound else "", ctx.policy.summary.rolling_tokens)
    put_all_aside(ctx, unfit)
    return found
