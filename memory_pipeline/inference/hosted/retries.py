"""Which failed calls to a hosted model are tried again, and when."""

from __future__ import annotations

import logging
import random
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypedDict

from tenacity import RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.retry import retry_base
from tenacity.stop import stop_base

from memory_pipeline.inference.hosted.endpoint import out_of_quota

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 60.0
_TRANSIENT = frozenset({408, 409, 425, 429})
_NOT_IMPLEMENTED = 501

_log = logging.getLogger(__name__)


class MalformedAnswer(Exception):
    """The server said 200 and sent something that is no answer of the protocol, as broken gateways do."""


class RetryOptions(TypedDict):
    """Keyword arguments of ``tenacity.Retrying`` and ``tenacity.AsyncRetrying``."""

    retry: retry_base
    wait: Callable[[RetryCallState], float]
    stop: stop_base
    before_sleep: Callable[[RetryCallState], None]
    reraise: bool


def options(retries: int) -> RetryOptions:
    """How to call: at most ``retries`` further tries, with pauses, then the last error as it is."""
    return RetryOptions(
        retry=retry_if_exception(transient),
        wait=_pause_of,
        stop=stop_after_attempt(retries + 1),
        before_sleep=_tell,
        reraise=True,
    )


def transient(error: BaseException) -> bool:
    """Whether the same request may succeed later: rate limits, outages, lost connections, timeouts."""
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        if error.status_code == 429:
            return not out_of_quota(error)
        outage = error.status_code >= 500 and error.status_code != _NOT_IMPLEMENTED
        return outage or error.status_code in _TRANSIENT
    return isinstance(error, (APIConnectionError, TimeoutError, MalformedAnswer))


def pause(error: BaseException | None, attempt: int) -> float:
    """Seconds to wait after the ``attempt``-th failure (from 1): what the server asks for, else a doubling time.

    At most LONGEST_PAUSE_S. Jitter spreads the callers; it is added to what the server asks for, so nobody is early.
    """
    asked = _retry_after(error)
    if asked is not None:
        return min(asked + random.uniform(0, FIRST_PAUSE_S / 2), LONGEST_PAUSE_S)
    return random.uniform(0.5, 1.0) * min(FIRST_PAUSE_S * 2.0 ** min(attempt - 1, 16), LONGEST_PAUSE_S)


def _retry_after(error: BaseException | None) -> float | None:
    """Seconds after the ``Retry-After`` header, a number or a date; None where there is none that makes sense."""
    response = getattr(error, "response", None)
    value = None if response is None else response.headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return seconds if 0 <= seconds < float("inf") else None


def _pause_of(state: RetryCallState) -> float:
    return pause(_error_of(state), state.attempt_number)


def _tell(state: RetryCallState) -> None:
    error = _error_of(state)
    status = getattr(error, "status_code", "")
    wait = state.next_action.sleep if state.next_action else 0.0
    _log.warning("%s %s, try %d; again in %.1f s", type(error).__name__, status, state.attempt_number, wait)


def _error_of(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
