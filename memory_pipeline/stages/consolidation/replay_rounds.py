"""Users' replays brought to an end: what the fold leaves open is asked, until nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial

from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, limits_of
from memory_pipeline.inference.replies import JudgeReply
from memory_pipeline.stages.consolidation.judge import Case
from memory_pipeline.stages.consolidation.judge_packing import Room, pack, singly
from memory_pipeline.stages.consolidation.replay import Replay
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.quarantine import put_aside


async def settle(ctx: StageContext, replays: Sequence[Replay], days: Sequence[date]) -> None:
    """Fold, ask the judge about all that was open, and fold again, until nothing is.

    Raises:
        ModelError: the judge cannot be reached.
    """
    left = list(replays)
    while left:
        open_ = [(replay, case) for replay in left for case in replay.fold(days[0], days[-1])]
        if not open_:
            break
        answers = await _answers(ctx, [case for _, case in open_])
        for (replay, case), answer in zip(open_, answers, strict=True):
            replay.learn(case, answer)
        asked = {id(replay) for replay, _ in open_}
        left = [replay for replay in left if id(replay) in asked]
    if "replies" in ctx.__dict__:  # else nothing was asked, and no model need be opened
        ctx.replies.flush()


def _unfit(answers: Sequence[ChatReply[JudgeReply] | ReplyError]) -> list[int]:
    return [n for n, answer in enumerate(answers) if isinstance(answer, ReplyError)]


async def _answers(ctx: StageContext, cases: Sequence[Case]) -> list[ChatReply[JudgeReply] | ReplyError]:
    """Answers to cases; those that a joint reply left out are asked again as long as some come, a few at last alone."""
    room = Room.of(ctx.policy.window, limits_of(ctx.chat))
    answers = await ctx.replies.complete_many([case.request for case in cases], partial(pack, room=room))
    few, asked = ctx.policy.window.retry_calls, len(cases)
    while (unfit := _unfit(answers)) and (len(unfit) < asked or few >= asked > 1):
        alone = len(unfit) <= few
        join = singly if alone else partial(pack, room=room)
        again = await ctx.replies.complete_many([cases[n].request for n in unfit], join)
        for n, answer in zip(unfit, again, strict=True):
            answers[n] = answer
        if alone:
            break
        asked = len(unfit)
    for case, answer in zip(cases, answers, strict=True):
        if isinstance(answer, ReplyError):
            put_aside(ctx, f"consolidate/{case.proposal.proposal_id}", 0, str(answer), answer.reply)
    return answers
