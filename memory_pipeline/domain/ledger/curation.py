"""The user's own hand: what an act makes of a memory, wherever in the user's history it is done.

An act is kept as the ledger row that it made (``cause=manual``). A replay does it again, at its own time, to the memory
as the replay has re-made it; so an act survives late messages, other prompts, models and policies (RX-30), and doing it
now gives the same version as replaying it later. What an act brings about in other memories is not an act: it is worked
out anew each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_pipeline.domain.consolidation.supersession import Action, Candidate, decide
from memory_pipeline.domain.consolidation.tense import begins_later, ends_later, not_begun, until
from memory_pipeline.domain.derived.pattern import absorbed, dissolved, released
from memory_pipeline.domain.ledger.attachment import overruled
from memory_pipeline.domain.ledger.lifecycle import review_on
from memory_pipeline.domain.ledger.memory import (
    FORGOTTEN_TOPIC,
    RETIRED,
    Cause,
    Change,
    MemoryVersion,
    Status,
    evolve,
    seal,
)
from memory_pipeline.domain.policy import Policy, SimilarityPolicy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal, Surface
from memory_pipeline.domain.text import content_words, negated, numbers

State = Mapping[str, MemoryVersion]

ACTS = frozenset(
    {
        Change.ADD,
        Change.REINFORCE,
        Change.EDIT,
        Change.FORGET,
        Change.PIN,
        Change.UNPIN,
        Change.SUPPRESS,
        Change.UNDO,
        Change.CLASSIFY,
    }
)
FACTS = frozenset({Change.ADD, Change.EDIT})
"""Acts that state something, and so may end what they contradict."""

WORDS = ("content", "subject", "attribute", "value", "negated", "entities", "due_at", "classification")
"""What an edit puts in place of what a memory said."""

_ALONE = "; what it was made from is no longer proposed"


def is_act(row: MemoryVersion) -> bool:
    """Whether a row is something that the user did, not what it brought about."""
    return row.cause is Cause.MANUAL and row.change in ACTS


def last_acts(rows: Iterable[MemoryVersion]) -> list[MemoryVersion]:
    """What the user did last, in order: one act, or those that were done in one go (to remember something and pin it).

    Args:
        rows: versions of one user that stand.
    """
    acts = [row for row in rows if is_act(row)]
    if not acts:
        return []
    last = max(acts, key=lambda act: (act.recorded_at, act.changed_at))
    together = [act for act in acts if (act.run_id, act.recorded_at) == (last.run_id, last.recorded_at)]
    return sorted(together, key=lambda act: (act.changed_at, act.version))


# -- doing


def versions_of_act(
    act: MemoryVersion,
    current: MemoryVersion | None,
    state: State,
    policy: Policy,
    *,
    cited: Iterable[str] = (),
    undone: Sequence[MemoryVersion] = (),
) -> list[MemoryVersion]:
    """The versions that an act makes of a user's memories, in order; the memory's own is the last.

    Args:
        current: the memory that the act belongs to (see ``attached``), None where there is none.
        cited: ids of all messages that this memory has ever rested on.
        undone: acts by which the user keeps decisions from being taken again.
    """
    made = perform(act, current, cited)
    versions = [made]
    if act.change in FACTS and made.status not in RETIRED:
        versions = settle(made, state, undone, policy.similarity)
    if act.change is Change.FORGET and not_begun(made, made.changed_at):
        versions = [*_given_back(made, state), made]
    if current is not None and made.type is MemoryType.PATTERN and dissolved(made) and not absorbed(current):
        versions = [*released(made, state), made]
    return [replace(v, review_on=review_on(v, policy.lifecycle)) for v in versions]


def perform(act: MemoryVersion, current: MemoryVersion | None, cited: Iterable[str] = ()) -> MemoryVersion:
    """The version that an act makes of a memory.

    Args:
        act: the row of the act; its time, its words and its reason count, not the state that it was done to.
        current: the memory as it is now. None: it does not exist, so what the user did stands by itself.
        cited: ids of all messages that the memory has ever rested on.
    """
    reason = act.reason.removesuffix(_ALONE)
    if current is None:
        return seal(replace(act, reason=reason if act.version == 1 else reason + _ALONE))
    made = evolve(
        current,
        change=act.change,
        cause=Cause.MANUAL,
        reason=reason,
        changed_at=max(act.changed_at, current.changed_at),
        day=act.day,
        **_changes(act, current, _messages(current, cited)),
    )
    return replace(made, run_id=act.run_id, recorded_at=act.recorded_at)


def _changes(act: MemoryVersion, current: MemoryVersion, cited: Sequence[str]) -> dict[str, Any]:
    match act.change:
        case Change.EDIT:
            back = () if covers(act.content, current.content) else cited
            words = {name: getattr(act, name) for name in WORDS}
            return words | _revived(act, current) | {"own_words": True, "taken_back": _joined(current.taken_back, back)}
        case Change.REINFORCE:
            return _revived(act, current) | {"reinforcements": current.reinforcements + 1}
        case Change.FORGET:
            back = (*cited, current.memory_id)
            return {"status": Status.ARCHIVED, "pinned": False, "taken_back": _joined(current.taken_back, back)}
        case Change.PIN:
            return {"pinned": True, "status": Status.ACTIVE if _aged(act, current) else current.status}
        case Change.UNPIN:
            return {"pinned": False}
        case Change.SUPPRESS:
            return {"surface": Surface.AVOID}
        case Change.CLASSIFY:
            return {"classification": act.classification}
        case _:
            if current.attribute == FORGOTTEN_TOPIC:
                return {"apart": _joined(current.apart, act.apart), "status": Status.CLOSED, "taken_back": ()}
            gone = current.type is MemoryType.PATTERN and not set(act.apart).isdisjoint(current.derived_from)
            ended = {"status": Status.ARCHIVED, "pinned": False} if gone else {}
            return {"apart": _joined(current.apart, act.apart)} | ended


def _messages(memory: MemoryVersion, cited: Iterable[str]) -> tuple[str, ...]:
    """The messages that say what a memory says; a derived one says what none of them does."""
    return () if memory.derived_from else (*(e.message_id for e in memory.evidence), *cited)


def _aged(act: MemoryVersion, current: MemoryVersion) -> bool:
    """Whether time alone took it out of retrieval: a pinned memory is exempt from that (DL-27)."""
    if current.forgotten or (current.valid_until is not None and current.valid_until <= act.changed_at):
        return False
    if current.status is Status.CLOSED:
        return current.cause is Cause.LIFECYCLE
    return current.status in (Status.STALE, Status.ARCHIVED)


def _revived(act: MemoryVersion, current: MemoryVersion) -> dict[str, Any]:
    """What the user says by hand holds from then on, also of a memory that an older statement or time had retired."""
    holds = {"referenced_at": max(current.referenced_at, act.changed_at), "confidence": 1.0}
    if current.forgotten or current.status is Status.ACTIVE:
        return holds
    return holds | {"status": Status.ACTIVE, "superseded_by": None, "valid_until": act.valid_until}


def _joined(old: Sequence[str], new: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*old, *new}))


def covers(new: str, old: str) -> bool:
    """Whether a wording says everything that another one said, so that nothing is lost with the other."""
    return content_words(old) <= content_words(new) and numbers(old) <= numbers(new) and negated(old) == negated(new)


def take_back(version: MemoryVersion, cited: Iterable[str]) -> MemoryVersion:
    """A forgotten memory with all that it rested on taken back; any other as it is."""
    if not version.forgotten:
        return version
    ids = (*_messages(version, cited), version.memory_id)
    return seal(replace(version, taken_back=_joined(version.taken_back, ids)))


# -- what it brings about


def settle(
    fact: MemoryVersion, state: State, undone: Sequence[MemoryVersion], policy: SimilarityPolicy
) -> list[MemoryVersion]:
    """A fact stated by hand and what it retires, the retired first: the same guards as for a proposal (RX-20).

    What begins on a later day ends them then: until that day they hold.

    A memory that says the same and no more is retired, too; one that says something besides stays.

    Args:
        fact: the version of an act among ``FACTS``.
        undone: acts by which the user keeps decisions from being taken again.
    """
    others = [
        m for m in state.values() if m.memory_id != fact.memory_id and not overruled(undone, m, {fact.memory_id}, state)
    ]
    said = as_proposal(fact, fact.changed_at)
    decision = decide(said, [Candidate(m, 0.0) for m in others], policy)
    targets = [state[t] for t in decision.targets]
    match decision.action:
        case Action.SUPERSEDE:
            ended = [_ended(fact, t, Change.SUPERSEDE, Status.SUPERSEDED, decision.reason) for t in targets]
        case Action.CONTRADICT:
            ended = [_ended(fact, t, Change.CONTRADICT, Status.CONTRADICTED, decision.reason) for t in targets]
        case Action.REINFORCE | Action.MERGE:
            same = [t for t in targets if covers(fact.content, t.content) and t.referenced_at <= fact.changed_at]
            ended = [_ended(fact, t, Change.SUPERSEDE, Status.SUPERSEDED, "the user put it in own words") for t in same]
        case _:
            ended = []
    if fact.version == 1:
        oldest = min(ended, key=lambda v: (v.observed_at, v.memory_id), default=None)
        fact = seal(replace(fact, lineage_id=oldest.lineage_id if oldest else fact.memory_id))
    return [*ended, fact]


def _given_back(plan: MemoryVersion, state: State) -> list[MemoryVersion]:
    """What was to end when something began that is forgotten now: it holds on."""
    held = [m for m in state.values() if m.superseded_by == plan.memory_id and ends_later(m, plan.changed_at)]
    made = [
        evolve(
            memory,
            change=Change.REVIVE,
            cause=Cause.MANUAL,
            reason="what was to take its place is forgotten",
            superseded_by=None,
            valid_until=None,
            changed_at=max(memory.changed_at, plan.changed_at),
            day=plan.day,
        )
        for memory in held
    ]
    return [replace(v, run_id=plan.run_id, recorded_at=plan.recorded_at) for v in made]


def _ended(fact: MemoryVersion, memory: MemoryVersion, change: Change, status: Status, reason: str) -> MemoryVersion:
    begins = fact.valid_from if fact.valid_from and fact.valid_from > memory.observed_at else None
    later = begins_later(as_proposal(fact, fact.changed_at), fact.timezone)
    planned = later is not None and not not_begun(memory, fact.changed_at)
    made = evolve(
        memory,
        change=change,
        cause=Cause.MANUAL,
        reason=reason,
        status=memory.status if planned else status,
        superseded_by=fact.memory_id,
        valid_until=until(later) if planned and later else begins or max(fact.changed_at, memory.observed_at),
        changed_at=max(memory.changed_at, fact.changed_at),
        day=fact.day,
    )
    return replace(made, run_id=fact.run_id, recorded_at=fact.recorded_at)


def as_proposal(version: MemoryVersion, at: datetime | None = None) -> Proposal:
    """A memory that no proposal made as the proposal that would have made it, so that the same rules apply.

    Args:
        at: when it was said, where that is not when it was first observed.
    """
    return Proposal(
        proposal_id=version.version_id,
        tenant_id=version.tenant_id,
        user_id=version.user_id,
        session_id=version.session_id,
        agent_id=version.agent_id,
        domain=version.domain,
        shared=version.shared,
        classification=version.classification,
        window_id="",
        day=version.day,
        ordinal=0,
        operation=Operation.ADD,
        type=version.type,
        content=version.content,
        subject=version.subject,
        attribute=version.attribute,
        value=version.value,
        negated=version.negated,
        entities=version.entities,
        confidence=version.confidence,
        salience=version.salience,
        importance=version.importance,
        surface=version.surface,
        observed_at=at or version.observed_at,
        valid_from=version.valid_from,
        valid_until=version.valid_until,
        due_at=version.due_at,
        evidence=version.evidence,
        prompt_hash="",
        model="",
    )
