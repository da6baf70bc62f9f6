"""A back-fill that costs more than a day may: it stops, keeps what it paid for, and the next days finish it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import BudgetExceeded
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.plan.forecast import Forecast, Span, TaskForecast, forecast
from memory_pipeline.storage.queries.costs import spending
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
DAYS = [NOON.date() + timedelta(days=n) for n in range(10)]
USERS = ("ann", "bob", "cid")
PRICES = {"chat_input_usd": 1000.0, "chat_cached_usd": 1000.0, "chat_output_usd": 100.0}
Open = Callable[..., StageContext]


@pytest.fixture
def opened(tmp_path: Path, protocol_server: ProtocolServer) -> Open:
    """Makes contexts of a home with ten days of three users."""

    def open_(home: str = "home", now: datetime = NOW, **settings: Any) -> StageContext:
        given = {"chat": "openai", "chat_retries": 0, **PRICES, **settings}
        ctx = StageContext(Settings.load(home=str(tmp_path / home), **given), "run", now)
        if not ctx.lake.days("messages"):
            ctx.lake.append("messages", [_message(u, d, k) for u in USERS for d in range(10) for k in range(6)])
        return ctx

    return open_


def _message(user: str, day: int, n: int) -> Any:
    said = f"{user} says {n} on day {day}. " + "And so it goes on and on. " * 60
    at = NOON + timedelta(days=day, minutes=n)
    return message(said, at, user_id=user, session_id=f"{user}-{day}", message_id=f"{user}-{day}-{n}")


def _ahead(ctx: StageContext, *stages: str, days: list[date] = DAYS) -> Forecast:
    return forecast(ctx, [Span(Grain.DAY, stages or ("proposals",), days)])


def _extraction(ctx: StageContext, **given: Any) -> TaskForecast:
    return next(t for t in _ahead(ctx, **given).tasks if t.stage == "extract")


def test_it_stops_in_the_middle_and_later_days_finish_it(opened: Open, protocol_server: ProtocolServer) -> None:
    extract(opened("undisturbed"), DAYS)
    undisturbed = len(protocol_server.calls)
    windows = opened("undisturbed").lake.read("windows", Window)
    whole = spending(opened("undisturbed").lake, "day")[1]
    limit = whole["usd"] * 0.6
    before = undisturbed
    made = []
    for day in range(10):
        ctx = opened(now=NOW + timedelta(days=day), budget_usd_per_day=limit)
        open_before = _extraction(ctx).calls
        try:
            extract(ctx, DAYS)
        except BudgetExceeded as error:
            made.append(len(protocol_server.calls) - before)
            before = len(protocol_server.calls)
            assert 0 < made[-1] < undisturbed, "it stops in the middle"
            assert _extraction(opened()).calls == open_before - made[-1], "what was paid for is kept"
            assert f"still open: {open_before - made[-1]}" in str(error)
            assert ctx.lake.days("windows") == [], "what was not finished is not published"
        else:
            made.append(len(protocol_server.calls) - before)
            break
    assert len(made) > 1 and sum(made) == undisturbed == len(protocol_server.calls) / 2
    assert opened().lake.read("windows", Window) == windows
    rows, total = spending(opened().lake, "day")
    assert [r["calls"] for r in rows] == made and all(r["usd"] <= limit for r in rows)
    assert total["usd"] == pytest.approx(whole["usd"]) and total["prompt_tokens"] == whole["prompt_tokens"]


def test_the_second_run_makes_no_call(opened: Open, protocol_server: ProtocolServer) -> None:
    extract(opened(), DAYS)
    calls = len(protocol_server.calls)
    ctx = opened(now=NOW + timedelta(days=1), budget_usd_per_day=0)
    extract(ctx, DAYS)
    assert len(protocol_server.calls) == calls and (ctx.replies.calls, ctx.replies.hits) == (0, 30)
    (row,) = spending(ctx.lake, "day", first=NOW.date() + timedelta(days=1))[0]
    assert (row["calls"], row["cached"], row["tokens"], row["usd"]) == (0, 30, 0, 0.0)
    assert row["saved_usd"] == pytest.approx(spending(ctx.lake, "day", last=NOW.date())[1]["usd"])


def test_extraction_is_forecast_by_counting(opened: Open, protocol_server: ProtocolServer) -> None:
    ahead = _extraction(opened())
    assert len(protocol_server.calls) == 0 and opened().lake.days("costs") == [], "a forecast asks and writes nothing"
    extract(opened(), DAYS)
    real = spending(opened().lake, "stage")[1]
    assert (ahead.calls, ahead.cached, ahead.exact) == (real["calls"], 0, True)
    assert ahead.prompt_tokens == pytest.approx(real["prompt_tokens"], rel=0.001)
    after = _extraction(opened())
    assert (after.calls, after.cached, after.usd) == (0, 30, 0.0)


def test_a_late_message_is_forecast_alone(opened: Open, protocol_server: ProtocolServer) -> None:
    extract(opened(), DAYS)
    opened().lake.append("messages", [_message("ann", 3, 400)])
    ahead = _extraction(opened())
    assert (ahead.calls, ahead.cached) == (1, 30)
    history = next(t for t in _ahead(opened()).tasks if t.stage == "extract")
    assert "calls so far" in history.basis
    calls = len(protocol_server.calls)
    extract(opened(), DAYS)
    assert len(protocol_server.calls) == calls + 1


def test_what_rests_on_replies_is_estimated_and_says_so(opened: Open) -> None:
    ahead = _ahead(opened(), "proposals", "memories")
    judge = next(t for t in ahead.tasks if t.stage == "consolidate")
    figures = opened().policy.forecast.tasks["consolidate"]
    assert not judge.exact and judge.calls == ceil(30 * figures.calls) and "policy table" in judge.basis
    assert ahead.usd == pytest.approx(sum(t.usd for t in ahead.tasks)) and judge.usd > 0
    assert ahead.calls == judge.calls + _extraction(opened()).calls


def test_only_the_days_that_are_asked_about_are_looked_at(opened: Open) -> None:
    whole, part = _extraction(opened()), _extraction(opened(), days=DAYS[:2])
    assert part.prompt_tokens < whole.prompt_tokens / 3


def test_the_builtin_models_have_nothing_to_forecast(opened: Open) -> None:
    assert _ahead(opened(chat="builtin"), "message_vectors", "proposals", "memories") == Forecast()


def test_hosted_vectors_are_forecast_by_what_the_index_lacks(opened: Open, protocol_server: ProtocolServer) -> None:
    from memory_pipeline.stages.messages.index_messages import index_messages

    hosted = {"chat": "builtin", "encoder": "openai", "encoder_dimensions": 8, "encoder_usd": 1000.0}
    (ahead,) = _ahead(opened(**hosted), "message_vectors").tasks
    index_messages(opened(**hosted), DAYS)
    real = spending(opened().lake, "stage")[1]
    assert (ahead.stage, ahead.exact) == ("encode", True)
    assert ahead.prompt_tokens == pytest.approx(real["prompt_tokens"], rel=0.01)
    assert ahead.usd == pytest.approx(real["usd"], rel=0.01)
    assert _ahead(opened(**hosted), "message_vectors") == Forecast()
