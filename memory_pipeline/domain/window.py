"""Windows: the consecutive messages of one session that are extracted together.

Cuts depend on the messages alone, so any run, live or back-filled, finds the same windows; appending messages never
changes a window that has been followed by another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.policy import WindowPolicy
from memory_pipeline.domain.text import estimate_tokens


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive messages of one session on one local day.

    Attributes:
        window_id: hash of the scope, the session and the messages' content hashes (RX-10).
        closed: another window of the session's day follows, so that nothing can be appended.
    """

    window_id: str
    tenant_id: str
    user_id: str
    session_id: str
    agent_id: str | None
    domain: str | None
    day: date
    timezone: str
    ordinal: int
    closed: bool
    started_at: datetime
    ended_at: datetime
    message_ids: tuple[str, ...]
    content_hashes: tuple[str, ...]


def split(messages: Iterable[Message], policy: WindowPolicy) -> list[list[Message]]:
    """Cut one session's messages of one day, in order, where they grow too long or pause too long."""
    groups: list[list[Message]] = []
    tokens = 0
    for message in messages:
        size = estimate_tokens(message.content)
        if groups:
            pause = message.created_at - groups[-1][-1].created_at
            full = len(groups[-1]) >= policy.max_messages or tokens + size > policy.max_tokens
            if not full and pause <= timedelta(minutes=policy.pause_minutes):
                groups[-1].append(message)
                tokens += size
                continue
        groups.append([message])
        tokens = size
    return groups


def windows(messages: Sequence[Message], policy: WindowPolicy) -> Iterator[tuple[Window, list[Message]]]:
    """All windows of some messages (any users, sessions and days), each with its messages in order."""
    ordered = sorted(messages, key=lambda m: (m.tenant_id, m.user_id, m.session_id, m.day, m.order))
    for _, session in groupby(ordered, key=lambda m: (m.tenant_id, m.user_id, m.session_id, m.day)):
        groups = split(session, policy)
        for n, group in enumerate(groups):
            yield _window(group, n, closed=n + 1 < len(groups)), group


def _window(messages: Sequence[Message], ordinal: int, *, closed: bool) -> Window:
    first, last = messages[0], messages[-1]
    hashes = tuple(m.content_hash for m in messages)
    return Window(
        window_id=identifier(
            "win", first.tenant_id, first.user_id, first.session_id, first.day.isoformat(), str(ordinal), *hashes
        ),
        tenant_id=first.tenant_id,
        user_id=first.user_id,
        session_id=first.session_id,
        agent_id=last.agent_id,
        domain=last.domain,
        day=first.day,
        timezone=first.timezone,
        ordinal=ordinal,
        closed=closed,
        started_at=first.created_at,
        ended_at=last.created_at,
        message_ids=tuple(m.message_id for m in messages),
        content_hashes=hashes,
    )
