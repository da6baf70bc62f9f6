"""Cases of one user joined into as few calls of the judge as its model can answer, and the joint replies apart again.

Cases of one user mostly have the same memories in view. Each stands in a call once, so a further case costs little more
than its own line; what limits a call is rather the reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from memory_pipeline.domain.policy import WindowPolicy
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.hosted.limits import Limits
from memory_pipeline.inference.replies import JudgeReply
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.consolidation.judge import REPLY_TOKENS, judgement_on, line_of

_LINE_TOKENS = 15  # id, time and status of a line, and its id among the neighbours of a candidate
_JUDGED_TOKENS = 60  # of a judgement, as models write them: a clause of reason, seldom a merged sentence
_CONSTANT = 1_000  # tokens of the prompt without cases
_USUAL_CONTEXT = 16_384  # of a server that does not tell; the README starts local ones with it
_FULL = 0.8  # of what a reply, or a context, may have: these figures are estimates


@dataclass(frozen=True, slots=True)
class Room:
    """What one call can take: tokens of its cases, tokens of its reply, and of both together."""

    prompt_tokens: int = 12_000
    reply_tokens: int = 8_192
    context: int = _USUAL_CONTEXT

    @classmethod
    def of(cls, policy: WindowPolicy, limits: Limits) -> Room:
        """That of a model, as the policy and its server allow."""
        most = policy.reply_tokens if limits.output is None else min(policy.reply_tokens, limits.output)
        context = _USUAL_CONTEXT if limits.context is None else limits.context
        return cls(policy.pack_tokens, most, int((context - limits.thoughts) / limits.scale))

    def holds(self, cases: int, tokens: int) -> bool:
        """Whether a call can take so many cases with so many tokens of lines."""
        reply = cases * _JUDGED_TOKENS
        if tokens > self.prompt_tokens or reply > self.reply_tokens * _FULL:
            return False
        return _CONSTANT + tokens + reply <= self.context * _FULL


def pack(requests: Sequence[ChatRequest[Any]], room: Room) -> list[Pack]:
    """Join one user's cases into as few calls as there is room for; never two users in one call."""
    packs = []
    ordered = sorted(requests, key=lambda r: (r.scope, r.inputs["timezone"], r.day))
    for _, group in groupby(ordered, key=lambda r: (r.scope, r.inputs["timezone"])):
        batch: list[ChatRequest[Any]] = []
        lines: dict[Any, int] = {}
        for request in group:
            more = dict(_lines(request))
            if batch and not room.holds(len(batch) + 1, sum({**lines, **more}.values())):
                packs.append(_join(batch, room))
                batch, lines = [], {}
            batch.append(request)
            lines |= more
        packs.append(_join(batch, room))
    return packs


def _lines(request: ChatRequest[Any]) -> Iterator[tuple[Any, int]]:
    """The lines that a case brings into a prompt, with their tokens; the case's own is not that of a memory."""
    (candidate,) = request.inputs["candidates"]
    links = _LINE_TOKENS + 2 * len(candidate["neighbours"])
    yield (line_of(candidate), "judged"), estimate_tokens(candidate["content"]) + links
    for item in (*candidate["neighbours"], *request.inputs["open_loops"]):
        yield line_of(item), estimate_tokens(item["content"]) + _LINE_TOKENS


def singly(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    """Each case in a call of its own."""
    return [_join([request], Room()) for request in requests]


def _join(members: Sequence[ChatRequest[Any]], room: Room) -> Pack:
    """One request with all candidates; a memory that several of them have in view stands in it under one alias.

    What one of the candidates will be, once it is added, is no memory yet: to the others it is that candidate.
    """
    first = members[0]
    if len(members) == 1:
        return Pack(first, members, lambda value: [value if judgement_on(value, "c1") else None])
    alias = {line_of(member.inputs["candidates"][0]): f"c{n}" for n, member in enumerate(members, 1)}
    memories = 0
    back: list[dict[str, str]] = []
    candidates: list[Mapping[str, Any]] = []
    loops: dict[str, Mapping[str, Any]] = {}
    for n, member in enumerate(members, 1):
        (candidate,) = member.inputs["candidates"]
        own: dict[str, str] = {}
        for item in (*candidate["neighbours"], *member.inputs["open_loops"]):
            if line_of(item) not in alias:
                memories += 1
                alias[line_of(item)] = f"k{memories}"
            own[item["memory"]] = alias[line_of(item)]
        neighbours = [{**m, "memory": own[m["memory"]]} for m in candidate["neighbours"]]
        suggested = candidate["suggested"]
        if suggested is not None:
            suggested = {**suggested, "targets": [own[target] for target in suggested["targets"]]}
        candidates.append({**candidate, "candidate": f"c{n}", "suggested": suggested, "neighbours": neighbours})
        for loop in member.inputs["open_loops"]:
            loops.setdefault(own[loop["memory"]], {**loop, "memory": own[loop["memory"]]})
        back.append({there: here for here, there in own.items()})
    inputs = {**first.inputs, "candidates": candidates, "open_loops": list(loops.values())}
    most = min(room.reply_tokens, REPLY_TOKENS * (len(members) + 1))
    request = ChatRequest(first.task, inputs, first.reply, first.scope, first.day, max_tokens=most)
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
