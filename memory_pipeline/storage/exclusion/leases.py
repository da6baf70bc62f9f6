"""Locks on object storage: an object that one process writes again and again for as long as it holds the lock.

The object comes into being by a PUT that fails where it exists already, and each beat is a PUT that fails unless the
object is still the one that this process wrote (``If-None-Match`` and ``If-Match``: S3, GCS, Azure, MinIO). Who waits
watches the object with a clock of its own: one that does not change for ``LEASE_S`` belongs to a process that is no
more, and is taken over. No two machines' clocks are compared.
"""

from __future__ import annotations

import itertools
import logging
import os
import random
import socket
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import StorageError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

LEASE_S = 30.0
"""An object that nobody has written again for so long is nobody's."""
_BEATS = 6  # a lease: five may fail
_SHARES = 4  # leases: those who share write one file each, and do not beat
_SHORTEST_S, _LONGEST_S = 0.05, 1.0  # between two looks at a lock that another process holds
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Lease:
    """A lock that this process holds.

    Attributes:
        state: ETag and version of the object as this process wrote it last.
        at: when it was written last, by the monotonic clock, in seconds.
        lost: another process has taken it over, or nobody could be asked for too long.
    """

    path: str
    what: str
    state: Mapping[str, Any]
    at: float
    lost: bool = False
    turn: threading.Lock = field(default_factory=threading.Lock)


