"""Deciding what a proposal does to the memories that exist.

Cosine finds candidates and never decides: measured, it cannot tell "lives in Berlin / is based in Berlin" from
"lives in Berlin / lives in Barcelona". Slots, numbers, names and negation decide; what stays ambiguous goes to the
judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory_pipeline.domain.memory import RETIRED, MemoryVersion, Status
from memory_pipeline.domain.policy import SimilarityPolicy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.slots import Relation, Slot, relate
from memory_pipeline.domain.text import content_words, negated, normalise, numbers, overlap


class Action(StrEnum):
    """What consolidation does (NM-18, RX-20, DL-7)."""

    ADD = "add"
    REINFORCE = "reinforce"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    CONTRADICT = "contradict"
    CLOSE = "close"
    FORGET = "forget"
    SUPPRESS = "suppress"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may concern the same thing, and its cosine to the proposal."""

    memory: MemoryVersion
    similarity: float


@dataclass(frozen=True, slots=True)
class Decision:
    """An action on some memories.

    Attributes:
        targets: ids of the memories it changes; empty for add and none.
        certain: False asks the judge, with ``action`` as what is done should it not answer.
    """

    action: Action
    targets: tuple[str, ...]
    reason: str
    certain: bool = True


_EVENTS = frozenset({MemoryType.EPISODIC_EVENT, MemoryType.EPHEMERAL})
_SAME_EVENT_DAYS = 2
_CLOSES = 0.5  # share of an open loop's words that a closing statement must name
_NAMES = 0.34  # share of a memory's words that "forget about that coffee shop" must name


def slot_of(item: Proposal | MemoryVersion) -> Slot:
    """The slot of a proposal or a memory."""
    return Slot(item.subject, item.attribute, item.value, item.negated)


def decide(proposal: Proposal, candidates: Sequence[Candidate], policy: SimilarityPolicy) -> Decision:
    """What the proposal does, given the user's memories that are near it (any status).

    A retired memory is never changed; a stale one may be reinforced and becomes active again.
    """
    living = [c for c in candidates if c.memory.status not in RETIRED]
    match proposal.operation:
        case Operation.FORGET:
            return _named(proposal, living, Action.FORGET, "the user asked to forget it")
        case Operation.SUPPRESS:
            return _named(proposal, living, Action.SUPPRESS, "the user does not want it brought up")
        case Operation.CLOSE_OPEN_LOOP:
            return _close(proposal, living)
        case Operation.CONTRADICT:
            return _contradict(proposal, living)
        case _:
            return _state(proposal, living, policy)


def _named(proposal: Proposal, living: Sequence[Candidate], action: Action, reason: str) -> Decision:
    wanted = content_words(proposal.value or proposal.content)
    hits = []
    for c in living:
        words = content_words(f"{c.memory.content} {c.memory.value or ''}")
        share = len(wanted & words) / len(wanted) if wanted else 0.0
        boundary = c.memory.type is MemoryType.BOUNDARY and action is Action.SUPPRESS
        if share >= max(_NAMES, 1 / max(len(wanted), 1)) and not boundary:
            hits.append((share, c.similarity, c.memory.memory_id))
    if not hits:
        return Decision(Action.NONE, (), "no memory names it")
    best = max(hits)[0]
    return Decision(action, tuple(sorted(i for share, _, i in hits if share >= best)), reason)


def _close(proposal: Proposal, living: Sequence[Candidate]) -> Decision:
    loops = [
        c for c in living if c.memory.type is MemoryType.OPEN_LOOP and c.memory.observed_at <= proposal.observed_at
    ]
    said = content_words(f"{proposal.content} {proposal.value or ''}")
    scored = sorted(
        ((_share(content_words(c.memory.content), said), c.similarity, c.memory) for c in loops),
        key=lambda s: (s[0], s[1], s[2].memory_id),
        reverse=True,
    )
    if scored and scored[0][0] >= _CLOSES and (len(scored) == 1 or scored[1][0] < scored[0][0]):
        return Decision(Action.CLOSE, (scored[0][2].memory_id,), f"resolved: {proposal.content}")
    if loops:
        return Decision(Action.NONE, (), "no open loop clearly meant", certain=False)
    return Decision(Action.NONE, (), "no open loop to close")


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    """Share of a loop's words found, tolerant of inflection (the first four letters count)."""
    stems = {w[:4] for w in there}
    return sum(w[:4] in stems for w in wanted) / len(wanted) if wanted else 0.0


