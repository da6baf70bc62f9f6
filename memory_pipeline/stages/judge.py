"""Asking the judge about what slots could not decide: one user's cases together, each kept as a reply of its own.

A case is a candidate, its neighbours and every open loop (DL-37). Its reply is kept by exactly that, so days judged one
by one and days judged together in a back-fill find the same replies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.equivalence import slot_of, told_together
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.open_loops import may_end
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.slots import Relation, relate
from memory_pipeline.domain.supersession import Action, Candidate, Decision
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import Judgement, JudgeReply
from memory_pipeline.inference.reply_cache import Pack

TASK = "consolidate"
_NEIGHBOURS = 5  # RX-19
_MIN_REASON = 8  # characters: retiring a memory of another slot needs a reason, not a word
_PACK_TOKENS = 12_000
_REPLY_TOKENS = 120


@dataclass(frozen=True, slots=True)
class Case:
    """A proposal that slots could not decide.

    Attributes:
        fallback: what is done without a judge; where it is certain, only the loops are asked about.
        request: the question; ids maps its aliases to memory ids.
        key: identity of the case: equal ones have equal questions and mean the same memories.
    """

    proposal: Proposal
    fallback: Decision
    request: ChatRequest[JudgeReply]
    ids: Mapping[str, str]
    key: str


def case(
    proposal: Proposal,
    candidates: Sequence[Candidate],
    fallback: Decision,
    loops: Iterable[MemoryVersion],
    timezone: str,
) -> Case:
    """The question about one proposal. Without any cosine in it: that is not for the judge to go by."""
    others = [c.memory for c in candidates if not is_open_loop(c.memory) or proposal.type is MemoryType.OPEN_LOOP]
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
    request = ChatRequest(TASK, inputs, JudgeReply, scope, proposal.day, max_tokens=_REPLY_TOKENS * 2)
    key = digest(json.dumps(inputs, sort_keys=True), *alias)
    return Case(proposal, fallback, request, {a: m for m, a in alias.items()}, key)


def is_open_loop(memory: MemoryVersion) -> bool:
    """Whether a memory is an open loop that still waits."""
    return memory.type is MemoryType.OPEN_LOOP and memory.status not in RETIRED


def _order(memory: MemoryVersion) -> tuple[datetime, str]:
    return memory.observed_at, memory.memory_id


def decision(reply: JudgeReply, asked: Case, state: Mapping[str, MemoryVersion]) -> Decision:
    """The judge's word on a case, where it stands up to the guards; the fallback elsewhere."""
    judgement = _on(reply, "c1")
    if judgement is None:
        return asked.fallback
    closes = tuple(
        dict.fromkeys(
            target.memory_id
            for alias in judgement.closes
            if (target := state.get(asked.ids.get(alias, ""))) is not None and is_open_loop(target)
        )
    )
    return replace(_action(judgement, asked, state), closes=closes)


def _on(reply: JudgeReply, candidate: str) -> Judgement | None:
    return next((j for j in reply.judgements if j.candidate == candidate), None)


def _action(judgement: Judgement, asked: Case, state: Mapping[str, MemoryVersion]) -> Decision:
    if asked.fallback.certain:
        return asked.fallback
    action = Action(judgement.action)
    if action in (Action.ADD, Action.NONE):
        return Decision(action, (), judgement.reason or "judged new")
    target = state.get(asked.ids.get(judgement.target or "", ""))
    if target is None or not _stands(action, asked.proposal, target, judgement.reason):
        return asked.fallback
    return Decision(action, (target.memory_id,), judgement.reason)


def _stands(action: Action, proposal: Proposal, target: MemoryVersion, reason: str) -> bool:
    """A fact may only retire one of the same slot or one that is named with a reason, never a newer one, and one of the
    same message only where it corrects it."""
    if target.status in RETIRED:
        return False
    if action is Action.CLOSE:
        return target.type is MemoryType.OPEN_LOOP
    if action in (Action.SUPERSEDE, Action.CONTRADICT):
        corrects = proposal.operation in (Operation.UPDATE, Operation.CONTRADICT)
        if told_together(proposal, target) and not corrects:
            return False
        same_slot = relate(slot_of(proposal), slot_of(target)) is not Relation.UNRELATED
        return proposal.observed_at >= target.referenced_at and (same_slot or len(reason) >= _MIN_REASON)
    return True


# -- several cases in one call


def pack(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    """Join one user's cases into as few calls as the token budget allows; never two users in one call."""
    packs = []
    ordered = sorted(requests, key=lambda r: (r.scope, r.inputs["timezone"], r.day))
    for _, group in groupby(ordered, key=lambda r: (r.scope, r.inputs["timezone"])):
        batch: list[ChatRequest[Any]] = []
        size = 0
        for request in group:
            (candidate,) = request.inputs["candidates"]
            tokens = sum(estimate_tokens(n["content"]) + 30 for n in (candidate, *candidate["neighbours"]))
            if batch and size + tokens > _PACK_TOKENS:
                packs.append(_join(batch))
                batch, size = [], 0
            batch.append(request)
            size += tokens
        packs.append(_join(batch))
    return packs


def singly(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    """Each case in a call of its own."""
    return [_join([request]) for request in requests]


def _join(members: Sequence[ChatRequest[Any]]) -> Pack:
    """One request with all candidates; a memory that several of them have in view stands in it under one alias."""
    first = members[0]
    if len(members) == 1:
        return Pack(first, members, lambda value: [value if _on(value, "c1") else None])
    alias: dict[tuple[Any, ...], str] = {}
    back: list[dict[str, str]] = []
    candidates: list[Mapping[str, Any]] = []
    loops: dict[str, Mapping[str, Any]] = {}
    for n, member in enumerate(members, 1):
        (candidate,) = member.inputs["candidates"]
        own: dict[str, str] = {}
        for item in (*candidate["neighbours"], *member.inputs["open_loops"]):
            own[item["memory"]] = alias.setdefault((item["content"], item["observed_at"]), f"k{len(alias) + 1}")
        neighbours = [{**m, "memory": own[m["memory"]]} for m in candidate["neighbours"]]
        candidates.append({**candidate, "candidate": f"c{n}", "neighbours": neighbours})
        for loop in member.inputs["open_loops"]:
            loops.setdefault(own[loop["memory"]], {**loop, "memory": own[loop["memory"]]})
        back.append({there: here for here, there in own.items()})
    inputs = {**first.inputs, "candidates": candidates, "open_loops": list(loops.values())}
    room = min(8192, _REPLY_TOKENS * (len(members) + 1))
    request = ChatRequest(first.task, inputs, first.reply, first.scope, first.day, max_tokens=room)
    return Pack(request, members, lambda value: _split(value, back))


def _split(value: JudgeReply, back: Sequence[Mapping[str, str]]) -> list[JudgeReply | None]:
    """One reply a member, in the aliases of that member; None where the joint reply has no judgement for it."""
    said = {j.candidate: j for j in value.judgements}
    parts: list[JudgeReply | None] = []
    for n, aliases in enumerate(back, 1):
        judgement = said.get(f"c{n}")
        if judgement is None:
            parts.append(None)
            continue
        target = aliases.get(judgement.target or "") if judgement.target else None
        closes = [aliases[a] for a in judgement.closes if a in aliases]
        parts.append(JudgeReply([replace(judgement, candidate="c1", target=target, closes=closes)]))
    return parts
