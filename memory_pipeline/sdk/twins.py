"""Asynchronous twins of methods that hand one call on, and what belongs to one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def twin(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Awaitable[R]]:
    """The twin of a method that only prepares a call and returns what it brings: on the object's ``awaiting``, whose
    calls bring awaitables, the same method returns the awaitable of its result."""

    @wraps(method)
    async def asynchronous(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        found: Awaitable[R] = method(self.awaiting, *args, **kwargs)  # type: ignore[assignment]
        return await found

    return asynchronous


class PerLoop(Generic[T]):
    """Something that holds connections, made anew when another event loop asks for it: those of a loop that has ended
    cannot be used."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._held: tuple[asyncio.AbstractEventLoop, T] | None = None

    def get(self) -> T:
        """What belongs to the running loop."""
        loop = asyncio.get_running_loop()
        if self._held is None or self._held[0] is not loop:
            self._held = (loop, self._make())
        return self._held[1]

    def pop(self) -> T | None:
        """What belongs to the running loop, to be closed; None where there is none."""
        held, self._held = self._held, None
        return held[1] if held is not None and held[0] is asyncio.get_running_loop() else None
