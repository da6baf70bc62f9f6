"""What conversations change, over a real lake and index with the built-in judge: endings, siblings, exactness, deeds.

Each case is a user of its own; all are consolidated in one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, Status, fold
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation, Proposal
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import NOON, message, proposal

Said = tuple[int, str, dict[str, Any]]
DONE: dict[str, Any] = {"operation": Operation.CLOSE_OPEN_LOOP, "type": MemoryType.OPEN_LOOP}
PLAN: dict[str, Any] = {"type": MemoryType.OPEN_LOOP}
OVER: dict[str, Any] = {"operation": Operation.CONTRADICT, "negated": True}
FIXED: dict[str, Any] = {"operation": Operation.UPDATE}
EVENT: dict[str, Any] = {"type": MemoryType.EPISODIC_EVENT}
TASTE: dict[str, Any] = {"type": MemoryType.PREFERENCE}


def slot(attribute: str, value: str, subject: str = "user", **more: Any) -> dict[str, Any]:
    return {"attribute": attribute, "value": value, "subject": subject, **more}


@dataclass(frozen=True)
class Case:
    """What is said on which day, what is remembered after it, and what has ended."""

    said: Sequence[Said]
    active: set[str]
    ended: set[str] = field(default_factory=set)


CASES: dict[str, Case] = {
    "laid off ends the only employer": Case(
        [(0, "Works at Meta.", slot("employer", "Meta")), (9, "Was laid off.", OVER)],
        {"Was laid off."},
        {"Works at Meta."},
    ),
    "laid off, told as an event": Case(
        [(0, "Works at Meta.", slot("employer", "Meta")), (9, "Was laid off.", EVENT)],
        {"Was laid off."},
        {"Works at Meta."},
    ),
    "leaving another firm ends nothing": Case(
        [(0, "Works at Meta.", slot("employer", "Meta")), (9, "Quit their job at Bosch.", EVENT)],
        {"Works at Meta.", "Quit their job at Bosch."},
    ),
    "what somebody else quits is theirs": Case(
        [
            (0, "Works at Siemens.", slot("employer", "Siemens")),
            (0, "Brother Max works at Siemens.", slot("employer", "Siemens", "brother max")),
            (9, "Brother Max quit Siemens.", slot("employer", "Siemens", "brother max", **OVER)),
        ],
        {"Works at Siemens.", "Brother Max quit Siemens."},
        {"Brother Max works at Siemens."},
    ),
    "a divorce ends the marriage": Case(
        [(0, "Is married to Tom.", slot("partner", "Tom")), (9, "Got divorced.", OVER)],
        {"Got divorced."},
        {"Is married to Tom."},
    ),
    "a dog's death": Case(
        [
            (0, "Has a dog called Rex.", slot("pet", "Rex")),
            (1, "Dog Rex is a labrador.", {"subject": "dog rex"}),
            (2, "Has a cat called Pickle.", slot("pet", "Pickle")),
            (9, "Dog Rex died.", {"subject": "dog rex", "operation": Operation.CONTRADICT}),
        ],
        {"Dog Rex died.", "Has a cat called Pickle."},
        {"Has a dog called Rex.", "Dog Rex is a labrador."},
    ),
    "sold the car": Case(
        [(0, "Drives a Honda.", slot("drive", "Honda")), (9, "Sold the Honda.", OVER)],
        {"Sold the Honda."},
        {"Drives a Honda."},
    ),
    "gave up smoking": Case(
        [(0, "Smokes a pack a day.", {}), (9, "Gave up smoking.", OVER)],
        {"Gave up smoking."},
        {"Smokes a pack a day."},
    ),
    "stopped drinking coffee": Case(
        [
            (0, "Drinks coffee every morning.", slot("drink", "coffee")),
            (0, "Drinks tea at night.", slot("drink", "tea")),
            (9, "No longer drinks coffee.", slot("drink", "coffee", **OVER)),
            (20, "No longer drinks coffee.", slot("drink", "coffee", **OVER)),
        ],
        {"No longer drinks coffee.", "Drinks tea at night."},
        {"Drinks coffee every morning."},
    ),
    "and started again": Case(
        [
            (0, "Drinks coffee.", slot("drink", "coffee")),
            (9, "No longer drinks coffee.", slot("drink", "coffee", **OVER)),
            (20, "Drinks coffee again.", slot("drink", "coffee")),
        ],
        {"Drinks coffee again."},
        {"Drinks coffee.", "No longer drinks coffee."},
    ),
    "pain gone": Case(
        [(0, "Has bad back pain.", slot("health", "back pain")), (9, "Back pain is completely gone.", OVER)],
        {"Back pain is completely gone."},
        {"Has bad back pain."},
    ),
    "a qualified dislike": Case(
        [
            (0, "Likes coffee.", slot("likes", "coffee", **TASTE)),
            (0, "Plays tennis.", slot("play", "tennis")),
            (9, "Dislikes instant coffee.", slot("dislikes", "instant coffee", **TASTE)),
            (9, "Does not play tennis on Mondays.", slot("play", "tennis", negated=True)),
        ],
        {"Likes coffee.", "Dislikes instant coffee.", "Plays tennis.", "Does not play tennis on Mondays."},
    ),
    "a qualified liking": Case(
        [
            (0, "Dislikes coffee.", slot("dislikes", "coffee", **TASTE)),
            (9, "Likes iced coffee.", slot("likes", "iced coffee", **TASTE)),
        ],
        {"Dislikes coffee.", "Likes iced coffee."},
    ),
    "a changed taste": Case(
        [
            (0, "Likes olives.", slot("likes", "olives", **TASTE)),
            (9, "Dislikes olives.", slot("dislikes", "olives", **TASTE)),
        ],
        {"Dislikes olives."},
        {"Likes olives."},
    ),
    "two jobs in one message": Case(
        [
            (0, "Works as a baker.", slot("occupation", "baker")),
            (9, "Works as a nurse.", slot("occupation", "nurse")),
            (9, "Is a weekend DJ.", slot("occupation", "weekend DJ")),
        ],
        {"Works as a nurse.", "Is a weekend DJ."},
        {"Works as a baker."},
    ),
    "two citizenships": Case(
        [(0, "Is Irish.", slot("nationality", "Irish")), (9, "Is also French.", slot("nationality", "French"))],
        {"Is Irish.", "Is also French."},
    ),
    "wishes about answers add up": Case(
        [
            (0, "Wants answers under five sentences.", slot("answer_style", "under five sentences", **TASTE)),
            (3, "Wants no bullet lists.", slot("answer_style", "no bullet lists", **TASTE)),
        ],
        {"Wants answers under five sentences.", "Wants no bullet lists."},
    ),
    "but not short and detailed": Case(
        [
            (0, "Prefers short answers.", slot("answer_style", "short", **TASTE)),
            (3, "Prefers detailed answers.", slot("answer_style", "detailed", **TASTE)),
        ],
        {"Prefers detailed answers."},
        {"Prefers short answers."},
    ),
    "a correction in the same message": Case(
        [(0, "Is 42 years old.", slot("age", "42")), (0, "Is 41 years old, not 42.", slot("age", "41", **FIXED))],
        {"Is 41 years old, not 42."},
        {"Is 42 years old."},
    ),
    "what one message tells side by side": Case(
        [
            (0, "Works as a nurse.", slot("occupation", "nurse", **FIXED)),
            (0, "Works as a DJ.", slot("occupation", "DJ", **FIXED)),
        ],
        {"Works as a nurse.", "Works as a DJ."},
    ),
    "a correction without a slot": Case(
        [(0, "Runs 3 times a week.", {}), (9, "Runs 4 times a week.", FIXED)],
        {"Runs 4 times a week."},
        {"Runs 3 times a week."},
    ),
    "a birthday keeps its year": Case(
        [
            (0, "Birthday is 4 May 1988.", slot("birthday", "4 May 1988")),
            (9, "Birthday is May 4th.", slot("birthday", "May 4th")),
        ],
        {"Birthday is 4 May 1988."},
    ),
    "a birthday gets its year": Case(
        [
            (0, "Birthday is May 4th.", slot("birthday", "May 4th")),
            (9, "Was born on 4 May 1988.", slot("birthday", "4 May 1988")),
        ],
        {"Was born on 4 May 1988."},
    ),
    "the country of the town": Case(
        [
            (0, "Lives in Berlin.", slot("residence", "Berlin")),
            (9, "Lives in Germany.", slot("residence", "Germany")),
        ],
        {"Lives in Berlin."},
    ),
    "the town of the country": Case(
        [
            (0, "Lives in Germany.", slot("residence", "Germany")),
            (9, "Lives in Berlin.", slot("residence", "Berlin")),
        ],
        {"Lives in Berlin."},
    ),
    "another country": Case(
        [(0, "Lives in Berlin.", slot("residence", "Berlin")), (9, "Lives in Spain.", slot("residence", "Spain"))],
        {"Lives in Spain."},
        {"Lives in Berlin."},
    ),
    "a dog without its name": Case(
        [(0, "Has a dog called Rex.", slot("pet", "Rex")), (9, "Has a dog.", slot("pet", "dog"))],
        {"Has a dog called Rex."},
    ),
    "from a girlfriend to a wife": Case(
        [
            (0, "Has a girlfriend called Helen.", slot("partner", "Helen")),
            (9, "Has a wife called Helen.", slot("partner", "Helen")),
        ],
        {"Has a wife called Helen."},
        {"Has a girlfriend called Helen."},
    ),
    "instead of": Case(
        [
            (0, "Uses Postgres.", slot("use", "Postgres")),
            (0, "Uses Python.", slot("use", "Python")),
            (9, "Uses SQLite now instead of Postgres.", slot("use", "SQLite")),
        ],
        {"Uses SQLite now instead of Postgres.", "Uses Python."},
        {"Uses Postgres."},
    ),
    "switched": Case(
        [
            (0, "Uses vim.", slot("tool", "vim")),
            (9, "Switched from vim to helix.", slot("use", "helix")),
        ],
        {"Switched from vim to helix."},
        {"Uses vim."},
    ),
    "a new figure": Case(
        [(0, "Rent is 1,180.", slot("rent", "1,180")), (9, "Rent is 1,240.", slot("rent", "1,240"))],
        {"Rent is 1,240."},
        {"Rent is 1,180."},
    ),
    "a new manager": Case(
        [
            (0, "Has a manager called Carla.", slot("manager", "Carla")),
            (9, "Has a manager called Deniz.", slot("manager", "Deniz")),
        ],
        {"Has a manager called Deniz."},
        {"Has a manager called Carla."},
    ),
    "deeds": Case(
        [
            (0, "Has to email Ravi the contract before he flies.", PLAN),
            (0, "Needs to pay the electricity bill.", PLAN),
            (0, "Has to pick up the package from DHL.", PLAN),
            (0, "Promised they would call their mom this week.", PLAN),
            (2, "Paid the water bill.", DONE),
            (2, "Collected the DHL parcel.", DONE),
            (3, "Called their mum.", DONE),
        ],
        {"Has to email Ravi the contract before he flies.", "Needs to pay the electricity bill."},
        {"Has to pick up the package from DHL.", "Promised they would call their mom this week."},
    ),
    "what others did": Case(
        [
            (0, "Needs to call the plumber about the boiler.", PLAN),
            (0, "Must pay Greta back this week.", PLAN),
            (0, "Has to call their mom.", PLAN),
            (4, "Plumber came this morning.", {"subject": "plumber", **DONE}),
            (4, "Greta has her money.", {"subject": "greta", **DONE}),
            (4, "Mom called the plumber herself.", {"subject": "mom", **EVENT}),
        ],
        {"Has to call their mom.", "Mom called the plumber herself."},
        {"Needs to call the plumber about the boiler.", "Must pay Greta back this week."},
    ),
    "tried in vain, then reached": Case(
        [
            (0, "Needs to call their landlord about the mould in the bathroom.", PLAN),
            (0, "Must return the drill to Wes.", PLAN),
            (2, "Tried the landlord, nobody picked up.", DONE),
            (9, "Reached the landlord.", DONE),
        ],
        {"Must return the drill to Wes."},
        {"Needs to call their landlord about the mould in the bathroom."},
    ),
}


def _said(name: str, case: Case) -> list[Proposal]:
    made = []
    for n, (day, content, given) in enumerate(case.said):
        at = NOON + timedelta(days=day)
        source = (Evidence(f"{name} {day}", content),)
        entities = tuple(w for w in content.rstrip(".").split()[1:] if w[0].isupper())
        fields = {"user_id": name, "evidence": source, "entities": entities, "ordinal": n, "salience": 0.9, **given}
        made.append(proposal(content, at, proposal_id=f"{name} {n}", **fields))
    return made


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[MemoryVersion]]:
    home = tmp_path_factory.mktemp("frames")
    ctx = StageContext(Settings.load(home=str(home)), "run-1", datetime(2026, 7, 1, 2, tzinfo=UTC))
    every = [p for name, case in CASES.items() for p in _said(name, case)]
    sources: dict[str, list[Proposal]] = {}
    for p in every:
        sources.setdefault(p.evidence[0].message_id, []).append(p)
    ctx.lake.append(
        "messages",
        [
            message(
                " ".join(p.content for p in told),
                told[0].observed_at,
                message_id=message_id,
                user_id=told[0].user_id,
            )
            for message_id, told in sources.items()
        ],
    )
    days = sorted({p.day for p in every})
    for day in days:
        ctx.lake.replace("proposals", day, [p for p in every if p.day == day])
    report = consolidate(ctx, days)
    assert all(found.ok for found in report.audits)
    found: dict[str, list[MemoryVersion]] = {name: [] for name in CASES}
    for memory in fold(ctx.lake.read("memory_versions", MemoryVersion)).values():
        found[memory.user_id].append(memory)
    return found


@pytest.mark.parametrize("name", CASES)
def test_what_is_remembered(remembered: dict[str, list[MemoryVersion]], name: str) -> None:
    case, found = CASES[name], remembered[name]
    assert {m.content for m in found if m.status is Status.ACTIVE} == case.active
    assert {m.content for m in found if m.status is not Status.ACTIVE} == case.ended
