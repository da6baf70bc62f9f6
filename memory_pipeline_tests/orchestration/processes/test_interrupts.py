"""Ctrl-C while a stage waits for a model: asyncio must not take it for a callback that failed."""

from __future__ import annotations

import asyncio
import os
import signal
from types import FrameType

import pytest

from memory_pipeline.orchestration.assets.run_stage import interruptible


class _Interrupted(BaseException):
    """As Dagster's: not a KeyboardInterrupt."""


def _raise(number: int, frame: FrameType | None) -> None:
    raise _Interrupted


async def _interrupted_in_a_callback() -> str:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, about: None)
    loop.call_soon(lambda: os.kill(os.getpid(), signal.SIGINT))
    await asyncio.sleep(0.2)
    return "went on"


def test_an_interrupt_inside_a_callback_stops_the_work() -> None:
    before = signal.signal(signal.SIGINT, _raise)
    try:
        assert asyncio.run(_interrupted_in_a_callback()) == "went on", "what it would be without"
        with interruptible(), pytest.raises(KeyboardInterrupt):
            asyncio.run(_interrupted_in_a_callback())
        assert signal.getsignal(signal.SIGINT) is _raise
    finally:
        signal.signal(signal.SIGINT, before)
