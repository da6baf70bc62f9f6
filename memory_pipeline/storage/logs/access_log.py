"""The access log: who read and changed whose memory through the server, a JSON line each, by month.

It names keys, users, routes and ids, and never what was said. The name of a user who is erased gives way to the
pseudonym that figures keep.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings

FOLDER = "access"


@dataclass(frozen=True, slots=True)
class Access:
    """One answered request.

    Attributes:
        at: UTC.
        key_id: of the key; None where the server asks for none.
        tenant_id, user_id: whose memory it was about; None where it was about nobody's.
        route: its template, such as ``/v1/memories/{memory_id}``.
        item: id in the path.
        ms: until it was answered.
    """

    at: datetime
    key_id: str | None
    tenant_id: str | None
    user_id: str | None
    method: str
    route: str
    item: str | None
    status: int
    ms: float


class AccessLog:
    """The access log of a home; a home on object storage keeps none. Safe for threads and beside other processes."""

    def __init__(self, settings: Settings) -> None:
        self._root = None if settings.remote else Path(settings.path(FOLDER))

    def write(self, access: Access) -> None:
        """Add an entry.

        Raises:
            StorageError: it cannot be written.
        """
        if self._root is None:
            return
        line = json.dumps({**asdict(access), "at": access.at.isoformat(), "ms": round(access.ms, 2)}) + "\n"
        with self._alone():
            path = self._root / f"{access.at:%Y-%m}.jsonl"
            descriptor = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            try:
                os.write(descriptor, line.encode())
            finally:
                os.close(descriptor)

    def entries(self) -> Iterator[dict[str, Any]]:
        """All entries, oldest first."""
        for path in self._files():
            for line in path.read_text(encoding="utf-8").splitlines():
                found: dict[str, Any] = json.loads(line)
                yield found

    def count(self, scopes: Iterable[Scope]) -> int:
        """How many entries name some users."""
        wanted = {(scope.tenant_id, scope.user_id) for scope in scopes}
        return sum((entry["tenant_id"], entry["user_id"]) in wanted for entry in self.entries()) if wanted else 0

    def rename(self, names: Mapping[Scope, str]) -> None:
        """Put other names in the place of some users'.

        Raises:
            StorageError: it cannot be read or written.
        """
        if self._root is None or not names or not self._files():
            return
        with self._alone():
            for path in self._files():
                entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
                again = [_renamed(entry, names) for entry in entries]
                if again != entries:
                    temporary = path.with_suffix(".tmp")
                    temporary.write_text("".join(json.dumps(entry) + "\n" for entry in again), encoding="utf-8")
                    temporary.chmod(0o600)
                    temporary.replace(path)

    def _files(self) -> list[Path]:
        return [] if self._root is None else sorted(self._root.glob("*.jsonl"))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        assert self._root is not None
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._root / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)
        except (OSError, ValueError) as error:
            raise StorageError(
                f"the access log at {self._root} cannot be used: {error}", path=str(self._root)
            ) from error


def _renamed(entry: dict[str, Any], names: Mapping[Scope, str]) -> dict[str, Any]:
    if entry["tenant_id"] is None or entry["user_id"] is None:
        return entry
    name = names.get(Scope(entry["tenant_id"], entry["user_id"]))
    return entry if name is None else {**entry, "user_id": name}
