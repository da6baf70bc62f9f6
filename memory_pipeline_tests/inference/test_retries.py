from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import httpx2
import pytest
from openai import APIConnectionError, APIStatusError, APITimeoutError

from memory_pipeline.inference.hosted.retries import FIRST_PAUSE_S, LONGEST_PAUSE_S, MalformedAnswer, pause, transient

REQUEST = httpx2.Request("POST", "http://localhost/v1/chat/completions")


def refused(status: int, retry_after: str | None = None, **body: Any) -> APIStatusError:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return APIStatusError("no", response=httpx2.Response(status, headers=headers, request=REQUEST), body=body)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_outages_and_rate_limits_are_tried_again(status: int) -> None:
    assert transient(refused(status))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_what_will_not_change_is_not_tried_again(status: int) -> None:
    assert not transient(refused(status))


def test_lost_connections_and_timeouts_are_tried_again_but_not_our_own_faults() -> None:
    assert transient(APIConnectionError(request=REQUEST))
    assert transient(APITimeoutError(REQUEST))
    assert transient(TimeoutError())
    assert transient(MalformedAnswer("no choices"))
    assert not transient(TypeError())


def test_an_empty_account_is_not_tried_again() -> None:
    assert not transient(refused(429, code="insufficient_quota"))


def test_pauses_double_with_jitter_and_stay_bounded() -> None:
    for attempt in (1, 2, 3):
        full = FIRST_PAUSE_S * 2 ** (attempt - 1)
        found = {pause(refused(500), attempt) for _ in range(50)}
        assert len(found) > 1
        assert all(full / 2 <= p <= full for p in found)
    assert pause(refused(500), 500) <= LONGEST_PAUSE_S


@pytest.mark.parametrize("asked", [0, 3, 7.5])
def test_the_servers_seconds_are_kept(asked: float) -> None:
    assert all(asked <= pause(refused(429, str(asked)), 1) <= asked + FIRST_PAUSE_S for _ in range(20))


def test_the_servers_date_is_kept() -> None:
    assert 7 <= pause(refused(503, formatdate(time.time() + 9, usegmt=True)), 1) <= 10


def test_the_servers_wish_is_capped() -> None:
    assert pause(refused(429, "86400"), 1) == LONGEST_PAUSE_S
    assert pause(refused(429, formatdate(time.time() + 86_400, usegmt=True)), 1) == LONGEST_PAUSE_S


@pytest.mark.parametrize("nonsense", ["soon", "-5", "inf", "nan", "", "Thu, 99 Foo 2026"])
def test_a_wish_without_sense_is_ignored(nonsense: str) -> None:
    assert pause(refused(429, nonsense), 1) <= FIRST_PAUSE_S


def test_a_date_in_the_past_is_ignored() -> None:
    assert pause(refused(503, formatdate(time.time() - 60, usegmt=True)), 1) <= FIRST_PAUSE_S
