"""Working memory: the turns of sessions under way, a file each, that are durable before anybody is answered.

A file holds the session's turns, a line each, and only grows; beside it stands how many bytes of it the message log
has. A line that a killed process left half written was never acknowledged: it is cut off by the next turn. Readers,
the server, the command line and runs share the files; files of one user lie in a folder of their own.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.working import with_place
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs import turn_files

FOLDER = "working"
_WAITING = ".waiting"  # an empty file for each session that may have turns the log has not
_LOCKS = ".locks"  # never removed, so that whoever waits for one waits for the right one
_DIGITS = 3  # hexadecimal: 4,096 locks, however many users
_SESSIONS = 512  # whose turns a process keeps at hand


@dataclass(frozen=True, slots=True)
class TurnReceipt:
    """What became of turns that were handed in.

    Attributes:
        taken: new ones, on disk now.
        known: those whose id the session has already.
    """

    taken: int
    known: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Turns of a session that the message log may not have.

    Attributes:
        turns: in the order in which they came; empty where the log has all.
        file: inode of the session's file.
        until: bytes of it up to the end of the last of them.
        quiet_s, oldest_s: seconds since the last turn, and since the first of them, came.
        ended: the session was said to be over.
    """

    name: str
    turns: tuple[Message, ...]
    file: int
    until: int
    quiet_s: float
    oldest_s: float
    ended: bool


