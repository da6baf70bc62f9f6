"""Strength of many memories at once is the domain's formula, memory by memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.ledger.strength import slowing, strength
from memory_pipeline.domain.policy import CurvePolicy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.retrieval.scores.scoring import strengths
from memory_pipeline_tests.factories import POLICY
from memory_pipeline_tests.store import NOW, Store

_ROWS = st.lists(st.tuples(st.floats(0, 1), st.floats(-10, 5_000), st.floats(1, 12)), min_size=1, max_size=20)


@pytest.mark.parametrize("curve", POLICY.curves.values(), ids=POLICY.curves.keys())
@given(_ROWS)
def test_strengths_are_the_formula(curve: CurvePolicy, rows: list[tuple[float, float, float]]) -> None:
    importance, days, slowed = (np.array(column) for column in zip(*rows, strict=True))
    expected = [strength(i, d, curve, s) for i, d, s in rows]
    np.testing.assert_allclose(strengths(importance, days, curve, slowed), expected, rtol=1e-12, atol=1e-12)


def test_an_unknown_kind_is_refused() -> None:
    curve = CurvePolicy(kind="cliff", floor=0, rate=1, after_days=0, late_rate=1, late_after_days=0)
    with pytest.raises(ValueError, match="cliff.*stepped.*logarithmic"):
        strengths(np.ones(1), np.ones(1), curve, np.ones(1))


def _importance(reader: MemoryReader, home: Store) -> dict[str, float]:
    found = reader.search("cello", **home.owner, layers=["semantic"], k=100, explain=True)
    return {item.id: item.signals["importance"].value for item in found}


def test_the_signal_follows_type_confirmations_recalls_and_pins(home: Store, reader: MemoryReader) -> None:
    given_: list[dict[str, Any]] = [
        {"type": type_, "importance": importance, "reinforcements": confirmed, "at": NOW - timedelta(days=age)}
        for n, type_ in enumerate(MemoryType)
        for importance, confirmed, age in ((0.9, 0, 3 + n), (0.7, 2, 140 + n), (0.4, 0, 1_500), (0.05, 0, 900))
        if type_ is not MemoryType.REFLECTION
    ]
    made = home.memories([("Plays the cello.", row) for row in given_])
    read = made[5]
    home.usefulness(read.memory_id, NOW.date() - timedelta(days=200), access_count=7)
    pinned = home.memory(
        "Plays the cello.", importance=0.9, type=MemoryType.EPHEMERAL, pinned=True, at=NOW.replace(2020)
    )
    found = _importance(reader, home)
    assert found[pinned.memory_id] == 0.9
    for memory in made:
        recalls = 7 if memory is read else 0
        days = (NOW - memory.referenced_at) / timedelta(days=1)
        slowed = slowing(memory.reinforcements, recalls, POLICY.strength)
        left = strength(memory.importance, days, POLICY.curves[POLICY.lifecycle[memory.type].curve], slowed)
        floor = min(memory.importance, POLICY.strength.score_floor)
        assert found[memory.memory_id] == pytest.approx(max(left, floor)), memory.type
