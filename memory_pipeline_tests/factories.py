"""Small, valid nouns to start a test from."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.ledger.transition import added, finish
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation, Proposal, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.settings import Settings

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
RECORDED = datetime(2026, 6, 1, 3, 30, 0, 123456, tzinfo=UTC)
POLICY = Settings.load().policies


def message(content: str = "I live in Lisbon.", at: datetime = NOON, **given: Any) -> Message:
    """A user's message; its day follows from its time and zone."""
    zone = given.pop("timezone", "UTC")
    role = given.pop("role", Role.USER)
    fields: dict[str, Any] = {
        "tenant_id": "t",
        "user_id": "u",
        "session_id": "s",
        "message_id": f"m-{at:%m%d%H%M%S}",
        "role": role,
        "speaker": None,
        "content": content,
        "created_at": at,
        "day": local_day(at, zone),
        "timezone": zone,
        "ordinal": 0,
        "content_hash": content_hash(role, content),
        "agent_id": None,
        "domain": None,
        "metadata": "{}",
        "source": "test",
        "recorded_at": RECORDED,
    }
    return Message(**(fields | given))


def proposal(content: str = "Lives in Lisbon.", at: datetime = NOON, **given: Any) -> Proposal:
    """An accepted-looking proposal that quotes its own content."""
    fields: dict[str, Any] = {
        "proposal_id": f"prp-{content}-{at:%m%d%H%M%S}",
        "tenant_id": "t",
        "user_id": "u",
        "session_id": "s",
        "agent_id": None,
        "domain": None,
        "shared": False,
        "classification": Classification.INTERNAL,
        "window_id": f"win-{at:%m%d%H%M%S}",
        "day": at.date(),
        "ordinal": 0,
        "operation": Operation.ADD,
        "type": MemoryType.PROFILE_FACT,
        "content": content,
        "subject": "user",
        "attribute": None,
        "value": None,
        "negated": False,
        "entities": (),
        "confidence": 0.8,
        "salience": 0.7,
        "importance": 0.6,
        "surface": Surface.SPEAK,
        "observed_at": at,
        "valid_from": None,
        "valid_until": None,
        "due_at": None,
        "evidence": (Evidence(f"m-{at:%m%d%H%M%S}", content),),
        "prompt_hash": "p",
        "model": "test",
    }
    return Proposal(**(fields | given))


def residence(city: str, at: datetime = NOON, **given: Any) -> Proposal:
    """Where the user lives: an attribute with one value at a time."""
    return proposal(f"Lives in {city}.", at, attribute="residence", value=city, entities=(city,), **given)


def memory(from_: Proposal | None = None, **changes: Any) -> MemoryVersion:
    """Version 1 of the memory that a proposal makes."""
    from dataclasses import replace

    from memory_pipeline.domain.ledger.memory import seal

    version = added(from_ or proposal(), "", "new", "run-1", RECORDED, "UTC")
    return finish(seal(replace(version, **changes)), POLICY, "run-1", RECORDED)


def days(first: str, count: int) -> list[date]:
    """Consecutive days."""
    start = date.fromisoformat(first)
    return [start + timedelta(days=n) for n in range(count)]
