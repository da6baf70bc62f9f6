"""Fixtures of all tests. No test depends on the environment of whoever runs it."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow  # noqa: F401  loaded: a command that runs in this process is not alone in it, and spares it nothing
import pytest

from memory_pipeline_tests.protocol_server import ProtocolServer

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C, Dagster lets SIGTERM do as Ctrl-C does, and children inherit both.
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.set_threshold(100_000, 50, 50)  # a tenth of the suite's time went into looking for garbage (measured)

# Homes in memory, children's too: a commit of Dagster's SQLite takes 15 ms on a disk, and 0.6 ms here (measured).
_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30  # a whole run leaves some 150 MB; containers may have 64
if "TMPDIR" not in os.environ and os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_IN_MEMORY)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: tests that wait for a server, a lock or a child leave theirs to another."""
    return (os.cpu_count() or 1) + 1


# Files with few and long tests: begun first, so that in the end no worker is alone with one.
_LONG = (
    "fixtures/test_fixture_run",
    "test_under_load",
    "test_fault_injection",
    "test_examples",
    "orchestration/",
    "stages/test_patterns",
    "stages/erasure/",
    "cli/",
    "stages/test_",
    "stages/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: next((n for n, part in enumerate(_LONG) if part in item.nodeid), len(_LONG)))


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away every variable that settings or the openai package read."""
    for name in list(os.environ):
        if name.startswith(("MEMORY_PIPELINE_", "OPENAI_", "OTEL_")):
            monkeypatch.delenv(name)


@pytest.fixture
def protocol_server(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProtocolServer]:
    """A running protocol server; ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` point to it, also for child processes."""
    with ProtocolServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test-key")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server
