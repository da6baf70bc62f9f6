"""Applying a decision: which memory versions it makes. Pure; the ledger gets exactly what these functions return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from memory_pipeline.domain.classification import strictest
from memory_pipeline.domain.consolidation.endings.ended_relations import tells_end
from memory_pipeline.domain.consolidation.supersession import Action, Decision
from memory_pipeline.domain.consolidation.tense import begins_later, ends_later, not_begun, until
from memory_pipeline.domain.ledger.lifecycle import review_on
from memory_pipeline.domain.ledger.memory import (
    FORGOTTEN_TOPIC,
    MOST_EVIDENCE,
    RETIRED,
    Cause,
    Change,
    MemoryVersion,
    Status,
    evolve,
    memory_id,
    seal,
)
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation, Proposal, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.domain.text import content_words, negations

State = Mapping[str, MemoryVersion]


def identity(proposal: Proposal) -> str:
    """Id of the memory that the proposal makes when it is added."""
    first = proposal.evidence[0].message_id if proposal.evidence else proposal.window_id
    return memory_id(
        proposal.tenant_id,
        proposal.user_id,
        first,
        proposal.subject,
        proposal.attribute,
        proposal.value,
        f"{'not ' if proposal.negated else ''}{proposal.content}",
    )


def apply(
    proposal: Proposal, decision: Decision, state: State, policy: Policy, run_id: str, now: datetime, timezone: str
) -> list[MemoryVersion]:
    """The versions that a decided proposal makes, in order; none when it changes nothing.

    Args:
        run_id, now: recorded with the rows; no other field depends on them.
    """
    targets = [state[t] for t in decision.targets if t in state]
    match decision.action:
        case Action.NONE:
            made = []
        case Action.ADD:
            there = state.get(identity(proposal))
            if there is None:
                made = [added(proposal, "", decision.reason, run_id, now, timezone)]
            else:  # what the user has had forgotten stays so, whatever is made of the same words of the same message
                made = [] if there.forgotten else [_confirmed(proposal, there, decision.reason, policy)]
        case Action.REINFORCE:
            made = [_confirmed(proposal, t, decision.reason, policy) for t in targets[:1]]
        case Action.MERGE:
            made = [_merged(proposal, decision, t, policy) for t in targets[:1]]
        case Action.SUPERSEDE | Action.CONTRADICT:
            made = _replaced(proposal, decision, targets, state, run_id, now, timezone)
            made += [_spoken_again(proposal, state[i]) for i in decision.reopens if i in state]
        case Action.CLOSE:
            made = [_ended(proposal, t, Change.CLOSE, Status.CLOSED, decision.reason) for t in targets]
        case Action.FORGET:
            made = [_ended(proposal, t, Change.FORGET, Status.ARCHIVED, decision.reason) for t in targets]
            if decision.holds and hold_of(proposal) not in state:
                made.append(_held(proposal, decision.reason, run_id, now, timezone))
        case Action.SUPPRESS:
            made = [_suppressed(proposal, t, decision.reason) for t in targets if t.surface is not Surface.AVOID]
    done = [state[i] for i in decision.closes if i in state and i not in {v.memory_id for v in made}]
    made += [_ended(proposal, t, Change.CLOSE, Status.CLOSED, f"resolved: {proposal.content}") for t in done]
    made += _given_back(proposal, made, state)
    return [finish(v, policy, run_id, now) for v in made]


def finish(version: MemoryVersion, policy: Policy, run_id: str, now: datetime) -> MemoryVersion:
    """Stamp the run and the next lifecycle review on a version; neither belongs to its identity."""
    return replace(version, run_id=run_id, recorded_at=now, review_on=review_on(version, policy.lifecycle))


def added(proposal: Proposal, lineage_id: str, reason: str, run_id: str, now: datetime, timezone: str) -> MemoryVersion:
    """Version 1 of the memory that a proposal makes.

    Args:
        lineage_id: chain it continues; empty starts a new one.
    """
    new_id = identity(proposal)
    return seal(
        MemoryVersion(
            version_id="",
            memory_id=new_id,
            lineage_id=lineage_id or new_id,
            tenant_id=proposal.tenant_id,
            user_id=proposal.user_id,
            session_id=proposal.session_id,
            agent_id=proposal.agent_id,
            domain=proposal.domain,
            shared=proposal.shared,
            classification=proposal.classification,
            version=1,
            change=Change.ADD,
            cause=Cause.PROPOSAL,
            reason=reason,
            type=proposal.type,
            status=Status.ACTIVE,
            content=proposal.content,
            subject=proposal.subject,
            attribute=proposal.attribute,
            value=proposal.value,
            negated=proposal.negated,
            entities=proposal.entities,
            confidence=proposal.confidence,
            salience=proposal.salience,
            importance=proposal.importance,
            surface=proposal.surface,
            pinned=False,
            reinforcements=0,
            observed_at=proposal.observed_at,
            referenced_at=proposal.observed_at,
            valid_from=proposal.valid_from,
            valid_until=proposal.valid_until,
            due_at=proposal.due_at,
            changed_at=proposal.observed_at,
            day=proposal.day,
            timezone=timezone,
            review_on=None,
            evidence=proposal.evidence,
            derived_from=(),
            superseded_by=None,
            proposal_id=proposal.proposal_id,
            previous_version_id=None,
            run_id=run_id,
            asserted=True,
            recorded_at=now,
        )
    )


def _evidence(old: tuple[Evidence, ...], new: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Both, each once; the first and the latest are kept when there are many."""
    both = list(dict.fromkeys(old + new))
    return tuple(both if len(both) <= MOST_EVIDENCE else both[:2] + both[2 - MOST_EVIDENCE :])


