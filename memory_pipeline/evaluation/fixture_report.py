"""What the run of the fixtures measured, and every expectation that was not met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """One expectation, met or not.

    Attributes:
        check: memory, unexpected, forbidden, rejected, act, hit, never, context, answer, duplicate, rerun or leak.
        expected, found: for a reader.
    """

    fixture: str
    check: str
    met: bool
    expected: str
    found: str = ""


@dataclass
class FixtureReport:
    """The figures of DL-32 to DL-34, from every outcome of a run.

    ``memory``: an expected memory; ``unexpected``: one that no expectation covers; ``hit``: a query with what it must
    find; ``duplicate``, ``rerun``: a memory or a ledger row of the second run; ``leak``: a read of phase 3. All others
    are behaviours.

    Attributes:
        fixtures: names, in order.
        stored: memories of phase 1.
        reads: reads of phase 3.
    """

    fixtures: Sequence[str]
    stored: int = 0
    duplicates: int = 0
    rerun_changes: int = 0
    leaks: int = 0
    reads: int = 0
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failures(self) -> list[Outcome]:
        """What was not met."""
        return [outcome for outcome in self.outcomes if not outcome.met]

    @property
    def metrics(self) -> dict[str, float]:
        """Shares are 0 to 1, and 1 where nothing was to be counted.

        precision: share of the stored memories that an expectation covers. recall: share of the expected memories
        that are there. hit@3: share of the queries whose expected evidence is among the first three items.
        behaviours: share of what else was expected. passed: fixtures without any failure.
        """
        count = Counter((o.check, o.met) for o in self.outcomes)
        others = [o.met for o in self.outcomes if o.check not in _COUNTED]
        return {
            "fixtures": len(self.fixtures),
            "passed": len(set(self.fixtures) - {o.fixture for o in self.failures}),
            "precision": _share(self.stored - count["unexpected", False], self.stored),
            "recall": _share(count["memory", True], count["memory", True] + count["memory", False]),
            "hit@3": _share(count["hit", True], count["hit", True] + count["hit", False]),
            "behaviours": _share(sum(others), len(others)),
            "duplicates": self.duplicates,
            "rerun_changes": self.rerun_changes,
            "leaks": self.leaks,
            "memories": self.stored,
            "queries": count["hit", True] + count["hit", False],
            "isolation_reads": self.reads,
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape of the suite: its metrics, and the failures."""
        failures = [
            {"fixture": o.fixture, "check": o.check, "expected": o.expected, "found": o.found} for o in self.failures
        ]
        return {"fixtures": {**self.metrics, "failures": failures}}


_COUNTED = frozenset({"memory", "unexpected", "hit", "duplicate", "rerun", "leak"})


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0
