from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status, evolve, fold, memory_id, seal, standing
from memory_pipeline_tests.factories import RECORDED, memory, residence


def _chain(length: int) -> list[MemoryVersion]:
    chain = [memory(residence("Lisbon"))]
    for n in range(1, length):
        chain.append(evolve(chain[-1], change=Change.REINFORCE, reason=f"again {n}", reinforcements=n))
    return chain


def test_identity_does_not_depend_on_run_or_clock() -> None:
    one = memory()
    other = seal(replace(one, run_id="another", recorded_at=RECORDED + timedelta(days=3)))
    assert one.version_id == other.version_id


def test_identity_depends_on_everything_else() -> None:
    one = memory()
    assert seal(replace(one, status=Status.STALE)).version_id != one.version_id
    assert seal(replace(one, content="Lives in Porto.")).version_id != one.version_id


def test_the_same_slot_in_other_words_is_the_same_memory() -> None:
    one = memory_id("t", "u", "m-1", "user", "residence", "Lisbon", "Lives in Lisbon.")
    other = memory_id("t", "u", "m-1", "user", "Residence", "lisbon", "Is based in Lisbon.")
    assert one == other
    assert one != memory_id("t", "v", "m-1", "user", "residence", "Lisbon", "Lives in Lisbon.")


@given(st.integers(1, 6), st.randoms())
def test_fold_takes_the_last_version_whatever_the_order(length: int, random: object) -> None:
    chain = _chain(length)
    rows = chain + chain  # rows may stand twice
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert fold(rows) == {chain[-1].memory_id: chain[-1]}


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.randoms())
def test_a_version_stands_as_its_last_row_says(says: list[bool], random: object) -> None:
    one = memory()
    rows = [replace(one, asserted=a, recorded_at=RECORDED + timedelta(seconds=n)) for n, a in enumerate(says)]
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert [v.version_id for v in standing(rows)] == ([one.version_id] if says[-1] else [])


def test_withdrawing_the_last_version_brings_back_the_one_before() -> None:
    chain = _chain(3)
    withdrawn = replace(chain[-1], asserted=False, recorded_at=RECORDED + timedelta(hours=1))
    assert fold([*chain, withdrawn])[chain[0].memory_id] == chain[1]


def test_versions_are_numbered_and_chained() -> None:
    chain = _chain(3)
    assert [v.version for v in chain] == [1, 2, 3]
    assert [v.previous_version_id for v in chain] == [None, chain[0].version_id, chain[1].version_id]
