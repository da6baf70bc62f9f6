"""What the workers of a cluster are given to do; they import it by its name."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import BudgetExceeded, ReplyError
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import SummaryReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.inference.sample_requests import message

_log = logging.getLogger("memory_pipeline.tests")


def answers(ctx: StageContext, numbers: Sequence[int]) -> list[str]:
    """What a hosted model says about some numbers; the name of the error where it says nothing."""
    _log.warning("asking about %s", list(numbers))
    requests = [
        ChatRequest(
            "rolling_summary",
            {"messages": [message(content=f"It is {n}.")], "max_tokens": 100},
            SummaryReply,
            Scope("t", "u"),
            date(2026, 3, 10),
            max_tokens=200,
        )
        for n in numbers
    ]
    found = asyncio.run(ctx.replies.complete_many(requests))
    return [type(answer).__name__ if isinstance(answer, ReplyError) else answer.raw for answer in found]


def answers_after_a_death(ctx: StageContext, note: str) -> list[str]:
    """The same, where the first worker dies while its call is under way."""
    try:
        Path(note).touch(exist_ok=False)
    except FileExistsError:
        return answers(ctx, [1])

    async def die() -> None:
        async with ctx.budget.reserved(0.5):
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(die())
    raise AssertionError


def spends_too_much(ctx: StageContext, usd: float) -> None:
    """
    Raises:
        BudgetExceeded: as a stage would.
    """
    raise BudgetExceeded("the budget is spent", usd, stage="proposals")


def wait_for_ever(ctx: StageContext, note: str) -> None:
    """Say that it is at work, and go on."""
    Path(note).touch()
    time.sleep(600)
