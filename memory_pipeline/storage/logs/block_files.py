"""The prompt blocks that sessions began with, a file each beside the recall log: any process goes on with the same one.

A file is written whole and put in place by one rename or link; of two processes that begin a session at once the first
one's stands. A user's files lie in a folder of their own, which an erasure removes.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope

_FOLDER = "blocks"
_MOST = 64  # of a user: those used last


class BlockFiles:
    """Records by user and key under the folder of the recall log. A disk that is full or gone costs a record, no read.

    Args:
        root: folder of the recall log; with an object-storage URI nothing is kept.
    """

    def __init__(self, root: str) -> None:
        self._root = None if "://" in root else Path(root) / _FOLDER

    def get(self, scope: Scope, key: str) -> Mapping[str, Any] | None:
        """The record under a key; None where there is none, or where it cannot be read."""
        path = self._path(scope, key)
        if path is None:
            return None
        with suppress(OSError, ValueError):
            found = json.loads(path.read_bytes())
            return found if isinstance(found, dict) else None
        return None

    def put(self, scope: Scope, key: str, record: Mapping[str, Any], *, instead: bool) -> bool:
        """Keep a record.

        Args:
            instead: of one that is there; otherwise that one stays.

        Returns:
            Whether it is the one that stands now; False also where it cannot be kept.
        """
        path = self._path(scope, key)
        if path is None:
            return False
        temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                temporary.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
                temporary.chmod(0o600)
                if instead:
                    temporary.replace(path)
                else:
                    os.link(temporary, path)
                self._bound(path.parent)
                return True
            finally:
                temporary.unlink(missing_ok=True)
        return False

    def count(self, scopes: Iterable[Scope]) -> int:
        """How many records some users have."""
        folders = (self._folder(scope) for scope in scopes)
        return sum(len(list(folder.iterdir())) for folder in folders if folder is not None and folder.is_dir())

    def forget(self, scopes: Iterable[Scope]) -> None:
        """Remove all records of some users."""
        for scope in scopes:
            folder = self._folder(scope)
            if folder is not None and folder.is_dir():
                shutil.rmtree(folder)

    def remove_before(self, moment: float) -> int:
        """Remove records that were made before a time (seconds since 1970). Returns how many."""
        removed = 0
        if self._root is None or not self._root.is_dir():
            return removed
        for folder in self._root.iterdir():
            for path in folder.iterdir():
                with suppress(OSError):
                    if path.stat().st_mtime < moment:
                        path.unlink()
                        removed += 1
            with suppress(OSError):  # one that is not empty stays
                folder.rmdir()
        return removed

    def _folder(self, scope: Scope) -> Path | None:
        return None if self._root is None else self._root / digest(scope.tenant_id, scope.user_id)[:32]

    def _path(self, scope: Scope, key: str) -> Path | None:
        folder = self._folder(scope)
        return None if folder is None else folder / f"{digest(key)[:32]}.json"

    @staticmethod
    def _bound(folder: Path) -> None:
        paths = list(folder.glob("*.json"))
        if len(paths) > _MOST:
            for path in sorted(paths, key=lambda p: p.stat().st_mtime)[:-_MOST]:
                path.unlink(missing_ok=True)
