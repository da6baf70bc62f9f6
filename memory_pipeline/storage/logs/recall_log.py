"""The recall log: every read and the feedback on it, as lines of JSON in an append-only spool.

Each process writes a file of its own, and a new one every UTC day, so that a read costs microseconds and waits for
nobody. The ``recall_feedback`` asset folds the spools into the lake and removes those that nobody writes any more.
Nothing is synced to disk: a crash may lose the last reads, never an answer.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.storage.parquet.schemas import Recall

if TYPE_CHECKING:
    from memory_pipeline.storage.logs.recall_objects import RecallObjects

_log = logging.getLogger(__name__)
_ROTATE_BYTES = 64 * 1024 * 1024
_QUERY_CHARACTERS = 500
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class ReadEvent:
    """One read.

    Attributes:
        kind: ``search``, ``context`` or ``ask``.
        items: id, layer and score of what it returned, best first.
        recalled_at: UTC.
        asked: the arguments that differ from the defaults, of JSON's types: what it takes to make the read again.
        offered: ids that a session's block offered to be mentioned; None for other reads. Lines alone hold them: they
            matter for the session's next turns only.
    """

    recall_id: str
    kind: str
    scope: Scope
    query: str
    session_id: str | None
    profile: str
    model: str
    latency_ms: float
    recalled_at: datetime
    items: tuple[tuple[str, str, float], ...]
    asked: Mapping[str, Any] = field(default_factory=dict)
    offered: tuple[str, ...] | None = None


OFFERED = b'"offered":'
"""What the line of a read holds that offered something to its session."""


class RecallLog:
    """Spools under one folder. Writing never raises; a failure is reported once through ``logging``.

    Args:
        root: local folder, or an object-storage URI (see ``storage.logs.recall_objects``).
        rotate_bytes: size at which a process goes on in a new file.
    """

    def __init__(self, root: str, *, rotate_bytes: int = _ROTATE_BYTES) -> None:
        self.root = root
        self._rotate = rotate_bytes
        self._lock = threading.Lock()
        self._fd: int | None = None
        self._pid = 0
        self._day = 0
        self._size = 0
        self._failing = False
        self._objects = _objects(root) if "://" in root else None

    # -- writing

    def read(self, event: ReadEvent) -> None:
        """Log one read."""
        self._write(
            {
                "kind": event.kind,
                "recall": event.recall_id,
                "tenant": event.scope.tenant_id,
                "user": event.scope.user_id,
                "query": event.query[:_QUERY_CHARACTERS],
                "session": event.session_id,
                "profile": event.profile,
                "model": event.model,
                "ms": round(event.latency_ms, 3),
                "at": event.recalled_at.isoformat(),
                "items": [[i, layer, round(score, 4)] for i, layer, score in event.items],
                "asked": event.asked,
                **({} if event.offered is None else {"offered": event.offered}),
            }
        )

    def feedback(self, recall_id: str, scope: Scope, item_id: str, helpful: bool, at: datetime) -> None:
        """Log what somebody thought of one item of a read (KN-19)."""
        self._write(
            {
                "kind": "feedback",
                "recall": recall_id,
                "tenant": scope.tenant_id,
                "user": scope.user_id,
                "item": item_id,
                "helpful": helpful,
                "at": at.isoformat(),
            }
        )

    def _write(self, event: Mapping[str, Any]) -> None:
        line = json.dumps(event, separators=(",", ":")).encode("ascii") + b"\n"
        if self._objects is not None:
            self._objects.add(line)
            return
        try:
            with self._lock:
                self._append(line)
            self._failing = False
        except OSError as error:
            if not self._failing:
                _log.warning("reads are not being logged under %s: %s", self.root, error)
            self._failing = True

    def _append(self, line: bytes) -> None:
        """A full disk takes a part of a line: what comes next must not go on behind it."""
        if os.write(self._spool(len(line)), line) < len(line) and self._fd is not None:
            os.close(self._fd)
            self._fd = None
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _spool(self, upcoming: int) -> int:
        """This process's open file: a new one after a fork, on another day, when it is full, or when it is gone."""
        today = int(time.time()) // _DAY_SECONDS
        if self._fd is not None and self._pid == os.getpid():
            if self._day == today and self._size + upcoming <= self._rotate and os.fstat(self._fd).st_nlink:
                self._size += upcoming
                return self._fd
            os.close(self._fd)
            self._fd = None
        os.makedirs(self.root, exist_ok=True)
        path = os.path.join(self.root, f"recall-{uuid.uuid4().hex}.jsonl")
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        self._pid, self._day, self._size = os.getpid(), today, upcoming
        return self._fd

    # -- reading

    def files(self) -> list[str]:
        """Paths of all spools, in order of their names."""
        if self._objects is not None:
            return self._objects.paths()
        if not os.path.isdir(self.root):
            return []
        return sorted(e.path for e in os.scandir(self.root) if e.name.endswith(".jsonl"))

    def rows(self) -> Iterator[Recall]:
        """Everything logged by any process: one row for each item of a read, and one for each piece of feedback.

        A last line that is still being written is left for the next time; ``day`` is the UTC day. A read that returned
        nothing has one row, whose ``item_id`` is empty.
        """
        for path in self.files():
            yield from self.rows_of(path)

    def rows_of(self, path: str) -> Iterator[Recall]:
        """The rows of one spool."""
        for line in self._lines(path):
            yield from _rows(line)

    def unreadable(self) -> int:
        """Lines of all spools that hold no event: torn by a crash or a full disk, or written by another release.

        A last line without its end is not among them: it may be being written.
        """
        lost = 0
        for path in self.files():
            # Another process may have folded it into the lake meanwhile.
            with suppress(FileNotFoundError), self._opened(path) as file:
                lost += sum(raw.endswith(b"\n") and _event(raw) is None for raw in file)
        return lost

    def closed(self, before: datetime) -> list[str]:
        """Spools that nobody has written since a moment; before today's first they are not written again."""
        at = self._objects.written_at if self._objects is not None else lambda path: os.stat(path).st_mtime
        return [path for path in self.files() if at(path) < before.timestamp()]

    def remove(self, path: str) -> None:
        """Remove a spool whose rows are elsewhere.

        Raises:
            StorageError: it cannot be removed.
        """
        if self._objects is not None:
            self._objects.remove(path)
            return
        try:
            os.unlink(path)
        except OSError as error:
            raise StorageError(f"cannot remove {path}: {error}", path=str(path)) from error

    def find(self, recall_id: str) -> list[Recall]:
        """The items of one read, best first; empty when no spool knows it."""
        needle = json.dumps(recall_id).encode()
        for path in self.files():
            for line in self._lines(path, lambda raw: needle in raw):
                if line.get("recall") == recall_id and line.get("kind") != "feedback":
                    return [row for row in _rows(line) if row.item_id]
        return []

    def erase(self, scope: Scope) -> int:
        """Remove a user's events from every spool. Returns how many there were.

        Raises:
            StorageError: a spool cannot be rewritten.
        """
        return self.drop(lambda event: (event.get("tenant"), event.get("user")) == (scope.tenant_id, scope.user_id))

    def drop(self, gone: Callable[[Mapping[str, Any]], bool], *, dry: bool = False) -> int:
        """Remove some events from every spool. Returns how many there were.

        A process that writes to a spool goes on in a new one; what it adds while the spool is rewritten is kept.

        Raises:
            StorageError: a spool cannot be rewritten.
        """
        removed = 0
        for path in self.files():
            lines = list(self._lines(path))
            kept = [event for event in lines if not gone(event)]
            if len(kept) == len(lines):
                continue
            removed += len(lines) - len(kept)
            if not dry and self._objects is not None:
                self._objects.replace(path, b"".join(map(_line, kept)))
            elif not dry:
                _replace(path, len(lines), kept, gone)
        return removed

    def _opened(self, path: str) -> BinaryIO:
        return open(path, "rb") if self._objects is None else BytesIO(self._objects.content(path))

    def _lines(self, path: str, wanted: Callable[[bytes], bool] = lambda raw: True) -> Iterator[dict[str, Any]]:
        with self._opened(path) as file:
            yield from _events(file, path, wanted)


