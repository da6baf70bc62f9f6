"""Holds: what a rollback puts back of a user's day, and how a replay takes it over.

A user's memories are a fold over what was proposed, the policy and the user's own acts. Taking back what one run made
of them cannot be another row of the result alone, or the next replay would make it again. So a rollback is a further
input of the fold: for each day of a user that a run changed, a hold names the versions that stand. A replay then takes
these instead of what the day's proposals would make, at their own times among the user's acts, which are done again as
ever.

A hold is in force while the day's windows are those that it was made over and while prompts, models and policy are
those of its time; once any of them changes, the day is made anew as if there were no hold. Letting go of a hold is
another row. So the fold stays a pure function of its inputs, and nothing is deleted. A week of patterns or reflections
is held likewise, while what was said and done in it stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any

from memory_pipeline.domain.calendar import Period
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.memory import RETIRED, Cause, MemoryVersion, evolve_as
from memory_pipeline.domain.scope import Scope

HELD = frozenset({Cause.PROPOSAL, Cause.LIFECYCLE, Cause.FADING})
"""What a hold of a day decides on; acts are done again, and what is derived from memories follows."""

CAUSES = {
    "memories": HELD,
    "patterns": frozenset({Cause.PATTERN}),
    "reflections": frozenset({Cause.REFLECTION}),
}
"""What the holds of each stage decide on."""
_STATED = frozenset({Cause.PROPOSAL, Cause.MANUAL})


@dataclass(frozen=True, slots=True)
class Hold:
    """A user's day (or week) as a rollback put it back.

    Attributes:
        hold_id: of the rollback, the stage, the user and the partition.
        rollback_id: run id of the rollback.
        stage: whose versions it decides on: memories (a day), patterns or reflections (a week, by its first day).
        runs: the runs that were rolled back.
        versions: ids of the versions of that partition (of the causes in ``CAUSES``) that stand; all others do not.
        inputs: what it was made over: ids of the user's windows of the day, or of what was said and done in the week.
        code: digest of the prompts, models and policy at the time.
        reason: what whoever did it had to say.
        asserted: False lets go of it.
        run_id: what wrote this row: the rollback itself, or the one that undid it.
        recorded_at: when this row was written, UTC.
    """

    hold_id: str
    rollback_id: str
    stage: str
    tenant_id: str
    user_id: str
    day: date
    runs: tuple[str, ...]
    versions: tuple[str, ...]
    inputs: tuple[str, ...]
    code: str
    reason: str
    asserted: bool
    run_id: str
    recorded_at: datetime

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant_id, self.user_id)


def hold_id(rollback_id: str, stage: str, scope: Scope, day: date) -> str:
    """The id of what a rollback puts back of a user's partition of a stage."""
    return identifier("hld", rollback_id, stage, scope.tenant_id, scope.user_id, day.isoformat())


def standing_holds(rows: Iterable[Hold]) -> list[Hold]:
    """Those that nobody has let go of, in the order in which they were made."""
    last: dict[str, Hold] = {}
    for row in rows:
        seen = last.get(row.hold_id)
        if seen is None or (row.recorded_at, not row.asserted) >= (seen.recorded_at, not seen.asserted):
            last[row.hold_id] = row
    return sorted((r for r in last.values() if r.asserted), key=lambda r: (r.recorded_at, r.hold_id))


def latest_holds(rows: Iterable[Hold]) -> dict[tuple[Scope, date], Hold]:
    """By user and partition of one stage the hold that counts: the latest that nobody has let go of."""
    return {(row.scope, row.day): row for row in standing_holds(rows)}


def told_in(week: Period, versions: Iterable[MemoryVersion]) -> frozenset[str]:
    """Ids of what was said and done in a week: what its patterns and reflections rest on (``Hold.inputs``)."""
    return frozenset(v.version_id for v in versions if v.cause in _STATED and week.start <= v.day < week.end)


def stood_in(
    held: Mapping[Period, Hold], rows: Iterable[MemoryVersion], standing: Sequence[MemoryVersion]
) -> dict[Period, list[MemoryVersion]]:
    """The versions of held weeks that stand, in order; weeks in which something else was said or done are absent.

    Args:
        rows: of the user's ledger, withdrawals included.
        standing: those of them that stand now.
    """
    weeks = {week: hold for week, hold in held.items() if told_in(week, standing) == frozenset(hold.inputs)}
    wanted = {i: week for week, hold in weeks.items() for i in hold.versions}
    found: dict[Period, dict[str, MemoryVersion]] = {week: {} for week in weeks}
    for row in rows:
        if row.version_id in wanted:
            found[wanted[row.version_id]][row.version_id] = replace(row, asserted=True)
    return {
        week: sorted(of.values(), key=lambda v: (v.changed_at, v.version > 1, v.memory_id, v.version))
        for week, of in found.items()
    }


# What a version has of its own, or that ``evolve`` gives it.
_OWN = frozenset(
    {
        "version_id",
        "version",
        "previous_version_id",
        "proposal_id",
        "change",
        "cause",
        "reason",
        "changed_at",
        "day",
        "review_on",
        "run_id",
        "asserted",
        "recorded_at",
    }
)
_GATHERED = frozenset({"evidence", "derived_from", "taken_back", "apart", "entities"})


def put_back(row: MemoryVersion, before: MemoryVersion | None, current: MemoryVersion | None) -> MemoryVersion | None:
    """A held version on top of the state that a replay has come to.

    Args:
        row: the version as the ledger has it.
        before: the version that it was made from.
        current: its memory as it is now.

    Returns:
        The row itself where it fits as it is; else what it changed, done to the memory as it is now; None where there
        is nothing left to do it to: the memory does not exist, is there already, was forgotten, or has ended otherwise.
    """
    row = replace(row, asserted=True)
    if row.version == 1:
        return row if current is None else None
    if current is None or (current.forgotten and not row.forgotten):
        return None
    if row.previous_version_id == current.version_id:
        return row
    if before is None or (current.status in RETIRED and before.status not in RETIRED):
        return None
    changes: dict[str, Any] = {}
    for name in (f.name for f in fields(row) if f.name not in _OWN):
        old, new = getattr(before, name), getattr(row, name)
        if old == new:
            continue
        if name in _GATHERED:
            new = tuple(dict.fromkeys((*getattr(current, name), *(item for item in new if item not in old))))
        elif name == "reinforcements":
            new = current.reinforcements + new - old
        changes[name] = new
    return evolve_as(row, current, proposal_id=row.proposal_id, **changes)
