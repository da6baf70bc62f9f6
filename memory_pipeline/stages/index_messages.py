"""Messages → the index: turns with a vector, and the turn before them for their keywords.

Turns are verbatim but for what the policy withholds: a secret that was said is not found again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.vector_cache import OwnedText
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.tracing import traced
from memory_pipeline.stages.withholding import for_readers

if TYPE_CHECKING:
    from memory_pipeline.storage.index import IndexedMessage

_BATCH = 2048
INDEXED_ROLES = frozenset({Role.USER, Role.ASSISTANT})


def message_key(message: Message) -> str:
    """Key of a turn in the index: message ids are only unique within a session of a user."""
    return identifier("trn", message.tenant_id, message.user_id, message.session_id, message.message_id)


@traced("index", lambda written: {"rows": written.total(), "table": "messages"})
def index_messages(ctx: StageContext, days: Sequence[date]) -> Counter[date]:
    """Index the user's and the assistant's turns of some days; what is there already as it is, is not encoded again.

    Returns the number of turns written, by day: new ones, edited ones, and those whose previous turn is another one.
    """
    written: Counter[date] = Counter()
    ordered = sorted(set(days))
    for start in range(0, len(ordered), 31):
        messages = ctx.lake.read("messages", Message, days=ordered[start : start + 31])
        shown = for_readers(messages, ctx.policy.gate)
        rows = [(_row(message, previous), message.day) for message, previous in _turns(ctx, shown)]
        there = _indexed(ctx, [row.message_key for row, _ in rows])
        fresh = [(row, day) for row, day in rows if _differs(row, there.get(row.message_key))]
        for n in range(0, len(fresh), _BATCH):
            ctx.progress("encoding messages", n, len(fresh))
            _write(ctx, fresh[n : n + _BATCH])
        if fresh:
            ctx.progress("encoding messages", len(fresh), len(fresh))
        written.update(day for _, day in fresh)
    return written


def _turns(ctx: StageContext, messages: Sequence[Message]) -> Iterator[tuple[Message, str]]:
    """The turns to be indexed, each with the turn before it, cut; the first of a session in these days has none."""
    ordered = sorted(messages, key=lambda m: (m.tenant_id, m.user_id, m.session_id, m.order))
    for _, session in groupby(ordered, key=lambda m: (m.tenant_id, m.user_id, m.session_id)):
        previous = ""
        for message in session:
            if message.role in INDEXED_ROLES:
                yield message, previous
                previous = message.content[: ctx.policy.retrieval.previous_turn_characters]


def _row(message: Message, previous: str) -> IndexedMessage:
    from memory_pipeline.storage.index import IndexedMessage

    return IndexedMessage(
        message_key=message_key(message),
        message_id=message.message_id,
        tenant_id=message.tenant_id,
        user_id=message.user_id,
        session_id=message.session_id,
        agent_id=message.agent_id,
        domain=message.domain,
        role=str(message.role),
        speaker=message.speaker,
        content=message.content,
        previous=previous,
        created_at=message.created_at,
        ordinal=message.ordinal,
    )


def encoded_text(turn: Message | IndexedMessage, policy: RetrievalPolicy) -> str:
    """The part of a turn that its vector is made of: of an assistant's reply the beginning."""
    from memory_pipeline.storage.projection import named, spoken

    reply = turn.role == Role.ASSISTANT and not named(turn.speaker)
    most = policy.encoded_reply_characters if reply else policy.encoded_characters
    return spoken(turn.speaker, turn.content)[:most]


def _indexed(ctx: StageContext, keys: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Text and previous turn of what is indexed, by key."""
    table = ctx.index.lookup("messages", keys, ["message_key", "content", "previous"])
    return {row["message_key"]: (row["content"], row["previous"]) for row in table.to_pylist()}


def _differs(row: IndexedMessage, there: tuple[str, str] | None) -> bool:
    """Whether a turn must be written. Without a turn before it in these days, the one that is indexed may be right."""
    if there is None:
        return True
    content, previous = there
    return row.content != content or bool(row.previous and row.previous != previous)


def _write(ctx: StageContext, rows: Sequence[tuple[IndexedMessage, date]]) -> None:
    from memory_pipeline.storage.index import IndexedMessage
    from memory_pipeline.storage.rows import to_table

    figures = ctx.policy.retrieval
    texts = [OwnedText(Scope(r.tenant_id, r.user_id), day, encoded_text(r, figures)) for r, day in rows]
    ctx.index.upsert("messages", to_table([r for r, _ in rows], IndexedMessage), ctx.vectors.encode(texts))
