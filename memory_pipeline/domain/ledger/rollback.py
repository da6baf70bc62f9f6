"""What a run did to one user's ledger, and what the user's partitions were without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.ledger.curation import is_act
from memory_pipeline.domain.ledger.hold import HELD
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, standing

_BY_TIME = frozenset({Cause.LIFECYCLE, Cause.FADING})
# Acts that say nothing without what they were done to; any other stands by itself once its memory is gone.
_HOLLOW = frozenset({Change.UNDO, Change.UNPIN})
_STAGE_OF = {Cause.PATTERN: "patterns", Cause.REFLECTION: "reflections"}


@dataclass(frozen=True, slots=True)
class Later:
    """Something that changed since what a run had made.

    Attributes:
        run_id: of what changed it.
        acts: what the user did in it by hand; none where it was no hand.
    """

    run_id: str
    day: date
    acts: tuple[MemoryVersion, ...]


class Reversal:
    """One user's ledger with and without some runs.

    Args:
        rows: of the user's ledger, every one.
        runs: ids of the runs to be taken back.
    """

    def __init__(self, rows: Iterable[MemoryVersion], runs: Collection[str]) -> None:
        self._runs = frozenset(runs)
        self._chains: dict[str, list[MemoryVersion]] = defaultdict(list)
        for row in sorted(rows, key=lambda r: (r.recorded_at, not r.asserted)):
            self._chains[row.version_id].append(row)
        self._touched = {i for i, chain in self._chains.items() if any(r.run_id in self._runs for r in chain)}
        self._last = max(r.recorded_at for i in self._touched for r in self._chains[i] if r.run_id in self._runs)
        self.withdrawn = [self._row(i) for i in self._touched if self._now(i) and not self._before(i)]
        self.asserted = [self._row(i) for i in self._touched if self._before(i) and not self._now(i)]
        self._restored = self._standing_without()

    @property
    def by_hand(self) -> bool:
        """Whether the runs are the user's own acts."""
        first = (self._chains[i][0] for i in self._touched)
        return any(is_act(row) and row.run_id in self._runs for row in first)

    @property
    def days(self) -> set[date]:
        """Days on which the runs changed what was said and what time made of it."""
        return {self._row(i).day for i in self._touched if self._row(i).cause in HELD}

    @property
    def weeks(self) -> set[tuple[str, date]]:
        """Stages, and weeks by their first day, of which the runs changed patterns or reflections."""
        rows = [self._row(i) for i in self._touched]
        return {(_STAGE_OF[r.cause], period_of(Grain.WEEK, r.day).start) for r in rows if r.cause in _STAGE_OF}

    @property
    def active_days(self) -> set[date]:
        """Days on which the ledger has anything."""
        return {self._row(i).day for i in self._chains}

    def stood(self, days: Collection[date], causes: Collection[Cause]) -> list[str]:
        """Ids of the versions of some days and causes that stand without the runs."""
        rows = (self._row(i) for i in self._restored)
        return sorted(r.version_id for r in rows if r.day in days and r.cause in causes)

    def now_standing(self) -> list[MemoryVersion]:
        """What stands with them."""
        return standing(r for chain in self._chains.values() for r in chain)

    def changed_since(self) -> list[Later]:
        """What later runs made otherwise of the same days, the latest first; what time and reads did does not count."""
        found: dict[str, date] = {}
        at: dict[str, datetime] = {}
        weeks = self.weeks
        for i, chain in self._chains.items():
            row = self._row(i)
            week = (_STAGE_OF.get(row.cause, ""), period_of(Grain.WEEK, row.day).start)
            concerned = (row.cause is Cause.PROPOSAL and row.day in self.days) or week in weeks
            if concerned and self._after(i) != self._now(i):
                found[chain[-1].run_id], at[chain[-1].run_id] = row.day, chain[-1].recorded_at
        return [Later(run, found[run], self._acts_of(run)) for run in sorted(found, key=lambda r: (at[r], r))[::-1]]

    def hollow(self) -> list[MemoryVersion]:
        """Acts of the user's hand that would be left without anything to rest on."""
        left = {self._row(i).memory_id for i in self._restored if not is_act(self._row(i))}
        rows = [row for row in self.now_standing() if is_act(row) and row.change in _HOLLOW]
        return [row for row in rows if row.memory_id not in left and row.memory_id in self._born()]

    def kept_by_hand(self) -> list[MemoryVersion]:
        """What the runs brought and the user has taken up by hand since: it stays as the user left it."""
        left = {self._row(i).memory_id for i in self._restored if not is_act(self._row(i))}
        last: dict[str, MemoryVersion] = {}
        for row in sorted(filter(is_act, self.now_standing()), key=lambda r: (r.changed_at, r.version)):
            if row.memory_id not in left and row.memory_id in self._born():
                last[row.memory_id] = row
        return list(last.values())

    # -- one version through time

    def _row(self, version_id: str) -> MemoryVersion:
        return self._chains[version_id][-1]

    def _now(self, version_id: str) -> bool:
        return self._chains[version_id][-1].asserted

    def _before(self, version_id: str) -> bool:
        earlier = False
        for row in self._chains[version_id]:
            if row.run_id in self._runs:
                return earlier
            earlier = row.asserted
        return earlier

    def _after(self, version_id: str) -> bool:
        """As the runs left it."""
        chain: Sequence[MemoryVersion] = self._chains[version_id]
        own = [row for row in chain if row.run_id in self._runs]
        known = own or [row for row in chain if row.recorded_at <= self._last]
        return bool(known) and known[-1].asserted

    def _standing_without(self) -> set[str]:
        found = {i for i in self._chains if (self._before(i) if i in self._touched else self._now(i))}
        while True:  # what time made of a version that goes does not stay without it
            lost = {
                i
                for i in found
                if (row := self._row(i)).cause in _BY_TIME
                and row.previous_version_id not in found
                and row.previous_version_id in self._chains
            }
            if not lost:
                return found
            found -= lost

    def _born(self) -> set[str]:
        return {v.memory_id for v in self.withdrawn if v.version == 1}

    def _acts_of(self, run_id: str) -> tuple[MemoryVersion, ...]:
        return tuple(r for chain in self._chains.values() for r in chain[:1] if r.run_id == run_id and is_act(r))