def _class(memory: MemoryVersion, proposal: Proposal) -> Classification:
    """The stricter one: a memory has the strictest class of its evidence."""
    return strictest((memory.classification, proposal.classification))


def _confirmed(proposal: Proposal, memory: MemoryVersion, reason: str, policy: Policy) -> MemoryVersion:
    figures = policy.consolidation
    revived = memory.status is Status.STALE
    return evolve(
        memory,
        change=Change.REVIVE if revived else Change.REINFORCE,
        cause=Cause.PROPOSAL,
        reason="mentioned again" if revived else reason,
        status=Status.ACTIVE,
        confidence=min(1.0, round(memory.confidence + figures.reinforce_confidence, 4)),
        importance=min(1.0, round(memory.importance + figures.reinforce_importance, 4)),
        reinforcements=memory.reinforcements + 1,
        observed_at=min(memory.observed_at, proposal.observed_at),
        referenced_at=max(memory.referenced_at, proposal.observed_at),
        due_at=proposal.due_at or memory.due_at,
        valid_until=proposal.valid_until or memory.valid_until,
        changed_at=max(memory.changed_at, proposal.observed_at),
        day=proposal.day,
        evidence=_evidence(memory.evidence, proposal.evidence),
        classification=_class(memory, proposal),
        proposal_id=proposal.proposal_id,
    )


def _merged(proposal: Proposal, decision: Decision, memory: MemoryVersion, policy: Policy) -> MemoryVersion:
    confirmed = _confirmed(proposal, memory, decision.reason, policy)
    if memory.own_words:  # what the user wrote by hand is never overwritten by a merge (RX-30)
        return confirmed
    importance = max(memory.importance, proposal.importance) + policy.consolidation.merge_importance
    return seal(
        replace(
            confirmed,
            change=Change.MERGE,
            reason=decision.reason,
            content=decision.content or proposal.content,
            attribute=proposal.attribute or memory.attribute,
            value=proposal.value or memory.value,
            entities=tuple(dict.fromkeys(memory.entities + proposal.entities)),
            importance=min(1.0, round(importance, 4)),
        )
    )


def _replaced(
    proposal: Proposal,
    decision: Decision,
    targets: list[MemoryVersion],
    state: State,
    run_id: str,
    now: datetime,
    timezone: str,
) -> list[MemoryVersion]:
    """The old facts end, the new one continues the lineage of the oldest of them (RX-20, decisions table).

    What begins on a later day ends them then: until that day they hold.

    An ending told in words of its own ("No longer works at Siemens.") is remembered in place of what it ended; one that
    only names what is over ("Works at Siemens.") leaves nothing new: the old fact ends, and its chain says why.
    """
    together = {e.message_id for e in proposal.evidence}
    targets = [t for t in targets if not _settled(proposal, t, together)]
    if not targets:
        return []
    superseded = decision.action is Action.SUPERSEDE
    change, status = (Change.SUPERSEDE, Status.SUPERSEDED) if superseded else (Change.CONTRADICT, Status.CONTRADICTED)
    lifted = proposal.type is MemoryType.BOUNDARY  # a boundary that is lifted leaves no wish behind
    told = proposal.operation is Operation.CONTRADICT and not lifted and _tells_end(proposal, targets)
    bare_denial = proposal.operation in (Operation.CONTRADICT, Operation.CLOSE_OPEN_LOOP) and not told
    if told and proposal.attribute and proposal.value:
        proposal = replace(proposal, negated=True)
    oldest = min(targets, key=lambda t: (t.observed_at, t.memory_id))
    made: list[MemoryVersion] = []
    successor: str | None = None
    if not bare_denial and identity(proposal) not in state:
        made = [added(proposal, oldest.lineage_id, decision.reason, run_id, now, timezone)]
        successor = made[0].memory_id
    begin = begins_later(proposal, timezone)
    ended = []
    for t in targets:
        later = begin is not None and not not_begun(t, proposal.observed_at)
        after = _ended(proposal, t, change, t.status if later else status, decision.reason)
        bound = until(begin) if later and begin is not None else after.valid_until
        ended.append(seal(replace(after, superseded_by=successor, valid_until=bound)))
    return ended + made


