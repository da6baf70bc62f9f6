"""The gate for what is derived: reflections and patterns pass the same rules as what was extracted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Operation, Proposal
from memory_pipeline.stages.context import StageContext

_LOOK_BACK = 60


def as_proposal(version: MemoryVersion) -> Proposal:
    """A derived memory as a proposal, so that the gate's rules apply to it."""
    return Proposal(
        proposal_id=version.version_id,
        tenant_id=version.tenant_id,
        user_id=version.user_id,
        session_id=version.session_id,
        agent_id=version.agent_id,
        domain=version.domain,
        shared=version.shared,
        classification=version.classification,
        window_id="",
        day=version.day,
        ordinal=0,
        operation=Operation.ADD,
        type=version.type,
        content=version.content,
        subject=version.subject,
        attribute=version.attribute,
        value=version.value,
        negated=version.negated,
        entities=version.entities,
        confidence=version.confidence,
        salience=version.salience,
        importance=version.importance,
        surface=version.surface,
        observed_at=version.observed_at,
        valid_from=version.valid_from,
        valid_until=version.valid_until,
        due_at=version.due_at,
        evidence=version.evidence,
        prompt_hash="",
        model="",
    )


def cited_messages(ctx: StageContext, version: MemoryVersion) -> Mapping[str, Message]:
    """The messages that a derived memory cites through its members, by id."""
    days = [version.day - timedelta(days=n) for n in range(_LOOK_BACK)]
    rows = ctx.lake.read(
        "messages",
        Message,
        days=days,
        where="tenant_id = $tenant AND user_id = $user AND message_id IN (SELECT unnest($ids))",
        params={
            "tenant": version.tenant_id,
            "user": version.user_id,
            "ids": sorted({e.message_id for e in version.evidence}),
        },
    )
    return {m.message_id: m for m in rows}
