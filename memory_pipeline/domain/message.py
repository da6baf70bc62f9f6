"""One turn of a conversation, verbatim. What it said before it was edited is kept beside it (NM-5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from memory_pipeline.domain.ids import content_hash, identifier


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it stands in the log.

    Attributes:
        created_at: when it was sent, UTC, microseconds.
        day: its calendar day in ``timezone``, the partition it belongs to.
        timezone: IANA name of the user's zone at that time.
        ordinal: place among the messages of its session with the same ``created_at``.
        content_hash: ``sha256(role:content)`` (RX-10).
        metadata: JSON text of whatever else came with the message.
        recorded_at: when it was taken into the log, UTC.
        language: of what a user says, ISO 639-1; None of other roles, and of what an older release took in. A finding
            about the message and no part of it: two that differ in nothing else are equal.
    """

    tenant_id: str
    user_id: str
    session_id: str
    message_id: str
    role: Role
    speaker: str | None
    content: str
    created_at: datetime
    day: date
    timezone: str
    ordinal: int
    content_hash: str
    agent_id: str | None
    domain: str | None
    metadata: str
    source: str
    recorded_at: datetime
    language: str | None = field(default=None, compare=False)

    @property
    def order(self) -> tuple[datetime, int, str]:
        """Sort key inside a session."""
        return (self.created_at, self.ordinal, self.message_id)


def derive_message_id(
    tenant_id: str, user_id: str, session_id: str, role: str, created_at: datetime, content: str, nth: int
) -> str:
    """Id of a message that came without one: from its content and its place.

    Args:
        nth: 0 for the first message of the session with this role, time and content, 1 for the next, …
    """
    return identifier(
        "msg", tenant_id, user_id, session_id, created_at.isoformat(), content_hash(role, content), str(nth)
    )
