"""Fixtures of all tests. No test depends on the environment of whoever runs it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from memory_pipeline_tests.protocol_server import ProtocolServer

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores Ctrl-C, Dagster lets SIGTERM do as Ctrl-C does, and children inherit both.
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
