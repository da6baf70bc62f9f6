"""Time in a real home: what the nightly sweep makes of the ledger and the index, and what a replay keeps of it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.ledger.fading import pass_time
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, fold, seal, standing
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings
from memory_pipeline.stages.operations.age import age, transitions
from memory_pipeline.stages.publication.audit import index_matches_ledger, nothing_but_the_ledger_is_indexed
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, refresh
from memory_pipeline.storage.queries.ageing import AGES, age_structure, ageing
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal
from memory_pipeline_tests.stages.curated import Home, at, dog
from memory_pipeline_tests.store import Store

OPERA = "Went to the opera with Bruno."
TEA = "Likes green tea."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def opera(said: int = 0) -> Any:
    """The evening of the first day, told on some day."""
    return proposal(OPERA, at(said), type=MemoryType.EPISODIC_EVENT, entities=("Bruno",), valid_from=at(0))


def tea(**given: Any) -> Any:
    return proposal(TEA, at(0), type=MemoryType.PREFERENCE, attribute="likes", value="green tea", **given)


def pass_until(home: Home, day: int) -> list[tuple[str, str]]:
    """The nightly sweep of a day of the tests' March. Returns what changed."""
    home.now = max(home.now, at(day))
    ctx = home.context()
    found = [(v.content, str(v.change)) for v in transitions(ctx, at(day).date())]
    age(ctx, [at(day).date()])
    return found


def chain(home: Home, content: str) -> list[tuple[str, date]]:
    rows = [v for v in standing(home.rows()) if v.content == content]
    return [(str(v.change), v.day) for v in sorted(rows, key=lambda v: v.version)]


def consistent(home: Home) -> None:
    ctx = home.context()
    assert index_matches_ledger(ctx, ctx.lake.days("memory_versions")).ok
    assert nothing_but_the_ledger_is_indexed(ctx).ok


def day(n: int) -> date:
    return at(n).date()


def test_stale_and_mentioned_again_is_active_again_and_goes_stale_from_then_on(home: Home) -> None:
    home.say(opera())
    assert home.listed(OPERA)["status"] == "stale"
    assert home.found("opera Bruno", layers=["semantic"]) == []
    home.now = at(41)
    home.say(opera(40))
    assert home.listed(OPERA)["status"] == "active"
    assert home.found("opera Bruno", layers=["semantic"]) == [OPERA]
    assert pass_until(home, 69) == []
    assert pass_until(home, 70) == [(OPERA, "stale")]
    assert chain(home, OPERA) == [("add", day(0)), ("stale", day(30)), ("revive", day(40)), ("stale", day(70))]
    (revived,) = (v for v in standing(home.rows()) if v.change is Change.REVIVE)
    assert revived.reason == "mentioned again"
    consistent(home)


def test_a_dry_run_writes_nothing(home: Home) -> None:
    home.say(dog(29), opera(25))
    before = home.rows()
    later = transitions(home.context(), day(400))
    assert [(v.content, str(v.change)) for v in later] == [(OPERA, "stale"), (OPERA, "archive")]
    assert home.rows() == before


def test_a_sweep_every_night_and_one_at_the_end_make_the_same_versions(tmp_path: Path) -> None:
    said = [opera(2), dog(1), tea(importance=0.3), proposal("Call the bank.", at(3), type=MemoryType.OPEN_LOOP)]
    nightly, once = Home(tmp_path / "nightly"), Home(tmp_path / "once")
    for home in (nightly, once):
        home.now = at(4)
        home.say(*said)
    for n in range(5, 260, 15):
        pass_until(nightly, n)
    pass_until(nightly, 260)
    pass_until(once, 260)
    assert {v.version_id for v in standing(nightly.rows())} == {v.version_id for v in standing(once.rows())}
    assert len(standing(once.rows())) == 4 + 4


def test_a_clock_that_jumps_back_changes_nothing(home: Home) -> None:
    home.say(opera(), dog(1))
    assert home.listed(OPERA)["status"] == "stale"
    before = {v.version_id for v in standing(home.rows())}
    home.now = at(-400)
    age(home.context(), [day(90)])
    home.run()
    assert {v.version_id for v in standing(home.rows())} == before
    home.say(opera(35))
    assert home.listed(OPERA)["status"] == "active"
    home.now = at(36)
    home.run()
    assert home.listed(OPERA)["status"] == "active"
    consistent(home)


