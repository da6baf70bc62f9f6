"""How two statements stand to each other by their words, within either tolerance."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_pipeline.domain.consolidation.comparison import Comparison, Tolerance, compare, equal_facts
from memory_pipeline.domain.consolidation.equivalence import features

EXACT = Tolerance(near=0.0, alike=0.8, part=0.5, changed=1.0, contained=1, exact=True)
LOOSE = Tolerance(near=0.6, alike=None, part=0.8, changed=0.8, contained=2, exact=False)
DOG = "Walks the old grey dog Rex"

PAIRS = [  # new, old, exact, loose
    (f"{DOG}.", f"{DOG}.", "same", "same"),
    (f"Daily {DOG}.", f"{DOG}.", "same", "more"),
    (f"{DOG}.", f"{DOG} every single day at noon.", "less", "other"),
    (f"{DOG} every single day at noon.", f"{DOG}.", "more", "more"),
    (f"{DOG} 2 times.", f"{DOG}.", "other_number", "more"),
    (f"{DOG} 2 times.", f"{DOG} 3 times.", "other_number", "other_number"),
    (f"Never {DOG}.", f"{DOG}.", "denied", "denied"),
    (f"{DOG} instead.", f"{DOG}.", "replaced", "replaced"),
    (f"{DOG}.", f"{DOG} instead.", "replaced", "less"),
    ("Walks the old grey dog Bo.", f"{DOG}.", "other", "other"),
    ("Dog bites man.", "Man bites dog.", "other", "other"),
    ("Plays chess.", f"{DOG}.", "other", "other"),
]


@pytest.mark.parametrize(("new", "old", "exact", "loose"), PAIRS)
def test_statements_are_compared_within_a_tolerance(new: str, old: str, exact: str, loose: str) -> None:
    assert compare(features(new), features(old), EXACT) == exact
    assert compare(features(new), features(old), LOOSE) == loose


def test_another_date_is_told_only_where_the_words_are_nearly_the_same() -> None:
    new, old = (replace(features("Meets Rex at noon."), dates=frozenset({day})) for day in ("1 may", "2 may"))
    assert compare(new, old, LOOSE) is Comparison.OTHER_DATE
    further = replace(features("Meets Rex at noon beside the river."), dates=frozenset({"1 may"}))
    assert compare(further, old, LOOSE) is Comparison.OTHER


def test_equal_values_of_other_amounts_or_owners_are_other_facts() -> None:
    low, high = features("Takes 50 mg of zinc."), features("Takes 75 mg of zinc.")
    assert not equal_facts(low, high, named=False) and equal_facts(low, low, named=False)
    mine, hers = features("Has a niece called Anna."), features("Has a daughter called Anna.")
    assert equal_facts(mine, hers, named=False) and not equal_facts(mine, hers, named=True)
