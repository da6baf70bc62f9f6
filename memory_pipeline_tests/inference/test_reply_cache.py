"""Kept replies and the ledger beside them: nothing is paid for twice, and nothing that was paid is missing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError, StorageError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.replies import SummaryReply
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Reply
from memory_pipeline.storage.queries.costs import spending
from memory_pipeline_tests.inference.sample_requests import message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import says

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
DAY = date(2026, 3, 10)
Open = Callable[..., StageContext]


@pytest.fixture
def opened(tmp_path: Path, protocol_server: ProtocolServer) -> Open:
    """Makes contexts of one home with a hosted model, as processes do."""

    def open_(now: datetime = NOW, **settings: Any) -> StageContext:
        given = {"chat": "openai", "chat_retries": 0, **settings}
        return StageContext(Settings.load(home=str(tmp_path), **given), "run", now)

    return open_


def request(text: str, day: date = DAY, user: str = "ann") -> ChatRequest[SummaryReply]:
    inputs = {"messages": [message(content=text)], "max_tokens": 100}
    return ChatRequest("rolling_summary", inputs, SummaryReply, Scope("t", user), day, max_tokens=200)


def complete(ctx: StageContext, *requests: ChatRequest[Any], pack: Any = None) -> list[ChatReply[Any] | ReplyError]:
    return asyncio.run(ctx.replies.complete_many(requests, pack))


def together(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    """All in one call, each with the whole reply for its own."""
    return [Pack(replace(requests[0]), requests, lambda value: [value] * len(requests))] if requests else []


def total(ctx: StageContext) -> dict[str, Any]:
    return spending(ctx.lake, "day")[1]


def test_only_a_model_in_the_process_answers_at_once(opened: Open, protocol_server: ProtocolServer) -> None:
    assert opened().replies.at_once(request("a")) is None and not protocol_server.calls
    ctx = opened(chat="builtin")
    answer = ctx.replies.at_once(request("a"))
    assert answer is not None and ctx.replies.calls == 1
    ctx.replies.flush()
    (kept,) = complete(opened(chat="builtin"), request("a"))
    assert isinstance(kept, ChatReply)
    assert kept.cached and (kept.key, kept.value) == (answer.key, answer.value)


def test_the_same_request_costs_once(opened: Open, protocol_server: ProtocolServer) -> None:
    (first,) = complete(opened(), request("a"))
    again = opened()
    (second, other) = complete(again, request("a"), request("b"))
    assert isinstance(first, ChatReply) and isinstance(second, ChatReply) and isinstance(other, ChatReply)
    assert (first.cached, second.cached, other.cached) == (False, True, False)
    assert second.value == first.value and second.key == first.key != other.key
    assert (again.replies.calls, again.replies.hits) == (1, 1) and len(protocol_server.calls) == 2
    found = total(again)
    assert (found["calls"], found["cached"]) == (2, 1)
    assert found["saved_tokens"] == first.usage.prompt_tokens + first.usage.completion_tokens
    assert found["saved_usd"] == pytest.approx(first.usage.usd)


def test_looking_up_what_is_kept_counts_nothing(opened: Open, protocol_server: ProtocolServer) -> None:
    (first,) = complete(opened(), request("a"))
    assert isinstance(first, ChatReply)
    before = total(opened())
    kept, missing = opened().replies.kept([request("a"), request("b")])
    assert kept is not None and (kept.reply, kept.usd) == (first.raw, pytest.approx(first.usage.usd))
    assert missing is None and total(opened()) == before and len(protocol_server.calls) == 1


def test_shares_of_a_joint_call_add_up_and_go_to_their_own_days(opened: Open, protocol_server: ProtocolServer) -> None:
    ctx = opened()
    asked = [request(text, date(2026, 3, 10 + n // 2)) for n, text in enumerate("abcde")]
    (first, *_) = complete(ctx, *asked, pack=together)
    assert isinstance(first, ChatReply) and len(protocol_server.calls) == 1
    kept = ctx.lake.read("replies", Reply)
    rows, found = spending(ctx.lake, "event-day")
    assert sum(r.prompt_tokens for r in kept) == found["prompt_tokens"] == first.usage.prompt_tokens
    assert sum(r.completion_tokens for r in kept) == found["completion_tokens"] == first.usage.completion_tokens
    assert sum(r.usd for r in kept) == pytest.approx(first.usage.usd)
    assert [r["event_day"].day for r in rows] == [10, 11, 12] and [r["calls"] for r in rows] == [1, 0, 0]
    assert rows[0]["usd"] == pytest.approx(2 * rows[2]["usd"])


def test_a_reply_that_had_to_be_repaired_is_two_calls(opened: Open, protocol_server: ProtocolServer) -> None:
    protocol_server.script(says("no JSON"))
    ctx = opened()
    complete(ctx, request("a"))
    assert total(ctx)["calls"] == len(protocol_server.calls) == ctx.replies.calls == 2


def test_a_reply_that_never_fits_is_paid_for_all_the_same(opened: Open, protocol_server: ProtocolServer) -> None:
    protocol_server.script(says("no JSON"), says("no JSON"))
    ctx = opened()
    (answer,) = complete(ctx, request("a"))
    assert isinstance(answer, ReplyError)
    found = total(ctx)
    assert found["prompt_tokens"] == sum(c.prompt_tokens for c in protocol_server.calls) > 0 and found["usd"] > 0
    assert ctx.lake.read("replies", Reply) == []


def test_runs_side_by_side_do_not_touch_each_other_s_entries(opened: Open, protocol_server: ProtocolServer) -> None:
    one, other = opened(), opened()  # the same run and the same time, as a retried step has
    complete(one, request("a"))
    complete(other, request("b"))
    for ctx in (opened(), opened()):
        complete(ctx, request("a"), request("b"))
    found = total(opened())
    assert (found["calls"], found["cached"]) == (2, 4)
    assert found["prompt_tokens"] == sum(c.prompt_tokens for c in protocol_server.calls)


def test_of_two_replies_to_one_request_the_first_holds(opened: Open, protocol_server: ProtocolServer) -> None:
    ctx = opened()
    complete(ctx, request("a"))
    (kept,) = ctx.lake.read("replies", Reply)
    other = replace(kept, reply=json.dumps({"text": "other", "messages": [], "memories": []}))
    for hours in (1, 2, -1):
        ctx.lake.append("replies", [replace(other, recorded_at=kept.recorded_at + timedelta(hours=hours))])
        (again,) = complete(opened(), request("a"))
        assert isinstance(again, ChatReply) and again.raw == (kept.reply if hours > 0 else other.reply)


def test_a_crash_between_ledger_and_reply_hides_no_money(
    opened: Open, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Lake.append

    def fails(self: Lake, dataset: str, rows: Sequence[Any]) -> int:
        if dataset == "replies" and rows:
            raise StorageError("the disk is full")
        return append(self, dataset, rows)

    with monkeypatch.context() as broken:
        broken.setattr(Lake, "append", fails)
        with pytest.raises(StorageError):
            complete(opened(), request("a"))
    assert total(opened())["calls"] == 1, "what was spent is in the ledger"
    complete(opened(), request("a"))
    complete(opened(), request("a"))
    found = total(opened())
    assert (found["calls"], found["cached"], len(protocol_server.calls)) == (2, 1, 2), "paid again, and said so"
    assert found["prompt_tokens"] == sum(c.prompt_tokens for c in protocol_server.calls)


def test_spending_is_dated_by_the_call_and_not_by_the_run(opened: Open) -> None:
    ctx = opened(datetime(2026, 7, 1, 23, 59, 59, 999_999, tzinfo=UTC))
    complete(ctx, request("a"))
    rows, _ = spending(ctx.lake, "day")
    assert [r["day"] for r in rows] == [date(2026, 7, 2)], "the run began a moment before midnight"


def test_the_builtin_model_costs_nothing_and_is_counted(tmp_path: Path) -> None:
    ctx = StageContext(Settings.load(home=str(tmp_path), budget_usd_per_day=0), "run", NOW)
    complete(ctx, request("I moved to Lisbon."), request("I like tea."))
    complete(ctx, request("I moved to Lisbon."))
    found = total(ctx)
    assert (found["calls"], found["cached"], found["tokens"], found["usd"]) == (2, 1, 0, 0.0)