def _objects(root: str) -> RecallObjects:
    from memory_pipeline.storage.logs.recall_objects import RecallObjects

    return RecallObjects(root)


def _replace(path: str, read: int, kept: list[dict[str, Any]], gone: Callable[[Mapping[str, Any]], bool]) -> None:
    temporary = f"{path}.{uuid.uuid4().hex}.tmp"
    try:
        with open(path, "rb") as old:
            with open(temporary, "wb") as out:
                out.writelines(map(_line, kept))
            os.replace(temporary, path)
            late = [event for event in list(_events(old, path))[read:] if not gone(event)]
        if late:
            with open(path, "ab") as out:
                out.writelines(map(_line, late))
    except OSError as error:
        raise StorageError(f"cannot erase from {path}: {error}", path=str(path)) from error


def _line(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode("ascii") + b"\n"


def _events(file: BinaryIO, path: str, wanted: Callable[[bytes], bool] = lambda raw: True) -> Iterator[dict[str, Any]]:
    for number, raw in enumerate(file, start=1):
        if not raw.endswith(b"\n") or not wanted(raw):
            continue
        event = _event(raw)
        if event is not None:
            yield event
        else:
            _log.warning("%s:%d is not an event; it is passed over", path, number)


def _event(raw: bytes) -> dict[str, Any] | None:
    """A line's event; None for one that is torn, or of a form that this release does not know."""
    try:
        event = json.loads(raw)
        _ = list(_rows(event))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    return dict(event)


def _rows(event: Mapping[str, Any]) -> Iterator[Recall]:
    at = datetime.fromisoformat(event["at"]).astimezone(UTC)
    if event["kind"] == "feedback":
        yield _row(event, at, event["item"], helpful=event["helpful"])
        return
    for rank, (item, layer, score) in enumerate(event["items"] or (("", "", 0.0),)):
        yield _row(event, at, item, layer=layer, rank=rank, score=score)


def _row(
    event: Mapping[str, Any],
    at: datetime,
    item: str,
    *,
    layer: str = "",
    rank: int = 0,
    score: float = 0.0,
    helpful: bool | None = None,
) -> Recall:
    day: date = at.date()
    return Recall(
        recall_id=event["recall"],
        tenant_id=event["tenant"],
        user_id=event["user"],
        day=day,
        kind=event["kind"],
        query=event.get("query", ""),
        item_id=item,
        layer=layer,
        rank=rank,
        score=score,
        helpful=helpful,
        session_id=event.get("session"),
        profile=event.get("profile", ""),
        model=event.get("model", ""),
        latency_ms=event.get("ms", 0.0),
        recalled_at=at,
        asked=json.dumps(asked, sort_keys=True) if (asked := event.get("asked")) else None,
    )
