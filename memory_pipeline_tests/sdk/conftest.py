"""One home for all tests, filled by an application and then reached both ways: in this process, and over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory_pipeline import Memory
from memory_pipeline.sdk.model import Model
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.serving.running import Server, key_for, until

_LONG = timedelta(seconds=180)
SAID = ["I live in Lisbon.", "I am allergic to hazelnuts.", "My sister is called Berta."]


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sdk") / "home"
    with Memory.open(str(made)) as memory:
        receipt = memory.add(SAID, user_id="ann", session_id="told", tenant_id="acme")
        assert (receipt.taken, receipt.known, receipt.quarantined) == (3, 0, 0)
        assert memory.end_session("told", user_id="ann", tenant_id="acme")
        until(
            lambda: len(memory.memories(user_id="ann", tenant_id="acme")) >= len(SAID),
            what="the memories",
            patience=_LONG,
        )
    return made


@pytest.fixture(scope="package")
def server(home: Path) -> Iterator[Server]:
    key_for(home, "acme")
    patient = home.parent / "policy.toml"  # what tests say in passing is not worth a parser's start
    patient.write_text("[working]\nbuiltin_pause_seconds = 3600\nlongest_seconds = 3600\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_PIPELINE_POLICY", str(patient))
        running = Server(home).start()
    yield running
    running.stop()


@pytest.fixture(scope="package")
def chat_server() -> Iterator[ProtocolServer]:
    with ProtocolServer() as running:
        yield running


@pytest.fixture(scope="package", params=["home", "server"])
def opened(
    request: pytest.FixtureRequest, home: Path, server: Server, chat_server: ProtocolServer
) -> Callable[[], Memory]:
    """Opens the same home one way and the other, as tenant acme."""
    key = key_for(home, "acme")

    def made() -> Memory:
        model = Model("parrot", base_url=chat_server.url, api_key="none")
        if request.param == "home":
            return Memory.open(str(home), model=model, work=False)
        return Memory.connect(server.url, key, model=model)

    return made


@pytest.fixture(scope="package")
def memory(opened: Callable[[], Memory]) -> Iterator[Memory]:
    with opened() as found:
        yield found
