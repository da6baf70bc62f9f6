"""Deciding what a proposal does to the memories that exist.

Cosine finds candidates and never decides: measured, it cannot tell "lives in Berlin / is based in Berlin" from
"lives in Berlin / lives in Barcelona". Slots, numbers, names and negation decide; what stays ambiguous goes to the
judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memory_pipeline.domain.consolidation.comparison import Comparison, Tolerance, compare
from memory_pipeline.domain.consolidation.contrast import opposed
from memory_pipeline.domain.consolidation.endings.ended_relations import ended, tells_end
from memory_pipeline.domain.consolidation.endings.exclusion import excluded
from memory_pipeline.domain.consolidation.endings.likely_endings import likely_ended
from memory_pipeline.domain.consolidation.endings.replacement import given_up, redosed, replaced
from memory_pipeline.domain.consolidation.equivalence import (
    comparable,
    covered,
    features,
    may_be_one,
    more_specific,
    one_thing,
    qualified,
    refined,
    relation_of,
    same_occasion,
    slot_of,
    told_together,
)
from memory_pipeline.domain.consolidation.judgement import keeps
from memory_pipeline.domain.consolidation.plans.fulfilment import dropped_by, fulfilled, same_plan
from memory_pipeline.domain.consolidation.plans.named_plans import dropped_by_name
from memory_pipeline.domain.consolidation.plans.open_loops import may_end
from memory_pipeline.domain.consolidation.pleas import closing, reopened, speaks_of
from memory_pipeline.domain.consolidation.slots import Relation, Slot, attribute, relate, same_value
from memory_pipeline.domain.consolidation.tense import not_begun, past
from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.policy import SimilarityPolicy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import content_words, normalise, words


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
    """A memory that may concern the same thing, and its cosine to the proposal.

    Attributes:
        said: its cosine to the words that the proposal quotes, where these tell an ending; else 0.
    """

    memory: MemoryVersion
    similarity: float
    said: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """An action on some memories.

    Attributes:
        targets: ids of the memories it changes; empty for add and none.
        certain: False asks the judge, and ``action`` is what slots and wording alone suggest; see :func:`unasked`.
        content: of a merge, the sentence that stands for both; None = the proposal's own.
        closes: ids of open loops that the proposal shows to be done, whatever else it does (DL-37).
        holds: the topic that is to be forgotten is put on record, whatever of it is remembered.
    """

    action: Action
    targets: tuple[str, ...]
    reason: str
    certain: bool = True
    closes: tuple[str, ...] = ()
    holds: bool = False
    content: str | None = None
    reopens: tuple[str, ...] = ()


_CHANGING = frozenset({Action.MERGE, Action.SUPERSEDE, Action.CONTRADICT})
_ENDING = frozenset({Operation.CONTRADICT, Operation.CLOSE_OPEN_LOOP, Operation.FORGET, Operation.SUPPRESS})
UNJUDGED = "beside what it may change: nobody has judged it"
"""Why a memory was added without a judge's answer."""

_PURSUITS = frozenset({"learning", "project", "goal", "plan", "hobby"})
_EXACT = Tolerance(near=0.0, alike=None, part=0.5, changed=1.0, contained=1, exact=True)
_NAMES = 0.34  # share of a memory's words that "forget about that coffee shop" must name


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
            return _close(proposal, living, policy)
        case Operation.CONTRADICT if proposal.type is MemoryType.BOUNDARY:
            return _reopened(proposal, living)
        case Operation.CONTRADICT:
            return _contradict(proposal, living, policy)
        case _:
            return _state(proposal, living, policy)


def unasked(proposal: Proposal, decision: Decision) -> Decision:
    """What is done with an uncertain proposal while no judge has answered: nothing that states a fact retires one."""
    stating = proposal.operation not in _ENDING
    if decision.certain or not stating or decision.action not in _CHANGING:
        return decision
    return Decision(Action.ADD, (), UNJUDGED, certain=False)


