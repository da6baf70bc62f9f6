"""Memory versions: the append-only ledger, and its fold into what is remembered now.

A row states the whole memory after one change (slowly changing dimension, type 2). ``asserted=False`` rows withdraw a
version; nothing is ever rewritten. Ids do not depend on the run or its clock, so a re-run finds its own versions again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any

from memory_pipeline.domain.ids import digest, identifier
from memory_pipeline.domain.plain import Plain
from memory_pipeline.domain.proposal import Evidence, MemoryType, Surface
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.domain.text import normalise


class Status(StrEnum):
    """Where a memory is in its life (DL-25; superseded after RX-5, closed after DL-7)."""

    ACTIVE = "active"
    STALE = "stale"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    CLOSED = "closed"


RETIRED = frozenset({Status.SUPERSEDED, Status.CONTRADICTED, Status.CLOSED, Status.ARCHIVED})


FORGOTTEN_TOPIC = "forgotten_topic"
"""Attribute of the record that a plea to forget leaves: its value names the topic, its evidence is the plea. It is
forgotten from its first version on, and so never shown; while it stands, nothing that speaks of its topic is."""

MOST_EVIDENCE = 12  # citations that a memory keeps: the first and the latest where there are more


class Change(StrEnum):
    """Why a version exists."""

    ADD = "add"
    REINFORCE = "reinforce"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    CONTRADICT = "contradict"
    CLOSE = "close"
    FORGET = "forget"
    SUPPRESS = "suppress"
    STALE = "stale"
    ARCHIVE = "archive"
    EXPIRE = "expire"
    FADE = "fade"
    PRUNE = "prune"
    REVIVE = "revive"
    EDIT = "edit"
    PIN = "pin"
    UNPIN = "unpin"
    UNDO = "undo"
    CLASSIFY = "classify"


class Cause(StrEnum):
    """Which part of the pipeline made a version; a replay re-makes each its own way."""

    PROPOSAL = "proposal"
    LIFECYCLE = "lifecycle"
    FADING = "fading"
    REFLECTION = "reflection"
    PATTERN = "pattern"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class MemoryVersion(Plain):
    """The state of a memory after one change.

    Attributes:
        lineage_id: id of the first memory of the chain of facts this one belongs to.
        version: 1, 2, … within the memory.
        observed_at: when the content was first said, UTC.
        referenced_at: when it was last said or confirmed, UTC.
        valid_from, valid_until: when it was true, UTC; None = open.
        changed_at: event time of this change, UTC; ``as_of`` reads go by it.
        day: local day of the change: the ledger partition.
        review_on: first day on which the lifecycle policy would change it; None = never.
        reinforcements: how often it was confirmed.
        derived_from: ids of the memories that a reflection or a pattern rests on.
        asserted: False withdraws the version with this id.
        recorded_at: when this row was written, UTC; ``known_at`` reads go by it.
        own_words: the content was written by the user's own hand; no merge replaces it (RX-30).
        taken_back: ids of what must not be shown any more: messages whose words the user has corrected or forgotten,
            and the memory itself once it is forgotten.
        apart: ids of the proposals, messages and memories that the user keeps from changing this one.
    """

    version_id: str
    memory_id: str
    lineage_id: str
    tenant_id: str
    user_id: str
    session_id: str
    agent_id: str | None
    domain: str | None
    shared: bool
    classification: Classification
    version: int
    change: Change
    cause: Cause
    reason: str
    type: MemoryType
    status: Status
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    confidence: float
    salience: float
    importance: float
    surface: Surface
    pinned: bool
    reinforcements: int
    observed_at: datetime
    referenced_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None
    changed_at: datetime
    day: date
    timezone: str
    review_on: date | None
    evidence: tuple[Evidence, ...]
    derived_from: tuple[str, ...]
    superseded_by: str | None
    proposal_id: str | None
    previous_version_id: str | None
    run_id: str
    asserted: bool
    recorded_at: datetime
    own_words: bool = False
    taken_back: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant_id, self.user_id)

    @property
    def forgotten(self) -> bool:
        """Whether the user has had it forgotten; being archived by time is something else."""
        return self.change is Change.FORGET or self.memory_id in self.taken_back


# What a version's identity must not depend on: the run, its clock, and the identity itself.
_OUTSIDE_IDENTITY = frozenset({"version_id", "run_id", "recorded_at", "asserted", "review_on"})
# Fields that came later: left out where they say nothing, so that older versions keep their ids.
_LATER = frozenset({"own_words", "taken_back", "apart"})


_OF_IDENTITY = tuple(f.name for f in fields(MemoryVersion) if f.name not in _OUTSIDE_IDENTITY)
_identity = attrgetter(*_OF_IDENTITY)


def memory_id(
    tenant_id: str,
    user_id: str,
    first_message_id: str,
    subject: str | None,
    attribute: str | None,
    value: str | None,
    content: str,
) -> str:
    """Id of a new memory: its owner, the message it came from, and its slot (or its words where it has none).

    Another prompt or model that finds the same fact in the same message finds the same id, so a re-processing can be
    compared fact by fact and a manual edit stays attached.
    """
    what = (normalise(subject or ""), normalise(attribute or ""), normalise(value or ""))
    slot = what if attribute and value else ("", "", normalise(content))
    return identifier("mem", tenant_id, user_id, first_message_id, *slot)


def seal(version: MemoryVersion) -> MemoryVersion:
    """The version with its ``version_id`` computed from everything that belongs to its identity."""
    parts = [
        f"{name}={_canonical(value)}"
        for name, value in zip(_OF_IDENTITY, _identity(version), strict=True)
        if value or name not in _LATER
    ]
    return replace(version, version_id="ver_" + digest(*parts)[:24])


def _canonical(value: Any) -> str:
    # Text first: most fields are.
    return str(value) if isinstance(value, str) else value.isoformat() if isinstance(value, date) else repr(value)


def evolve_as(row: MemoryVersion, current: MemoryVersion, **changes: Any) -> MemoryVersion:
    """What a row of the ledger changed, done to its memory as it is now: for the row's reason, in its run and at its
    time, though not before the memory's last change."""
    made = evolve(
        current,
        change=row.change,
        cause=row.cause,
        reason=row.reason,
        changed_at=max(row.changed_at, current.changed_at),
        day=row.day,
        **changes,
    )
    return replace(made, run_id=row.run_id, recorded_at=row.recorded_at)


