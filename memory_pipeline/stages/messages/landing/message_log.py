"""Adding messages to the log, each once and as it was last edited, whoever else is adding at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING

from memory_pipeline.domain.message import Message
from memory_pipeline.stages.messages.landing.histories import Landed, ordered_messages
from memory_pipeline.stages.messages.languages import identified
from memory_pipeline.storage.exclusion.locks import lock

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

Key = tuple[str, str, str, str]
LOCK = ".ingest"
KEY = ("tenant_id", "user_id", "session_id", "message_id")
_DAY = timedelta(days=1)

# A message whose day was reckoned in another zone the last time it came is the same message still. A text that it had
# before it was edited is known, so that an older export does not turn it back.
_STATUS = f"""
WITH held AS (
    SELECT tenant_id, user_id, session_id, message_id, day, content_hash, true AS now FROM messages
    UNION ALL
    SELECT tenant_id, user_id, session_id, message_id, day, content_hash, false AS now FROM message_revisions
)
SELECT n, coalesce(bool_or(h.content_hash = b.content_hash) AND bool_or(h.now), false) AS known,
       coalesce(bool_or(h.now AND h.day = b.day), false) AS there
FROM batch b LEFT JOIN held h USING (tenant_id, user_id, session_id, message_id)
WHERE h.day IS NULL OR abs(h.day - b.day) <= {_DAY.days}
GROUP BY n
"""


@dataclass
class Added:
    """What a batch changed.

    Attributes:
        messages: all of it, at the place that each has in the log.
        new: how many the log did not hold.
        edited: how many it held with another text.
        erased: how many were left out, because they were erased before.
        languages: by code, how many of the new and the edited ones that users wrote are in it.
    """

    messages: Sequence[Message] = ()
    new: int = 0
    edited: int = 0
    erased: int = 0
    languages: Counter[str] = field(default_factory=Counter)


@contextmanager
def exclusive(settings: Settings) -> Iterator[None]:
    """Keeps other processes from looking up and adding at the same time.

    Raises:
        StorageError: the lock cannot be made.
    """
    with lock(settings.path("lake", LOCK), "the log of messages"):
        yield


def add_new(settings: Settings, lake: Lake, batch: Sequence[Landed], *, as_given: bool = False) -> Added:
    """Append the messages of a batch that the log does not hold, and put edited ones in the place of what they were.

    A message is known by tenant, user, session and id on its day; also on the day before or after when its text is the
    same. With another text it is an edit: the newest text counts, the place in the talk stays, and the old text is
    kept in ``message_revisions``, which is written first. Whatever a process that is killed leaves behind, taking the
    batch again leads to the same log.
    Only these days are looked at, but for histories without times. What has been erased stays out (see
    ``storage.erasing.erasures``).

    Args:
        as_given: leave the languages of the messages as they are, as of a bundle; else they are found.

    Raises:
        StorageError: the lake cannot be read or written; earlier batches stay.
    """
    if not batch:
        return Added()
    from memory_pipeline.storage.erasing.erasures import Erasures

    with exclusive(settings):
        every = ordered_messages(lake, batch)
        messages = Erasures(settings).living(every)
        change = _change(lake, messages)
        new, amended = change.new, change.amended
        if not as_given:
            new, amended = identified(new), identified(amended)
        lake.append("message_revisions", change.replaced)
        lake.amend("messages", amended, KEY)
        lake.append("messages", new)
    spoken = Counter(m.language for m in (*new, *amended) if m.language)
    return Added(messages, len(new), change.edits, len(every) - len(messages), spoken)


@dataclass
class _Change:
    """What has to be written: new messages, edited ones that are in the log, and what both of them said before."""

    new: list[Message] = field(default_factory=list)
    amended: list[Message] = field(default_factory=list)
    replaced: list[Message] = field(default_factory=list)
    edits: int = 0


@dataclass
class _Entry:
    """A message of the batch or the log, as it will stand."""

    message: Message
    hashes: set[str]
    stored: bool


def _change(lake: Lake, messages: Sequence[Message]) -> _Change:
    """The rule of :func:`add_new`, for each message as if those before it in the batch had been written."""
    status = _status(lake, messages)
    before = _stored(lake, [m for n, m in enumerate(messages) if status[n] is _Status.EDITED])
    entries: dict[Key, list[_Entry]] = {}
    change = _Change()
    for n, message in enumerate(messages):
        if status[n] is _Status.KNOWN:
            continue
        same = entries.setdefault(_key(message), [])
        if any(message.content_hash in e.hashes and abs(e.message.day - message.day) <= _DAY for e in same):
            continue
        entry = next((e for e in same if e.message.day == message.day), None)
        if entry is None and status[n] is _Status.EDITED:
            old = before[_key(message), message.day]
            entry = _Entry(old, {old.content_hash}, stored=True)
            same.append(entry)
        if entry is None:
            same.append(_Entry(message, {message.content_hash}, stored=False))
            continue
        change.edits += 1
        change.replaced.append(entry.message)
        entry.hashes.add(message.content_hash)
        entry.message = _in_place(message, entry.message)
    found = [entry for same in entries.values() for entry in same]
    change.new = [entry.message for entry in found if not entry.stored]
    change.amended = [entry.message for entry in found if entry.stored]
    return change


def _in_place(message: Message, old: Message) -> Message:
    """An edited message at the place of what it was: the talk keeps its order, and the day its windows."""
    return replace(message, created_at=old.created_at, day=old.day, timezone=old.timezone, ordinal=old.ordinal)


def _key(message: Message) -> Key:
    return (message.tenant_id, message.user_id, message.session_id, message.message_id)


class _Status(Enum):
    NEW = auto()
    KNOWN = auto()
    EDITED = auto()


def _status(lake: Lake, messages: Sequence[Message]) -> list[_Status]:
    days = {m.day for m in messages}
    around = sorted({d + step * _DAY for d in days for step in (-1, 0, 1)})
    found = [_Status.NEW] * len(messages)
    if not lake.files("messages", around):
        return found
    import pyarrow as pa

    table = pa.table(
        {
            "n": pa.array(range(len(messages)), pa.int64()),
            "day": pa.array([m.day for m in messages], pa.date32()),
            **{name: pa.array([getattr(m, name) for m in messages], pa.string()) for name in (*KEY, "content_hash")},
        }
    )
    result = lake.sql(_STATUS, days={"messages": around, "message_revisions": around}, tables={"batch": table})
    for n, known, there in zip(*(result[name].to_pylist() for name in ("n", "known", "there")), strict=True):
        if known or there:
            found[n] = _Status.KNOWN if known else _Status.EDITED
    return found


def _stored(lake: Lake, messages: Sequence[Message]) -> dict[tuple[Key, date], Message]:
    """The messages of the log that have these ids on these days."""
    if not messages:
        return {}
    import pyarrow as pa

    from memory_pipeline.storage.parquet.arrow_rows import from_table

    wanted = {name: [getattr(m, name) for m in messages] for name in KEY}
    days = pa.array([m.day for m in messages], pa.date32())
    table = lake.sql(
        f"SELECT m.* FROM messages m SEMI JOIN wanted USING ({', '.join(KEY)}, day)",
        days={"messages": sorted({m.day for m in messages})},
        tables={"wanted": pa.table({**wanted, "day": days})},
    )
    return {(_key(m), m.day): m for m in from_table(table, Message)}