def test_a_changed_policy_counts_at_once_also_for_what_is_there(home: Home, tmp_path: Path) -> None:
    home.say(opera(25))
    assert transitions(home.context(), day(31)) == []
    mine = tmp_path / "mine.toml"
    mine.write_text("[lifecycle.episodic_event]\nstale_after = 5\n")
    home.settings = Settings(home=str(home.folder), policy=mine)
    (gone,) = transitions(home.context(), day(31))
    assert (gone.status, gone.day) == (Status.STALE, day(30))
    assert gone.reason == "not referred to for 5 days"


# -- what reads decide


def test_what_nobody_reads_fades_and_a_replay_keeps_that(home: Home) -> None:
    home.say(tea(importance=0.3), dog(1))
    assert pass_until(home, 200) == []
    assert pass_until(home, 201) == [(TEA, "fade")]
    assert home.listed(TEA)["status"] == "archived"
    assert home.found("green tea", layers=["semantic"]) == []
    assert home.found("green tea", layers=["semantic"], detail="high") == [TEA]
    rows = {v.version_id for v in standing(home.rows())}
    home.run()
    assert {v.version_id for v in standing(home.rows())} == rows
    home.say(dog(2, "Has a dog called Max, a beagle."))
    assert home.listed(TEA)["status"] == "archived"
    consistent(home)


def test_a_read_before_it_fades_keeps_it(home: Home) -> None:
    home.say(tea(importance=0.3))
    Store.usefulness(_as_store(home), home.id(TEA), day(190), access_count=1)
    assert pass_until(home, 300) == []
    assert [change for _, change in pass_until(home, 420)] == ["fade"]


def test_a_late_confirmation_undoes_the_fading(home: Home) -> None:
    home.say(tea(importance=0.3))
    pass_until(home, 210)
    home.now = at(212)
    home.say(replace(tea(), proposal_id="prp-late", observed_at=at(100), day=day(100)))
    assert home.listed(TEA)["status"] == "active"
    assert ("fade", day(201)) not in chain(home, TEA)


def test_pruning_takes_it_out_of_the_index_and_keeps_the_chain(home: Home) -> None:
    mine = home.folder / "mine.toml"
    mine.write_text("[prune]\nenabled = true\n")
    home.settings = Settings(home=str(home.folder), policy=mine)
    home.say(tea(importance=0.3), dog(1))
    assert pass_until(home, 201) == [(TEA, "fade"), (TEA, "prune")]
    assert home.found("green tea", layers=["semantic"], detail="high") == []
    ctx = home.context()
    assert len(ctx.index.rows("memories", Scope("t", "u"), ["memory_id"])) == 1
    assert [change for change, _ in chain(home, TEA)] == ["add", "fade", "prune"]
    rows = {v.version_id for v in standing(home.rows())}
    home.run()
    assert {v.version_id for v in standing(home.rows())} == rows
    consistent(home)


def _as_store(home: Home) -> Any:
    class _Store:
        lake = home.context().lake
        owner = home.owner

    return _Store()


# -- which memories are looked at