def evolve(current: MemoryVersion, **changes: Any) -> MemoryVersion:
    """The next version of a memory: ``current`` with some fields changed, numbered, chained and sealed."""
    return seal(
        replace(
            current,
            version=current.version + 1,
            previous_version_id=current.version_id,
            proposal_id=changes.pop("proposal_id", None),
            **changes,
        )
    )


def standing(rows: Iterable[MemoryVersion]) -> list[MemoryVersion]:
    """The versions that hold: for each ``version_id`` its last row, unless that one withdraws it."""
    last: dict[str, MemoryVersion] = {}
    for row in rows:
        seen = last.get(row.version_id)
        if seen is None or (row.recorded_at, not row.asserted) >= (seen.recorded_at, not seen.asserted):
            last[row.version_id] = row
    return [row for row in last.values() if row.asserted]


def fold(rows: Iterable[MemoryVersion]) -> dict[str, MemoryVersion]:
    """Current state by ``memory_id``: the highest standing version of each. The order of rows does not matter."""
    current: dict[str, MemoryVersion] = {}
    for row in standing(rows):
        seen = current.get(row.memory_id)
        if seen is None or (row.version, row.recorded_at, row.version_id) > (
            seen.version,
            seen.recorded_at,
            seen.version_id,
        ):
            current[row.memory_id] = row
    return current
