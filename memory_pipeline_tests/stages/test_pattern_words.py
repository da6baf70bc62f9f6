"""The words that nearly all memories share, counted as versions come, are those of a count over all of them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import DERIVED_TYPES, MemoryType
from memory_pipeline.stages.insight.pattern_words import WordCounts, keywords_of
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal

_TEXTS = ("Ada saw the harbour.", "Ada painted a boat.", "Ada cooked goulash.", "The boat sank.", "Rain all week.")


def _whole(state: dict[str, MemoryVersion], common_from: int, share: float) -> frozenset[str]:
    told = [m for m in state.values() if m.type not in DERIVED_TYPES]
    counts = Counter(word for m in told for word in keywords_of(m.content))
    return frozenset(w for w, n in counts.items() if n > share * len(told)) if len(told) >= common_from else frozenset()


def test_counting_as_versions_come_is_counting_all() -> None:
    draw = random.Random(3)
    figures = replace(POLICY.pattern, common_from=4)
    words, state, seen = WordCounts(), {}, set()
    for n in range(300):
        made = memory(
            proposal(draw.choice(_TEXTS[: draw.choice((3, 5))]), NOON + timedelta(hours=n)),
            memory_id=f"mem_{draw.randrange(12)}",
            type=draw.choice([MemoryType.EPISODIC_EVENT, MemoryType.FINDING, MemoryType.PATTERN]),
        )
        words.replace(state.get(made.memory_id), made)
        state[made.memory_id] = made
        found = words.everywhere(figures)
        assert found == _whole(state, figures.common_from, figures.common_share)
        seen.add(found)
    assert len(seen) > 1