def _tells_end(proposal: Proposal, targets: list[MemoryVersion]) -> bool:
    """Whether what ends something says so itself; words that what it ended says, too, only name it."""
    said = content_words(proposal.content)
    named = any(
        said <= content_words(t.content) and negations(t.content) == negations(proposal.content) for t in targets
    )
    return tells_end(proposal.content) and not named


def _settled(proposal: Proposal, memory: MemoryVersion, together: set[str]) -> bool:
    """Whether the same message has told already from when on something else takes a memory's place: "I quit Philips"
    beside "I start at ASML on Monday"."""
    ending = proposal.operation is Operation.CONTRADICT and ends_later(memory, proposal.observed_at)
    return ending and any(e.message_id in together for e in memory.evidence)


def _given_back(proposal: Proposal, made: list[MemoryVersion], state: State) -> list[MemoryVersion]:
    """What was to end when something began that will not begin now: it holds on, or until what is planned instead."""
    at, changed = proposal.observed_at, {v.memory_id for v in made}
    off = {v.memory_id: v for v in made if v.status in RETIRED and not_begun(v, at)}
    found = []
    for memory in sorted(state.values(), key=lambda m: m.memory_id) if off else ():
        plan = off.get(memory.superseded_by or "")
        if plan is None or memory.memory_id in changed or not ends_later(memory, at):
            continue
        instead = next((v for v in made if v.memory_id == plan.superseded_by and v.valid_from), None)
        bound = until(instead.valid_from) if instead is not None and instead.valid_from is not None else None
        found.append(
            evolve(
                memory,
                change=Change.REVIVE if instead is None else Change.SUPERSEDE,
                cause=Cause.PROPOSAL,
                reason=f"what was to take its place will not: {plan.reason}",
                superseded_by=instead.memory_id if instead is not None else None,
                valid_until=bound,
                changed_at=max(memory.changed_at, at),
                day=proposal.day,
                proposal_id=proposal.proposal_id,
            )
        )
    return found


def _ended(proposal: Proposal, memory: MemoryVersion, change: Change, status: Status, reason: str) -> MemoryVersion:
    end = proposal.valid_from if proposal.valid_from and proposal.valid_from > memory.observed_at else None
    return evolve(
        memory,
        change=change,
        cause=Cause.PROPOSAL,
        reason=reason,
        status=status,
        valid_until=end or max(proposal.observed_at, memory.observed_at),
        changed_at=max(memory.changed_at, proposal.observed_at),
        day=proposal.day,
        evidence=_evidence(memory.evidence, proposal.evidence),
        classification=_class(memory, proposal),
        proposal_id=proposal.proposal_id,
    )


def hold_of(proposal: Proposal) -> str:
    """Id of the record that a plea to forget leaves."""
    topic = proposal.value or proposal.content
    return identity(replace(proposal, attribute=FORGOTTEN_TOPIC, value=topic))


def _held(proposal: Proposal, reason: str, run_id: str, now: datetime, timezone: str) -> MemoryVersion:
    """The record of a plea to forget: never shown, and behind it all that speaks of the topic."""
    topic = proposal.value or proposal.content
    noted = replace(
        proposal,
        type=MemoryType.BOUNDARY,
        attribute=FORGOTTEN_TOPIC,
        value=topic,
        content=f"Wants {topic} to be forgotten.",
        surface=Surface.AVOID,
    )
    made = replace(added(noted, "", reason, run_id, now, timezone), memory_id=hold_of(proposal))
    return seal(replace(made, lineage_id=made.memory_id, change=Change.FORGET, status=Status.ARCHIVED))


def _spoken_again(proposal: Proposal, memory: MemoryVersion) -> MemoryVersion:
    """What may be said again because no boundary closes it any more."""
    return evolve(
        memory,
        change=Change.REVIVE,
        cause=Cause.PROPOSAL,
        reason=f"the user said: {proposal.content}",
        surface=Surface.CONTINUE if memory.type is MemoryType.OPEN_LOOP else Surface.SPEAK,
        changed_at=max(memory.changed_at, proposal.observed_at),
        day=proposal.day,
        proposal_id=proposal.proposal_id,
    )


def _suppressed(proposal: Proposal, memory: MemoryVersion, reason: str) -> MemoryVersion:
    return evolve(
        memory,
        change=Change.SUPPRESS,
        cause=Cause.PROPOSAL,
        reason=reason,
        surface=Surface.AVOID,
        changed_at=max(memory.changed_at, proposal.observed_at),
        day=proposal.day,
        proposal_id=proposal.proposal_id,
    )