def _named(proposal: Proposal, living: Sequence[Candidate], action: Action, reason: str) -> Decision:
    """What speaks of the topic of a plea, and what shares most words with it."""
    about = closing(proposal, (c.memory for c in living))
    held = action is Action.FORGET and bool(about)
    wanted = content_words(proposal.value or proposal.content)
    named: set[str] = set()
    hits = []
    for c in living:
        boundary = c.memory.type is MemoryType.BOUNDARY
        if boundary and (action is Action.SUPPRESS or c.memory.observed_at >= proposal.observed_at):
            continue
        said_before = c.memory.observed_at <= proposal.observed_at
        if said_before and any(speaks_of(c.memory, topic) for topic in about):
            named.add(c.memory.memory_id)
        words = content_words(f"{c.memory.content} {c.memory.value or ''}")
        share = len(wanted & words) / len(wanted) if wanted else 0.0
        if share >= max(_NAMES, 1 / max(len(wanted), 1)):
            hits.append((share, c.memory.memory_id))
    best = max((share for share, _ in hits), default=0.0)
    named |= {i for share, i in hits if share >= best}
    if not named and not held:
        return Decision(Action.NONE, (), "no memory names it")
    return Decision(action, tuple(sorted(named)), reason, holds=held)


def _reopened(proposal: Proposal, living: Sequence[Candidate]) -> Decision:
    """The boundaries of a topic that may be brought up again, and what they kept silent."""
    boundaries, silent = reopened(proposal, [c.memory for c in living if not _late(proposal, c.memory)])
    if not boundaries:
        return Decision(Action.NONE, (), "no boundary closes it")
    return Decision(Action.CONTRADICT, boundaries, f"the user said: {proposal.content}", reopens=silent)


def _close(proposal: Proposal, living: Sequence[Candidate], policy: SimilarityPolicy) -> Decision:
    loops = [c.memory for c in living if c.memory.type is MemoryType.OPEN_LOOP and may_end(proposal, c.memory)]
    named = meant_by(proposal, loops)
    if named:
        # The same words of both values leave no doubt; "rang the practice" against "call the dentist" may.
        equal = all(_stems(proposal.value) == _stems(loop.value) != frozenset() for loop in named)
        return Decision(Action.CLOSE, tuple(loop.memory_id for loop in named), _end(proposal), certain=equal)
    dropped = _given_up(proposal, living) if proposal.negated else None
    if dropped is not None:
        return dropped
    over = _replaced_or_ended(proposal, [c.memory for c in living])
    if over:  # no plan was meant: "Cancelled the gym." ends what is remembered of it
        return Decision(
            Action.CONTRADICT, tuple(sorted(m.memory_id for m in over)), f"the user said: {proposal.content}"
        )
    likely = _likely(proposal, living, policy, Action.CONTRADICT)
    if likely is not None:
        return likely
    if loops:
        return Decision(Action.NONE, (), "no open loop clearly meant", certain=False)
    return Decision(Action.NONE, (), "no open loop to close")


def _likely(
    proposal: Proposal, living: Sequence[Candidate], policy: SimilarityPolicy, action: Action
) -> Decision | None:
    """The end of what a statement most likely means, though it shares no word with it; that is for the judge to say."""
    over = likely_ended(proposal, [(c.memory, max(c.similarity, c.said)) for c in living], policy)
    if not over:
        return None
    return Decision(action, (over[0].memory_id,), f"most likely what the user means: {proposal.content}", certain=False)


