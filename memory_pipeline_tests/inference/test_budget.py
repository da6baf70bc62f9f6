"""The day's limit: it holds under load, over midnight, beside other processes, and for vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import BudgetExceeded
from memory_pipeline.inference import budget as budgets
from memory_pipeline.inference.budget import Budget
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.replies import SummaryReply
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.costs import entry, spending, spent_on
from memory_pipeline_tests.inference.sample_requests import message
from memory_pipeline_tests.protocol_server import ProtocolServer

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
# A call costs some 300 prompt tokens at 1,000 USD a million: 0.3 USD; its longest reply is 200 tokens: 0.2 USD.
DEAR = {"chat_input_usd": 1000.0, "chat_cached_usd": 1000.0, "chat_output_usd": 1000.0}
Open = Callable[..., StageContext]


@pytest.fixture
def opened(tmp_path: Path, protocol_server: ProtocolServer) -> Open:
    def open_(limit: float | None, now: datetime = NOW, **settings: Any) -> StageContext:
        given = {"chat": "openai", "chat_retries": 0, "budget_usd_per_day": limit, **DEAR, **settings}
        return StageContext(Settings.load(home=str(tmp_path), **given), "run", now)

    return open_


def requests(count: int) -> list[ChatRequest[SummaryReply]]:
    return [
        ChatRequest(
            "rolling_summary",
            {"messages": [message(content=f"It is {n}.")], "max_tokens": 100},
            SummaryReply,
            Scope("t", "u"),
            date(2026, 3, 10),
            max_tokens=200,
        )
        for n in range(count)
    ]


def complete(ctx: StageContext, count: int) -> list[Any]:
    return asyncio.run(ctx.replies.complete_many(requests(count)))


def test_none_means_no_limit(opened: Open) -> None:
    ctx = opened(None)
    assert all(isinstance(a, ChatReply) for a in complete(ctx, 3)) and ctx.budget.left() is None


def test_zero_means_no_hosted_call_at_all(opened: Open, protocol_server: ProtocolServer) -> None:
    for free in ({}, dict.fromkeys(DEAR, 0.0)):
        with pytest.raises(BudgetExceeded, match="MEMORY_PIPELINE_BUDGET_USD_PER_DAY=0"):
            complete(opened(0.0, **free), 3)
    assert protocol_server.calls == []


@pytest.mark.parametrize("concurrency", [1, 8])
def test_it_is_never_exceeded_and_what_was_paid_for_is_kept(
    opened: Open, protocol_server: ProtocolServer, concurrency: int
) -> None:
    protocol_server.delay(0.01)
    ctx = opened(2.0, chat_concurrency=concurrency)
    with pytest.raises(BudgetExceeded) as caught:
        complete(ctx, 40)
    made = len(protocol_server.calls)
    spent = spent_on(ctx.lake, NOW.date())
    assert 0 < made < 40 and 1.2 < spent <= 2.0 and ctx.budget.spent() == pytest.approx(spent)
    said = str(caught.value)
    assert f"{spent:.4f} of 2 USD" in said and f"still open: {40 - made}" in said and "after 00:00 UTC" in said
    facts = caught.value
    assert (facts.spent_usd, facts.limit_usd, facts.still_open) == (pytest.approx(spent), 2.0, 40 - made)
    assert facts.resumes_at == datetime(NOW.year, NOW.month, NOW.day, tzinfo=UTC) + timedelta(days=1)
    assert facts.spent_usd + facts.usd > 2.0
    kept = opened(None)
    assert sum(found is not None for found in kept.replies.kept(requests(40))) == made


def test_a_call_waits_for_what_others_hold_in_reserve(opened: Open, protocol_server: ProtocolServer) -> None:
    protocol_server.delay(0.01)
    one = opened(None)
    complete(one, 1)
    cost = spent_on(one.lake, NOW.date())
    ctx = opened(cost * 12 + 0.2)  # enough for all of them, but not for the most that all might cost at once
    assert all(isinstance(a, ChatReply) for a in complete(ctx, 12))
    assert protocol_server.most_at_once < 8


def test_one_call_that_is_dearer_than_a_day_is_said_to_be(opened: Open, protocol_server: ProtocolServer) -> None:
    with pytest.raises(
        BudgetExceeded, match="more than a whole day's budget of 0.01: raise MEMORY_PIPELINE_BUDGET_USD"
    ) as caught:
        complete(opened(0.01), 1)
    assert caught.value.resumes_at is None, "no day is long enough for it"
    assert protocol_server.calls == []


def test_the_next_day_goes_on(opened: Open, protocol_server: ProtocolServer) -> None:
    with pytest.raises(BudgetExceeded):
        complete(opened(1.0), 5)
    made = len(protocol_server.calls)
    with pytest.raises(BudgetExceeded):
        complete(opened(1.0, NOW + timedelta(hours=14)), 5)
    assert len(protocol_server.calls) == made, "it is still the same day"
    for later in range(1, 6):
        try:
            complete(opened(1.0, NOW + timedelta(days=later)), 5)
            break
        except BudgetExceeded:
            continue
    assert len(protocol_server.calls) == 5, "each call was made once"


def test_a_run_over_midnight_goes_on_with_the_next_day_s_money(tmp_path: Path) -> None:
    at = [datetime(2026, 7, 1, 23, 59, tzinfo=UTC)]
    budget = Budget(1.0, Lake(str(tmp_path)), lambda: at[0])
    spent = entry(None, None, "extract", "m", "run", at[0], usd=0.9)
    budget.lake.append("costs", [spent])
    with pytest.raises(BudgetExceeded):
        budget.check(0.2)
    at[0] += timedelta(minutes=2)
    budget.check(0.2)
    assert (budget.spent(), budget.left()) == (0.0, 1.0)


def test_what_other_processes_spend_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(1.0, Lake(str(tmp_path)), lambda: NOW)
    assert budget.spent() == 0.0
    other = entry(None, None, "extract", "m", "other", NOW, usd=0.75)
    Lake(str(tmp_path)).append("costs", [other])
    assert budget.spent() == 0.0, "it does not look every time"
    monkeypatch.setattr(budgets, "_LOOK_AGAIN_S", 0.0)
    assert budget.spent() == 0.75
    budget.note([other])
    own = entry(None, None, "extract", "m", "run", NOW, usd=0.125)
    budget.note([own])
    budget.lake.append("costs", [own])
    assert budget.spent() == 0.875, "each entry once, whoever tells of it"


def test_vectors_are_in_the_ledger_and_under_the_limit(opened: Open, protocol_server: ProtocolServer) -> None:
    hosted = {"encoder": "openai", "encoder_dimensions": 8, "encoder_usd": 1000.0}
    ctx = opened(1.0, **hosted)
    ctx.encoder.encode(["a short text", "another", ""])
    ctx.encoder.encode(["a short text"])
    rows, total = spending(ctx.lake, "stage")
    tokens = sum(c.prompt_tokens for c in protocol_server.calls)
    assert [(r["stage"], r["calls"], r["prompt_tokens"]) for r in rows] == [("encode", 1, tokens)]
    assert total["usd"] == pytest.approx(tokens * 1000 / 1e6) == pytest.approx(ctx.budget.spent())
    with pytest.raises(BudgetExceeded):
        ctx.encoder.encode(["word " * 1000])
    with pytest.raises(BudgetExceeded, match="=0"):
        opened(0.0, **hosted).encoder.encode(["a text"])
    assert opened(0.0, **hosted).encoder.encode(["", " "]).shape == (2, 8), "nothing to encode costs nothing"
    assert len(protocol_server.calls) == 1
