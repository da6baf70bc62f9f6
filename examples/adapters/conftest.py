"""A server, run by the command of the whole package; the adapters themselves run on the client."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memory_pipeline import Memory

_PATIENCE_S = 60.0


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command = os.environ.get("MEMORY_PIPELINE_COMMAND", "memory-pipeline")
    assert shutil.which(command), f"{command} is not there: set MEMORY_PIPELINE_COMMAND"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    env = {**os.environ, "MEMORY_PIPELINE_HOME": str(home)}
    server = subprocess.Popen([command, "serve", "--port", str(port)], env=env)
    address = f"http://127.0.0.1:{port}"
    try:
        _until_ready(f"{address}/readyz", server)
        yield address
    finally:
        server.terminate()
        server.wait()


def _until_ready(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        assert server.poll() is None, "the server has ended"
        try:
            if httpx.get(address).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not come")


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


@pytest.fixture
def memory(url: str, user: str, tmp_path: Path) -> Iterator[Memory]:
    """A memory that knows one thing of the test's user."""
    with Memory.connect(url) as found:
        found.remember("I am allergic to hazelnuts.", user_id=user)
        yield found
