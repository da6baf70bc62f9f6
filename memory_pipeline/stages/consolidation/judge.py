"""Asking the judge about what slots could not decide: one user's cases together, each kept as a reply of its own.

A case is a candidate, its neighbours and every open loop (DL-37). Its reply is kept by exactly that, so days judged one
by one and days judged together in a back-fill find the same replies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.consolidation.equivalence import relation_of, told_together
from memory_pipeline.domain.consolidation.judgement import ENDING, covered_by, may_close, may_retire, merged
from memory_pipeline.domain.consolidation.plans.open_loops import may_end
from memory_pipeline.domain.consolidation.slots import Relation, same_value
from memory_pipeline.domain.consolidation.supersession import Action, Candidate, Decision, takes_back, unasked
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import Judgement, JudgeReply

TASK = "consolidate"
_NEIGHBOURS = 5  # RX-19
_MIN_REASON = 8  # characters: retiring a memory of another slot needs a reason, not a word
_CHANGING = frozenset({Action.MERGE, Action.SUPERSEDE, Action.CONTRADICT})
REPLY_TOKENS = 120  # that a judgement may have
Line = tuple[str, str]
"""What a memory says, and when it was said."""


@dataclass(frozen=True, slots=True)
class Case:
    """A proposal that slots could not decide.

    Attributes:
        suggested: what slots and wording say; where it is certain, only the loops are asked about.
        request: the question; ids maps its aliases to memory ids.
        key: identity of the case: equal ones have equal questions and mean the same memories.
        near_loops: ids of the open loops that the proposal may have to do with, by words or by cosine.
        may_end: what is shown of the memories that the proposal may retire or close, by text and time.
    """

    proposal: Proposal
    suggested: Decision
    request: ChatRequest[JudgeReply]
    ids: Mapping[str, str]
    key: str
    near_loops: frozenset[str] = frozenset()
    may_end: frozenset[Line] = frozenset()

    @property
    def fallback(self) -> Decision:
        """What is done without a judge."""
        return unasked(self.proposal, self.suggested)


def case(
    proposal: Proposal,
    candidates: Sequence[Candidate],
    suggested: Decision,
    loops: Iterable[MemoryVersion],
    timezone: str,
    near_loops: Iterable[MemoryVersion] = (),
) -> Case:
    """The question about one proposal. Without any cosine in it: that is not for the judge to go by.

    What slots and wording suggest goes along for the builtin judge, which reads no more than these; no template shows
    it.
    """
    meant = set(suggested.targets)
    others = [c.memory for c in candidates if not is_open_loop(c.memory) or proposal.type is MemoryType.OPEN_LOOP]
    others.sort(key=lambda m: m.memory_id not in meant)  # stable: what is suggested, then the nearest
    near = sorted(others[:_NEIGHBOURS], key=_order)
    open_ = sorted((m for m in loops if may_end(proposal, m)), key=_order)
    alias = {m: f"k{n}" for n, m in enumerate(dict.fromkeys(m.memory_id for m in (*near, *open_)), 1)}

    def local(at: datetime | None) -> str | None:
        return None if at is None else at.astimezone(zone(timezone)).isoformat(timespec="seconds")

    inputs: dict[str, Any] = {
        "timezone": timezone,
        "candidates": [
            {
                "candidate": "c1",
                "operation": str(proposal.operation),
                "type": str(proposal.type),
                "content": proposal.content,
                "observed_at": local(proposal.observed_at),
                "suggested": _suggestion(suggested, alias),
                "neighbours": [
                    {
                        "memory": alias[m.memory_id],
                        "type": str(m.type),
                        "status": str(m.status),
                        "content": m.content,
                        "observed_at": local(m.observed_at),
                    }
                    for m in near
                ],
            }
        ],
        "open_loops": [
            {
                "memory": alias[m.memory_id],
                "content": m.content,
                "due_at": local(m.due_at),
                "observed_at": local(m.observed_at),
            }
            for m in open_
        ],
    }
    scope = Scope(proposal.tenant_id, proposal.user_id)
    request = ChatRequest(TASK, inputs, JudgeReply, scope, proposal.day, max_tokens=REPLY_TOKENS * 2)
    key = digest(json.dumps(inputs, sort_keys=True), *alias)
    closable = frozenset(m.memory_id for m in near_loops)
    ends = [m for m in near if m.memory_id in meant or may_retire(proposal, m)]
    ends += [m for m in open_ if m.memory_id in closable or may_close(proposal, m)]
    lines = frozenset((m.content, local(m.observed_at) or "") for m in ends)
    return Case(proposal, suggested, request, {a: m for m, a in alias.items()}, key, closable, lines)


def _suggestion(suggested: Decision, alias: Mapping[str, str]) -> dict[str, Any] | None:
    """A change of memories that slots and wording suggest, in the aliases of the question; None for any other."""
    targets = [alias[t] for t in suggested.targets if t in alias]
    if suggested.certain or suggested.action not in _CHANGING or not targets:
        return None
    return {"action": str(suggested.action), "targets": targets, "reason": suggested.reason}


def is_open_loop(memory: MemoryVersion) -> bool:
    """Whether a memory is an open loop that still waits."""
    return memory.type is MemoryType.OPEN_LOOP and memory.status not in RETIRED


def _order(memory: MemoryVersion) -> tuple[datetime, str]:
    return memory.observed_at, memory.memory_id


def decision(reply: JudgeReply, asked: Case, state: Mapping[str, MemoryVersion]) -> Decision:
    """The judge's word on a case, where it stands up to the guards; the fallback elsewhere."""
    judgement = judgement_on(reply, "c1")
    if judgement is None:
        return asked.fallback
    named = (state.get(asked.ids.get(alias, "")) for alias in judgement.closes)
    closes = tuple(dict.fromkeys(m.memory_id for m in named if m is not None and _closes(asked, m)))
    return replace(_action(judgement, asked, state), closes=closes)