class WorkingMemory:
    """The working memory of a home.

    Raises:
        StorageError: from any method, when a file cannot be read or written, or the home is on object storage.
    """

    def __init__(self, settings: Settings) -> None:
        self._remote = settings.remote
        self._root = Path(settings.path(FOLDER))
        self._seen: OrderedDict[str, tuple[int, int, tuple[Message, ...]]] = OrderedDict()
        self._guard = threading.Lock()

    # -- turns come in

    def add(self, turns: Sequence[Message]) -> TurnReceipt:
        """Keep turns of any users and sessions; when this returns, they are on disk."""
        self._require_local()
        sessions: dict[tuple[Scope, str], list[Message]] = {}
        for turn in turns:
            sessions.setdefault((Scope(turn.tenant_id, turn.user_id), turn.session_id), []).append(turn)
        taken = sum(self._add(*session, given) for session, given in sessions.items())
        return TurnReceipt(taken, len(turns) - taken)

    def _add(self, scope: Scope, session_id: str, given: Sequence[Message]) -> int:
        name = turn_files.name_of(scope, session_id)
        with self._locked(name), turn_files.disk_errors(self._root / name):
            path = self._root / f"{name}.jsonl"
            held, end = self._held(path)
            ids = {turn.message_id for turn in held}
            new: list[Message] = []
            for turn in given:
                if turn.message_id not in ids:
                    ids.add(turn.message_id)
                    new.append(with_place(turn, (*held, *new)))
            if new:
                turn_files.write(path, end, b"".join(map(turn_files.line, new)))
                self._mark(name)
        return len(new)

    def end(self, scope: Scope, session_id: str) -> bool:
        """Say that a session is over: whoever takes turns into the log does it now. Returns whether it had any."""
        self._require_local()
        name = turn_files.name_of(scope, session_id)
        with self._locked(name), turn_files.disk_errors(self._root / name):
            if not (self._root / f"{name}.jsonl").exists():
                return False
            (self._root / f"{name}.ended").touch(mode=0o600)
            self._mark(name)
        return True

    # -- turns are read

    def turns(self, scope: Scope, session_id: str) -> tuple[Message, ...]:
        """The turns of a session in the order of the talk; none where there are none."""
        if self._remote:
            return ()
        name = turn_files.name_of(scope, session_id)
        with turn_files.disk_errors(self._root / name):
            held, _ = self._held(self._root / f"{name}.jsonl")
        return tuple(sorted(held, key=lambda turn: turn.order))

    def _held(self, path: Path) -> tuple[tuple[Message, ...], int]:
        """The turns of a file, of which those that were read before are not read again, and where the last one ends."""
        try:
            file = path.stat()
        except FileNotFoundError:
            return (), 0
        with self._guard:
            inode, end, turns = self._seen.get(str(path), (0, 0, ()))
        if inode != file.st_ino or file.st_size < end:
            end, turns = 0, ()
        more, end = turn_files.read(path, end)
        turns = (*turns, *more)
        with self._guard:
            self._seen[str(path)] = (file.st_ino, end, turns)
            self._seen.move_to_end(str(path))
            while len(self._seen) > _SESSIONS:
                self._seen.popitem(last=False)
        return turns, end

    def days(self) -> set[date]:
        """The calendar days of all turns that are kept."""
        found: set[date] = set()
        for path in sorted(self._root.glob("*/*.jsonl")) if not self._remote else ():
            with turn_files.disk_errors(path):
                found.update(turn.day for turn in turn_files.read(path)[0])
        return found

    # -- turns go into the log

    def waiting(self, now: datetime, *, all_sessions: bool = False) -> Iterator[Waiting]:
        """Sessions with turns that the log may not have.

        Args:
            all_sessions: look at each, as whoever begins does: a killed process may not have said that it has any.
        """
        if self._remote or not self._root.is_dir():
            return
        marks = self._root / _WAITING
        names = {path.name.replace("-", "/", 1) for path in marks.iterdir()} if marks.is_dir() else set()
        if all_sessions:
            names |= {f"{path.parent.name}/{path.stem}" for path in self._root.glob("*/*.jsonl")}
        for name in sorted(names):
            found = self._waiting(name, now)
            if found is not None:
                yield found

    def count_waiting(self) -> int:
        """How many sessions may have turns that the log has not got."""
        marks = self._root / _WAITING
        return 0 if self._remote or not marks.is_dir() else sum(1 for _ in marks.iterdir())

    def of(self, scope: Scope, now: datetime) -> Iterator[Waiting]:
        """The same of one user."""
        folder = self._root / turn_files.folder_of(scope)
        for path in sorted(folder.glob("*.jsonl")) if not self._remote else ():
            found = self._waiting(f"{folder.name}/{path.stem}", now)
            if found is not None:
                yield found

    def _waiting(self, name: str, now: datetime) -> Waiting | None:
        with self._locked(name), turn_files.disk_errors(self._root / name):
            since = self._noted(name)
            path = self._root / f"{name}.jsonl"
            turns, end = turn_files.read(path, since)
            if not turns:
                (self._root / f"{name}.ended").unlink(missing_ok=True)
                self._unmark(name)
                return None
            ended, file = (self._root / f"{name}.ended").exists(), path.stat().st_ino
        quiet, oldest = ((now - turns[n].recorded_at).total_seconds() for n in (-1, 0))
        return Waiting(name, tuple(turns), file, end, quiet, oldest, ended)

    def taken(self, waiting: Waiting) -> None:
        """Note that the log has the turns of a session up to where they were read."""
        name = waiting.name
        with self._locked(name), turn_files.disk_errors(self._root / name):
            path = self._root / f"{name}.jsonl"
            if not path.exists() or path.stat().st_ino != waiting.file:
                return  # some were erased meanwhile: the log says which of the others it has
            turn_files.replace(self._root / f"{name}.taken", str(waiting.until).encode())
            if path.stat().st_size == waiting.until:
                (self._root / f"{name}.ended").unlink(missing_ok=True)
                self._unmark(name)

    def _noted(self, name: str) -> int:
        with suppress(FileNotFoundError, ValueError):
            return int((self._root / f"{name}.taken").read_bytes())
        return 0

    # -- turns go

    def expire(self, before: datetime) -> int:
        """Remove sessions that the log has, and in which nothing was said since a time. Returns how many."""
        gone = 0
        for path in sorted(self._root.glob("*/*.jsonl")) if not self._remote else ():
            name = f"{path.parent.name}/{path.stem}"
            with self._locked(name), turn_files.disk_errors(path):
                held, end = turn_files.read(path)
                if end == self._noted(name) and all(turn.recorded_at < before for turn in held):
                    self._remove(name)
                    gone += 1
        return gone

    def count(self, whole: Iterable[Scope], partly: Iterable[tuple[Scope, Collection[tuple[str, str]]]] = ()) -> int:
        """How many turns an erasure would remove; see :meth:`forget`."""
        if self._remote:
            return 0
        found = 0
        for scope in whole:
            for path in (self._root / turn_files.folder_of(scope)).glob("*.jsonl"):
                found += len(turn_files.read(path)[0])
        for scope, gone in partly:
            for session_id in {session for session, _ in gone}:
                held = self.turns(scope, session_id)
                found += sum((session_id, turn.message_id) in gone for turn in held)
        return found

    def forget(self, whole: Iterable[Scope], partly: Iterable[tuple[Scope, Collection[tuple[str, str]]]] = ()) -> None:
        """Remove all turns of some users, and single ones of others, named by session and message id."""
        if self._remote or not self._root.is_dir():
            return
        for scope in whole:
            folder = turn_files.folder_of(scope)
            with self._locked(folder), turn_files.disk_errors(self._root / folder):
                for mark in (self._root / _WAITING).glob(f"{folder}-*"):
                    mark.unlink(missing_ok=True)
                if (self._root / folder).is_dir():
                    shutil.rmtree(self._root / folder)
        for scope, gone in partly:
            for session_id in {session for session, _ in gone}:
                messages = {message for session, message in gone if session == session_id}
                self._drop(turn_files.name_of(scope, session_id), messages)

    def _drop(self, name: str, gone: Collection[str]) -> None:
        path = self._root / f"{name}.jsonl"
        with self._locked(name), turn_files.disk_errors(path):
            held, _ = turn_files.read(path)
            left = [turn for turn in held if turn.message_id not in gone]
            if len(left) == len(held):
                return
            if not left:
                self._remove(name)
                return
            # The log knows which of these it has: a session that lost a turn is looked at from its beginning.
            (self._root / f"{name}.taken").unlink(missing_ok=True)
            turn_files.replace(path, b"".join(map(turn_files.line, left)))
            self._mark(name)

    def _remove(self, name: str) -> None:
        for ending in ("jsonl", "taken", "ended"):
            (self._root / f"{name}.{ending}").unlink(missing_ok=True)
        self._unmark(name)

    # -- files

    def _mark(self, name: str) -> None:
        marks = self._root / _WAITING
        mark = marks / name.replace("/", "-", 1)
        if not mark.exists():
            turn_files.make_folder(marks)
            mark.touch(mode=0o600)

    def _unmark(self, name: str) -> None:
        (self._root / _WAITING / name.replace("/", "-", 1)).unlink(missing_ok=True)

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """Keep other threads and processes from a user's files."""
        path = self._root / _LOCKS / f"{name[:_DIGITS]}.lock"
        with turn_files.disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _require_local(self) -> None:
        if self._remote:
            raise StorageError(
                "working memory needs a home on a local disk: with a home on object storage, bring messages by `ingest`"
            )
