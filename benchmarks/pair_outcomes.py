"""Pairs of statements through the real stages: the first becomes a memory, a week later comes the second.

Every pair has a user of its own, so that hundreds are consolidated in one pass. What became of a pair is read from the
ledger, never from the code that decided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.homes import remember, take, temporary_home
from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion, Status, fold, standing
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation, Outcome, Proposal, Verdict
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import message, proposal

FIRST = datetime(2026, 3, 10, 12, tzinfo=UTC)
SECOND = datetime(2026, 3, 17, 12, tzinfo=UTC)
CONFIRMED = frozenset({"reinforce", "merge", "revive"})
RETIRED = frozenset({"supersede", "contradict", "close", "forget"})


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements and what ought to become of them: same, detail, changed, denied, distinct.

    Attributes:
        first, second: ``text`` (third person), ``said`` (first person), ``operation``, ``subject``, ``attribute``,
            ``value``, ``negated``, ``valid_from``; ``said`` may be a list of messages.
        at: when each is said; two days.
    """

    id: str
    area: str
    label: str
    type: str
    first: Mapping[str, Any]
    second: Mapping[str, Any]
    at: tuple[datetime, datetime] = (FIRST, SECOND)

    @property
    def sides(self) -> tuple[tuple[Mapping[str, Any], datetime], ...]:
        """Each statement and the time it is said at."""
        return (self.first, self.at[0]), (self.second, self.at[1])


@dataclass(slots=True)
class Result:
    """What became of a pair.

    Attributes:
        changes: what the second statement did to memories of the first; ``add`` for a memory of its own.
        left: contents that are active at the end.
        unheard: which of the two gave no memory or change at all, e.g. ("first",).
        rejected: codes of the gate's rules, or no_target, that stopped a proposal.
    """

    pair: Pair
    changes: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    unheard: tuple[str, ...] = ()
    rejected: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def merged(self) -> bool:
        """The second was taken for the first: it confirmed it, and neither ended it nor stands beside it.

        A sentence may hold two facts ("my dog Bruno weighs 27 kg now"): that it confirms the one (the dog) is right
        when it changes the other. A denial must end something, whatever it adds.
        """
        done = set(self.changes)
        beside = "add" in done and "merge" not in done and self.pair.label != "denied"
        return bool(CONFIRMED & done) and not RETIRED & done and not beside

    @property
    def retired(self) -> bool:
        """The first was ended."""
        return bool(RETIRED & set(self.changes))

    @property
    def action(self) -> str:
        """The change that counts: what was done to the first memory, else add, else none."""
        return next((c for c in self.changes if c != "add"), "add" if self.changes else "none")


def statements(pairs: Sequence[Pair], slots: bool) -> list[Result]:
    """Each statement as one accepted proposal, as a good extractor gives it, or without any slot."""
    said: list[Proposal] = []
    for pair in pairs:
        said += [_proposal(pair, side, at, slots) for side, at in pair.sides]
    with temporary_home() as ctx:
        ctx.lake.append("messages", [_source(p) for p in said])
        for at in (FIRST, SECOND):
            ctx.lake.replace("proposals", at.date(), [p for p in said if p.observed_at == at])
        consolidate(ctx, [FIRST.date(), SECOND.date()])
        return _results(ctx, pairs)


def _proposal(pair: Pair, side: Mapping[str, Any], at: datetime, slots: bool) -> Proposal:
    quote = side.get("said") or side["text"]
    made = proposal(
        side["text"],
        at,
        proposal_id=f"{pair.id}-{at:%m%d}",
        user_id=pair.id,
        type=MemoryType(pair.type),
        operation=Operation(side.get("operation", "add")),
        valid_from=_moment(side.get("valid_from")),
        evidence=(Evidence(f"{pair.id}-m{at:%m%d}", quote),),
        subject=None,
    )
    if not slots:
        return made
    return replace(
        made,
        subject=side["subject"],
        attribute=side["attribute"],
        value=side["value"],
        negated=side["negated"],
    )


def _moment(day: str | None) -> datetime | None:
    return datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None


def _source(made: Proposal) -> Any:
    cited = made.evidence[0]
    return message(
        cited.quote, made.observed_at, message_id=cited.message_id, user_id=made.user_id, tenant_id=made.tenant_id
    )


def conversations(pairs: Sequence[Pair]) -> list[Result]:
    """Each statement as a user's message, through ingest, the builtin extractor and consolidation."""
    lines = [
        {
            "tenant_id": "t",
            "user_id": pair.id,
            "session_id": f"{pair.id}-{at:%m%d}",
            "message_id": f"{pair.id}-m{at:%m%d}-{n}",
            "role": "user",
            "content": content,
            "created_at": (at + timedelta(seconds=30 * n)).isoformat(),
        }
        for pair in pairs
        for side, at in pair.sides
        for n, content in enumerate([side["said"]] if isinstance(side["said"], str) else side["said"])
    ]
    with temporary_home() as ctx:
        take(ctx, lines)
        remember(ctx)
        return _results(ctx, pairs)


def _results(ctx: StageContext, pairs: Sequence[Pair]) -> list[Result]:
    versions = _by_user(standing(ctx.lake.read("memory_versions", MemoryVersion)))
    verdicts = _by_user(ctx.lake.read("verdicts", Verdict))
    return [_result(pair, versions[pair.id], verdicts[pair.id]) for pair in pairs]


def _by_user(rows: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.user_id].append(row)
    return found


def _result(pair: Pair, versions: Sequence[MemoryVersion], verdicts: Sequence[Verdict]) -> Result:
    result = Result(pair)
    first, second = (at.date() for at in pair.at)
    early = {v.memory_id for v in versions if v.day == first and v.cause is Cause.PROPOSAL}
    late = [v for v in versions if v.day == second and v.cause is Cause.PROPOSAL]
    late.sort(key=lambda v: (v.memory_id, v.version))
    for version in late:
        if version.memory_id in early:
            result.changes.append(str(version.change))
            result.reasons.append(version.reason)
        elif version.version == 1:
            result.changes.append("add")
    result.changes.sort(key=lambda c: c == "add")
    result.left = sorted(m.content for m in fold(versions).values() if m.status is Status.ACTIVE)
    result.unheard = tuple(
        name
        for name, day in (("first", first), ("second", second))
        if not any(v.day == day for v in (versions if name == "first" else verdicts))
    )
    result.rejected = sorted(v.reason for v in verdicts if v.outcome is Outcome.REJECTED)
    return result