def _any_memory(draw: random.Random, n: int) -> MemoryVersion:
    moment = lambda: NOON + timedelta(hours=draw.randrange(-3_000, 8_000))  # noqa: E731
    made = memory(
        proposal(f"Something worth a memory {n}.", moment(), type=draw.choice(list(MemoryType))),
        importance=draw.choice([0.05, 0.1, 0.23, 0.3, 0.349999, 0.5, 0.9, 1.0]),
        timezone=draw.choice(["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]),
        reinforcements=draw.choice([0, 0, 1, 3]),
        pinned=draw.random() < 0.1,
        status=draw.choice([Status.ACTIVE, Status.ACTIVE, *Status]),
        due_at=draw.choice([None, moment()]),
        valid_until=draw.choice([None, None, moment()]),
        memory_id=f"mem_{n}",
    )
    change = draw.choice([Change.ARCHIVE, Change.EXPIRE]) if made.status is Status.ARCHIVED else Change.ADD
    return seal(replace(made, change=change))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, list[MemoryVersion]]:
    draw = random.Random(7)
    made = [_any_memory(draw, n) for n in range(500)]
    lake = Lake(str(tmp_path_factory.mktemp("many")))
    lake.append("memory_versions", made)
    return lake, made


@pytest.mark.parametrize("enabled", [False, True], ids=["archive", "prune"])
def test_the_query_misses_no_memory_that_time_changes(many: tuple[Lake, list[MemoryVersion]], enabled: bool) -> None:
    lake, made = many
    policy = replace(POLICY, prune=replace(POLICY.prune, enabled=enabled))
    for days in (-60, 0, 33, 250, 700):
        through = (NOON + timedelta(days=days)).date()
        looked_at = {m.memory_id for m in ageing(lake, through, policy)}
        changed = {m.memory_id for m in made if next(pass_time(m, through, policy), None) is not None}
        a_day_later = {
            m.memory_id for m in made if next(pass_time(m, through + timedelta(days=3), policy), None) is not None
        }
        assert changed <= looked_at
        unclear = {m.memory_id for m in made if m.importance in (0.23, 0.349999)}  # between two steps of importance
        assert looked_at - unclear <= a_day_later


def test_with_a_checkpoint_the_same_memories_are_looked_at_and_only_users_who_may_have_some(tmp_path: Path) -> None:
    draw = random.Random(11)
    made = [_of_somebody(draw, n) for n in range(120)]
    whole, quick = Lake(str(tmp_path / "whole")), Lake(str(tmp_path / "quick"))
    for lake in (whole, quick):
        lake.append(LEDGER, made)
    refresh(quick, (NOON + timedelta(days=400)).date())
    for policy in (POLICY, replace(POLICY, prune=replace(POLICY.prune, enabled=True))):
        for days in (0, 33, 250):
            through = (NOON + timedelta(days=days)).date()
            assert _ids(quick, through, policy) == _ids(whole, through, policy)
    assert sum(len(found) for found in json.loads(quick.store.note("due.json"))["parts"].values()) > 10
    for n in range(120, 145, 5):  # what the checkpoint does not hold, of days that it holds and of later ones
        later = [_after_the_checkpoint(draw, made, n + m) for m in range(5)]
        made += later
        for lake in (whole, quick):
            lake.append(LEDGER, later)
        through = NOON.date() + timedelta(days=draw.choice((0, 250, 420)))
        assert _ids(quick, through, POLICY) == _ids(whole, through, POLICY)


def _after_the_checkpoint(draw: random.Random, made: list[MemoryVersion], n: int) -> MemoryVersion:
    """A new memory, a later version of one, or the withdrawal of any version."""
    if draw.random() < 0.3:
        return _of_somebody(draw, n)
    row = draw.choice(made)
    if draw.random() < 0.4:
        return replace(row, asserted=False, recorded_at=row.recorded_at + timedelta(days=200 + n))
    day = (NOON + timedelta(days=90 + n)).date()
    status = draw.choice([Status.ACTIVE, Status.STALE, Status.SUPERSEDED])
    return seal(replace(row, version=row.version + 1, day=day, status=status, asserted=True))


def _of_somebody(draw: random.Random, n: int) -> MemoryVersion:
    return seal(replace(_any_memory(draw, n), user_id=f"user-{n % 12}"))


def _ids(lake: Lake, through: date, policy: Policy) -> list[str]:
    return [m.memory_id for m in ageing(lake, through, policy)]


def test_users_who_are_not_asked_for_are_not_looked_at(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.memory("Has a headache.", type=MemoryType.EPHEMERAL)
    store.of("bob").memory("Has a cold.", type=MemoryType.EPHEMERAL)
    found = ageing(store.lake, NOON.date(), POLICY, [Scope("default", "bob")])
    assert [m.user_id for m in found] == ["bob"]


def test_the_age_structure_counts_every_current_memory_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for days, text in ((0, "a"), (6, "b"), (7, "c"), (29, "d"), (91, "e"), (400, "f"), (5_000, "g")):
        store.memory(text, at=NOON - timedelta(days=days))
    gone = store.memory("h", at=NOON, type=MemoryType.EPHEMERAL)
    store.change(gone, Change.STALE, status=Status.STALE, cause=Cause.LIFECYCLE)
    groups = age_structure(store.lake, NOON.date())
    assert sum(g.memories for g in groups) == 8 == len(fold(store.lake.read("memory_versions", MemoryVersion)))
    facts = {AGES[g.age]: g.memories for g in groups if g.type == "profile_fact"}
    assert facts == {
        "under a week": 2,
        "under a month": 2,
        "under a year": 1,
        "under 2 years": 1,
        "2 years and more": 1,
    }
    assert [(g.type, g.status) for g in groups if g.type == "ephemeral"] == [("ephemeral", "stale")]
    assert age_structure(Store(tmp_path / "empty").lake, NOON.date()) == []