def _contradict(proposal: Proposal, living: Sequence[Candidate]) -> Decision:
    denied = []
    for c in living:
        flipped = Slot(proposal.subject, proposal.attribute, proposal.value, not c.memory.negated)
        if relate(flipped, slot_of(c.memory)) is Relation.DENIED and not _late(proposal, c.memory):
            denied.append(c.memory.memory_id)
    if denied:
        return Decision(Action.CONTRADICT, tuple(sorted(denied)), f"the user said: {proposal.content}")
    if any(c.similarity >= 0.5 for c in living):
        return Decision(Action.NONE, (), "no memory of the same slot", certain=False)
    return Decision(Action.NONE, (), "nothing to contradict")


def _late(proposal: Proposal, memory: MemoryVersion) -> bool:
    """A late, older statement never retires a newer one."""
    return proposal.observed_at < memory.referenced_at


def _state(proposal: Proposal, living: Sequence[Candidate], policy: SimilarityPolicy) -> Decision:
    by_slot = _by_slot(proposal, living)
    if by_slot is not None:
        return by_slot
    for c in sorted(living, key=lambda c: (-c.similarity, c.memory.memory_id)):
        found = _by_words(proposal, c, policy)
        if found is not None:
            return found
    return Decision(Action.ADD, (), "new")


def _by_slot(proposal: Proposal, living: Sequence[Candidate]) -> Decision | None:
    new = slot_of(proposal)
    changed, denied = [], []
    for c in sorted(living, key=lambda c: (-c.similarity, c.memory.memory_id)):
        relation = relate(new, slot_of(c.memory))
        if relation is Relation.SAME and _same_occasion(proposal, c.memory):
            if more_specific(proposal.content, c.memory.content):
                return Decision(Action.MERGE, (c.memory.memory_id,), "same fact, told with more detail")
            return Decision(Action.REINFORCE, (c.memory.memory_id,), "same fact, said again")
        if relation is Relation.CHANGED and not _late(proposal, c.memory):
            changed.append(c.memory.memory_id)
        if relation is Relation.DENIED and not _late(proposal, c.memory):
            denied.append(c.memory.memory_id)
    if denied:
        return Decision(Action.CONTRADICT, tuple(sorted(denied)), f"the user said: {proposal.content}")
    if changed:
        return Decision(Action.SUPERSEDE, tuple(sorted(changed)), f"changed: {proposal.content}")
    return None


def _by_words(proposal: Proposal, candidate: Candidate, policy: SimilarityPolicy) -> Decision | None:
    memory = candidate.memory
    if memory.type is not proposal.type or not _same_occasion(proposal, memory):
        return None
    if normalise(memory.content) == normalise(proposal.content):
        return Decision(Action.REINFORCE, (memory.memory_id,), "same words")
    if not compatible(proposal.content, memory.content) or _other_slot(slot_of(proposal), slot_of(memory)):
        return None
    shared = overlap(content_words(proposal.content), content_words(memory.content))
    if shared >= policy.same_words or (candidate.similarity >= policy.duplicate and shared >= 0.5):
        return Decision(Action.REINFORCE, (memory.memory_id,), "the same in other words")
    if candidate.similarity >= policy.merge and shared >= 0.5:
        if more_specific(proposal.content, memory.content):
            return Decision(Action.MERGE, (memory.memory_id,), "the same with more detail")
        return Decision(Action.ADD, (), "close to another memory", certain=False)
    if candidate.similarity >= policy.judge and proposal.operation is Operation.UPDATE:
        return Decision(Action.ADD, (), "an update of something", certain=False)
    return None


def compatible(a: str, b: str) -> bool:
    """Whether two sentences may say the same: equal numbers and equal polarity."""
    return numbers(a) == numbers(b) and negated(a) == negated(b)


def more_specific(new: str, old: str) -> bool:
    """Whether ``new`` says everything that ``old`` says, and more."""
    return content_words(new) > content_words(old) and compatible_numbers(new, old)


def compatible_numbers(new: str, old: str) -> bool:
    """Whether every number of ``old`` stands in ``new``."""
    return numbers(old) <= numbers(new)


def _other_slot(a: Slot, b: Slot) -> bool:
    """Both name a slot, and not the same fact."""
    return a.key is not None and b.key is not None and relate(a, b) is not Relation.SAME


def _same_occasion(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Events and passing states are the same only when they happened together; open loops only while open."""
    if proposal.type is MemoryType.OPEN_LOOP or memory.type is MemoryType.OPEN_LOOP:
        return proposal.type is memory.type and memory.status in (Status.ACTIVE, Status.STALE)
    if proposal.type not in _EVENTS:
        return memory.type not in _EVENTS
    if memory.type not in _EVENTS:
        return False
    then = proposal.valid_from or proposal.observed_at
    before = memory.valid_from or memory.observed_at
    return abs((then - before).total_seconds()) <= _SAME_EVENT_DAYS * 86400
