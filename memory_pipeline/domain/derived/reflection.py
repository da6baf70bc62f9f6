"""Reflections: when a user's memories are looked at together, and what becomes of an insight later (DL-30).

After Generative Agents: not every memory, but enough that is new, gives rise to a reflection. An insight holds as long
as enough of what it rests on does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

from memory_pipeline.domain.calendar import Period, local_day
from memory_pipeline.domain.ledger.memory import RETIRED, Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.ledger.transition import finish
from memory_pipeline.domain.policy import Policy, ReflectionPolicy
from memory_pipeline.domain.proposal import DERIVED_TYPES, MemoryType, Surface
from memory_pipeline.domain.text import content_words, normalise, overlap

# What the user says or does; time, patterns and reflections bring no news, and take nothing back.
_TOLD = frozenset({Cause.PROPOSAL, Cause.MANUAL})
_NEWS = frozenset({Change.ADD, Change.MERGE, Change.REINFORCE, Change.REVIVE, Change.EDIT})
_MAX_EVIDENCE = 12


def is_news(version: MemoryVersion) -> bool:
    """Whether a version says something, for the first time or again; what a dissolved pattern gives back is no news."""
    back = version.cause is Cause.MANUAL and version.change is Change.REVIVE
    return version.cause in _TOLD and version.change in _NEWS and version.type not in DERIVED_TYPES and not back


def news(versions: Iterable[MemoryVersion]) -> dict[date, float]:
    """Importance of what was said on each day, every memory once a day."""
    said: dict[date, dict[str, float]] = defaultdict(dict)
    for version in versions:
        if is_news(version):
            said[version.day][version.memory_id] = version.importance
    return {day: sum(memories.values()) for day, memories in said.items()}


def due_day(week: Period, importance: Mapping[date, float], threshold: float, *, over: bool) -> date | None:
    """The last day of a week that a reflection looks at; None when there is nothing to reflect on.

    A week that is over is looked at as a whole, if it brought anything new. Before that it waits until the importance
    of what is new since the last look reaches the threshold (Generative Agents).

    Args:
        importance: of what is new, by day.
    """
    inside = [day for day in week.days() if day in importance]
    if over:
        return week.end - timedelta(days=1) if inside else None
    found, summed = None, 0.0
    for day in inside:
        summed += importance[day]
        if summed >= threshold:
            found, summed = day, 0.0
    return found


def days_of(member: MemoryVersion) -> set[date]:
    """The local days on which a memory was first and last said."""
    return {local_day(member.observed_at, member.timezone), local_day(member.referenced_at, member.timezone)}


def recent(state: Iterable[MemoryVersion], since: date, most: int) -> list[MemoryVersion]:
    """The memories to look at: said since a day, still held, and free to be spoken of; the latest ones, in order."""
    found = [
        v
        for v in state
        if v.type not in DERIVED_TYPES
        and v.type is not MemoryType.BOUNDARY
        and v.surface is not Surface.AVOID
        and v.status not in RETIRED
        and local_day(v.referenced_at, v.timezone) >= since
    ]
    return sorted(found, key=lambda v: (v.referenced_at, v.memory_id))[-most:]


def enough(members: Sequence[MemoryVersion], policy: ReflectionPolicy) -> bool:
    """Whether some memories can bear an insight: so many, from so many days."""
    days = set().union(*(days_of(m) for m in members))
    return len(members) >= policy.min_evidence and len(days) >= policy.min_days


def known_as(
    content: str,
    members: Sequence[MemoryVersion],
    reflections: Iterable[MemoryVersion],
    earlier: Iterable[MemoryVersion],
    policy: Policy,
) -> MemoryVersion | None:
    """The reflection that an insight says again: in the same words, or else, of the earlier ones, of the same memories.

    Args:
        reflections: in the order in which they are looked at.
        earlier: those of weeks before; two insights of one week may rest on the same memories and say different things.
    """
    words = content_words(content)
    for reflection in reflections:
        alike = overlap(words, content_words(reflection.content)) >= policy.similarity.same_words
        if alike or normalise(content) == normalise(reflection.content):
            return reflection
    own = frozenset(m.memory_id for m in members)
    shared = [r for r in earlier if overlap(own, frozenset(r.derived_from)) >= policy.reflection.same_evidence]
    return max(shared, key=lambda r: overlap(words, content_words(r.content)), default=None)


def bears_out(members: Sequence[MemoryVersion], reflection: MemoryVersion) -> bool:
    """Whether memories give a reflection more than it rests on already: a new one, or one said again since."""
    known = set(reflection.derived_from)
    return any(m.memory_id not in known or m.referenced_at > reflection.referenced_at for m in members)


def confirm(
    reflection: MemoryVersion,
    members: Sequence[MemoryVersion],
    *,
    at: datetime,
    day: date,
    reason: str,
    policy: Policy,
    run_id: str,
    now: datetime,
) -> MemoryVersion:
    """The reflection after later memories bore it out once more; one that had gone stale or was retired is back."""
    figures = policy.consolidation
    back = reflection.status is not Status.ACTIVE
    evidence = tuple(dict.fromkeys((*reflection.evidence, *(e for m in members for e in m.evidence))))
    made = evolve(
        reflection,
        change=Change.REVIVE if back else Change.REINFORCE,
        cause=Cause.REFLECTION,
        reason=reason,
        status=Status.ACTIVE,
        superseded_by=None,
        valid_until=None,
        confidence=min(1.0, round(reflection.confidence + figures.reinforce_confidence, 4)),
        importance=min(1.0, round(reflection.importance + figures.reinforce_importance, 4)),
        reinforcements=reflection.reinforcements + 1,
        referenced_at=max(at, reflection.referenced_at),
        changed_at=max(at, reflection.changed_at),
        day=day,
        evidence=evidence if len(evidence) <= _MAX_EVIDENCE else evidence[:2] + evidence[2 - _MAX_EVIDENCE :],
        derived_from=tuple(dict.fromkeys((*reflection.derived_from, *(m.memory_id for m in members)))),
    )
    return finish(made, policy, run_id, now)


def remains(member: MemoryVersion | None, reflection: MemoryVersion) -> bool:
    """Whether a memory still bears a reflection that rests on it.

    It does not when it is gone, or when the user forgot it, ended it, contradicted it or put it into other words.
    """
    if member is None or member.forgotten:
        return False
    if member.taken_back and member.changed_at > reflection.changed_at:
        return False
    return member.status not in RETIRED or member.cause not in _TOLD


def retire(
    reflection: MemoryVersion, state: Mapping[str, MemoryVersion], policy: Policy, run_id: str, now: datetime
) -> MemoryVersion | None:
    """The reflection archived, dated by the change that left it without enough memories; None while it has enough.

    A pinned one stays (DL-27), and so does one that was not made out of memories: it has none to lose.

    Args:
        state: the user's memories by id.
    """
    left = [i for i in reflection.derived_from if remains(state.get(i), reflection)]
    enough_left = len(left) >= policy.reflection.min_evidence
    if enough_left or reflection.status in RETIRED or reflection.pinned or not reflection.derived_from:
        return None
    lost = [state[i] for i in reflection.derived_from if i in state and i not in left]
    last = max(lost, key=lambda v: (v.changed_at, v.memory_id), default=reflection)
    made = evolve(
        reflection,
        change=Change.ARCHIVE,
        cause=Cause.REFLECTION,
        reason=f"{len(left)} of the {len(reflection.derived_from)} memories that it rests on are left",
        status=Status.ARCHIVED,
        changed_at=max(last.changed_at, reflection.changed_at),
        day=max(last.day, reflection.day),
    )
    return finish(made, policy, run_id, now)
