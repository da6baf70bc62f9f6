"""The checkpoint says of the present what the whole ledger says, whatever happened before it and since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.ledger.memory import RETIRED, Cause, Change, MemoryVersion, Status, evolve, fold
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, files_of, load, refresh
from memory_pipeline.storage.queries.current_memories import ledger_of, remembered
from memory_pipeline.storage.queries.ledger import CURRENT, current_of, ledger_files, living_of, versions_of
from memory_pipeline_tests.factories import NOON, RECORDED, memory, residence

USERS = ("ann", "ben", "cal")
LAST = NOON.date() + timedelta(days=60)


def born(user: str, city: str, day: int) -> MemoryVersion:
    at = NOON + timedelta(days=day)
    return memory(residence(city, at, user_id=user))


def changed(version: MemoryVersion, day: int, change: Change = Change.REINFORCE, **fields: object) -> MemoryVersion:
    at = NOON + timedelta(days=day)
    cause = fields.pop("cause", Cause.PROPOSAL)
    return evolve(version, change=change, cause=cause, reason="", changed_at=at, day=at.date(), **fields)


def withdrawn(version: MemoryVersion) -> MemoryVersion:
    return replace(version, asserted=False, recorded_at=RECORDED + timedelta(days=90))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path / "lake"))


def kept(lake: Lake, rows: Iterable[MemoryVersion]) -> None:
    """A file for each row, as nights leave them."""
    for row in rows:
        lake.append(LEDGER, [row])


def scopes(lake: Lake) -> list[Scope]:
    return [Scope("t", user) for user in USERS]


def agrees(lake: Lake, since: date) -> None:
    """Whatever is asked of the files that stand for the ledger, the answer is that of the whole of it."""
    users = scopes(lake)
    whole = versions_of(lake, users)
    part = versions_of(lake, users, since)
    assert fold(part) == fold(whole)
    assert [v for v in part if v.day >= since] == [v for v in whole if v.day >= since]
    living = {i: v for i, v in fold(living_of(lake, users, since)).items() if v.status not in RETIRED}
    assert living == {i: v for i, v in fold(whole).items() if v.status not in RETIRED}
    everything = lake.sql(f"{CURRENT} ORDER BY memory_id").to_pylist()
    assert lake.sql(f"{CURRENT} ORDER BY memory_id", files=ledger_files(lake, None)).to_pylist() == everything
    ids = [v.memory_id for v in whole]
    assert {v.version_id for v in current_of(lake, ids)} == {row["version_id"] for row in everything}
    assert remembered(lake, ledger_of(lake, users, since)) == remembered(lake, lake.sql(f"SELECT * FROM {LEDGER}"))
    messages = {(v.memory_id, e.message_id) for v in whole if v.asserted for e in v.evidence}
    assert {(v.memory_id, e.message_id) for v in part if v.asserted for e in v.evidence} == messages


def test_in_between_versions_are_left_out(lake: Lake) -> None:
    lisbon = born("ann", "Lisbon", 0)
    chain = [lisbon]
    for day in range(1, 20):
        chain.append(changed(chain[-1], day, reinforcements=day))
    kept(lake, chain)
    assert refresh(lake, LAST) == 1
    held = load(lake)
    assert held is not None and held.through == LAST - timedelta(days=14)
    assert [rows for _, rows in held.parts.values()] == [2]
    assert len(files_of(lake, [Scope("t", "ann")])) == 1
    agrees(lake, held.through + timedelta(days=1))
    assert len(versions_of(lake, [Scope("t", "ann")])) == 20


def test_what_may_be_asked_for_is_kept_whole(lake: Lake) -> None:
    lisbon, porto, turin, riga = (born("ann", city, 0) for city in ("Lisbon", "Porto", "Turin", "Riga"))
    edited = changed(porto, 3, Change.EDIT, cause=Cause.MANUAL, own_words=True)
    reworded = changed(turin, 3, Change.MERGE, content="Lives in Turin, near the river.")
    gone = changed(riga, 3)
    kept(lake, [lisbon, porto, turin, riga, edited, reworded, gone, withdrawn(gone)])
    kept(lake, [changed(edited, 5), changed(reworded, 5)])
    refresh(lake, LAST)
    agrees(lake, LAST - timedelta(days=13))
    held = load(lake)
    assert held is not None and sum(rows for _, rows in held.parts.values()) == 1 + 3 + 3 + 3


def test_later_days_come_from_the_ledger(lake: Lake) -> None:
    lisbon = born("ann", "Lisbon", 0)
    kept(lake, [lisbon, born("ben", "Porto", 1)])
    refresh(lake, LAST)
    moved = changed(lisbon, 58, Change.SUPERSEDE, status=Status.SUPERSEDED)
    kept(lake, [moved, born("ann", "Porto", 58), withdrawn(moved), born("cal", "Graz", 59)])
    agrees(lake, LAST - timedelta(days=13))
    assert len(files_of(lake, [Scope("t", "ann")])) < len(lake.files(LEDGER))


def test_a_user_whose_old_days_were_added_to_is_read_whole(lake: Lake) -> None:
    lisbon, porto = born("ann", "Lisbon", 0), born("ben", "Porto", 1)
    kept(lake, [lisbon, porto, changed(lisbon, 5)])
    refresh(lake, LAST)
    kept(lake, [withdrawn(lisbon), born("ann", "Graz", 2)])
    agrees(lake, LAST - timedelta(days=13))
    assert files_of(lake, [Scope("t", "ann")]) == lake.files(LEDGER)
    assert files_of(lake, [Scope("t", "ben")]) != lake.files(LEDGER)
    assert refresh(lake, LAST) > 0
    agrees(lake, LAST - timedelta(days=13))
    assert files_of(lake, [Scope("t", "ann")]) != lake.files(LEDGER)


def test_it_is_of_no_use_once_the_ledger_has_lost_a_file(lake: Lake) -> None:
    kept(lake, [born("ann", "Lisbon", 0), born("ann", "Porto", 1)])
    refresh(lake, LAST)
    Path(lake.files(LEDGER)[0]).unlink()
    assert files_of(lake, [Scope("t", "ann")]) == lake.files(LEDGER)
    refresh(lake, LAST)
    agrees(lake, LAST - timedelta(days=13))


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"form": 0}', b'{"form": 1, "through": "never"}'])
def test_a_damaged_note_is_no_checkpoint(lake: Lake, note: bytes) -> None:
    kept(lake, [born("ann", "Lisbon", 0)])
    refresh(lake, LAST)
    lake.store.write_note("checkpoint.json", note)
    assert files_of(lake, [Scope("t", "ann")]) == lake.files(LEDGER)
    assert refresh(lake, LAST) == 1


def test_days_that_it_holds_are_not_taken_from_it(lake: Lake) -> None:
    lisbon = born("ann", "Lisbon", 0)
    again = changed(lisbon, 5)
    kept(lake, [lisbon, again, changed(again, 9)])
    refresh(lake, LAST)
    agrees(lake, NOON.date() + timedelta(days=4))


_CHANGES = st.tuples(
    st.sampled_from(USERS),
    st.sampled_from(("Lisbon", "Porto", "Graz")),
    st.integers(0, 59),
    st.sampled_from(("again", "supersede", "stale", "edit", "forget", "withdraw", "reword")),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(_CHANGES, max_size=25), st.integers(0, 25))
def test_any_history_gives_the_same_state(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, str, int, str]], refreshed: int
) -> None:
    lake = Lake(str(tmp_path_factory.mktemp("any") / "lake"))
    last: dict[tuple[str, str], MemoryVersion] = {}
    for n, (user, city, day, what) in enumerate(history):
        if n == refreshed:
            refresh(lake, LAST)
        before = last.get((user, city))
        if before is None:
            made = born(user, city, day)
        elif what == "withdraw":
            made = withdrawn(before)
        else:
            made = _CHANGED[what](before, max(day, (before.day - NOON.date()).days))
        lake.append(LEDGER, [made])
        if made.asserted:
            last[user, city] = made
    refresh(lake, LAST)
    held = load(lake)
    agrees(lake, held.through + timedelta(days=1) if held else LAST)


_CHANGED = {
    "again": lambda v, day: changed(v, day, reinforcements=v.reinforcements + 1),
    "supersede": lambda v, day: changed(v, day, Change.SUPERSEDE, status=Status.SUPERSEDED),
    "stale": lambda v, day: changed(v, day, Change.STALE, cause=Cause.LIFECYCLE, status=Status.STALE),
    "edit": lambda v, day: changed(v, day, Change.EDIT, cause=Cause.MANUAL, own_words=True),
    "forget": lambda v, day: changed(v, day, Change.FORGET, status=Status.ARCHIVED),
    "reword": lambda v, day: changed(v, day, Change.MERGE, content=v.content + " Still."),
}
