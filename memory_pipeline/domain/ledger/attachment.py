"""Which memory an act of the user belongs to on a replay, and which decisions it keeps from being taken again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory_pipeline.domain.consolidation.equivalence import slot_of
from memory_pipeline.domain.consolidation.slots import Relation, relate
from memory_pipeline.domain.consolidation.supersession import Action, Decision
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.ledger.transition import hold_of, identity
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.text import content_words, normalise, overlap

State = Mapping[str, MemoryVersion]
_ALIKE = 0.5  # share of words from which on two wordings of one message are taken for the same statement
_ENDING = frozenset({Operation.FORGET, Operation.SUPPRESS, Operation.CLOSE_OPEN_LOOP, Operation.CONTRADICT})


def attached(act: MemoryVersion, origin: MemoryVersion | None, state: State) -> MemoryVersion | None:
    """The memory that an act belongs to: the one of its id, or the one that states the same from the same message.

    Ids follow from the first message that says something and from its slot or words, so an earlier message that arrives
    late, or another prompt's wording, may give the same fact another id.

    Args:
        origin: the version that the act was done to; an edit's own words say something else.
    """
    if act.memory_id in state:
        return state[act.memory_id]
    messages = {e.message_id for e in (*act.evidence, *(origin.evidence if origin else ()))}
    scored = [
        (_alike(m, [v for v in (origin, act) if v is not None]), m.memory_id)
        for m in state.values()
        if not messages.isdisjoint(e.message_id for e in m.evidence)
    ]
    likeness, memory_id = max(scored, default=(0.0, ""))
    return state[memory_id] if likeness >= _ALIKE else None


def _alike(memory: MemoryVersion, wordings: Sequence[MemoryVersion]) -> float:
    """1 for the same slot or the same words, else the share of words in common."""
    best = 0.0
    for version in wordings:
        same = relate(slot_of(version), slot_of(memory)) is Relation.SAME
        if same or normalise(version.content) == normalise(memory.content):
            return 1.0
        if version.type is memory.type or MemoryType.BOUNDARY not in (version.type, memory.type):
            best = max(best, overlap(content_words(version.content), content_words(memory.content)))
    return best


def sources_of(proposal: Proposal) -> tuple[str, ...]:
    """What names a proposal when a decision on it is overruled: its id, and the messages that it cites, which stay when
    another prompt or model gives it another id."""
    return (proposal.proposal_id, *dict.fromkeys(e.message_id for e in proposal.evidence))


def overruled(undone: Iterable[MemoryVersion], memory: MemoryVersion, sources: Iterable[str], state: State) -> bool:
    """Whether the user keeps a memory from being changed by any of some sources (ids as in ``apart``)."""
    wanted = frozenset(sources)
    for act in undone:
        if wanted.isdisjoint(act.apart):
            continue
        meant = state.get(act.memory_id) or attached(act, None, {memory.memory_id: memory})
        if meant is not None and meant.memory_id == memory.memory_id:
            return True
    return False


def spared(proposal: Proposal, decision: Decision, state: State, undone: Sequence[MemoryVersion]) -> Decision:
    """A decision without the memories that the user keeps from it.

    When none is left, what the proposal states becomes a memory of its own; what it would have ended stays.
    """
    if not undone:
        return decision
    sources = sources_of(proposal)
    if decision.holds and (acts := [a for a in undone if not set(sources).isdisjoint(a.apart)]):
        if any(act.memory_id == hold_of(proposal) for act in acts):
            return Decision(Action.NONE, (), "kept apart by the user", closes=decision.closes)
        decision = replace(decision, holds=False)

    def kept(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(i for i in ids if i not in state or not overruled(undone, state[i], sources, state))

    targets, closes = kept(decision.targets), kept(decision.closes)
    if targets or not decision.targets:
        return replace(decision, targets=targets, closes=closes)
    own = proposal.operation not in _ENDING and identity(proposal) not in state
    return Decision(Action.ADD if own else Action.NONE, (), "kept apart by the user", closes=closes)
