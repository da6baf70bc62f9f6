"""What models say wrong, end to end: each bad reply costs its own window only, is kept to look at, and is asked again.

The server is real and local; the log, the partitions and the quarantine are those of a real lake.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from math import log2
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Operation, Proposal, Verdict
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import ModelError
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.parquet.schemas import Quarantined, Reply
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, Step, fails, refuses, says
from memory_pipeline_tests.stages.echoing import (
    asked,
    context,
    draft,
    echo,
    proposed,
    said,
    windows_of,
)

POISON = "Tell me nothing."
DAY = NOON.date()


def talk(windows: int, poisoned: Sequence[int] = (), user: str = "ann") -> list[Message]:
    """Sessions of one user's turn each, so windows of one message; some hold what models choke on."""
    return [
        message(
            POISON if n in poisoned else f"{user} says {n}.",
            NOON + timedelta(minutes=n),
            user_id=user,
            session_id=f"{user}-{n:02}",
            message_id=f"{user}-{n}",
        )
        for n in range(windows)
    ]


def home(path: Path, *messages: Message) -> StageContext:
    ctx = context(path)
    ctx.lake.append("messages", messages)
    return ctx


def put_aside(ctx: StageContext) -> list[Quarantined]:
    return ctx.lake.read("quarantined", Quarantined)


def choking(reply: Any) -> Callable[[Call], Any]:
    """A model that gives a bad reply to every call with the poison in it, and is fine otherwise."""
    return lambda call: reply(call) if callable(reply) else reply if POISON in call.prompt else echo(call)


def _nested(depth: int) -> str:
    return '{"windows": ' + "[" * depth + "]" * depth + "}"


def _proposal(**fields: Any) -> str:
    return json.dumps({"windows": [{"window": "w1", "proposals": [draft("m1", POISON, **fields)]}]})


UNFIT = {
    "empty": "",
    "blank": "  \n",
    "not JSON": "I am sorry, I cannot do that.",
    "half of it": '{"windows": [{"window": "w1", "propos',
    "another schema": '{"facts": ["Lives in Oslo."]}',
    "a list": "[]",
    "a window without proposals": '{"windows": [{"window": "w1"}]}',
    "an unknown operation": _proposal(operation="delete"),
    "a type of its own": _proposal(type="hobby"),
    "a further field": _proposal(mood="sad"),
    "not a number": _proposal(confidence=0.5).replace("0.5", "NaN"),
    "infinite": _proposal(salience=0.25).replace("0.25", "1e999"),
    "a number of 5,000 digits": _proposal(importance=0.125).replace("0.125", "9" * 5_000),
    "nested deep": _nested(100_000),
    "5 MB of words": "blah " * 1_000_000,
    "5 MB of braces": "{" * 5_000_000,
    "cut off": says('{"windows": [{"window": "w1", "proposals": [', finish_reason="length"),
    "refused": refuses("I cannot help with that."),
    "filtered": says("", finish_reason="content_filter"),
    "filtered before": fails(400, "The response was filtered due to the content management policy."),
    "too long": fails(400, "This model's maximum context length is 8192 tokens."),
    "no window": {"windows": []},
    "a window that was not asked": {"windows": [{"window": "w99", "proposals": []}]},
    "the window's number": {"windows": [{"window": "1", "proposals": []}]},
}


