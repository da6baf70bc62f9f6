"""Asking the judge: all of a user's ambiguous candidates of a day in one call, with every open loop in view (DL-37)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.slots import Relation, relate
from memory_pipeline.domain.supersession import Action, Candidate, Decision, slot_of
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import JudgeReply

_NEIGHBOURS = 8
_MIN_REASON = 8  # characters: retiring a memory of another slot needs a reason, not a word


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A proposal that slots could not decide, its neighbours, and what is done without a judge."""

    proposal: Proposal
    candidates: Sequence[Candidate]
    fallback: Decision


def request_for(
    scope: Scope, day: date, timezone: str, cases: Sequence[Ambiguous], memories: Iterable[MemoryVersion]
) -> tuple[ChatRequest[JudgeReply], Mapping[str, str]]:
    """The request, and the memory ids behind its aliases."""
    loops = sorted(
        (m for m in memories if m.type is MemoryType.OPEN_LOOP and m.status not in RETIRED),
        key=lambda m: (m.observed_at, m.memory_id),
    )
    shown = [c.memory for case in cases for c in case.candidates[:_NEIGHBOURS]] + loops
    alias = {m: f"k{n}" for n, m in enumerate(dict.fromkeys(m.memory_id for m in shown), 1)}

    def local(at: datetime | None) -> str | None:
        return None if at is None else at.astimezone(zone(timezone)).isoformat(timespec="seconds")

    inputs: dict[str, Any] = {
        "timezone": timezone,
        "candidates": [
            {
                "candidate": f"c{n}",
                "operation": str(case.proposal.operation),
                "type": str(case.proposal.type),
                "content": case.proposal.content,
                "observed_at": local(case.proposal.observed_at),
                "neighbours": [
                    {
                        "memory": alias[c.memory.memory_id],
                        "type": str(c.memory.type),
                        "status": str(c.memory.status),
                        "content": c.memory.content,
                        "observed_at": local(c.memory.observed_at),
                        "similarity": round(c.similarity, 2),
                    }
                    for c in case.candidates[:_NEIGHBOURS]
                ],
            }
            for n, case in enumerate(cases, 1)
        ],
        "open_loops": [
            {
                "memory": alias[m.memory_id],
                "content": m.content,
                "due_at": local(m.due_at),
                "observed_at": local(m.observed_at),
            }
            for m in loops
        ],
    }
    return ChatRequest("consolidate", inputs, JudgeReply, scope, day), {a: m for m, a in alias.items()}


def decisions(
    reply: JudgeReply, cases: Sequence[Ambiguous], ids: Mapping[str, str], state: Mapping[str, MemoryVersion]
) -> list[Decision]:
    """The judge's word on each case, where it stands up to the guards; the fallback elsewhere."""
    said = {j.candidate: j for j in reply.judgements}
    found = []
    for n, case in enumerate(cases, 1):
        judgement = said.get(f"c{n}")
        if judgement is None:
            found.append(case.fallback)
            continue
        action = Action(judgement.action)
        target = state.get(ids.get(judgement.target or "", ""))
        if action in (Action.ADD, Action.NONE):
            found.append(Decision(action, (), judgement.reason or "judged new"))
        elif target is None or not _stands(action, case.proposal, target, judgement.reason):
            found.append(case.fallback)
        else:
            found.append(Decision(action, (target.memory_id,), judgement.reason))
    return found


def _stands(action: Action, proposal: Proposal, target: MemoryVersion, reason: str) -> bool:
    """A fact may only retire one of the same slot or one that is named with a reason, and never a newer one."""
    if target.status in RETIRED:
        return False
    if action is Action.CLOSE:
        return target.type is MemoryType.OPEN_LOOP
    if action in (Action.SUPERSEDE, Action.CONTRADICT):
        same_slot = relate(slot_of(proposal), slot_of(target)) is not Relation.UNRELATED
        return proposal.observed_at >= target.referenced_at and (same_slot or len(reason) >= _MIN_REASON)
    return True