def meant_by(proposal: Proposal, loops: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """The open loops that a told deed fulfils, or that it tells to be given up; none where that is not clear."""
    said = proposal.content.removesuffix(".").removesuffix(" (kept)").removesuffix(" (dropped)")
    agent = None if normalise(proposal.subject or "user") == "user" else proposal.subject
    told = [loop.content for loop in loops]
    found = fulfilled(said, told, dropped=proposal.negated, agent=agent) or dropped_by(said, told)
    return sorted((loops[n] for n in found), key=lambda loop: loop.memory_id)


def _given_up(proposal: Proposal, living: Sequence[Candidate]) -> Decision | None:
    """What was dropped may be remembered as a fact: "no longer learning Korean" ends "Is learning Korean"."""
    said = content_words(f"{proposal.content} {proposal.value or ''}")
    named = [
        c.memory.memory_id
        for c in living
        if c.memory.attribute in _PURSUITS and c.memory.value and not _late(proposal, c.memory)
        if _share(content_words(c.memory.value), said) == 1.0
    ] or [m.memory_id for m in dropped_by_name(proposal, [c.memory for c in living])]
    if not named:
        return None
    if all(c.memory.type is MemoryType.OPEN_LOOP for c in living if c.memory.memory_id in named):
        return Decision(Action.CLOSE, tuple(sorted(named)), _end(proposal))
    return Decision(Action.CONTRADICT, tuple(sorted(named)), f"the user said: {proposal.content}")


def _end(proposal: Proposal) -> str:
    return f"{'cancelled' if proposal.negated else 'resolved'}: {proposal.content}"


def _stems(value: str | None) -> frozenset[str]:
    return frozenset(word[:4] for word in content_words(value or ""))


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    """Share of a loop's words found, tolerant of inflection (the first four letters count)."""
    stems = {w[:4] for w in there}
    return sum(w[:4] in stems for w in wanted) / len(wanted) if wanted else 0.0


def _contradict(proposal: Proposal, living: Sequence[Candidate], policy: SimilarityPolicy) -> Decision:
    memories = [c.memory for c in living]
    denies = proposal.negated or tells_end(proposal.content)
    said_before = [m for m in memories if denies and _same_denial(proposal, m)]
    denied = {m.memory_id for m in ended(proposal, memories)}
    for m in memories:
        flipped = Slot(proposal.subject, proposal.attribute, proposal.value, not m.negated)
        if denies and m.negated or m in said_before or _late(proposal, m):
            continue
        narrower = qualified(proposal.content, proposal.value) and not qualified(m.content, m.value)
        if relate(flipped, slot_of(m)) is Relation.DENIED and not narrower:
            denied.add(m.memory_id)
    loops = {m.memory_id for m in memories if m.memory_id in denied and m.type is MemoryType.OPEN_LOOP}
    if denied and denied == loops:
        return Decision(Action.CLOSE, tuple(sorted(denied)), f"cancelled: {proposal.content}")
    if denied:
        return Decision(Action.CONTRADICT, tuple(sorted(denied)), f"the user said: {proposal.content}")
    if said_before:
        return Decision(Action.REINFORCE, (min(m.memory_id for m in said_before),), "said again that it is over")
    likely = _likely(proposal, living, policy, Action.CONTRADICT)
    if likely is not None:
        return likely
    if any(c.similarity >= 0.5 or _perhaps(proposal, c.memory) for c in living):
        return Decision(Action.NONE, (), "no memory of the same slot", certain=False)
    return Decision(Action.NONE, (), "nothing to contradict")


def _same_denial(proposal: Proposal, memory: MemoryVersion) -> bool:
    over = memory.negated or tells_end(memory.content)
    return over and normalise(memory.content) == normalise(proposal.content)


def _late(proposal: Proposal, memory: MemoryVersion) -> bool:
    """A late, older statement never retires a newer one."""
    return proposal.observed_at < memory.referenced_at


def _perhaps(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether both tell the same of two who may be one: "my brother", "my brother Max"."""
    named = bool(proposal.attribute) and proposal.attribute == memory.attribute
    return named and slot_of(proposal).key != slot_of(memory).key and may_be_one(proposal, memory)


def _state(proposal: Proposal, living: Sequence[Candidate], policy: SimilarityPolicy) -> Decision:
    waiting = _still_open(proposal, living)
    if waiting:
        return Decision(Action.REINFORCE, (min(waiting),), "still to be done")
    by_slot = _by_slot(proposal, living)
    if by_slot is not None and by_slot.action is not Action.ADD:
        return _sure(proposal, by_slot, living)
    by_wording = _by_wording(proposal, [c.memory for c in living])
    alike = {c.memory.memory_id for c in living if relation_of(proposal, c.memory) is Relation.SAME}
    if by_wording is not None and (by_slot is None or not alike.issuperset(by_wording.targets)):
        return _sure(proposal, by_wording, living)
    if by_slot is not None:
        return by_slot
    likely = _likely(proposal, living, policy, Action.SUPERSEDE)
    if likely is not None:
        return likely
    near = [c for c in living if comparable(proposal, c.memory)]
    near.sort(key=lambda c: (-c.similarity, c.memory.memory_id))
    for c in near:
        found = _by_words(proposal, c, policy)
        if found is not None:
            return found
    if any(c.similarity >= policy.judge for c in near) or any(_perhaps(proposal, c.memory) for c in living):
        return Decision(Action.ADD, (), "like another memory, and not clearly the same", certain=False)
    return Decision(Action.ADD, (), "new")


def _sure(proposal: Proposal, decision: Decision, living: Sequence[Candidate]) -> Decision:
    """Only a correction or change of one and the same subject retires without a judge: what is told as a fact of its
    own may stand beside what is known."""
    if decision.action not in (Action.SUPERSEDE, Action.CONTRADICT):
        return decision
    whose = (slot_of(proposal).key or ("",))[0]
    of_one = any(
        (slot_of(c.memory).key or ("",))[0] == whose != "" for c in living if c.memory.memory_id in decision.targets
    )
    sure = decision.certain and proposal.operation is Operation.UPDATE and of_one
    return decision if sure else replace(decision, certain=False)


def _still_open(proposal: Proposal, living: Sequence[Candidate]) -> list[str]:
    """The open loops of which a plan without a day of its own only says that they are still open."""
    if proposal.type is not MemoryType.OPEN_LOOP or proposal.operation is not Operation.ADD or proposal.due_at:
        return []
    loops = [c.memory for c in living if c.memory.type is MemoryType.OPEN_LOOP]
    others = [m for m in loops if normalise(m.content) != normalise(proposal.content) and not _late(proposal, m)]
    return [m.memory_id for m in others if same_plan(proposal.content, m.content)]


def _by_slot(proposal: Proposal, living: Sequence[Candidate]) -> Decision | None:
    changed, denied = [], []
    for c in sorted(living, key=lambda c: (-c.similarity, c.memory.memory_id)):
        relation = relation_of(proposal, c.memory)
        if refined(proposal, c.memory) and not _late(proposal, c.memory):
            whole = keeps(proposal.content, c.memory.content, but=c.memory.value)
            return Decision(Action.MERGE, (c.memory.memory_id,), "the same, told more exactly", certain=whole)
        if covered(proposal, c.memory) and same_occasion(proposal, c.memory):
            return Decision(Action.REINFORCE, (c.memory.memory_id,), "said before more exactly")
        if relation is Relation.SAME and same_occasion(proposal, c.memory):
            another = _new_role(proposal, c.memory) or _another_dose(proposal, c.memory)
            if another and not _late(proposal, c.memory):
                changed.append(c.memory.memory_id)
                continue
            if not one_thing(proposal, c.memory):
                return Decision(Action.ADD, (), "the same value, told of something else perhaps", certain=False)
            if more_specific(proposal.content, c.memory.content):
                return Decision(Action.MERGE, (c.memory.memory_id,), "same fact, told with more detail")
            return Decision(Action.REINFORCE, (c.memory.memory_id,), "same fact, said again")
        beside = past(proposal) or told_together(proposal, c.memory) and not _corrects(proposal)
        beside = beside or not_begun(c.memory, proposal.valid_from or proposal.observed_at)
        if relation is Relation.CHANGED and not beside and not _late(proposal, c.memory):
            changed.append(c.memory.memory_id)
        if relation is Relation.DENIED and not beside and not _late(proposal, c.memory):
            denied.append(c.memory.memory_id)
    if denied:
        return Decision(Action.CONTRADICT, tuple(sorted(denied)), f"the user said: {proposal.content}")
    if changed:
        more = {m.memory_id for m in _replaced_or_ended(proposal, [c.memory for c in living])}
        reason = f"changed: {proposal.content}"
        return Decision(Action.SUPERSEDE, tuple(sorted({*changed, *more})), reason, certain=_of_one(changed, living))
    return None


def _of_one(changed: Sequence[str], living: Sequence[Candidate]) -> bool:
    """Whether what has changed held one value: who has two jobs may have changed either. What the user has put back
    beside another value is no second one."""
    values = [c.memory.value for c in living if c.memory.memory_id in changed and not c.memory.apart]
    return all(same_value(value, values[0]) for value in values)


def _corrects(proposal: Proposal) -> bool:
    """Whether it may put right what its own message says: where that takes the old value back ("41, not 42"). Of a
    thing in the world the later of two values stands."""
    of_the_world = bool(proposal.subject) and (proposal.subject or "")[:1].isupper()
    if of_the_world and (proposal.attribute or "").startswith("current_"):
        return True
    return takes_back(proposal)


def takes_back(proposal: Proposal) -> bool:
    """Whether a correction quotes words that take back what the same message told."""
    if proposal.operation is not Operation.UPDATE:
        return False
    cues = wordset("once", "takes_back")
    return any(given_up(e.quote) or not cues.isdisjoint(words(e.quote)) for e in proposal.evidence)


def _new_role(proposal: Proposal, memory: MemoryVersion) -> bool:
    """The same person in a new place of the slot: who was a girlfriend is a wife now."""
    known = attribute(proposal.attribute)
    return known.single and known.named and not one_thing(proposal, memory) and bool(proposal.value)


def _another_dose(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Takes the same medicine, and told on another occasion to be more or less of it."""
    return redosed(proposal, memory) and (_corrects(proposal) or not told_together(proposal, memory))


def _by_wording(proposal: Proposal, memories: Sequence[MemoryVersion]) -> Decision | None:
    """A statement that says itself what it takes the place of, or what is over with it."""
    over = _replaced_or_ended(proposal, memories)
    if not over:
        return None
    return Decision(Action.SUPERSEDE, tuple(sorted(m.memory_id for m in over)), f"changed: {proposal.content}")


def _replaced_or_ended(proposal: Proposal, memories: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """What becomes of a plan is told by deeds, but for a plan that takes its place.

    Of one message, only a correction changes the other, or an update that tells it to be over.
    """
    told_over = {m.memory_id: m for m in ended(proposal, memories)}
    replacing = [*replaced(proposal, memories), *excluded(proposal, memories)]
    over = {m.memory_id: m for m in replacing} | told_over
    update = proposal.operation is Operation.UPDATE
    closing = proposal.operation is Operation.CLOSE_OPEN_LOOP
    return [
        m
        for m in over.values()
        if (m.type is not MemoryType.OPEN_LOOP or proposal.type is MemoryType.OPEN_LOOP and not closing)
        and (not told_together(proposal, m) or _corrects(proposal) or update and m.memory_id in told_over)
    ]


def _by_words(proposal: Proposal, candidate: Candidate, policy: SimilarityPolicy) -> Decision | None:
    """The bands of KN-9 and LS-17, where numbers, names and negation agree and neither text replaces a word of the
    other; None where it takes a judge."""
    memory = candidate.memory
    target = (memory.memory_id,)
    if normalise(memory.content) == normalise(proposal.content):
        return Decision(Action.REINFORCE, target, "same words")
    if opposed(proposal.content, memory.content) or _asks(proposal.content) != _asks(memory.content):
        return None
    new, old = features(proposal.content), features(memory.content)
    nearly = candidate.similarity >= policy.auto_merge
    found = compare(new, old, replace(_EXACT, alike=policy.same_words if nearly else None))
    if found is Comparison.SAME and nearly:
        return Decision(Action.REINFORCE, target, "the same in other words")
    if candidate.similarity < policy.merge or new.order[:1] != old.order[:1]:
        return None  # words in front are mostly another subject: "Son is allergic to nuts"
    if found is Comparison.LESS:
        return Decision(Action.REINFORCE, target, "said before with more detail")
    if found is Comparison.MORE:
        return Decision(Action.MERGE, target, "the same with more detail")
    return None


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?")
