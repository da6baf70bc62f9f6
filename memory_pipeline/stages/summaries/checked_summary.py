"""What a model wrote of a period, without what does not follow; told by the embedded summary where too little does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory_pipeline.domain.derived.derived_text import Vetted
from memory_pipeline.domain.derived.summary import Refusal, fitted, silenced, unspeaking
from memory_pipeline.inference.replies import CalendarReply, PeriodSummary
from memory_pipeline.stages.consolidation.claim_readings import hosted
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.quarantine import PutAside
from memory_pipeline.stages.summaries.calendar_requests import Member
from memory_pipeline.stages.summaries.derived_evidence import vetted


@dataclass(frozen=True, slots=True)
class Sound:
    """What a period's summary may say.

    Attributes:
        text: empty where nothing may be told.
        reply: whose ids the text rests on.
        model: that wrote the text.
        refused: what was to be told and does not follow.
    """

    text: str
    reply: PeriodSummary
    model: str
    refused: tuple[Refusal, ...]


def sound(ctx: StageContext, source: str, member: Member, reply: CalendarReply, aside: list[PutAside]) -> Sound:
    """What of a reply stands; each sentence that does not is put aside with its reason.

    Args:
        source: under which it is put aside.
        aside: taken further.
    """
    (told,) = reply.periods
    model = ctx.chat.model
    found = _stands(ctx, member, told, model)
    aside += _put_aside(source, found)
    refused = found.refused
    if not found.sound and hosted(model):
        aside.append(PutAside(source, 0, "too little of the text follows from its evidence", told.text))
        told, model = _embedded(member)
        found = _stands(ctx, member, told, model)
    return Sound(fitted(found.text, member.tokens), told, model, refused)


def _stands(ctx: StageContext, member: Member, told: PeriodSummary, model: str) -> Vetted:
    evidence = member.evidence
    spoken = unspeaking(silenced(told.text, evidence.unspoken), evidence.closed)
    return vetted(ctx, spoken, member.scope, evidence.messages, evidence.memories, model=model)


def _embedded(member: Member) -> tuple[PeriodSummary, str]:
    """The same period as the embedded model tells it, and that model's name."""
    from memory_pipeline.inference.builtin.summaries.summarise import calendar
    from memory_pipeline.inference.builtin_chat import BuiltinChat

    (told,) = calendar(member.request.inputs).periods
    return replace(told, period="p1"), BuiltinChat().model


def _put_aside(source: str, found: Vetted) -> list[PutAside]:
    return [PutAside(source, n, f"{r.code}: {r.detail}", r.text) for n, r in enumerate(found.refused, 1)]
