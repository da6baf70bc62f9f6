"""Limits, pages, problems and who is let in, without a server."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from memory_pipeline import errors
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import MemoryPipelineError, QueryError, StorageError
from memory_pipeline.serving.access import Caller, is_loopback, right_for
from memory_pipeline.serving.answers import Json
from memory_pipeline.serving.keys import EVERYBODY, Grant, Right
from memory_pipeline.serving.limits import Rates
from memory_pipeline.serving.paging import page
from memory_pipeline.serving.problems import Refused, of_error
from memory_pipeline.settings import Settings

POLICY = Settings.load().policies.serving


def test_a_key_that_asks_too_often_is_slowed_down_alone() -> None:
    now = [0.0]
    rates = Rates(replace(POLICY, requests_per_minute=60, burst=3), clock=lambda: now[0])
    for _ in range(3):
        rates.take("a")
    with pytest.raises(Refused) as refused:
        rates.take("a")
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
    rates.take("b")
    now[0] = 1.0
    rates.take("a")
    with pytest.raises(Refused):
        rates.take("a")


def test_pages_hold_each_item_once_whatever_comes_and_goes() -> None:
    items = [{"id": f"{n:02}"} for n in range(7)]

    def read(cursor: str | None) -> dict[str, Any]:
        return page(items, lambda item: (item["id"],), 3, cursor)

    first = read(None)
    assert [i["id"] for i in first["items"]] == ["00", "01", "02"]
    items.remove({"id": "02"})
    items.append({"id": "005"})
    second = read(str(first["next_cursor"]))
    assert [i["id"] for i in second["items"]] == ["03", "04", "05"]
    last = read(str(second["next_cursor"]))
    assert ([i["id"] for i in last["items"]], last["next_cursor"]) == (["06"], None)
    for wrong in ("", "!", "e30", "WzFd", "é"):
        with pytest.raises(QueryError, match="cursor"):
            read(wrong)


def test_every_error_of_the_package_has_a_status() -> None:
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, MemoryPipelineError)]
    for cls in classes:
        answer = of_error(cls("what is wrong"))
        body = json.loads(answer.body)
        assert 400 <= answer.status_code < 600 and answer.status_code != 500, cls
        assert body["status"] == answer.status_code and body["type"].startswith("urn:memory-pipeline:")
    body = json.loads(of_error(errors.NotFound("no such memory", memory_id="mem_1")).body)
    assert (body["memory_id"], body["detail"]) == ("mem_1", "no such memory")
    told = errors.BatchError("stopped", status="failed", url="http://secret", unanswered=2)
    body = json.loads(of_error(told).body)
    assert (body["status"], body["unanswered"], "url" in body) == (502, 2, False)
    hidden = of_error(StorageError("cannot read /srv/secret/place", path="/srv/secret/place")).body
    assert b"secret" not in hidden


def test_whom_a_caller_reaches() -> None:
    ann = Caller(Grant("k", "acme", "ann", frozenset({Right.READ})))
    assert ann.scope(None, None) == ann.scope("ann", "acme") == Scope("acme", "ann")
    for user, tenant in (("bob", None), ("ann", "rival"), (None, "rival")):
        with pytest.raises(Refused) as refused:
            ann.scope(user, tenant)
        assert refused.value.status == 403
    anybody = Caller(EVERYBODY)
    assert anybody.scope("ann", None) == Scope("default", "ann")
    assert anybody.scope("ann", "rival") == Scope("rival", "ann")
    with pytest.raises(Refused, match="user_id is missing"):
        anybody.scope(None, None)
    ann.scope(None, None)
    ann.unnamed(lambda scope: f"not-{scope.user_id}")
    assert ann.about == ("acme", "not-ann")


def test_what_is_not_listed_is_not_there() -> None:
    assert right_for("POST", "/v1/search") is Right.READ
    assert right_for("DELETE", "/v1/memories/mem_1") is Right.WRITE
    for method, path in (
        ("GET", "/v1/search"),
        ("POST", "/v1/search/x"),
        ("GET", "/panel/none"),
        ("PUT", "/v1/memories/m"),
    ):
        assert right_for(method, path) is None


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.0.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.example.org")))


def test_half_a_character_is_written_as_json_has_it() -> None:
    assert json.loads(Json({"text": "\ud800 é"}).body) == {"text": "\ud800 é"}
