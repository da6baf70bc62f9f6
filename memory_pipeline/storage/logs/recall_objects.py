"""Spools of the recall log on object storage: an object a process and minute, since objects cannot be appended to."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import uuid

from memory_pipeline.errors import StorageError
from memory_pipeline.storage.exclusion.erasure_fence import Fence
from memory_pipeline.storage.parquet.files import Files

EVERY_S = 60.0
"""Seconds after which what was read is written."""
_MOST_BYTES = 1024 * 1024  # what is waiting is written earlier once it is as long
_log = logging.getLogger(__name__)


class RecallObjects:
    """The spools under one URI.

    Lines wait in memory for a minute at most, and are written when this process looks at the spools. A process that is
    killed loses them, and nobody an answer; until they are written, other processes do not know these reads.

    Args:
        root: URI of the folder, beside the lake.
        every_s: seconds after which what was read is written.
    """

    def __init__(self, root: str, every_s: float = EVERY_S) -> None:
        self._root = root.rstrip("/")
        self._every_s = every_s
        self._fence = Fence(f"{self._root.rpartition('/')[0]}/lake")
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._pid = 0
        self._timer: threading.Timer | None = None
        self._open: Files | None = None

    @property
    def _files(self) -> Files:
        if self._open is None:
            self._open = Files(self._root)
        return self._open

    def add(self, line: bytes) -> None:
        """Let a line wait to be written; takes microseconds unless very much is waiting."""
        with self._lock:
            if self._pid != os.getpid():  # what waited in the parent of a fork is the parent's to write
                self._pid, self._waiting, self._bytes, self._timer = os.getpid(), [], 0, None
                atexit.register(self.write)
            if not self._waiting:
                self._fence.renew()
                self._timer = threading.Timer(self._every_s, self.write)
                self._timer.daemon = True
                self._timer.start()
            self._waiting.append(line)
            self._bytes += len(line)
            full = self._bytes >= _MOST_BYTES
        if full:
            self.write()

    def write(self) -> None:
        """Write what is waiting. A failure is told through ``logging``, and what was waiting is lost.

        Reads from before an erasure that has begun since are left out, whoever's they are: the spools know no
        pseudonyms.
        """
        with self._writing:
            with self._lock:
                if self._timer is not None:
                    self._timer.cancel()
                lines, self._waiting, self._bytes, self._timer = self._waiting, [], 0, None
            if not lines:
                return
            try:
                with self._fence.writing("recalls", []):
                    if self._fence.crossed:
                        _log.warning("something was erased meanwhile: %d reads before it are not recorded", len(lines))
                    else:
                        self._files.put(f"recall-{uuid.uuid4().hex}.jsonl", b"".join(lines))
            except StorageError as error:
                _log.warning("%d reads could not be recorded: %s", len(lines), error)

    # -- what was written

    def paths(self) -> list[str]:
        """Paths of all spools, in order of their names; what is waiting is written first."""
        self.write()
        return [f"{self._files.base}/{name}" for name in self._files.names("") if name.endswith(".jsonl")]

    def content(self, path: str) -> bytes:
        """Lines of a spool; none where it is gone.

        Raises:
            StorageError: it cannot be read.
        """
        return self._files.content(path.removeprefix(f"{self._files.base}/"))

    def written_at(self, path: str) -> float:
        """When a spool was written, in seconds since 1970."""
        return float(self._files.fs.get_file_info(path).mtime_ns) / 1e9

    def replace(self, path: str, data: bytes) -> None:
        """Put other lines in the place of a spool's.

        Raises:
            StorageError: it cannot be written.
        """
        self._files.put(path.removeprefix(f"{self._files.base}/"), data)

    def remove(self, path: str) -> None:
        """Remove a spool.

        Raises:
            StorageError: it cannot be removed.
        """
        self._files.remove(path)
