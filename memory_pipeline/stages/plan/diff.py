"""What a rehearsal came to, beside what is in force: memories and summaries added, changed or retired."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.ledger.attachment import attached
from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.proposal import Outcome
from memory_pipeline.domain.reasons import meaning
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.overlay import OverlayLake

KINDS = ("added", "changed", "retired")
_SHOWN = (
    "content",
    "type",
    "status",
    "subject",
    "attribute",
    "value",
    "negated",
    "surface",
    "classification",
    "confidence",
    "salience",
    "importance",
    "pinned",
    "valid_from",
    "valid_until",
    "due_at",
)


@dataclass(frozen=True, slots=True)
class Side:
    """A memory or a summary as it is, or as it would be."""

    content: str
    type: str
    status: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One memory or summary that would not stay as it is.

    Attributes:
        kind: one of ``KINDS``.
        id: of the memory or the summary.
        before_id: what it is called now, where the same, told in other words, would be called otherwise.
        day: of the change, the partition.
        before, after: None where it is not there.
        fields: names of what differs, for one that changes.
        reason: why it would be so.
        message_id, quote: the first words that it rests on; of a summary none.
    """

    kind: str
    id: str
    tenant_id: str
    user_id: str
    day: date
    type: str
    before: Side | None
    after: Side | None
    fields: tuple[str, ...]
    reason: str
    message_id: str | None = None
    quote: str | None = None
    before_id: str | None = None


def memories_apart(below: Lake, top: OverlayLake) -> list[Difference]:
    """How memories would differ, by day and user."""
    from memory_pipeline.storage.queries.ledger import current_of

    ids = _written(top)
    before = {v.memory_id: v for v in current_of(below, ids)}
    after = {v.memory_id: v for v in current_of(top, ids)}
    gone = [v for i, v in before.items() if i not in after]
    new = {i: v for i, v in after.items() if i not in before}
    verdicts = _verdicts(top, gone)
    found = []
    for version in sorted(gone, key=lambda v: v.memory_id):
        own = {i: v for i, v in new.items() if v.scope == version.scope}
        again = attached(version, None, own)  # the same, told in other words
        if again is None:
            found.append(_difference("retired", version, None, verdicts.get(version.proposal_id or "", "")))
        else:
            found.append(_difference("changed", version, new.pop(again.memory_id), again.reason))
    found += [_difference("added", None, v, v.reason) for v in new.values()]
    for memory_id in before.keys() & after.keys():
        one, two = before[memory_id], after[memory_id]
        if _fields(one, two):
            ends = two.status in RETIRED and one.status not in RETIRED
            found.append(_difference("retired" if ends else "changed", one, two, two.reason))
    return sorted(found, key=lambda d: (d.day, d.tenant_id, d.user_id, KINDS.index(d.kind), d.id))


def standing_on(lake: Lake, days: Collection[date]) -> set[str]:
    """Ids of the memories of which something stands on some days."""
    from memory_pipeline.storage.queries.ledger import STANDING

    found = lake.sql(f"SELECT DISTINCT memory_id FROM ({STANDING})", days={"memory_versions": days})
    return set(found["memory_id"].to_pylist())


def summaries_apart(below: Lake, top: OverlayLake) -> list[Difference]:
    """How summaries would differ; one that comes to the same words is none."""
    from memory_pipeline.domain.derived.summary import Summary
    from memory_pipeline.storage.parquet.files import day_of

    days = sorted({day_of(path) for path in top.written("summaries")})
    before = {s.summary_id: s for s in below.read("summaries", Summary, days=days)}
    after = {s.summary_id: s for s in top.read("summaries", Summary, days=days)}
    found = []
    for summary_id in sorted(before.keys() | after.keys()):
        one, two = before.get(summary_id), after.get(summary_id)
        shown = two or one
        if shown is None or (one is not None and two is not None and one.text == two.text):
            continue
        kind = "added" if one is None else "retired" if two is None else "changed"
        sides = [None if s is None else Side(s.text, f"{s.grain} summary", "active") for s in (one, two)]
        fields = ("content",) if kind == "changed" else ()
        found.append(
            Difference(
                kind,
                summary_id,
                shown.tenant_id,
                shown.user_id,
                shown.start,
                f"{shown.grain} summary",
                sides[0],
                sides[1],
                fields,
                "what it tells, or how it is told, has changed",
            )
        )
    return sorted(found, key=lambda d: (d.day, d.tenant_id, d.user_id, d.id))


def counts_by(differences: Iterable[Difference], by: str) -> dict[str, dict[str, int]]:
    """How many there are of each kind, by an attribute."""
    found: dict[str, dict[str, int]] = {}
    for difference in differences:
        counts = found.setdefault(str(getattr(difference, by)), dict.fromkeys(KINDS, 0))
        counts[difference.kind] += 1
    return dict(sorted(found.items()))


def _written(top: OverlayLake) -> list[str]:
    table = top.sql(
        "SELECT DISTINCT memory_id FROM memory_versions ORDER BY memory_id",
        files={"memory_versions": ("memory_versions", top.written("memory_versions"))},
    )
    ids: list[str] = table["memory_id"].to_pylist()
    return ids


def _verdicts(top: OverlayLake, gone: Collection[MemoryVersion]) -> dict[str, str]:
    """By proposal why what rested on it would not be there."""
    import pyarrow as pa

    ids = sorted({v.proposal_id for v in gone if v.proposal_id})
    if not ids:
        return {}
    rows = top.sql(
        "SELECT proposal_id, reason FROM verdicts SEMI JOIN ids USING (proposal_id) WHERE outcome = $rejected",
        {"rejected": str(Outcome.REJECTED)},
        days={"verdicts": {v.day for v in gone}},
        tables={"ids": pa.table({"proposal_id": ids})},
    ).to_pylist()
    return {row["proposal_id"]: f"{row['reason']}: {meaning(row['reason'])}" for row in rows}


def _fields(one: MemoryVersion, two: MemoryVersion) -> tuple[str, ...]:
    return tuple(name for name in _SHOWN if getattr(one, name) != getattr(two, name))


def _difference(kind: str, one: MemoryVersion | None, two: MemoryVersion | None, reason: str) -> Difference:
    shown = two or one
    assert shown is not None
    evidence = shown.evidence[0] if shown.evidence else None
    return Difference(
        kind=kind,
        id=shown.memory_id,
        tenant_id=shown.tenant_id,
        user_id=shown.user_id,
        day=shown.day,
        type=str(shown.type),
        before=_side(one),
        after=_side(two),
        fields=_fields(one, two) if one is not None and two is not None else (),
        reason=reason or "what it rested on is not proposed any more",
        message_id=evidence.message_id if evidence else None,
        quote=evidence.quote if evidence else None,
        before_id=one.memory_id if one is not None and one.memory_id != shown.memory_id else None,
    )


def _side(version: MemoryVersion | None) -> Side | None:
    return None if version is None else Side(version.content, str(version.type), str(version.status))
