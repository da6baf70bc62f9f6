"""Extraction through a hosted model: packing, kept replies, bad replies, outages. The server is real and local."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import ModelError
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.plan.freshness import inputs, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.parquet.schemas import Cost, Quarantined, Reply
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, fails, says
from memory_pipeline_tests.stages.echoing import asked, context, draft, echo, nothing, proposed, said, windows_of


def _messages(user: str, days: int) -> list[Message]:
    return [
        message(
            f"{user} says {text} on day {day}",
            NOON + timedelta(days=day, hours=hour),
            user_id=user,
            session_id=f"{user}-{day}",
            message_id=f"{user}-{day}-{hour}-{role}",
            role=role,
        )
        for day in range(days)
        for hour, role, text in ((0, Role.USER, "hello"), (0, Role.ASSISTANT, "nothing"), (3, Role.USER, "goodbye"))
    ]


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer) -> Path:
    protocol_server.answer("extract", echo)
    ctx = context(tmp_path)
    ctx.lake.append("messages", [*_messages("ann", 3), *_messages("bob", 3)])
    return tmp_path


def _days(count: int = 3) -> list[Any]:
    return [NOON.date() + timedelta(days=n) for n in range(count)]


def test_a_user_s_windows_share_a_call_and_users_never_do(home: Path, protocol_server: ProtocolServer) -> None:
    ctx = context(home)
    report = extract(ctx, _days())
    assert report.windows.total() == 12 and report.failed.total() == 0
    assert protocol_server.counts["extract"] == 2
    for call in protocol_server.calls:
        assert ("ann says" in call.prompt) != ("bob says" in call.prompt)


def test_each_proposal_cites_its_own_message(home: Path) -> None:
    ctx = context(home)
    extract(ctx, _days())
    contents = {m.message_id: m for m in ctx.lake.read("messages", Message)}
    found = proposed(ctx)
    assert len(found) == 12
    for proposal in found:
        (evidence,) = proposal.evidence
        cited = contents[evidence.message_id]
        assert evidence.quote == cited.content and cited.role is Role.USER
        assert (proposal.user_id, proposal.day, proposal.observed_at) == (cited.user_id, cited.day, cited.created_at)


def test_running_again_makes_no_call_and_the_same_bytes(home: Path, protocol_server: ProtocolServer) -> None:
    extract(context(home), _days())
    before = {p: Path(p).read_bytes() for p in context(home).lake.files("proposals")}
    calls = len(protocol_server.calls)
    again = context(home)
    extract(again, _days())
    assert len(protocol_server.calls) == calls and again.replies.hits == 12
    assert {p: Path(p).read_bytes() for p in again.lake.files("proposals")} == before


def test_packing_may_differ_between_runs(home: Path, protocol_server: ProtocolServer) -> None:
    for day in _days():
        extract(context(home), [day])
    assert protocol_server.counts["extract"] == 6
    one_by_one = proposed(context(home))
    extract(context(home), _days())
    assert protocol_server.counts["extract"] == 6, "the replies are kept a window"
    assert proposed(context(home)) == one_by_one


def test_only_what_is_new_is_asked(home: Path, protocol_server: ProtocolServer) -> None:
    extract(context(home), _days())
    ctx = context(home)
    late = message("ann says something late", NOON + timedelta(days=1, hours=8), user_id="ann", session_id="ann-late")
    ctx.lake.append("messages", [late])
    extract(ctx, _days())
    assert protocol_server.counts["extract"] == 3
    assert protocol_server.calls[-1].prompt.count("<window ") == 1


def test_an_outage_leaves_the_partitions_and_keeps_what_was_paid_for(
    home: Path, protocol_server: ProtocolServer
) -> None:
    extract(context(home), _days(1))
    before = proposed(context(home))
    protocol_server.script(says(json.dumps({"windows": [{"window": "w1", "proposals": []}]})), fails(503), fails(503))
    with pytest.raises(ModelError):
        extract(context(home, chat_concurrency=1), _days())
    assert proposed(context(home)) == before
    kept = len(context(home).lake.read("replies", Reply))
    assert kept > len(before) // 2
    resumed = context(home)
    extract(resumed, _days())
    assert resumed.replies.hits == kept


def test_the_ledger_counts_calls_and_hits(home: Path) -> None:
    extract(context(home), _days())
    extract(context(home), _days())
    costs = context(home).lake.read("costs", Cost)
    assert (sum(c.calls for c in costs), sum(c.cached for c in costs)) == (2, 12)
    assert sum(c.prompt_tokens for c in costs) > 0 and sum(c.usd for c in costs) > 0
    assert {c.stage for c in costs} == {"extract"} and {c.user_id for c in costs} == {"ann", "bob"}


def test_windows_are_kept(home: Path) -> None:
    ctx = context(home)
    extract(ctx, _days())
    kept = ctx.lake.read("windows", Window)
    assert len(kept) == 12 and sum(w.closed for w in kept) == 6


def test_no_facts_no_further_calls(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", nothing)
    ctx = context(home, encoder="openai")
    extract(ctx, _days())
    before = len(protocol_server.calls)
    consolidate(ctx, _days())
    assert len(protocol_server.calls) == before == 2


def test_one_message_may_yield_several_proposals(home: Path, protocol_server: ProtocolServer) -> None:
    def chain(call: Call) -> dict[str, Any]:
        (name, ((alias, text), *_)), *_ = windows_of(call).items()
        drafts = [
            draft(alias, text, content="Broke up with Max.", operation="update"),
            draft(alias, text, content="Is in a relationship.", operation="contradict"),
            draft(alias, text, content="Wants to call Max.", operation="close_open_loop", type="open_loop"),
        ]
        rest = [{"window": other, "proposals": []} for other in windows_of(call) if other != name]
        return {"windows": [{"window": name, "proposals": drafts}, *rest]}

    protocol_server.answer("extract", chain)
    ctx = context(home)
    extract(ctx, _days(1))
    found = [p for p in proposed(ctx) if p.user_id == "ann"]
    assert sorted(p.operation for p in found) == ["close_open_loop", "contradict", "update"]
    assert len({p.evidence for p in found}) == 1


# -- sessions that go on


def _talk(turns: int, start: int = 0, day: int = 0) -> list[Message]:
    return [
        message(
            f"turn {n}",
            NOON + timedelta(days=day, minutes=n),
            message_id=f"m{n}",
            role=Role.ASSISTANT if n % 2 else Role.USER,
        )
        for n in range(start, start + turns)
    ]


def test_what_stands_in_the_same_call_is_not_repeated(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", echo)
    ctx = context(tmp_path)
    ctx.lake.append("messages", _talk(70))
    extract(ctx, _days(1))
    (call,) = asked(protocol_server)
    for n in range(70):
        assert call.prompt.count(f'"turn {n}"') == 1
    shown = call.prompt.split("EXAMPLE")[1]
    assert shown.count("<after>") == 3 and "<context>" not in shown
    assert protocol_server.counts["rolling_summary"] == 0, "all that it would tell stands in the prompt"
    assert len(proposed(ctx)) == 35


def test_a_session_that_goes_on_is_shown_with_what_came_before(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    """The same windows, one day after another and all at once, have the same replies."""
    protocol_server.answer("extract", echo)
    protocol_server.answer("rolling_summary", {"text": "They like boats.", "messages": ["m1"], "memories": []})
    ctx = context(tmp_path)
    ctx.lake.append("messages", _talk(40))
    extract(ctx, _days(1))
    assert "They like boats." not in asked(protocol_server)[-1].prompt
    ctx.lake.append("messages", _talk(6, 100, day=1))
    extract(context(tmp_path), _days(2)[1:])
    prompt = asked(protocol_server)[-1].prompt
    assert prompt.count("They like boats.") == 1
    assert prompt.count('"turn 30"') == prompt.count('"turn 39"') == 1 and '"turn 29"' not in prompt
    assert prompt.index('<summary>"') < prompt.index('"turn 30"') < prompt.index("</context>\n<messages>")
    assert protocol_server.counts == {"extract": 2, "rolling_summary": 1}
    extract(context(tmp_path), _days(2))
    assert protocol_server.counts == {"extract": 2, "rolling_summary": 1}, "replies do not depend on the packing"


def test_a_summary_that_does_not_come_leaves_the_context(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", echo)
    protocol_server.answer("rolling_summary", "no JSON")
    ctx = context(tmp_path)
    ctx.lake.append("messages", [*_talk(40), *_talk(6, 100, day=1)])
    extract(ctx, _days(2)[1:])
    (call,) = asked(protocol_server)
    assert '<summary>"' not in call.prompt and '"turn 39"' in call.prompt
    assert len(proposed(ctx)) == 3
    (aside,) = ctx.lake.read("quarantined", Quarantined)
    assert aside.source.startswith("rolling_summary/win_") and aside.content == "no JSON"


def test_a_summary_of_earlier_turns_is_context_and_no_source(tmp_path: Path) -> None:
    ctx = context(tmp_path, chat="builtin")
    summary = message("Summary so far: I live in Oslo. I am allergic to nuts.", NOON, message_id="s", role=Role.SYSTEM)
    ctx.lake.append("messages", [summary, message("I work as a nurse.", NOON + timedelta(minutes=1))])
    extract(ctx, _days(1))
    assert [p.content for p in proposed(ctx)] == ["Works as a nurse."]


# -- day by day


def test_fed_day_by_day_each_user_takes_one_call_a_day(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    """What is known is not asked again, and what a day brings goes in one call a user (live flow)."""
    protocol_server.answer("extract", echo)
    everything = [*_messages("ann", 4), *_messages("bob", 3)]
    for n, day in enumerate(_days(4)):
        ctx = context(tmp_path)
        ctx.lake.append("messages", [m for m in everything if m.day == day])
        plan = stale(ctx, BY_NAME["proposals"])
        assert plan == [day]
        made_from = inputs(ctx, BY_NAME["proposals"], plan)
        extract(ctx, plan)
        record(ctx, BY_NAME["proposals"], made_from, plan, {})
        assert len(asked(protocol_server)) == [2, 4, 6, 7][n]
    live = proposed(context(tmp_path))
    extract(context(tmp_path), _days(4))
    assert len(asked(protocol_server)) == 7 and proposed(context(tmp_path)) == live


def test_an_open_window_that_grows_is_asked_again_alone(home: Path, protocol_server: ProtocolServer) -> None:
    extract(context(home), _days())
    calls = len(asked(protocol_server))
    ctx = context(home)
    ctx.lake.append(
        "messages", [message("ann adds this", NOON + timedelta(hours=3, minutes=5), session_id="ann-0", user_id="ann")]
    )
    extract(ctx, _days())
    last = asked(protocol_server)[calls:]
    assert len(last) == 1 and last[0].prompt.count("<window id=") == 1
    assert said(p for p in proposed(ctx) if p.user_id == "ann" and p.day == NOON.date()) == [
        "ann adds this",
        "ann says goodbye on day 0",
        "ann says hello on day 0",
    ]
