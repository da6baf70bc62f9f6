"""Histories that are sent again and again without times of their own: what the log knows of them is found by content.

Such a message gets the place it already has, or the next one after the talk that is held; then the log's own rule tells
what is known, edited or new.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.cursor import align
from memory_pipeline.domain.message import Message, derive_message_id

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.lake import Lake

Session = tuple[str, str, str]
_HELD = """
SELECT m.tenant_id, m.user_id, m.session_id, m.message_id, m.content_hash, m.created_at, m.ordinal, m.timezone
FROM messages m SEMI JOIN sessions USING (tenant_id, user_id, session_id)
ORDER BY m.created_at, m.ordinal, m.message_id
"""


class Landed(NamedTuple):
    """A checked message and how it came.

    Attributes:
        history: see ``importers.Record``.
        named: its id was given, not derived.
    """

    message: Message
    history: int | None = None
    named: bool = True


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn of a session as it is held."""

    message_id: str
    content_hash: str
    created_at: datetime
    ordinal: int
    timezone: str


def ordered_messages(lake: Lake, batch: Sequence[Landed]) -> list[Message]:
    """The messages of a batch, those of histories without times at the place that they have in the log."""
    sessions = {_session(landed.message) for landed in batch if landed.history is not None}
    if not sessions:
        return [landed.message for landed in batch]
    held = _held(lake, sessions)
    messages: list[Message] = []
    for (history, session), part in groupby(batch, key=lambda n: (n.history, _session(n.message))):
        given = list(part)
        if history is None:
            messages += [landed.message for landed in given]
        else:
            messages += _placed(held[session], given)
    return messages


def _session(message: Message) -> Session:
    return (message.tenant_id, message.user_id, message.session_id)


def _held(lake: Lake, sessions: set[Session]) -> dict[Session, list[_Turn]]:
    import pyarrow as pa

    columns = zip(("tenant_id", "user_id", "session_id"), map(list, zip(*sorted(sessions), strict=True)), strict=True)
    found: dict[Session, list[_Turn]] = defaultdict(list)
    for row in lake.sql(_HELD, tables={"sessions": pa.table(dict(columns))}).to_pylist():
        session = (row.pop("tenant_id"), row.pop("user_id"), row.pop("session_id"))
        found[session].append(_Turn(**row))
    return found


def _placed(held: list[_Turn], given: Sequence[Landed]) -> Iterator[Message]:
    """One history's messages; ``held`` takes up the new ones.

    What is new goes after the end of the talk, also a summary that takes the place of old turns: it was written then.
    Only turns from before the first that is held go before it.
    """
    found = align([t.content_hash for t in held], [n.message.content_hash for n in given])
    by_id = {turn.message_id: turn for turn in held}
    older: list[_Turn] = []
    for n, landed in enumerate(given):
        place = found.places[n]
        known = by_id.get(landed.message.message_id)
        if not landed.named and place is not None:
            known = held[place]
        elif not landed.named and found.tail is not None and n >= found.tail:
            known = None
        if known is None:
            message = replace(landed.message, message_id=_unused(landed, by_id))
            if n < found.head:
                known = _before(message, held[0], n - found.head)
                older.append(known)
            else:
                known = _after(message, held[-1] if held else None)
                held.append(known)
            by_id[known.message_id] = known
        yield _at(landed.message, known)
    held[:0] = older


def _unused(landed: Landed, taken: Mapping[str, _Turn]) -> str:
    """The message's id, or where it was derived and belongs to an equal turn, the next one."""
    m, nth = landed.message, 0
    found = m.message_id
    while found in taken:
        found = derive_message_id(m.tenant_id, m.user_id, m.session_id, m.role, m.created_at, m.content, nth)
        nth += 1
    return found


def _before(message: Message, first: _Turn, steps: int) -> _Turn:
    earlier = message.created_at < first.created_at
    at, ordinal = (message.created_at, message.ordinal) if earlier else (first.created_at, first.ordinal + steps)
    return _Turn(message.message_id, message.content_hash, at, ordinal, message.timezone)


def _after(message: Message, last: _Turn | None) -> _Turn:
    at, ordinal = message.created_at, message.ordinal
    if last is not None:
        at, ordinal = (at, 0) if at > last.created_at else (last.created_at, last.ordinal + 1)
    return _Turn(message.message_id, message.content_hash, at, ordinal, message.timezone)


def _at(message: Message, turn: _Turn) -> Message:
    return replace(
        message,
        message_id=turn.message_id,
        created_at=turn.created_at,
        ordinal=turn.ordinal,
        timezone=turn.timezone,
        day=local_day(turn.created_at, turn.timezone),
    )
