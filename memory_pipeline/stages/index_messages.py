"""Messages → the index: verbatim turns with a vector, and the turn before them for their keywords."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from itertools import groupby

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.stages.context import StageContext

_BATCH = 2048
INDEXED_ROLES = frozenset({Role.USER, Role.ASSISTANT})


def message_key(message: Message) -> str:
    """Key of a turn in the index: message ids are only unique within a session of a user."""
    return identifier("trn", message.tenant_id, message.user_id, message.session_id, message.message_id)


def index_messages(ctx: StageContext, days: Sequence[date]) -> Counter[date]:
    """Index the user's and the assistant's turns of some days; what is there already is not encoded again.

    Returns the number of turns written, by day.
    """
    written: Counter[date] = Counter()
    ordered = sorted(set(days))
    for start in range(0, len(ordered), 31):
        messages = ctx.lake.read("messages", Message, days=ordered[start : start + 31])
        turns = _turns(messages, ctx.policy.retrieval.previous_turn_characters)
        known = set(ctx.index.lookup("messages", [k for k, _, _ in turns], ["message_key"])["message_key"].to_pylist())
        fresh = [t for t in turns if t[0] not in known]
        for n in range(0, len(fresh), _BATCH):
            ctx.progress("encoding messages", n, len(fresh))
            _write(ctx, fresh[n : n + _BATCH])
        if fresh:
            ctx.progress("encoding messages", len(fresh), len(fresh))
        written.update(m.day for _, m, _ in fresh)
    return written


def _turns(messages: Sequence[Message], previous_characters: int) -> list[tuple[str, Message, str]]:
    ordered = sorted(messages, key=lambda m: (m.tenant_id, m.user_id, m.session_id, m.order))
    turns = []
    for _, session in groupby(ordered, key=lambda m: (m.tenant_id, m.user_id, m.session_id)):
        previous = ""
        for message in session:
            if message.role in INDEXED_ROLES:
                turns.append((message_key(message), message, previous))
                previous = message.content[:previous_characters]
    return turns


def _write(ctx: StageContext, turns: Sequence[tuple[str, Message, str]]) -> None:
    from memory_pipeline.storage.index import IndexedMessage
    from memory_pipeline.storage.projection import spoken
    from memory_pipeline.storage.rows import to_table

    rows = [
        IndexedMessage(
            message_key=key,
            message_id=m.message_id,
            tenant_id=m.tenant_id,
            user_id=m.user_id,
            session_id=m.session_id,
            agent_id=m.agent_id,
            domain=m.domain,
            role=str(m.role),
            speaker=m.speaker,
            content=m.content,
            previous=previous,
            created_at=m.created_at,
            ordinal=m.ordinal,
        )
        for key, m, previous in turns
    ]
    encoded = ctx.policy.retrieval.encoded_characters
    vectors = ctx.encoder.encode([spoken(r.speaker, r.content)[:encoded] for r in rows])
    ctx.index.upsert("messages", to_table(rows, IndexedMessage), vectors)
