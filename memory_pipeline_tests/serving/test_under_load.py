"""A server without keys: many at once, killed under load, asked anything that its description allows, and stopped."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_pipeline.settings import Settings
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.serving.running import Server, row, until

_USERS = 50
_TURNS = 3
_ROUNDS = 2


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("loaded") / "home") as running:
        yield running


def logged(home: Path) -> Counter[tuple[str, str]]:
    """How often the log has each user's message."""
    lake = Lake(Settings.load(home=str(home)).path("lake"))
    table = lake.sql("SELECT user_id, message_id FROM messages")
    return Counter(zip(table["user_id"].to_pylist(), table["message_id"].to_pylist(), strict=True))


def test_it_answers_its_own_machine_and_no_web_page(server: Server) -> None:
    with server.client() as client:
        assert client.get("/v1/users").status_code == 200
        assert client.get("/v1/users", headers={"Host": "evil.example"}).status_code == 403
        assert client.get("/v1/users", headers={"Origin": "http://evil.example"}).status_code == 403
        assert client.get("/v1/users", headers={"Host": f"localhost:{server.port}"}).status_code == 200
        assert "access-control-allow-origin" not in client.get("/v1/users").headers


def test_many_users_at_once(server: Server) -> None:
    def talk(n: int) -> list[str]:
        wrong, user, session = [], f"user{n}", f"session{n}"
        with server.client() as client:
            for turns in range(1, _TURNS + 1):
                own = row(f"{n}-{turns}", f"My badge has the number {n}0{turns}{n}.", user=user, session=session)
                answer = client.post("/v1/messages", json={"messages": [own]})
                if answer.status_code != 202 or answer.json()["taken"] != 1:
                    wrong.append(answer.text)
                asked = {"user_id": user, "session_id": session, "message": "Which badge do I have?"}
                answer = client.post("/v1/context", json=asked)
                text = answer.json()["text"] if answer.status_code == 200 else ""
                if f"{n}0{turns}{n}" not in text and turns == 1:
                    wrong.append(f"not at once in context: {answer.text}")
                said = {w.strip(".") for w in text.split() if w.strip(".").isdigit()}
                foreign = {w for w in said if not (w.startswith(f"{n}0") and w.endswith(str(n)))}
                if foreign:
                    wrong.append(f"{user} sees {foreign}")
            history = client.post("/v1/payload", json=asked).json()["messages"]
            wrong += [m["content"] for m in history[1:-1] if not m["content"].endswith(f"{n}.")]
        return wrong

    with ThreadPoolExecutor(_USERS) as pool:
        wrong = [text for found in pool.map(talk, range(_USERS)) for text in found]
    assert wrong == []


def test_killed_under_load_it_loses_and_doubles_nothing(tmp_path: Path) -> None:
    server = Server(tmp_path / "killed")
    acknowledged: set[tuple[str, str]] = set()
    for turn in range(_ROUNDS):
        server.start()
        stop = threading.Event()

        def write(user: int, turn: int = turn, stop: threading.Event = stop) -> None:
            n = 0
            with httpx.Client(base_url=server.url, timeout=30) as client:
                while not stop.is_set():
                    n += 1
                    mine = row(f"{turn}-{user}-{n}", f"My number is {n}.", user=f"u{user}", session=f"s{n % 3}")
                    try:
                        answer = client.post("/v1/messages", json={"messages": [mine]})
                    except httpx.TransportError:
                        return
                    assert answer.status_code == 202
                    acknowledged.add((f"u{user}", mine["message_id"]))
                    time.sleep(0.1)  # the parser would take minutes for what can be said in seconds

        with ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write, user) for user in range(4)]
            time.sleep(0.7 + 2.5 * turn)  # before the first flush, in the midst of it
            server.kill()
            stop.set()
            for writer in writers:
                writer.result()
    with server:
        until(lambda: acknowledged <= logged(server.home).keys(), "every message", timedelta(seconds=120))
    found = logged(server.home)
    assert len(acknowledged) > 20
    assert max(found.values()) == 1, "none is there twice"


def test_no_request_that_its_description_allows_is_an_error_of_the_server(server: Server) -> None:
    import schemathesis

    api = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    operations = [found.ok() for found in api.get_all_operations()]
    assert len(operations) > 20
    each = timedelta(seconds=10) / len(operations)
    quick = settings(
        max_examples=6,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    asked: Counter[str] = Counter()

    def ask(operation: Any, end: float, data: st.DataObject) -> None:
        case = data.draw(operation.as_strategy())  # even in vain: what is drawn must not depend on the time
        if time.monotonic() > end and asked[operation.label]:
            return
        answer = case.call(base_url=server.url)
        asked[operation.label] += 1
        assert answer.status_code < 500, (operation.label, case.as_curl_command(), answer.text)
        if answer.status_code < 300 and "json" in answer.headers.get("content-type", [""])[0]:
            json.loads(answer.content)

    for operation in operations:
        end = time.monotonic() + each.total_seconds()

        def one(data: st.DataObject) -> None:
            ask(operation, end, data)  # noqa: B023 — called before the next one is looked at

        quick(given(data=st.data())(one))()
    assert len(asked) == len(operations), "each was asked at least once"


def test_stopped_it_answers_what_is_under_way(server: Server) -> None:
    found: list[int] = []
    begun, go_on = threading.Event(), threading.Event()
    body = json.dumps({"messages": [row(n, f"Number {n}.", session=f"s{n}") for n in range(400)]}).encode()

    def in_two_parts() -> Iterator[bytes]:
        yield body[:1000]
        begun.set()
        go_on.wait()
        yield body[1000:]

    def slow() -> None:
        with server.client() as client:
            headers = {"Content-Type": "application/json"}
            found.append(client.post("/v1/messages", content=in_two_parts(), headers=headers).json()["taken"])

    thread = threading.Thread(target=slow)
    thread.start()
    begun.wait()
    time.sleep(0.5)  # until the server has read what was sent
    threading.Timer(0.5, go_on.set).start()
    assert server.stop() in (0, -signal.SIGTERM), "it hands the signal on when it is done"
    thread.join()
    assert found == [400]
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.url}/healthz")
