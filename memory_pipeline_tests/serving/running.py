"""A real server in a process of its own, and a client of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from memory_pipeline.serving.keys import Keys, Right
from memory_pipeline.settings import Settings

_PATIENCE_S = 60.0


def key_for(home: Path, tenant: str, user: str | None = None, rights: Iterable[Right] = tuple(Right)) -> str:
    """The text of a new key."""
    return Keys(Settings.load(home=str(home))).create((tenant, user), rights, datetime.now(UTC))[1]


def row(n: int | str, content: str, *, user: str = "ann", session: str = "s", role: str = "user") -> dict[str, Any]:
    """A row of the landing format, said now."""
    return {
        "user_id": user,
        "session_id": session,
        "message_id": f"m-{n}",
        "role": role,
        "content": content,
        "created_at": datetime.now(UTC).isoformat(),
    }


class Server:
    """``memory-pipeline serve`` on a free port."""

    def __init__(self, home: Path, *options: str) -> None:
        self.home = home
        self._options = options
        self.port = _free_port()
        self.log = home.parent / f"{home.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        command = [sys.executable, "-m", "memory_pipeline.cli", "serve", "--port", str(self.port), *self._options]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, env={**os.environ, "MEMORY_PIPELINE_HOME": str(self.home)}, stdout=log, stderr=log
            )
        until(self._ready, what="the server")
        return self

    def _ready(self) -> bool:
        assert self.process is not None and self.process.poll() is None, self.log.read_text()
        try:
            return httpx.get(f"{self.url}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """As the kernel does when memory runs out."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """As an administrator does. Returns the exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_PATIENCE_S)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def client(self, key: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=_PATIENCE_S)


def until(true: Callable[[], bool], what: str, patience: timedelta = timedelta(seconds=_PATIENCE_S)) -> None:
    """Wait for something."""
    end = time.monotonic() + patience.total_seconds()
    while not true():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