def judgement_on(reply: JudgeReply, candidate: str) -> Judgement | None:
    """What a reply says of a candidate."""
    return next((j for j in reply.judgements if j.candidate == candidate), None)


def _action(judgement: Judgement, asked: Case, state: Mapping[str, MemoryVersion]) -> Decision:
    if asked.suggested.certain:
        return asked.suggested
    proposal, action = asked.proposal, Action(judgement.action)
    ending = proposal.operation in ENDING
    if action is Action.ADD:  # what is told to be over is no fact to keep
        return asked.fallback if ending else Decision(action, (), judgement.reason or "judged new")
    if action is Action.NONE and ending:
        return Decision(action, (), judgement.reason or "judged to end nothing")
    target = state.get(asked.ids.get(judgement.target or "", ""))
    if target is None or target.status in RETIRED:
        return asked.fallback
    heeded = _heeded(action, judgement, asked, target, state)
    if heeded is None:
        return asked.fallback
    return replace(heeded, reason=judgement.reason or heeded.reason)


def _heeded(
    action: Action, judgement: Judgement, asked: Case, target: MemoryVersion, state: Mapping[str, MemoryVersion]
) -> Decision | None:
    """What a judge says of a case and a memory that lives; None where the words of the two do not bear it."""
    proposal, one = asked.proposal, (target.memory_id,)
    match action:
        case Action.NONE:
            late = proposal.observed_at < target.referenced_at and may_retire(proposal, target)
            return Decision(action, (), "covered") if late or covered_by(proposal, target) else None
        case Action.REINFORCE | Action.MERGE if proposal.operation not in ENDING:
            if action is Action.REINFORCE and covered_by(proposal, target):
                return Decision(action, one, "the same")
            content = merged(judgement.content, proposal, target)
            return Decision(Action.MERGE, one, "the same", content=content) if content else None
        case Action.CLOSE if _closes(asked, target):
            return Decision(action, one, "resolved")
        case Action.SUPERSEDE | Action.CONTRADICT if _stands(judgement, asked, target):
            return Decision(action, _with_it(action, target, asked, state), "changed")
    return None


def _closes(asked: Case, loop: MemoryVersion) -> bool:
    met = loop.memory_id in asked.near_loops or may_close(asked.proposal, loop)
    return met and is_open_loop(loop) and may_end(asked.proposal, loop)


def _stands(judgement: Judgement, asked: Case, target: MemoryVersion) -> bool:
    """Whether a proposal may retire a memory: never a newer one, one of its own message only where that takes it back,
    one of no or another slot only with a reason, and any only where the proposal's own words meet it."""
    proposal = asked.proposal
    if proposal.observed_at < target.referenced_at:
        return False
    if target.memory_id in asked.suggested.targets:
        return True
    if told_together(proposal, target) and not (proposal.operation is Operation.CONTRADICT or takes_back(proposal)):
        return False
    same_slot = relation_of(proposal, target) is not Relation.UNRELATED
    return may_retire(proposal, target) and (same_slot or len(judgement.reason) >= _MIN_REASON)


def _with_it(action: Action, target: MemoryVersion, asked: Case, state: Mapping[str, MemoryVersion]) -> tuple[str, ...]:
    """A memory to be retired, and what slots and wording suggest to go with it: not other values of its slot, of which
    the judge named one."""
    suggested = asked.suggested
    if action is not suggested.action or target.memory_id not in suggested.targets:
        return (target.memory_id,)
    others = [state[t] for t in suggested.targets if t in state]
    return tuple(
        m.memory_id
        for m in others
        if relation_of(asked.proposal, m) is not Relation.CHANGED
        or m.memory_id == target.memory_id
        or same_value(m.value, target.value)
    )


def ready(cases: Sequence[Case]) -> list[Case]:
    """The cases of one user that can be asked about now: a change or an end of what another one may yet make, or not,
    waits for that one's answer."""
    told = {line_of(c.request.inputs["candidates"][0]) for c in cases}
    return [c for c in cases if _adds(c.request) or told.isdisjoint(c.may_end)] or list(cases)


def _adds(request: ChatRequest[Any]) -> bool:
    (candidate,) = request.inputs["candidates"]
    return candidate["operation"] == Operation.ADD and candidate["suggested"] is None


def line_of(item: Mapping[str, Any]) -> Line:
    """By what a candidate and the memory that may come of it are told to be one."""
    return item["content"], item["observed_at"]
