"""What shares a word with a proposal is found among the living, each in its last wording, in a copy as it was then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt

from memory_pipeline.domain.ledger.memory import MemoryVersion, Status
from memory_pipeline.domain.proposal import Operation
from memory_pipeline.stages.consolidation.neighbours import Neighbourhood, Vectors
from memory_pipeline_tests.factories import POLICY, memory, proposal


class _Apart:
    """Vectors that are near to none: only words and slots find anything."""

    dimensions = 2

    def prepare(self, said: Iterable[object]) -> None:
        """Nothing to have ready."""

    def of(self, text: str) -> npt.NDArray[np.float32]:
        return np.zeros(2, dtype=np.float32)


def _around(*memories: MemoryVersion) -> Neighbourhood:
    return Neighbourhood(cast(Vectors, _Apart()), memories)


def _named(near: Neighbourhood, word: str) -> list[str]:
    asked = proposal(word, operation=Operation.FORGET)
    return [c.memory.content for c in near.candidates(asked, POLICY)]


def _said(memory_id: str, content: str) -> MemoryVersion:
    return replace(memory(proposal(content)), memory_id=memory_id)


def test_a_reworded_memory_is_found_by_its_new_words_only() -> None:
    near = _around(_said("a", "Collects stamps."), _said("b", "Repairs bicycles."))
    near.put(_said("a", "Collects maps."))
    assert _named(near, "stamps") == []
    assert _named(near, "maps") == ["Collects maps."]


def test_a_retired_memory_is_found_no_more() -> None:
    near = _around(_said("a", "Collects stamps."))
    near.put(replace(_said("a", "Collects stamps."), status=Status.CLOSED))
    assert _named(near, "stamps") == []


def test_a_copy_finds_what_was_there_then_and_what_came_to_it_since() -> None:
    near = _around(_said("a", "Collects stamps."))
    then = near.copy()
    near.put(_said("b", "Repairs bicycles."))
    assert _named(then, "bicycles") == []
    then.put(_said("c", "Paints bicycles."))
    assert _named(then, "bicycles") == ["Paints bicycles."]
    assert _named(near, "bicycles") == ["Repairs bicycles."]