class Leases:
    """The locks of one home.

    Args:
        uri: folder of the locks.
        lease_s: seconds after which an object that does not change is taken over; all processes of a home must agree.

    Raises:
        StorageError: the store cannot be opened.
    """

    def __init__(self, uri: str, lease_s: float = LEASE_S) -> None:
        from obstore.exceptions import BaseError
        from obstore.store import from_url

        self._uri = uri
        self._lease_s = lease_s
        try:
            self._store: ObjectStore = from_url(uri)
        except (BaseError, ValueError) as error:
            raise StorageError(f"cannot open {uri} for locks: {error}", path=uri) from error
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
        self._beats = itertools.count()
        self._mine: dict[str, Lease] = {}
        self._heart: threading.Thread | None = None
        self._guard = threading.Lock()

    @contextmanager
    def lock(self, name: str, what: str, patience_s: float, *, wait: bool = True) -> Iterator[bool]:
        """Hold a lock; yields whether it is held, which it always is where one waits.

        Who does not wait still watches for a sixth of a lease, to see that the holder is alive, and for a whole one
        where it is not.

        Args:
            what: what others wait for, for people.
            patience_s: a wait beyond this many seconds is told in the log.

        Raises:
            StorageError: the store cannot be asked; or, at the end, the lock was lost meanwhile.
        """
        lease = self._taken(f"{name}.lock", what, patience_s, wait=wait)
        if lease is None:
            yield False
            return
        try:
            yield True
        finally:
            self._released(lease)
        if lease.lost:
            raise StorageError(
                f"the lock on {what} was lost to another process, since {self._uri} could not be reached for "
                f"{self._lease_s:.0f} s: look at what was written, and run the same command again",
                path=self._uri,
            )

    @contextmanager
    def sharing(self, name: str, what: str, patience_s: float) -> Iterator[None]:
        """Be one of many at work on something that nobody rewrites meanwhile; see :meth:`rewriting`.

        Raises:
            StorageError: the store cannot be asked.
        """
        mark = f"{name}/{uuid.uuid4().hex}"
        while True:
            self._put(mark, mode="overwrite")
            if self._look(f"{name}.lock") is None:
                break
            # Whoever rewrites waits for the marks that it saw; this one waits in its turn.
            self._delete(mark)
            with self.lock(name, what, patience_s):
                pass
        try:
            yield
        finally:
            self._delete(mark)

    @contextmanager
    def rewriting(self, name: str, what: str, patience_s: float) -> Iterator[None]:
        """Be at work alone: those that share are waited for, and one that has left its mark for good is passed over.

        Raises:
            StorageError: the store cannot be asked; or, at the end, the lock was lost meanwhile.
        """
        with self.lock(name, what, patience_s):
            pause, began = _SHORTEST_S, time.monotonic()
            while marks := self._marks(name):
                if time.monotonic() - began > self._lease_s * _SHARES:
                    for mark in marks:
                        self._delete(mark)
                    break
                time.sleep(pause)
                pause = min(_LONGEST_S, pause * 1.5)
            yield

    # -- taking

    def _taken(self, path: str, what: str, patience_s: float, *, wait: bool) -> Lease | None:
        began = time.monotonic()
        pause, told = _SHORTEST_S, False
        seen: Any = None
        since = began
        while True:
            state = self._put(path, mode="create")
            if state is None:
                there = self._look(path)
                if there is None:
                    continue  # it was released between the two looks
                if there != seen:
                    if seen is not None and not wait:
                        return None  # its holder is alive
                    seen, since = there, time.monotonic()
                elif time.monotonic() - since > self._lease_s:
                    state = self._put(path, mode=seen)
                    seen = None
            if state is not None:
                return self._own(Lease(path, what, state, time.monotonic()))
            if not told and time.monotonic() - began > patience_s:
                told = True
                _log.warning("waiting for another process that is writing: %s", what)
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(_LONGEST_S, pause * 1.5)

    def _own(self, lease: Lease) -> Lease:
        with self._guard:
            self._mine[lease.path] = lease
            if self._heart is None:
                self._heart = threading.Thread(target=self._beat, name="leases", daemon=True)
                self._heart.start()
        return lease

    def _released(self, lease: Lease) -> None:
        with self._guard:
            self._mine.pop(lease.path, None)
        with lease.turn:
            # Deleting knows no condition: what was written lately is ours for sure for the rest of its time.
            if not lease.lost and time.monotonic() - lease.at > self._lease_s / 2:
                self._renew(lease)
            if not lease.lost:
                self._delete(lease.path)

    # -- holding

    def _beat(self) -> None:
        while True:
            time.sleep(self._lease_s / _BEATS)
            with self._guard:
                mine = list(self._mine.values())
                if not mine:
                    self._heart = None
                    return
            for lease in mine:
                with lease.turn:
                    if lease.path in self._mine and not lease.lost:
                        self._renew(lease)

    def _renew(self, lease: Lease) -> None:
        try:
            state = self._put(lease.path, mode=lease.state)
        except StorageError as error:
            _log.warning("the lock on %s could not be renewed: %s", lease.what, error)
            lease.lost = time.monotonic() - lease.at > self._lease_s
            return
        if state is None:
            lease.lost = True
        else:
            lease.state, lease.at = state, time.monotonic()

    # -- the store

    def _put(self, path: str, mode: Any) -> Mapping[str, Any] | None:
        """What the store says of the object that was written; None where another one is in its place."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError, PreconditionError

        body = f"{self._owner} {next(self._beats)}".encode()
        try:
            put = obstore.put(self._store, path, body, mode=mode, use_multipart=False)
        except (AlreadyExistsError, PreconditionError, NotFoundError):
            # A reply that was lost makes the store's own repetition fail: then what is there is what was written.
            return self._mine_after_all(path, body)
        except (BaseError, OSError) as error:
            raise self._failure("lock", path, error) from error
        return _state(put)

    def _mine_after_all(self, path: str, body: bytes) -> Mapping[str, Any] | None:
        import obstore
        from obstore.exceptions import BaseError, NotFoundError

        try:
            found = obstore.get(self._store, path)
            return _state(found.meta) if bytes(found.bytes()) == body else None
        except (NotFoundError, FileNotFoundError):
            return None
        except (BaseError, OSError) as error:
            raise self._failure("lock", path, error) from error

    def _look(self, path: str) -> Mapping[str, Any] | None:
        import obstore
        from obstore.exceptions import BaseError, NotFoundError

        try:
            return _state(obstore.head(self._store, path))
        except (NotFoundError, FileNotFoundError):
            return None
        except (BaseError, OSError) as error:
            raise self._failure("lock", path, error) from error

    def _marks(self, name: str) -> list[str]:
        import obstore
        from obstore.exceptions import BaseError

        try:
            return [meta["path"] for chunk in obstore.list(self._store, f"{name}/") for meta in chunk]
        except (BaseError, OSError) as error:
            raise self._failure("list", name, error) from error

    def _delete(self, path: str) -> None:
        import obstore
        from obstore.exceptions import BaseError

        try:
            obstore.delete(self._store, path)
        except (BaseError, OSError) as error:  # it will be taken over
            _log.warning("%s", self._failure("release", path, error))

    def _failure(self, what: str, path: str, error: Exception) -> StorageError:
        said = str(error).partition("\n")[0].rstrip(": ")  # the rest is the request as the library keeps it
        return StorageError(f"cannot {what} {self._uri}/{path}: {said}", path=f"{self._uri}/{path}")


def _state(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: meta[name] for name in ("e_tag", "version") if meta.get(name) is not None}
