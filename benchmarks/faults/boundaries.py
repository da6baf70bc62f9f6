"""Every place at which a process changes something on disk, found from outside: the few primitives are wrapped.

Nothing in the product knows of it. A forked child installs a :class:`Watch`; it counts the boundaries as they are
passed, and at a chosen one the process kills itself with SIGKILL, so that nothing is flushed, released or cleaned up.
"""

from __future__ import annotations

import builtins
import io
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

_DURING_MS = 12.0
_LOCKS = (".locks", ".ingest.lock", ".lock")


class Watch:
    """Counts write boundaries under a folder.

    Args:
        root: what lies elsewhere does not count.
        at: the boundary, counted from 1, at which the process ends; None = never.
        seed: of the moment inside an operation that has no boundary that Python could see.
    """

    def __init__(self, root: str, at: int | None = None, seed: int = 0) -> None:
        self.root = os.path.realpath(root)
        self.at = at
        self.seen: list[str] = []
        self._random = random.Random(seed)

    def hit(self, kind: str) -> None:
        """Pass a boundary, or end there."""
        self.seen.append(kind)
        if len(self.seen) == self.at:
            die()

    def during(self, kind: str) -> None:
        """Pass the beginning of an operation of a native library, or end at some moment inside it."""
        self.seen.append(kind)
        if len(self.seen) == self.at:
            delay = self._random.uniform(0, _DURING_MS) / 1000
            threading.Thread(target=lambda: (time.sleep(delay), die()), daemon=True).start()

    def area(self, path: Any) -> str | None:
        """The store or dataset that a path belongs to; None when it does not count."""
        try:
            full = os.path.realpath(os.fspath(path))
        except TypeError:
            return None
        if not full.startswith(self.root + os.sep):
            return None
        parts = Path(full).relative_to(self.root).parts
        if any(part in _LOCKS for part in parts):
            return None
        return parts[1] if parts[0] == "lake" and len(parts) > 2 else parts[0]

    def of_descriptor(self, descriptor: int) -> str | None:
        """The area of an open file."""
        try:
            return self.area(os.readlink(f"/proc/self/fd/{descriptor}"))
        except OSError:
            return None


def die() -> None:
    """End this process as if the power had failed."""
    os.kill(os.getpid(), signal.SIGKILL)


def install(watch: Watch) -> None:
    """Wrap what writes: the os module, open, Arrow's file system, LanceDB, SQLAlchemy. For the rest of the process."""
    _wrap_os(watch)
    _wrap_open(watch)
    _wrap_arrow(watch)
    _wrap_lance(watch)
    _wrap_sqlalchemy(watch)


def _around(watch: Watch, name: str, work: Callable[..., Any], area: Callable[..., str | None]) -> Callable[..., Any]:
    @wraps(work)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        place = area(*args)
        if place is None:
            return work(*args, **kwargs)
        watch.hit(f"{name}, before: {place}")
        found = work(*args, **kwargs)
        watch.hit(f"{name}, after: {place}")
        return found

    return wrapped


def _wrap_os(watch: Watch) -> None:
    def last(*args: Any) -> str | None:
        return watch.area(args[-1] if len(args) > 1 else args[0])

    def first(*args: Any) -> str | None:
        return watch.area(args[0])

    for name in ("replace", "rename"):
        setattr(os, name, _around(watch, "rename", getattr(os, name), last))
    for name in ("remove", "unlink"):
        setattr(os, name, _around(watch, "remove", getattr(os, name), first))
    os.fsync = _around(watch, "sync", os.fsync, lambda fd: watch.of_descriptor(fd))
    write = os.write

    def torn(descriptor: int, data: bytes) -> int:
        place = watch.of_descriptor(descriptor)
        if place is None:
            return write(descriptor, data)
        watch.hit(f"append, before: {place}")
        half = len(data) // 2
        write(descriptor, data[:half])
        watch.hit(f"append, torn: {place}")
        write(descriptor, data[half:])
        watch.hit(f"append, after: {place}")
        return len(data)

    os.write = torn


class _Torn:
    """A file that is written in two halves, so that a process can end between them."""

    def __init__(self, file: Any, watch: Watch, place: str) -> None:
        self._file = file
        self._watch = watch
        self._place = place

    def write(self, data: Any) -> int:
        half = len(data) // 2
        self._file.write(data[:half])
        self._file.flush()
        self._watch.hit(f"write, torn: {self._place}")
        self._file.write(data[half:])
        return len(data)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __enter__(self) -> _Torn:
        return self

    def __exit__(self, *error: Any) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _wrap_open(watch: Watch) -> None:
    plain = builtins.open

    @wraps(plain)
    def watched(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        place = None if isinstance(file, int) or not set(mode) & set("wxa") else watch.area(file)
        if place is None:
            return plain(file, mode, *args, **kwargs)
        watch.hit(f"open, before: {place}")
        return _Torn(plain(file, mode, *args, **kwargs), watch, place)

    builtins.open = watched
    io.open = watched


def _wrap_arrow(watch: Watch) -> None:
    import pyarrow.fs as pafs

    plain = pafs.LocalFileSystem

    class Watched(plain):  # type: ignore[misc, valid-type]
        def delete_file(self, path: str) -> None:
            _around(watch, "remove", super().delete_file, watch.area)(path)

        def move(self, source: str, target: str) -> None:
            _around(watch, "rename", super().move, lambda *args: watch.area(args[-1]))(source, target)

        def open_output_stream(self, path: str, *args: Any, **kwargs: Any) -> Any:
            stream = super().open_output_stream(path, *args, **kwargs)
            place = watch.area(path)
            return stream if place is None else _Torn(stream, watch, place)

    pafs.LocalFileSystem = Watched


def _wrap_lance(watch: Watch) -> None:
    import lance
    import lancedb.db
    import lancedb.merge
    import lancedb.table
    from lance.dataset import DatasetOptimizer

    places = {
        (lancedb.db.LanceDBConnection, "create_table"): "create table",
        (lancedb.merge.LanceMergeInsertBuilder, "execute"): "upsert",
        (lance.LanceDataset, "delete"): "delete",
        (lancedb.table.LanceTable, "create_index"): "create index",
        (DatasetOptimizer, "compact_files"): "compact",
        (DatasetOptimizer, "optimize_indices"): "optimise",
        (lance.LanceDataset, "cleanup_old_versions"): "prune",
    }
    for (owner, name), what in places.items():
        setattr(owner, name, _natively(watch, f"index {what}", getattr(owner, name)))


def _natively(watch: Watch, what: str, work: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(work)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        watch.hit(f"{what}, before: index")
        watch.during(f"{what}, during: index")
        found = work(*args, **kwargs)
        watch.hit(f"{what}, after: index")
        return found

    return wrapped


def _wrap_sqlalchemy(watch: Watch) -> None:
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    def writes(statement: str) -> bool:
        return statement.lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE")

    def before(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if writes(statement):
            watch.hit("sql, before: dagster")

    def after(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if writes(statement):
            watch.hit("sql, after: dagster")

    event.listen(Engine, "before_cursor_execute", before)
    event.listen(Engine, "after_cursor_execute", after)
    event.listen(Engine, "commit", lambda connection: watch.hit("commit, before: dagster"))
