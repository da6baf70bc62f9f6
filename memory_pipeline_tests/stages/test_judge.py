"""Judging over a real lake and a real server: few calls, the same state live and in a back-fill, bad replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, Status, fold
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal, Verdict
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import NOON, message, proposal
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call

_CANDIDATE = re.compile(r'^(c\d+) \| [^|]* \| \w+, (\w+) \| (".*") \| neighbours: (.*)$', re.MULTILINE)
_LINE = re.compile(r"^(k\d+) \|.*\| (\".*\")$", re.MULTILINE)


@pytest.fixture
def server(protocol_server: ProtocolServer) -> ProtocolServer:
    protocol_server.answer("consolidate", _judge)
    return protocol_server


def _judge(call: Call) -> dict[str, Any]:
    """Supersedes the first neighbour of an update; closes the loop whose words an event holds; adds else."""
    loops = dict(_LINE.findall(call.prompt.rsplit("<open_loops>", 1)[1].split("</open_loops>")[0]))
    judgements = []
    for alias, operation, content, neighbours in _CANDIDATE.findall(call.prompt):
        done = [k for k, text in loops.items() if "mom" in text and "Called mom" in content]
        target = neighbours.split()[0] if operation == "update" and neighbours != "none" else None
        judgements.append(
            {
                "candidate": alias,
                "action": "supersede" if target else "add",
                "target": target,
                "reason": "the newer figure replaces the older one" if target else "new",
                "closes": done,
            }
        )
    return {"judgements": judgements}


def _context(home: Path, **given: Any) -> StageContext:
    now = datetime(2026, 7, 1, 2, tzinfo=UTC)
    return StageContext(Settings.load(home=str(home), chat="openai", **given), "run-1", now)


def _say(ctx: StageContext, proposals: Sequence[Proposal]) -> list[date]:
    ctx.lake.append("messages", [message(p.content, p.observed_at) for p in proposals])
    days = sorted({p.day for p in proposals})
    for day in days:
        ctx.lake.replace("proposals", day, [p for p in proposals if p.day == day])
    return days


def _figures() -> list[Proposal]:
    """A figure that is corrected day after day: each correction is a matter for the judge."""
    wording = ("The launch budget is {} euros.", "The budget of the launch stands at {} euros.")
    return [
        proposal(
            wording[n % 2].format(1000 + n),
            NOON + timedelta(days=n),
            operation=Operation.UPDATE if n else Operation.ADD,
            subject="launch",
        )
        for n in range(6)
    ]


def _state(ctx: StageContext) -> dict[str, tuple[str, Status]]:
    rows = ctx.lake.read("memory_versions", MemoryVersion)
    return {i: (m.content, m.status) for i, m in fold(rows).items()}


def test_live_and_backfill_judge_alike_and_a_rerun_asks_nothing(server: ProtocolServer, tmp_path: Path) -> None:
    live, backfill = _context(tmp_path / "live"), _context(tmp_path / "backfill")
    days = _say(live, _figures())
    for day in days:
        consolidate(live, [day])
    asked_live = server.counts["consolidate"]
    assert 1 <= asked_live <= len(days)

    consolidate(backfill, _say(backfill, _figures()))
    asked_in_backfill = server.counts["consolidate"] - asked_live
    assert _state(live) == _state(backfill)
    assert [c for c, s in _state(backfill).values() if s is Status.ACTIVE] == [_figures()[-1].content]

    consolidate(backfill, days)
    assert server.counts["consolidate"] == asked_live + asked_in_backfill


def test_independent_cases_of_many_days_are_asked_together(server: ProtocolServer, tmp_path: Path) -> None:
    ctx = _context(tmp_path)
    topics = ("rent", "car insurance", "gym contract", "phone plan", "train ticket", "music lessons")
    proposals = []
    for n, topic in enumerate(topics):
        at = NOON + timedelta(days=n)
        proposals.append(proposal(f"The {topic} costs {n + 3} euros.", at, subject=topic))
        later = at + timedelta(days=20)
        again = f"The price of the {topic} is {n + 9} euros."
        proposals.append(proposal(again, later, subject=topic, operation=Operation.UPDATE))
    consolidate(ctx, _say(ctx, proposals))
    assert server.counts["consolidate"] <= 4  # 40 days, 12 cases
    active = {c for c, s in _state(ctx).values() if s is Status.ACTIVE}
    assert active == {p.content for p in proposals if p.operation is Operation.UPDATE}


def test_what_a_joint_reply_leaves_out_is_asked_again_as_long_as_some_come(
    server: ProtocolServer, tmp_path: Path
) -> None:
    server.answer("consolidate", lambda call: {"judgements": _judge(call)["judgements"][:8]})
    ctx = _context(tmp_path)
    proposals = []
    for n in range(30):
        topic, at = f"contract {chr(97 + n % 26)}{n}", NOON + timedelta(minutes=n)
        proposals.append(proposal(f"The {topic} costs {n + 3} euros.", at, subject=topic))
        again = f"The price of the {topic} is {n + 9} euros."
        later = at + timedelta(days=20)
        proposals.append(proposal(again, later, subject=topic, operation=Operation.UPDATE))
    assert not consolidate(ctx, _say(ctx, proposals)).failed


def test_an_event_closes_the_loop_it_resolves_without_saying_so(server: ProtocolServer, tmp_path: Path) -> None:
    ctx = _context(tmp_path)
    wish = proposal("Wants to call mom.", NOON, type=MemoryType.OPEN_LOOP)
    other = proposal("Wants to book a dentist.", NOON + timedelta(minutes=5), type=MemoryType.OPEN_LOOP)
    done = proposal("Called mom on Sunday.", NOON + timedelta(days=2), type=MemoryType.EPISODIC_EVENT)
    consolidate(ctx, _say(ctx, [wish, other, done]))
    assert sorted(_state(ctx).values()) == [
        ("Called mom on Sunday.", Status.ACTIVE),
        ("Wants to book a dentist.", Status.ACTIVE),
        ("Wants to call mom.", Status.CLOSED),
    ]


def test_when_the_evidence_of_a_closing_goes_the_loop_is_open_again(server: ProtocolServer, tmp_path: Path) -> None:
    ctx = _context(tmp_path)
    wish = proposal("Wants to call mom.", NOON, type=MemoryType.OPEN_LOOP)
    done = proposal("Called mom on Sunday.", NOON + timedelta(days=2), type=MemoryType.EPISODIC_EVENT)
    consolidate(ctx, _say(ctx, [wish, done]))
    ctx.lake.replace("proposals", done.day, [])
    consolidate(ctx, [done.day])
    assert list(_state(ctx).values()) == [("Wants to call mom.", Status.ACTIVE)]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot help with that.",
        '{"judgements": [{"candidate": "c1"}]}',
        '{"judgements": [',
        '{"judgements": []}',
        '{"judgements": [{"candidate": "c99", "action": "supersede", "target": "k77", "reason": "x", "closes": []}]}',
    ],
    ids=["empty", "prose", "schema", "cut", "nothing", "invented"],
)
def test_a_bad_reply_leaves_the_cautious_decision_and_the_day_open(
    server: ProtocolServer, tmp_path: Path, reply: str
) -> None:
    server.answer("consolidate", reply)
    ctx = _context(tmp_path)
    proposals = _figures()[:2]
    days = _say(ctx, proposals)
    report = consolidate(ctx, days)
    assert {c for c, s in _state(ctx).values() if s is Status.ACTIVE} == {p.content for p in proposals}
    assert len(ctx.lake.read("verdicts", Verdict)) == len(proposals)
    assert report.failed == {days[-1]}
    assert ctx.lake.sql("SELECT count(*) AS n FROM quarantined").to_pylist()[0]["n"] >= 1
    server.answer("consolidate", _judge)
    assert not consolidate(ctx, days).failed
    assert [c for c, s in _state(ctx).values() if s is Status.ACTIVE] == [proposals[-1].content]


def test_a_judge_cannot_retire_what_it_does_not_name_or_what_is_newer(server: ProtocolServer, tmp_path: Path) -> None:
    server.answer(
        "consolidate",
        lambda call: {
            "judgements": [
                {"candidate": c, "action": "contradict", "target": "k1", "reason": "no", "closes": ["k1", "k2"]}
                for c in [found[0] for found in _CANDIDATE.findall(call.prompt)]
            ]
        },
    )
    ctx = _context(tmp_path)
    proposals = _figures()[:2]
    consolidate(ctx, _say(ctx, proposals))
    assert {s for _, s in _state(ctx).values()} == {Status.ACTIVE}


def _says(**judgement: Any) -> Any:
    """A judge that says the same of every candidate."""

    def answer(call: Call) -> dict[str, Any]:
        given = {"action": "add", "target": None, "reason": "a new fact, as told", "content": None, "closes": []}
        return {"judgements": [{**given, "candidate": c[0], **judgement} for c in _CANDIDATE.findall(call.prompt)]}

    return answer


def _two(second: str, **given: Any) -> list[Proposal]:
    first = proposal("Has a dog called Rex.", NOON, attribute="pet", value="dog Rex")
    return [first, proposal(second, NOON + timedelta(days=1), **given)]


@pytest.mark.parametrize(
    ("says", "second", "given", "active"),
    [
        # "none" must name what covers it, and that must say it.
        ({"action": "none"}, "Rex the dog bites.", {}, {"Has a dog called Rex.", "Rex the dog bites."}),
        ({"action": "none", "target": "k1"}, "Rex is a dog.", {}, {"Has a dog called Rex."}),
        # What is denied is never kept as true.
        (
            {"action": "add"},
            "Dog Rex lives here no more.",
            {"operation": Operation.CONTRADICT},
            {"Has a dog called Rex."},
        ),
        # A merge keeps every detail of both.
        (
            {"action": "merge", "target": "k1", "content": "Has a dog called Rex, 3 years old."},
            "Has a dog, 3 years old.",
            {},
            {"Has a dog called Rex, 3 years old."},
        ),
        (
            {"action": "merge", "target": "k1", "content": "Has a dog."},
            "Has a dog, 3 years old.",
            {},
            {"Has a dog called Rex.", "Has a dog, 3 years old."},
        ),
        # Nothing is retired that the candidate's words do not meet.
        (
            {"action": "supersede", "target": "k1", "reason": "it has changed to another value"},
            "Has a cat called Rexona.",
            {},
            {"Has a dog called Rex.", "Has a cat called Rexona."},
        ),
    ],
)
def test_the_judge_is_heeded_as_far_as_the_words_bear_it(
    server: ProtocolServer,
    tmp_path: Path,
    says: dict[str, Any],
    second: str,
    given: dict[str, Any],
    active: set[str],
) -> None:
    server.answer("consolidate", _says(**says))
    ctx = _context(tmp_path)
    consolidate(ctx, _say(ctx, _two(second, **given)))
    assert server.counts["consolidate"] == 1
    assert {c for c, s in _state(ctx).values() if s is Status.ACTIVE} == active
