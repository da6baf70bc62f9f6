"""Limits of requests: the size of a body, and how many a key may send in a minute."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_pipeline.domain.policy import ServingPolicy
from memory_pipeline.serving.problems import Refused, of_error

_KEYS = 10_000


class Rates:
    """A bucket of tokens for each key: so many a minute, and a burst at once. Safe for threads.

    Args:
        clock: seconds that never go back.
    """

    def __init__(self, policy: ServingPolicy, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = policy.requests_per_minute / 60
        self._burst = policy.burst
        self._clock = clock
        self._guard = threading.Lock()
        self._left: OrderedDict[str | None, tuple[float, float]] = OrderedDict()

    def take(self, key_id: str | None) -> None:
        """Count a request.

        Raises:
            Refused: there were too many.
        """
        now = self._clock()
        with self._guard:
            left, at = self._left.pop(key_id, (float(self._burst), now))
            left = min(float(self._burst), left + (now - at) * self._per_s)
            self._left[key_id] = (max(left - 1, 0.0) if left >= 1 else left, now)
            while len(self._left) > _KEYS:
                self._left.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) / self._per_s)
            raise Refused("too many requests with this key: slow down", 429, {"Retry-After": str(wait)})


class BodyLimit:
    """Refuses bodies that are too large, whatever they say of their length."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._most:
            await of_error(self._refusal())(scope, receive, send)
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                if taken > self._most:  # what reads the body takes any other error for a malformed body
                    raise HTTPException(413, str(self._refusal()))
            return message

        await self._app(scope, counted, send)

    def _refusal(self) -> Refused:
        return Refused(f"the body has more than {self._most:,} bytes: send it in parts", 413)
