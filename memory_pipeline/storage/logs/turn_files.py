"""The files of working memory: what a session's is called, its lines, and how they come to be on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError

_TIMES = ("created_at", "recorded_at")


def folder_of(scope: Scope) -> str:
    """The name of the folder that holds a user's files, which tells nobody who it is."""
    return digest(scope.tenant_id, scope.user_id)[:32]


def name_of(scope: Scope, session_id: str) -> str:
    """The name of a session's files, without their endings."""
    return f"{folder_of(scope)}/{digest(session_id)[:32]}"


def line(turn: Message) -> bytes:
    """A turn as its session's file has it."""
    row = {name: value.isoformat() if isinstance(value, date) else value for name, value in asdict(turn).items()}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _message(line: bytes) -> Message:
    row: dict[str, Any] = json.loads(line)
    times = {name: datetime.fromisoformat(row[name]) for name in _TIMES}
    return Message(**{**row, **times, "day": date.fromisoformat(row["day"]), "role": Role(row["role"])})


def read(path: Path, since: int = 0) -> tuple[list[Message], int]:
    """The turns from some byte on, and where the last whole line ends."""
    try:
        with open(path, "rb") as file:
            file.seek(since)
            data = file.read()
    except FileNotFoundError:
        return [], 0
    whole = data[: data.rfind(b"\n") + 1]
    return [_message(line) for line in whole.split(b"\n")[:-1]], since + len(whole)


def write(path: Path, end: int, data: bytes) -> None:
    """Put lines after the last whole one; when this returns, they are on disk."""
    fresh = not path.exists()
    if fresh:
        make_folder(path.parent)
    with open(path, "r+b" if not fresh else "xb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.truncate(end)
        file.seek(end)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if fresh:
        sync(path.parent)


def replace(path: Path, data: bytes) -> None:
    """Put a file in the place of another one; when this returns, it is on disk."""
    temporary = path.with_name(f"{path.name}.tmp")
    with open(temporary, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder that this user of the machine alone may look into, where there is none."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        sync(path.parent)


def sync(folder: Path) -> None:
    """Wait until the names in a folder are on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """What the disk refuses, or a file that is no such file, as an error of the store."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StorageError(f"working memory at {path} cannot be used: {error}", path=str(path)) from error
