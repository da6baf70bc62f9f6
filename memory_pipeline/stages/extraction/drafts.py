"""A model's drafts → proposals: aliases become message ids, dates become times, figures are held to their range.

Nothing is judged here; what cannot be resolved is left out of the proposal, and the gate sees the gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from memory_pipeline.domain.calendar import day_end, day_start, zone
from memory_pipeline.domain.gate.rules.grounding import grounded
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation, Proposal, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.domain.window import Window
from memory_pipeline.inference.replies import ProposalDraft

_MAX_ENTITIES = 12


def resolve(
    drafts: Sequence[ProposalDraft],
    window: Window,
    messages: Sequence[Message],
    *,
    prompt_hash: str,
    model: str,
    reply_key: str | None = None,
) -> list[Proposal]:
    """Proposals of one window, in the order of the drafts, each once; one message may yield several (NM-22).

    Args:
        messages: the window's messages in order; the drafts know them as m1, m2, ….
        reply_key: under which the reply with the drafts is kept.
    """
    found: dict[str, Proposal] = {}
    for n, draft in enumerate(drafts):
        proposal = _resolve(draft, n, window, messages, prompt_hash, model)
        found.setdefault(proposal.proposal_id, replace(proposal, reply_key=reply_key))
    return list(found.values())


def within_cap(proposals: Sequence[Proposal], most: int) -> tuple[list[Proposal], list[Proposal]]:
    """The first ``most`` proposals that rest on each message (on none: likewise), and those beyond."""
    taken: Counter[str] = Counter()
    kept: list[Proposal] = []
    beyond: list[Proposal] = []
    for proposal in proposals:
        cited = proposal.evidence[0].message_id if proposal.evidence else ""
        taken[cited] += 1
        (kept if taken[cited] <= most else beyond).append(proposal)
    return kept, beyond


def _resolve(
    draft: ProposalDraft, ordinal: int, window: Window, messages: Sequence[Message], prompt_hash: str, model: str
) -> Proposal:
    by_alias = {f"m{n}": m for n, m in enumerate(messages, 1)}
    content = " ".join(draft.content.split())
    cited = _cited(draft, content, by_alias)
    evidence = tuple(Evidence(m.message_id, quote) for m, quote in cited)
    type_ = MemoryType.OPEN_LOOP if draft.operation is Operation.CLOSE_OPEN_LOOP else draft.type
    return Proposal(
        proposal_id=identifier(
            "prp",
            window.window_id,
            draft.operation,
            type_,
            content,
            draft.subject or "",
            draft.attribute or "",
            draft.value or "",
            *(f"{e.message_id}:{e.quote}" for e in evidence),
        ),
        tenant_id=window.tenant_id,
        user_id=window.user_id,
        session_id=window.session_id,
        agent_id=window.agent_id,
        domain=window.domain,
        shared=False,
        classification=Classification.INTERNAL,
        window_id=window.window_id,
        day=window.day,
        ordinal=ordinal,
        operation=draft.operation,
        type=type_,
        content=content,
        subject=_text(draft.subject),
        attribute=_text(draft.attribute),
        value=_text(draft.value),
        negated=draft.negated,
        entities=tuple(dict.fromkeys(e.strip() for e in draft.entities if e.strip()))[:_MAX_ENTITIES],
        confidence=_unit(draft.confidence),
        salience=_unit(draft.salience),
        importance=_unit(draft.importance),
        surface=Surface.AVOID if type_ is MemoryType.BOUNDARY else draft.surface,
        observed_at=max((m.created_at for m, _ in cited), default=window.ended_at),
        valid_from=moment(draft.valid_from, window.timezone, end=False),
        valid_until=moment(draft.valid_until, window.timezone, end=True),
        due_at=moment(draft.due_at, window.timezone, end=True),
        evidence=evidence,
        prompt_hash=prompt_hash,
        model=model,
    )


def _cited(draft: ProposalDraft, content: str, by_alias: Mapping[str, Message]) -> list[tuple[Message, str]]:
    """The messages that a draft names, with its quotes. Small models copy the user's sentence as the content, and
    leave the quote out: words that stand in a message of the user's as they are, are their own quote."""
    named = [(by_alias[e.message], e.quote) for e in draft.evidence if e.message in by_alias]
    if any(quote.strip() for _, quote in named):
        return named
    own = [m for m in ([m for m, _ in named] or by_alias.values()) if m.role is Role.USER]
    copied = [m for m in own if grounded(content, m.content) == 1]
    return [(m, content) for m in copied[:1]] or named


def _text(value: str | None) -> str | None:
    value = " ".join(value.split()) if value else ""
    return value or None


def _unit(value: float) -> float:
    return min(max(float(value), 0.0), 1.0) if value == value else 0.0


def moment(text: str | None, timezone: str, *, end: bool) -> datetime | None:
    """A time from a model's text: ISO 8601, or a bare date, which stands for the local day's start or end.

    Impossible and unreadable dates give None.
    """
    if not text:
        return None
    text = text.strip()
    try:
        if len(text) == 10:
            day = date.fromisoformat(text)
            return _last_moment(day, timezone) if end else day_start(day, timezone)
        at = datetime.fromisoformat(text)
        if at.time() == time() and at.tzinfo is None:
            return day_start(at.date(), timezone)
        return (at if at.tzinfo else at.replace(tzinfo=zone(timezone))).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _last_moment(day: date, timezone: str) -> datetime:
    return day_end(day, timezone) - timedelta(seconds=1)