@pytest.mark.parametrize("reply", UNFIT.values(), ids=list(UNFIT))
def test_a_bad_reply_costs_its_own_window_only(
    tmp_path: Path, protocol_server: ProtocolServer, reply: str | Step | dict[str, Any]
) -> None:
    ctx = home(tmp_path, *talk(5, poisoned=[2]), *talk(2, user="bob"))
    protocol_server.answer("extract", choking(reply))
    report = extract(ctx, [DAY])
    empty = reply == {"windows": []}  # about one window alone, that says that there is nothing in it
    assert report.failed.total() == (0 if empty else 1)
    healthy = ["ann says 0.", "ann says 1.", "ann says 3.", "ann says 4.", "bob says 0.", "bob says 1."]
    assert said(proposed(ctx)) == healthy
    recorded = {w.session_id for w in ctx.lake.read("windows", Window)}
    everything = {m.session_id for m in ctx.lake.read("messages", Message)}
    assert everything - recorded == (set() if empty else {"ann-02"}), "what is open is not recorded as done"
    if not empty:
        kept = [q for q in put_aside(ctx) if q.source.startswith("extract/win_")]
        assert kept and all(q.reason and len(q.content) <= 20_000 for q in kept)
    assert len(asked(protocol_server)) <= 2 * (1 + 2 * 3) + 1
    before = len(asked(protocol_server))
    protocol_server.answer("extract", echo)
    healed = context(tmp_path)
    assert extract(healed, [DAY]).failed.total() == 0
    assert said(proposed(healed)) == sorted([*healthy, *([] if empty else [POISON])])
    assert len(asked(protocol_server)) - before == (0 if empty else 1), "only what is open is asked"


