"""The ends of the recall spools, read on as any process adds to them.

What the last reads of a session offered is looked for on every turn, so it must cost microseconds: the folder is listed
again only when a file came or went, a file is read only when it has grown, and of a long one only its end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_FILES = 32  # those written last: others belong to processes that are gone
_TAIL_BYTES = 64 * 1024  # of a file that is seen for the first time


@dataclass(slots=True)
class _Spool:
    inode: int
    read: int


class SpoolTail:
    """The events of some kind that were added since the last look; not safe for threads.

    Args:
        root: folder of the spools; of an object-storage URI nothing is read.
        holding: what a line must hold to be parsed at all.
    """

    def __init__(self, root: str, holding: bytes) -> None:
        self._root = root
        self._holding = holding
        self._spools: dict[str, _Spool] = {}
        self._listed = 0

    def new(self) -> list[Mapping[str, Any]]:
        """The events since the last look, in the order of their time; lines that cannot be read are passed over."""
        if "://" in self._root:
            return []
        self._list()
        found: list[Mapping[str, Any]] = []
        for path, spool in list(self._spools.items()):
            try:
                status = os.stat(path)
            except OSError:
                del self._spools[path]
                continue
            if status.st_ino != spool.inode:  # rewritten by an erasure: what is left was read before
                spool.inode, spool.read = status.st_ino, status.st_size
            elif status.st_size > spool.read:
                found += self._added(path, spool)
        return sorted(found, key=lambda event: str(event.get("at")))

    def _list(self) -> None:
        """Look for files that came; a folder's time changes with them."""
        try:
            changed = os.stat(self._root).st_mtime_ns
        except OSError:
            return
        if changed == self._listed:
            return
        with suppress(OSError):
            entries = [(e.path, e.stat()) for e in os.scandir(self._root) if e.name.endswith(".jsonl")]
            latest = sorted(entries, key=lambda entry: entry[1].st_mtime_ns)[-_FILES:]
            self._spools = {
                path: self._spools.get(path) or _Spool(status.st_ino, max(status.st_size - _TAIL_BYTES, 0))
                for path, status in latest
            }
            self._listed = changed

    def _added(self, path: str, spool: _Spool) -> Iterator[Mapping[str, Any]]:
        try:
            with open(path, "rb") as file:
                file.seek(max(spool.read - 1, 0))
                data = file.read()
        except OSError:
            return
        whole = data[: data.rfind(b"\n") + 1]  # a last line that is being written waits for the next look
        if spool.read:  # a first piece without its beginning is none
            start = whole.find(b"\n") + 1
            spool.read += len(whole) - 1 if whole else 0
            whole = whole[start:]
        else:
            spool.read = len(whole)
        for line in whole.splitlines():
            if self._holding in line:
                with suppress(ValueError):
                    event = json.loads(line)
                    if isinstance(event, dict):
                        yield event
