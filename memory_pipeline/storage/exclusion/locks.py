"""One lock by name, wherever the home is: a file on this machine, a lease on object storage."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from memory_pipeline.errors import StorageError

if TYPE_CHECKING:
    from memory_pipeline.storage.exclusion.leases import Leases

_PATIENCE_S = 5.0  # a wait beyond this says what it waits for
_log = logging.getLogger(__name__)


@contextmanager
def lock(place: str, what: str, *, wait: bool = True) -> Iterator[bool]:
    """Keep other processes and threads out; yields whether they are, which is always so where one waits.

    Args:
        place: path or object-storage URI of the lock, without its ending.
        what: what others wait for, for people.

    Raises:
        StorageError: the lock cannot be made, or was lost meanwhile.
    """
    if "://" in place:
        folder, _, name = place.rpartition("/")
        with _leases(folder, os.getpid()).lock(name, what, _PATIENCE_S, wait=wait) as alone:
            yield alone
        return
    from filelock import FileLock, Timeout

    held = FileLock(f"{place}.lock", thread_local=False)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        try:
            held.acquire(timeout=_PATIENCE_S if wait else 0)
        except Timeout:
            if not wait:
                yield False
                return
            _log.warning("waiting for another process that is writing: %s", what)
            held.acquire(timeout=-1)
    except OSError as error:
        raise StorageError(f"cannot lock {place}: {error}", path=place) from error
    try:
        yield True
    finally:
        held.release()


@contextmanager
def shared_lock(place: str, *, shared: bool) -> Iterator[None]:
    """Let many write, or one rewrite: those who share wait for who is alone, and the other way round.

    Raises:
        StorageError: the lock cannot be made, or was lost meanwhile.
    """
    if "://" in place:
        folder, _, name = place.rpartition("/")
        leases = _leases(folder, os.getpid())
        with (leases.sharing if shared else leases.rewriting)(name, "what an erasure rewrites", _PATIENCE_S):
            yield
        return
    if sys.platform == "win32":  # it has no such lock: there, nothing else may run beside an erasure
        yield
        return
    import fcntl

    os.makedirs(os.path.dirname(place), exist_ok=True)
    fd = os.open(f"{place}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@lru_cache
def _leases(folder: str, process: int) -> Leases:
    """One that beats for this process: a child that was forked has no thread of its parent."""
    from memory_pipeline.storage.exclusion.leases import Leases

    return Leases(folder)