def test_a_reply_is_repaired_once(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(tmp_path, *talk(2))
    protocol_server.script("nonsense")
    protocol_server.answer("extract", echo)
    assert extract(ctx, [DAY]).failed.total() == 0
    assert len(asked(protocol_server)) == 2 and put_aside(ctx) == []
    assert len(proposed(ctx)) == 2


def test_what_does_not_fit_is_sent_back_in_part(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    """The repair of a reply of 5 MB must not cost 5 MB more."""
    ctx = home(tmp_path, *talk(1))
    protocol_server.script("blah " * 1_000_000)
    protocol_server.answer("extract", echo)
    assert extract(ctx, [DAY]).failed.total() == 0
    first, second = asked(protocol_server)
    assert second.prompt_tokens < first.prompt_tokens + 5_000


def test_one_bad_window_among_twenty_is_found_by_halves(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(tmp_path, *talk(20, poisoned=[13]))
    protocol_server.answer("extract", choking(refuses("no")))
    assert extract(ctx, [DAY]).failed.total() == 1
    assert len(proposed(ctx)) == 19
    assert len(asked(protocol_server)) <= 1 + 2 * (1 + int(log2(20)))


def test_a_model_that_answers_nothing_is_given_up_soon(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(tmp_path, *talk(20))
    protocol_server.answer("extract", refuses("no"))
    assert extract(ctx, [DAY]).failed.total() == 20
    assert len(asked(protocol_server)) == 1 + 2 + 4
    assert ctx.lake.read("windows", Window) == [] and proposed(ctx) == []


def test_windows_that_a_reply_leaves_out_are_asked_again_together(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    def lazy(call: Call) -> Any:
        found = echo(call)
        return {"windows": found["windows"][:2]}

    ctx = home(tmp_path, *talk(5))
    protocol_server.answer("extract", lazy)
    assert extract(ctx, [DAY]).failed.total() == 0
    assert len(proposed(ctx)) == 5
    assert [len(windows_of(call)) for call in asked(protocol_server)] == [5, 3, 1]


def test_a_window_that_was_not_asked_is_put_aside_and_the_rest_is_taken(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    def more(call: Call) -> Any:
        stray = {"window": "w77", "proposals": [draft("m1", "made up")]}
        return {"windows": [stray, *echo(call)["windows"]]}

    ctx = home(tmp_path, *talk(3))
    protocol_server.answer("extract", more)
    assert extract(ctx, [DAY]).failed.total() == 0
    assert len(proposed(ctx)) == 3
    (aside,) = put_aside(ctx)
    assert aside.reason == "no such window: w77" and "made up" in aside.content


def test_the_same_window_twice_is_taken_together(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    def twice(call: Call) -> Any:
        windows = echo(call)["windows"]
        (alias, text), *_ = windows_of(call)["w1"]
        again = {"window": "w1", "proposals": [draft(alias, text), draft(alias, text, content="Said more.")]}
        return {"windows": [*windows, again]}

    ctx = home(tmp_path, *talk(2))
    protocol_server.answer("extract", twice)
    extract(ctx, [DAY])
    assert sorted(p.content for p in proposed(ctx)) == ["Said more.", "Said: ann says 0.", "Said: ann says 1."]


def test_a_proposal_belongs_to_the_window_whose_message_it_cites(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    def mixed(call: Call) -> Any:
        windows = echo(call)["windows"]
        if len(windows) == 2:
            windows[0]["proposals"], windows[1]["proposals"] = windows[1]["proposals"], windows[0]["proposals"]
        return {"windows": windows}

    ctx = home(tmp_path, *talk(2))
    protocol_server.answer("extract", mixed)
    extract(ctx, [DAY])
    texts = {m.message_id: m.content for m in ctx.lake.read("messages", Message)}
    for proposal in proposed(ctx):
        (evidence,) = proposal.evidence
        assert texts[evidence.message_id] == evidence.quote and proposal.session_id[-1] == evidence.message_id[-1]


# -- replies that fit, and say what is not so: taken as they are, and stopped by the gate


def _rejected(ctx: StageContext) -> dict[str, str]:
    consolidate(ctx, [DAY])
    verdicts = {v.proposal_id: v.reason for v in ctx.lake.read("verdicts", Verdict)}
    return {p.content: verdicts[p.proposal_id] for p in proposed(ctx)}


def _each(*drafts: dict[str, Any]) -> Callable[[Call], Any]:
    return lambda call: {"windows": [{"window": "w1", "proposals": list(drafts)}]}


def test_invented_messages_and_quotes_reach_no_memory(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(
        tmp_path,
        message("I live in Lisbon.", NOON, message_id="a"),
        message("You live in Rome.", NOON + timedelta(minutes=1), message_id="b", role=Role.ASSISTANT),
    )
    protocol_server.answer(
        "extract",
        _each(
            draft("m99", "I live in Lisbon.", content="Cites a message that is not there."),
            draft("c1", "I live in Lisbon.", content="Cites context that is not there."),
            draft("m1", "I live in Madrid with my parrots.", content="Quotes what was not said."),
            draft("m1", "", content="Quotes nothing at all."),
            draft("m2", "You live in Rome.", content="Lives in Rome, says the assistant."),
            {**draft("m1", "x", content="Has no evidence whatever."), "evidence": []},
            draft("m1", "I live in Lisbon.", content="Lives in Lisbon."),
        ),
    )
    assert extract(ctx, [DAY]).failed.total() == 0
    found = _rejected(ctx)
    assert len(found) == 7 and found.pop("Lives in Lisbon.") == "add"
    assert set(found.values()) <= {"grounding", "own_words"}


def test_figures_are_held_to_their_range(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    wild = {"confidence": 1e308, "salience": -5, "importance": 10**15}
    dates = {"valid_from": "0000-13-45", "valid_until": "9999-12-31", "due_at": "next Tuesday"}
    ctx = home(tmp_path, message("I live in Lisbon."))
    protocol_server.answer("extract", _each(draft("m1", "I live in Lisbon.", **wild, **dates)))
    extract(ctx, [DAY])
    (found,) = proposed(ctx)
    assert (found.confidence, found.salience, found.importance) == (1.0, 0.0, 1.0)
    assert found.valid_from is None and found.due_at is None


def test_another_language_is_taken_as_it_is(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(tmp_path, message("Ich wohne in München. 我对花生过敏。"))
    protocol_server.answer(
        "extract",
        _each(
            draft("m1", "Ich wohne in München.", content="Wohnt in München."),
            draft("m1", "我对花生过敏。", content="对花生过敏，不能吃花生。"),
        ),
    )
    extract(ctx, [DAY])
    assert {p.content: p.evidence[0].quote for p in proposed(ctx)} == {
        "Wohnt in München.": "Ich wohne in München.",
        "对花生过敏，不能吃花生。": "我对花生过敏。",
    }


def test_a_thousand_facts_are_capped_and_none_vanishes(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    def flood(call: Call) -> Any:
        found = echo(call)
        found["windows"][0]["proposals"] = [
            draft("m1", "ann says 0.", content=f"Fact number {n}.") for n in range(1000)
        ]
        return found

    ctx = home(tmp_path, *talk(2))
    protocol_server.answer("extract", flood)
    report = extract(ctx, [DAY])
    most = ctx.policy.window.max_proposals_per_message
    assert [p.content for p in proposed(ctx) if p.session_id == "ann-00"] == [f"Fact number {n}." for n in range(most)]
    assert len(proposed(ctx)) == most + 1 and report.beyond.total() == 1000 - most
    aside = put_aside(ctx)
    assert {q.reason for q in aside} == {f"more than {most} proposals rest on one message"}
    assert sorted(q.line for q in aside) == list(range(most, 1000))
    assert any("Fact number 999." in q.content for q in aside)
    again = context(tmp_path)
    extract(again, [DAY])
    assert len(put_aside(again)) == 1000 - most, "the same is put aside once"


def test_a_loop_that_repeats_itself_is_one_proposal(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(tmp_path, *talk(1))
    protocol_server.answer("extract", _each(*[draft("m1", "ann says 0.")] * 1000))
    extract(ctx, [DAY])
    assert len(proposed(ctx)) == 1 and put_aside(ctx) == []


# -- nothing is lost


def test_what_stood_stays_until_a_grown_window_is_answered(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    def one(n: int) -> Message:
        return message(f"Turn {n}.", NOON + timedelta(minutes=n), message_id=f"m{n}")

    protocol_server.answer("extract", echo)
    ctx = home(tmp_path, one(0), one(1))
    extract(ctx, [DAY])
    stood = proposed(ctx), ctx.lake.read("windows", Window)
    protocol_server.answer("extract", "nonsense")
    grown = context(tmp_path)
    grown.lake.append("messages", [one(2)])
    assert extract(grown, [DAY]).failed.total() == 1
    assert (proposed(grown), grown.lake.read("windows", Window)) == stood
    protocol_server.answer("extract", echo)
    healed = context(tmp_path)
    extract(healed, [DAY])
    assert said(proposed(healed)) == ["Turn 0.", "Turn 1.", "Turn 2."]
    assert len(healed.lake.read("windows", Window)) == 1


def test_an_outage_in_the_middle_keeps_what_was_paid_for(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    """The joint call is spoilt, one half is answered, and then the server is gone."""
    ctx = home(tmp_path, *talk(4, poisoned=[3]))
    answers = iter([refuses("no"), None, fails(503), fails(503), fails(503), fails(503)])
    protocol_server.answer("extract", lambda call: next(answers) or echo(call))
    with pytest.raises(ModelError):
        extract(context(tmp_path, chat_concurrency=1), [DAY])
    assert len(ctx.lake.read("replies", Reply)) == 2
    assert proposed(ctx) == [] and ctx.lake.read("windows", Window) == [], "partitions are left as they were"
    protocol_server.answer("extract", echo)
    resumed = context(tmp_path)
    extract(resumed, [DAY])
    assert len(proposed(resumed)) == 4 and resumed.replies.hits == 2


def test_a_day_with_an_open_window_stays_stale(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    from memory_pipeline.orchestration.assets.stages import make

    ctx = home(tmp_path, *talk(2, poisoned=[1]), message("Fine.", NOON + timedelta(days=1)))
    protocol_server.answer("extract", choking("nonsense"))
    days: list[date] = [DAY, DAY + timedelta(days=1)]
    assert make(ctx, BY_NAME["proposals"], days).complete == days[1:]


def test_the_operations_of_a_reply_come_through(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = home(tmp_path, *talk(1))
    drafts = [draft("m1", "ann says 0.", content=f"{o} something.", operation=str(o)) for o in Operation]
    protocol_server.answer("extract", _each(*drafts))
    extract(ctx, [DAY])
    found: Sequence[Proposal] = proposed(ctx)
    assert [p.operation for p in sorted(found, key=lambda p: p.ordinal)] == list(Operation)
