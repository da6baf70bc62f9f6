"""A machine's clock that jumps: nothing is lost or doubled, and once it is right, everything is as if it had been."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.ledger.memory import fold, standing
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.operations.clock import may_decide, take_back_early
from memory_pipeline.stages.operations.maintain import Grace, maintain
from memory_pipeline.stages.publication.audit import index_matches_ledger, nothing_but_the_ledger_is_indexed
from memory_pipeline_tests.factories import message, proposal
from memory_pipeline_tests.stages.curated import Home, at, dog

YEARS = timedelta(days=3653)
OPERA = "Went to the opera with Bruno."
TEA = "Likes green tea."
DOG = "Has a dog called Max."
BANK = "Call the bank."


def night(home: Home, now: datetime) -> None:
    """What the schedules do in a night that believes in a time."""
    home.now = now
    home.run()
    maintain(home.context(), Grace(*3 * [timedelta(0)]))


def said(home: Home) -> None:
    home.now = at(4)
    opera = proposal(OPERA, at(0), type=MemoryType.EPISODIC_EVENT, entities=("Bruno",), valid_from=at(0))
    tea = proposal(TEA, at(1), type=MemoryType.PREFERENCE, attribute="likes", value="green tea", importance=0.3)
    home.say(opera, tea, dog(2), proposal(BANK, at(3), type=MemoryType.OPEN_LOOP))
    assert set(_statuses(home).values()) == {"active"} and len(_statuses(home)) == 4


def state(home: Home) -> set[tuple[str, str, str]]:
    """What is remembered, and in which state it is found."""
    rows = {v.version_id: v for v in standing(home.rows())}
    ctx = home.context()
    assert index_matches_ledger(ctx, ctx.lake.days("memory_versions")).ok
    assert nothing_but_the_ledger_is_indexed(ctx).ok
    listed = home.reader.memories(**home.owner)
    assert len(listed) == len({m["memory_id"] for m in listed})
    return {(m["content"], m["status"], m["memory_id"]) for m in listed} | {
        (v.content, str(v.change), v.version_id) for v in rows.values()
    }


def played(folder: Path, jumps: Sequence[timedelta]) -> set[tuple[str, str, str]]:
    """The state after three nights, of which two have others beside them, by a clock that has jumped."""
    home = Home(folder)
    said(home)
    for n, now in enumerate([at(5), at(20), at(45)]):
        night(home, now)
        for jump in jumps if n < 2 else ():
            night(home, now + timedelta(hours=3) + jump)
        if n == 1:
            home.now = now + timedelta(hours=8)
            home.say(dog(20, "Has a dog called Max, a beagle."))
    return state(home)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str, str]]:
    return played(tmp_path_factory.mktemp("undisturbed"), [])


@pytest.mark.parametrize(
    "jumps",
    [
        [timedelta(hours=1), timedelta(hours=-1), timedelta(days=1)],
        [timedelta(days=-30)],
        [YEARS, -YEARS, 2 * YEARS],
    ],
    ids=["a little", "behind", "to and fro"],
)
def test_after_a_clock_that_jumps_everything_is_as_if_it_had_not(
    tmp_path: Path, jumps: list[timedelta], undisturbed: set[tuple[str, str, str]]
) -> None:
    assert played(tmp_path, jumps) == undisturbed


def test_what_was_done_on_top_of_what_came_too_early_keeps_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    home = Home(tmp_path)
    said(home)
    home.now = at(5) + YEARS
    age(home.context(), [home.now.date()])
    assert _statuses(home) == {OPERA: "archived", TEA: "archived", BANK: "closed", DOG: "active"}
    (tea,) = (v.memory_id for v in fold(home.rows()).values() if v.content == TEA)
    home.curator.forget(tea, **home.owner)
    home.now = at(6)
    with caplog.at_level(logging.WARNING):
        assert take_back_early(home.context()) == 3  # the opera's two changes, and the open loop's end
    assert "the machine's clock was ahead (2036-" in caplog.text
    assert _statuses(home) == {OPERA: "active", TEA: "archived", BANK: "active", DOG: "active"}
    assert take_back_early(home.context()) == 0


def _statuses(home: Home) -> dict[str, str]:
    return {v.content: str(v.status) for v in fold(home.rows()).values()}


def test_a_clock_that_is_behind_what_users_say_takes_nothing_back(tmp_path: Path) -> None:
    home = Home(tmp_path)
    said(home)
    night(home, at(45))
    before = state(home)
    home.now = at(-200)
    assert take_back_early(home.context()) == 0
    home.now = at(46)
    assert take_back_early(home.context()) == 0 and state(home) == before


def test_a_jump_erases_nothing_for_its_age(tmp_path: Path) -> None:
    mine = tmp_path / "policy.toml"
    mine.write_text("[retention]\nmessages_days = 365\n", encoding="utf-8")
    settings = Settings(home=str(tmp_path / "home"), policy=mine)

    def maintained(now: datetime) -> int:
        ctx = StageContext(settings, f"run-{now:%Y%m%d}", now)
        maintain(ctx, Grace(*3 * [timedelta(0)]))
        return len(ctx.lake.sql("SELECT 1 FROM messages"))

    StageContext(settings, "test", at(0)).lake.append("messages", [message("I live in Lisbon.", at(0))])
    assert maintained(at(1)) == 1
    assert maintained(at(1) + YEARS) == 1 and maintained(at(3) + YEARS) == 1
    assert maintained(at(2)) == 1 and maintained(at(3)) == 1  # put right
    late = at(400)  # a machine that was off for a year
    assert maintained(late) == 1 and maintained(late + timedelta(days=6)) == 1
    assert maintained(late + timedelta(days=8)) == 0


def test_nights_that_are_rare_erase_all_the_same(tmp_path: Path) -> None:
    policy = Settings().policies
    assert policy.retention.clock_gap_days == 31
    ctx = StageContext(Settings(home=str(tmp_path)), "test", at(0))
    told = [may_decide(replace_now(ctx, at(60 * n))) for n in range(5)]
    assert told == [True, False, True, False, True]


def test_a_clock_that_went_to_and_fro_does_not_hold_up_what_is_due_for_years(tmp_path: Path) -> None:
    ctx = StageContext(Settings(home=str(tmp_path)), "test", at(0))
    nights = [at(0), at(1) - YEARS, at(1) + YEARS, at(2), at(8), at(10)]
    assert [may_decide(replace_now(ctx, now)) for now in nights] == [True, True, False, False, False, True]


def replace_now(ctx: StageContext, now: datetime) -> StageContext:
    return replace(ctx, now=now)
