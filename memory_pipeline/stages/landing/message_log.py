"""Adding messages to the log, each once, whoever else is adding at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memory_pipeline.domain.message import Message
from memory_pipeline.errors import StorageError

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.lake import Lake

Key = tuple[str, str, str, str]
LOCK = ".ingest.lock"
_DAY = timedelta(days=1)

# A message whose day was reckoned in another zone the last time it came is the same message still.
_UNKNOWN = f"""
    SELECT n FROM batch AS b
    WHERE NOT EXISTS (
        FROM messages AS m
        WHERE m.tenant_id = b.tenant_id AND m.user_id = b.user_id AND m.session_id = b.session_id
          AND m.message_id = b.message_id
          AND (m.day = b.day OR (m.content_hash = b.content_hash AND abs(m.day - b.day) <= {_DAY.days}))
    )
    ORDER BY n
"""


@contextmanager
def exclusive(settings: Settings) -> Iterator[None]:
    """Keeps other processes from looking up and adding at the same time.

    A remote home has no lock: there, one process ingests at a time (Dagster's concurrency limit).
    """
    if settings.remote:
        yield
        return
    from filelock import FileLock

    path = Path(settings.path("lake")) / LOCK
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        lock.acquire()
    except OSError as error:
        raise StorageError(f"cannot lock {path}: {error}") from error
    try:
        yield
    finally:
        lock.release()


def add_new(settings: Settings, lake: Lake, batch: Sequence[Message]) -> int:
    """Append the messages of a batch that the log does not hold. The first one of an id stays as it is.

    A message is known by tenant, user, session and id on its day; also on the day before or after when its text is the
    same. Only these days' id columns are read.

    Returns:
        How many were new.

    Raises:
        StorageError: the lake cannot be read or written; earlier batches stay.
    """
    if not batch:
        return 0
    with exclusive(settings):
        new = _first_of_each([batch[n] for n in _not_in(lake, batch)])
        if new:
            lake.append("messages", new)
    return len(new)


def _not_in(lake: Lake, batch: Sequence[Message]) -> list[int]:
    days = {m.day for m in batch}
    around = sorted({d + step * _DAY for d in days for step in (-1, 0, 1)})
    if not lake.files("messages", around):
        return list(range(len(batch)))
    import pyarrow as pa

    table = pa.table(
        {
            "n": pa.array(range(len(batch)), pa.int64()),
            "day": pa.array([m.day for m in batch], pa.date32()),
            **{
                name: pa.array([getattr(m, name) for m in batch], pa.string())
                for name in ("tenant_id", "user_id", "session_id", "message_id", "content_hash")
            },
        }
    )
    found = lake.sql(_UNKNOWN, days={"messages": around}, tables={"batch": table})
    numbers: list[int] = found.column("n").to_pylist()
    return numbers


def _first_of_each(messages: Sequence[Message]) -> list[Message]:
    """The same rule within the batch: what the log will hold after the first of them."""
    held: dict[Key, list[tuple[date, str]]] = {}
    new = []
    for m in messages:
        key = (m.tenant_id, m.user_id, m.session_id, m.message_id)
        places = held.setdefault(key, [])
        if any(d == m.day or (h == m.content_hash and abs(d - m.day) <= _DAY) for d, h in places):
            continue
        places.append((m.day, m.content_hash))
        new.append(m)
    return new
