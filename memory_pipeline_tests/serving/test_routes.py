"""A real server and a real client: what every route does, for whom, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_pipeline.serving.access import OPEN, right_for
from memory_pipeline.serving.app import create_app
from memory_pipeline.serving.keys import Keys, Right
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.access_log import AccessLog
from memory_pipeline_tests.serving.running import Server, key_for, row, until

SECRET = "My password is hunter2xyz."
# Every route that is about somebody, with what it takes beside the user.
BODIES: dict[tuple[str, str], dict[str, Any] | None] = {
    ("POST", "/v1/search"): {"query": "where does ann live?"},
    ("POST", "/v1/context"): {"message": "where do I live?", "session_id": "s"},
    ("POST", "/v1/payload"): {"message": "where do I live?", "session_id": "s"},
    ("POST", "/v1/ask"): {"question": "Where does ann live?"},
    ("POST", "/v1/say"): {"message": "Where do I live?", "session_id": "s"},
    ("GET", "/v1/memories"): None,
    ("POST", "/v1/memories"): {"content": "I play the harp."},
    ("GET", "/v1/memories/ID"): None,
    ("GET", "/v1/memories/ID/history"): None,
    ("PATCH", "/v1/memories/ID"): {"content": "I live in Rome."},
    ("DELETE", "/v1/memories/ID"): None,
    ("POST", "/v1/memories/ID/pin"): {},
    ("POST", "/v1/memories/ID/unpin"): {},
    ("POST", "/v1/memories/ID/suppress"): {},
    ("POST", "/v1/memories/ID/undo"): {},
    ("POST", "/v1/memories/ID/classify"): {"classification": "restricted"},
    ("POST", "/v1/sessions/s/end"): {},
    ("GET", "/v1/profile"): None,
    ("GET", "/v1/timeline"): None,
    ("POST", "/v1/undo"): {"memory_id": "ID"},
    ("POST", "/v1/feedback"): {"recall_id": "RECALL", "item_id": "ID", "helpful": True},
    ("POST", "/v1/erasures"): {},
    ("GET", "/v1/erasures/ers_1"): None,
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served") / "home"


@pytest.fixture(scope="module")
def keys(home: Path) -> dict[str, str]:
    return {
        "acme": key_for(home, "acme"),
        "ann": key_for(home, "acme", "ann"),
        "bob": key_for(home, "acme", "bob"),
        "rival": key_for(home, "rival"),
        **{right: key_for(home, "acme", rights=(right,)) for right in Right},
    }


@pytest.fixture(scope="module")
def server(home: Path, keys: dict[str, str]) -> Iterator[Server]:
    with Server(home, "--host", "0.0.0.0") as running:
        with running.client(keys["acme"]) as acme:
            turns = [row(1, "I live in Lisbon."), row(2, "I love padel."), row(3, SECRET), row(4, "", session="t")]
            answer = acme.post("/v1/messages", json={"messages": turns})
            assert answer.status_code == 202
            taken = answer.json()
            assert (taken["taken"], taken["known"], taken["quarantined"]) == (3, 0, 1)
            assert taken["faults"] == [{"index": 3, "reason": "empty content"}]
            until(lambda: "Lives in Lisbon." in contents(acme), what="the memory")
        yield running


def contents(client: httpx.Client, user: str = "ann") -> list[str]:
    return [m["content"] for m in client.get("/v1/memories", params={"user_id": user}).json()["items"]]


def asked(client: httpx.Client, method: str, path: str, about: dict[str, str], body: Any) -> httpx.Response:
    if body is None:
        return client.request(method, path, params=about)
    return client.request(method, path, json={**body, **about})


def a_memory(client: httpx.Client) -> str:
    items = client.get("/v1/memories", params={"user_id": "ann"}).json()["items"]
    return next(m["memory_id"] for m in items if m["content"] == "Lives in Lisbon.")


def test_every_route_is_listed_with_its_right(tmp_path: Path) -> None:
    app = create_app(Settings.load(home=str(tmp_path)), work=False)
    about = set()
    for path, operations in app.openapi()["paths"].items():
        for method in operations:
            plain = path.replace("{memory_id}", "ID").replace("{session_id}", "s").replace("{erasure_id}", "ers_1")
            assert path in OPEN or right_for(method.upper(), plain) is not None, (method, path)
            about.add((method.upper(), plain))
    assert about - BODIES.keys() == {
        ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/v1/users"), ("POST", "/v1/messages")
    }  # fmt: skip


def test_nothing_is_read_or_changed_without_a_key(server: Server, keys: dict[str, str]) -> None:
    for wrong in (None, "mp_0_0", keys["acme"] + "x", keys["acme"][:-1]):
        with server.client(wrong) as nobody:
            routes = [*BODIES, ("GET", "/v1/users"), ("POST", "/v1/messages"), ("GET", "/metrics"), ("GET", "/panel")]
            routes.append(("POST", "/mcp"))
            for method, path in routes:
                answer = asked(nobody, method, path, {"user_id": "ann"}, BODIES.get((method, path)))
                assert answer.status_code == 401, (method, path, answer.text)
                assert answer.headers["content-type"] == "application/problem+json"
                assert answer.headers["www-authenticate"].startswith("Bearer")
    with server.client() as nobody:
        assert nobody.get("/healthz").json() == {"ok": True}
        assert nobody.get("/docs").status_code == nobody.get("/openapi.json").status_code == 200


def test_no_route_names_another_tenant(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["rival"]) as rival, server.client(keys["acme"]) as acme:
        memory = a_memory(acme)
        before = acme.get("/v1/memories", params={"user_id": "ann"}).json()
        for (method, path), body in BODIES.items():
            where = path.replace("ID", memory)
            answer = asked(rival, method, where, {"user_id": "ann", "tenant_id": "acme"}, body)
            assert answer.status_code == 403, (method, path, answer.text)
            answer = asked(rival, method, where, {"user_id": "ann"}, body)
            assert "Lisbon" not in answer.text and "padel" not in answer.text, (method, path)
        turn = {**row(9, "I live in Bonn."), "tenant_id": "acme"}
        assert rival.post("/v1/messages", json={"messages": [turn]}).status_code == 403
        assert rival.get("/v1/users", params={"tenant_id": "acme"}).status_code == 403
        assert "acme" not in rival.get("/v1/users").text
        assert acme.get("/v1/memories", params={"user_id": "ann"}).json() == before


def test_no_key_of_a_user_names_another_one(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["bob"]) as bob, server.client(keys["acme"]) as acme:
        memory = a_memory(acme)
        recall = acme.post("/v1/search", json={"query": "Lisbon", "user_id": "ann"}).json()[0]["recall_id"]
        before = acme.get("/v1/memories", params={"user_id": "ann"}).json()
        for (method, path), body in BODIES.items():
            where = path.replace("ID", memory)
            body = body and {k: v.replace("ID", memory) if isinstance(v, str) else v for k, v in body.items()}
            answer = asked(bob, method, where, {"user_id": "ann"}, body)
            assert answer.status_code == 403, (method, path, answer.text)
            if path not in ("/v1/memories", "/v1/erasures"):
                body = body and {**body, **({"recall_id": recall} if "recall_id" in body else {})}
                answer = asked(bob, method, where, {}, body)
                assert "Lisbon" not in answer.text and "padel" not in answer.text, (method, path)
                assert "ID" not in path or answer.status_code == 404, (method, path, answer.text)
        assert bob.post("/v1/messages", json={"messages": [row(9, "I live in Bonn.")]}).status_code == 403
        assert "ann" not in bob.get("/v1/users").text
        assert acme.get("/v1/memories", params={"user_id": "ann"}).json() == before


def test_feedback_on_another_ones_read_is_refused(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["acme"]) as acme, server.client(keys["bob"]) as bob:
        found = acme.post("/v1/search", json={"query": "Lisbon", "user_id": "ann"}).json()[0]
        given = {"recall_id": found["recall_id"], "item_id": found["id"], "helpful": True}
        assert bob.post("/v1/feedback", json=given).status_code == 404
        assert acme.post("/v1/feedback", json={**given, "user_id": "bob"}).status_code == 404
        assert acme.post("/v1/feedback", json={**given, "user_id": "ann"}).json() == given


def test_a_key_does_what_its_scopes_say(server: Server, keys: dict[str, str]) -> None:
    for (method, path), body in {**BODIES, ("GET", "/metrics"): None}.items():
        needed = right_for(method, path)
        for right in set(Right) - {needed}:
            with server.client(keys[right]) as client:
                answer = asked(client, method, path, {"user_id": "ann"}, body)
                assert answer.status_code == 403 and f"scope {needed}" in answer.json()["detail"], (method, path, right)
    with server.client(keys[Right.ADMIN]) as admin:
        assert "memory_pipeline_requests_total" in admin.get("/metrics").text


def test_a_turn_is_in_the_sessions_context_at_once(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["ann"]) as ann:
        turn = row("now", "I keep two Angora goats.", session="now")
        del turn["user_id"]
        assert ann.post("/v1/messages", json={"messages": [turn]}).json()["taken"] == 1
        assert ann.post("/v1/messages", json={"messages": [turn]}).json()["known"] == 1
        given = {"message": "What do my animals eat?", "session_id": "now"}
        assert "Angora goats" in ann.post("/v1/context", json=given).json()["text"]
        messages = ann.post("/v1/payload", json=given).json()["messages"]
        assert {"role": "user", "content": turn["content"]} in messages
        other = {**given, "session_id": "another"}
        assert "SAID IN THIS SESSION" not in ann.post("/v1/context", json=other).text
    with server.client(keys["bob"]) as bob:
        assert "goats" not in bob.post("/v1/payload", json=given).text


def test_secrets_are_masked_in_what_was_just_said(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["acme"]) as acme:
        body = {"user_id": "ann", "message": "What is my password?", "session_id": "s"}
        assert "hunter2xyz" not in acme.post("/v1/context", json=body).text


def test_the_users_own_hand(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["acme"]) as acme:
        about = {"user_id": "cleo"}
        made = acme.post("/v1/memories", json={**about, "content": "I live in Oslo."})
        assert made.status_code == 201 and made.json()["change"] == "add"
        at = f"/v1/memories/{made.json()['memory_id']}"
        assert acme.get(at, params=about).json()["content"] == "I live in Oslo."
        assert acme.post(f"{at}/pin", json=about).json()["pinned"] is True
        assert acme.post(f"{at}/unpin", json=about).json()["pinned"] is False
        assert acme.patch(at, json={**about, "content": "I live in Bergen."}).json()["memory_id"] in at
        assert acme.post(f"{at}/classify", json={**about, "classification": "restricted"}).status_code == 200
        seen = acme.post("/v1/search", json={**about, "query": "where?", "max_classification": "restricted"}).json()
        assert seen and not acme.post("/v1/search", json={**about, "query": "where?"}).json()
        assert acme.post(f"{at}/suppress", json=about).json()["surface"] == "avoid"
        assert len(acme.get(f"{at}/history", params=about).json()["versions"]) >= 4
        assert acme.delete(at, params=about).json()["status"] == "archived"
        assert acme.post(f"{at}/undo", json=about).json()["status"] == "active"
        assert acme.post("/v1/memories/mem_none/undo", json=about).status_code == 404
        assert acme.get("/v1/memories/mem_none", params=about).status_code == 404


def test_pages(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["acme"]) as acme:
        every = acme.get("/v1/memories", params={"user_id": "ann"}).json()["items"]
        found, cursor = [], None
        while True:
            given = {"user_id": "ann", "limit": 1} | ({"cursor": cursor} if cursor else {})
            page = acme.get("/v1/memories", params=given).json()
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert found == every and len(every) > 1
        wrong = acme.get("/v1/memories", params={"user_id": "ann", "cursor": "x!"})
        assert wrong.status_code == 422 and wrong.json()["argument"] == "cursor"


def test_problems_say_what_is_wrong(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["acme"]) as acme:
        body = {"user_id": "ann", "query": "x", "layers": ["dreams"]}
        answer = acme.post("/v1/search", json=body)
        assert answer.status_code == 422 and answer.json()["type"] == "urn:memory-pipeline:query-error"
        assert "dreams" in answer.json()["detail"]
        answer = acme.post("/v1/search", json={"user_id": "ann"})
        assert answer.json()["errors"] == [{"at": ["body", "query"], "what": "Field required"}]
        assert acme.post("/v1/search", json={"query": "x"}).json()["detail"].startswith("user_id is missing")
        assert acme.post("/v1/search", json={"user_id": "ann", "query": "x", "k": 201}).status_code == 422
        assert acme.get("/v1/nothing").status_code == 404 and acme.put("/v1/search").status_code == 404
        for text in (
            '{"user_id": "ann", "query": "\\ud800"}',
            '{"user_id": "a\\u0000", "query": "x"}',
            "{",
            "[" * 9999,
        ):
            answer = acme.post("/v1/search", content=text, headers={"content-type": "application/json"})
            assert answer.status_code in (400, 422), text[:40]
            assert answer.headers["content-type"] == "application/problem+json"
        rows = (
            '{"messages": [{"user_id": "ann", "session_id": "s", "role": "user", "content": "\\ud800"}, {"role": 1}]}'
        )
        answer = acme.post("/v1/messages", content=rows, headers={"content-type": "application/json"})
        assert answer.status_code == 202 and answer.json()["quarantined"] == 2


def test_large_bodies_and_batches_are_refused(server: Server, keys: dict[str, str]) -> None:
    with server.client(keys["acme"]) as acme:
        large = b'{"messages": ["' + b"x" * 2_100_000 + b'"]}'
        json_type = {"content-type": "application/json"}
        assert acme.post("/v1/messages", content=large, headers=json_type).status_code == 413
        parts = (large[n : n + 65536] for n in range(0, len(large), 65536))
        assert acme.post("/v1/messages", content=parts, headers=json_type).status_code == 413
        many = [row(f"many-{n}", "x", user="dan") for n in range(501)]
        assert acme.post("/v1/messages", json={"messages": many}).status_code == 422
        assert acme.get("/v1/users").status_code == 200


def test_an_erasure_leaves_nothing(server: Server, keys: dict[str, str], home: Path) -> None:
    with server.client(keys["acme"]) as acme:
        turn = row("e", "I collect zoetropes.", user="zelda-erased", session="e")
        acme.post(
            "/v1/messages", json={"messages": [turn, {**turn, "message_id": "m-f", "content": "My cat is Ptah."}]}
        )
        acme.post("/v1/context", json={"user_id": "zelda-erased", "session_id": "e", "message": "hi"})
        one = acme.post("/v1/erasures", json={"user_id": "zelda-erased", "session_id": "e", "message_id": "m-e"})
        assert one.status_code == 201 and one.json()["proof"]["hits"] == 0
        body = {"user_id": "zelda-erased", "session_id": "e", "message": "What do I collect?"}
        assert "zoetropes" not in acme.post("/v1/payload", json=body).text
        assert "Ptah" in acme.post("/v1/payload", json=body).text
        assert not holding(home, b"zoetropes")
        done = acme.post("/v1/erasures", json={"user_id": "zelda-erased"}).json()
        assert done["complete"]
        read = f"/v1/erasures/{done['erasure_id']}"
        with server.client(keys["rival"]) as rival:
            assert rival.get(read, params={"user_id": "zelda-erased"}).status_code == 404
        with server.client(keys["bob"]) as bob:
            assert bob.get(read).status_code == 404
        assert not holding(home, b"Ptah")
        assert not holding(home, b"zelda-erased"), "nor in the access log"
        renamed = {e["user_id"] for e in AccessLog(Settings.load(home=str(home))).entries()}
        assert any(user and user.startswith("erased-") for user in renamed)
        assert acme.get(read, params={"user_id": "zelda-erased"}).json() == done


def holding(home: Path, text: bytes) -> list[str]:
    return [str(p.relative_to(home)) for p in home.rglob("*") if p.is_file() and text in p.read_bytes()]


def test_the_access_log_says_who_did_what(server: Server, keys: dict[str, str], home: Path) -> None:
    with server.client(keys["acme"]) as acme:
        memory = a_memory(acme)
        acme.post(f"/v1/memories/{memory}/pin", json={"user_id": "ann"})
        acme.post("/v1/search", json={"user_id": "ann", "query": "a very special question"})
    log = AccessLog(Settings.load(home=str(home)))
    until(lambda: any(e["route"].endswith("/pin") and e["item"] == memory for e in log.entries()), what="the entry")
    own = [e for e in log.entries() if e["item"] == memory and e["route"].endswith("/pin")]
    entry = next(e for e in own if e["key_id"] == keys["acme"].split("_")[1])
    assert (entry["tenant_id"], entry["user_id"], entry["method"], entry["status"]) == ("acme", "ann", "POST", 200)
    assert b"very special" not in b"".join(p.read_bytes() for p in (home / "access").glob("*.jsonl"))


def test_keys_that_are_revoked_end_at_once(server: Server, home: Path) -> None:
    text = key_for(home, "acme")
    with server.client(text) as client:
        assert client.get("/v1/users").status_code == 200
        Keys(Settings.load(home=str(home))).revoke(text.split("_")[1])
        assert client.get("/v1/users").status_code == 401
