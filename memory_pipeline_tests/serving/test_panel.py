"""The panel without a browser: who gets in, whose pages they see, which forms are taken, and what is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from memory_pipeline.serving.access import OPEN, right_for
from memory_pipeline.serving.keys import Keys, Right
from memory_pipeline.serving.panel.install import PARTS
from memory_pipeline.serving.panel.pages import HEADERS, link
from memory_pipeline.serving.sessions import COOKIE, Sessions
from memory_pipeline_tests.serving.panel_home import (
    HOSTILE,
    LISBON,
    PORTO,
    WHO,
    every_page,
    form_token,
    panel_app,
    panel_home,
    served,
)
from memory_pipeline_tests.stages.curated import NOW, Home

OTHER = {"tenant_id": "t", "user_id": "v"}
RIVAL = {"tenant_id": "rival", "user_id": "w"}
Enter = Callable[..., httpx.Client]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return panel_home(tmp_path_factory.mktemp("panel") / "home")


@pytest.fixture(scope="module")
def open_url(home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without keys."""
    none = str(tmp_path_factory.mktemp("none") / "keys.json")
    with served(panel_app(home, keys_file=none, dagster_url="https://dagster.example")) as url:
        yield url


@pytest.fixture(scope="module")
def locked(home: Home) -> Iterator[SimpleNamespace]:
    """A server with keys: its address, and the keys."""
    keys = Keys(home.settings)
    made = {
        "all": keys.create(("t", None), tuple(Right), NOW),
        "u": keys.create(("t", "u"), (Right.READ, Right.WRITE), NOW),
        "reader": keys.create(("t", None), (Right.READ,), NOW),
        "rival": keys.create(("rival", None), tuple(Right), NOW),
        "gone": keys.create(("t", None), tuple(Right), NOW),
    }
    texts = {name: text for name, (_, text) in made.items()}
    with served(panel_app(home)) as url:
        yield SimpleNamespace(url=url, keys=keys, ids={n: k.key_id for n, (k, _) in made.items()}, texts=texts)


@pytest.fixture
def enter(locked: SimpleNamespace) -> Iterator[Enter]:
    """Makes clients as browsers are, signed in with a key."""
    made: list[httpx.Client] = []

    def _enter(name: str | None) -> httpx.Client:
        client = httpx.Client(base_url=locked.url, headers={"Accept": "text/html"}, timeout=60)
        made.append(client)
        if name is not None:
            answer = client.post("/panel/sign-in", data={"key": locked.texts[name]})
            assert answer.status_code == 303, answer.text
        return client

    yield _enter
    for client in made:
        client.close()


def acts(memory_id: str) -> list[str]:
    names = ("edit", "forget", "pin", "unpin", "suppress", "undo")
    return [link("memories"), *(link(f"memories/{memory_id}/{name}") for name in names)]


def test_every_route_has_its_right() -> None:
    routes = [route for part in PARTS for route in part.router.routes]
    assert len(routes) > 20
    for route in routes:
        path = getattr(route, "path", "").replace("{memory_id}", "mem_1")
        for method in getattr(route, "methods", ()):
            assert path in OPEN or right_for(method, path) is not None, (method, path)


def test_nobody_gets_in_without_a_key(enter: Enter, locked: SimpleNamespace, home: Home) -> None:
    browser = enter(None)
    for path in every_page(home).values():
        answer = browser.get(path)
        assert answer.status_code == 303 and answer.headers["location"].startswith("/panel/sign-in"), path
        assert browser.get(path, headers={"Accept": "*/*"}).status_code == 401
    for path in acts("mem_hostile"):
        assert browser.post(path, data=WHO).status_code == 303
    wrong = browser.post("/panel/sign-in", data={"key": locked.texts["all"] + "x"})
    assert wrong.status_code == 401 and "set-cookie" not in wrong.headers and "revoked" in wrong.text
    browser.cookies.set(COOKIE, "made-up", path="/panel")
    assert browser.get("/panel").status_code == 303


def test_a_session_takes_the_place_of_the_key(enter: Enter, locked: SimpleNamespace) -> None:
    browser = enter(None)
    page = browser.get("/panel/sign-in", params={"then": "/panel/runs"})
    assert 'value="/panel/runs"' in page.text
    answer = browser.post("/panel/sign-in", data={"key": f" {locked.texts['gone']} ", "then": "/panel/runs"})
    assert answer.headers["location"] == "/panel/runs"
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/panel")), cookie
    assert locked.texts["gone"].split("_")[2] not in cookie
    assert browser.get("/panel/runs").status_code == 200
    token = browser.cookies[COOKIE]
    assert httpx.get(f"{locked.url}/v1/users", cookies={COOKIE: token}).status_code == 401, "counts for the panel alone"
    assert browser.post("/panel/sign-out").status_code == 303
    again = {"Accept": "text/html", "Cookie": f"{COOKIE}={token}"}
    assert httpx.get(f"{locked.url}/panel", headers=again).status_code == 303, "the old token is worth nothing"
    second = enter("gone")
    locked.keys.revoke(locked.ids["gone"])
    assert second.get("/panel").status_code == 303, "and no session outlives its key"


@pytest.mark.parametrize("then", ["https://evil.example", "//evil.example", "/panel//\\evil", "/v1/users", "/panelx"])
def test_signing_in_leads_nowhere_else(enter: Enter, locked: SimpleNamespace, then: str) -> None:
    answer = enter(None).post("/panel/sign-in", data={"key": locked.texts["all"], "then": then})
    assert answer.headers["location"] in (
        "/panel",
        then if then.startswith("/panel/") and "\\" not in then else "/panel",
    )


def test_a_session_ends_by_itself() -> None:
    now = [0.0]
    sessions = Sessions(60, lambda: now[0])
    token = sessions.begin("k")
    assert sessions.key_of(token) == "k" and sessions.key_of(token + "x") is None and sessions.key_of(None) is None
    assert sessions.sent(token, sessions.form_token(token)) and not sessions.sent(None, sessions.form_token(token))
    now[0] = 60.0
    assert sessions.key_of(token) is None


def test_nobody_sees_another_tenant(enter: Enter, home: Home) -> None:
    browser = enter("rival")
    for page in (link("user", **RIVAL), link("gate")):
        assert "Bluebird" in browser.get(page).text, page
    for name, path in every_page(home).items():
        if name not in ("users", "runs"):
            assert browser.get(path).status_code == 403, path
    assert browser.get(link(tenant_id="t")).status_code == 403
    for path in ("memories/mem_hostile", "conversation?session_id=hostile", "user"):
        given = f"{'&' if '?' in path else '?'}tenant_id=rival&user_id=u"
        answer = browser.get(f"/panel/{path}{given}")
        assert answer.status_code == 404 and "owned" not in answer.text, path
    mine = enter("all")
    for path in (link(), link("gate"), link("runs"), link("gate", reason="add")):
        assert "Bluebird" not in mine.get(path).text and "rival" not in mine.get(path).text, path


def test_a_users_key_sees_that_user(enter: Enter, home: Home) -> None:
    browser = enter("u")
    assert browser.get("/panel").headers["location"] == link("user", **WHO)
    assert browser.get(link("user")).status_code == 200, "whose it is need not be said"
    assert browser.get(link("runs")).status_code == 403, "figures of the whole home are an administrator's"
    for page in ("user", "timeline", "conversations", "prompt", "gate", "memories/mem_v"):
        assert browser.get(link(page, **OTHER)).status_code == 403, page
    assert browser.get(link("memories/mem_v", **WHO)).status_code == 404
    assert "stamps" not in browser.get(link("gate")).text
    token = form_token(browser.get(every_page(home)["memory"]))
    for path in acts("mem_v"):
        given = {"form_token": token, "content": "Collects coins.", **OTHER}
        assert browser.post(path, data=given).status_code == 403, path
        if path != link("memories"):
            assert browser.post(path, data={**given, **WHO}).status_code == 404, path


def test_a_key_that_reads_changes_nothing(enter: Enter, home: Home) -> None:
    browser = enter("reader")
    pages = every_page(home)
    assert browser.get(pages["runs"]).status_code == 403
    for name in ("user", "memory"):
        text = browser.get(pages[name]).text
        assert "Read only" in text and "Forget" not in text and 'name="content"' not in text
    token = form_token(browser.get(pages["prompt"]))
    for path in acts("mem_hostile"):
        assert browser.post(path, data={"form_token": token, "content": "x", **WHO}).status_code == 403, path
    tried = browser.post(link("prompt"), data={"form_token": token, "message": "Who lives in Porto?", **WHO})
    assert PORTO in tried.text and "In the prompt" in tried.text


def test_only_forms_of_the_own_session_are_taken(enter: Enter, home: Home) -> None:
    browser, another = enter("all"), enter("all")
    pages = every_page(home)
    own, foreign = form_token(browser.get(pages["memory"])), form_token(another.get(pages["memory"]))
    assert own != foreign
    for path in (*acts("mem_hostile"), link("prompt")):
        for token in ("", "x", foreign):
            given = {**WHO, "content": "Lives in Rome.", "message": "hi", "form_token": token}
            assert browser.post(path, data=given).status_code == 403, (path, token)
        mine = {**WHO, "content": "", "message": "hi", "form_token": own}
        elsewhere = {"Origin": "https://evil.example"}
        assert browser.post(path, data=mine, headers=elsewhere).status_code == 403, path
        assert browser.post(path, json=mine).status_code == 415, path
    signing = browser.post("/panel/sign-in", data={"key": "x"}, headers={"Origin": "https://evil.example"})
    assert signing.status_code == 403


def test_without_keys_it_is_this_machine_alone(open_url: str, home: Home) -> None:
    host = open_url.removeprefix("http://")
    with httpx.Client(base_url=open_url, headers={"Accept": "text/html"}, timeout=60) as client:
        page = client.get(every_page(home)["memory"])
        assert page.status_code == 200 and "Sign out" not in page.text
        assert client.get("/panel/sign-in").headers["location"] == "/panel"
        assert client.get("/panel", headers={"Host": "rebound.example"}).status_code == 403
        assert client.get("/panel", headers={"Origin": "http://evil.example"}).status_code == 403
        given = {"form_token": form_token(page), "message": "Where do I live?", **WHO}
        own = {"Origin": f"http://{host}"}
        assert client.post(link("prompt"), data=given, headers=own).status_code == 200
        for origin in ("http://evil.example", "null", f"https://{host}", "http://127.0.0.1:1"):
            assert client.post(link("prompt"), data=given, headers={"Origin": origin}).status_code == 403, origin
            assert client.get("/v1/users", headers={"Origin": origin}).status_code == 403, origin
        assert client.get("/v1/users", headers=own).status_code == 200, "the page that describes the routes tries them"


def test_the_page_of_runs_leads_to_dagster_where_that_is(open_url: str, locked: SimpleNamespace) -> None:
    assert 'href="https://dagster.example/asset-groups"' in httpx.get(f"{open_url}/panel/runs", timeout=60).text
    there = httpx.get(
        f"{locked.url}/panel/runs", headers={"Authorization": f"Bearer {locked.texts['all']}"}, timeout=60
    )
    assert there.status_code == 200 and "Open Dagster" not in there.text


def test_every_page_has_strict_headers_and_escapes_what_users_say(open_url: str, home: Home) -> None:
    pages = every_page(home) | {
        "hostile memory": link("memories/mem_hostile", **WHO),
        "hostile turn": link("conversation", session_id="hostile", **WHO),
        "hostile search": link("user", q=HOSTILE, **WHO),
        "hostile name": link("user", tenant_id="t", user_id=HOSTILE),
        "hostile arguments": link("user", state=HOSTILE, order=HOSTILE, type=HOSTILE, **WHO),
        "style": "/panel/static/panel.css",
    }
    with httpx.Client(base_url=open_url, headers={"Accept": "text/html"}, timeout=60) as client:
        for name, path in pages.items():
            answer = client.get(path)
            assert answer.status_code == (404 if name == "hostile name" else 200), (name, answer.text[:300])
            for header, value in HEADERS.items():
                if header != "Cache-Control":
                    assert answer.headers[header] == value, (name, header)
            assert "<script>document" not in answer.text, name
        assert (
            escape(HOSTILE).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
            in client.get(pages["hostile memory"]).text
        )
        assert "unsafe" not in HEADERS["Content-Security-Policy"] and "data:" not in HEADERS["Content-Security-Policy"]


def test_what_the_pages_say(open_url: str, home: Home) -> None:
    pages = every_page(home)
    with httpx.Client(base_url=open_url, timeout=60) as client:

        def says(name: str, *texts: str) -> None:
            page = client.get(pages[name]).text
            assert [text for text in texts if text not in page] == [], (name, page)

        says("users", ">u<", ">v<", ">w<", "rival")
        says("user", PORTO, "Needs to call the dentist.", "due 2026", "in 2 days")
        says(
            "memory",
            f"<mark>{LISBON}</mark>",
            "Replaced by",
            PORTO,
            "grounding",
            "The chain of this fact",
            "rules, all met",
        )
        for path in (link("memories/mem_card", **WHO), link("conversation", session_id="card", **WHO)):
            assert "4242" not in client.get(path).text and "withheld" in client.get(path).text, "secrets are masked"
        says("months", "Moved from Lisbon to Porto.", "Weeks of this month")
        says("days", "Moved to Porto.", "What changed that night", "Replaced")
        says("conversations", "turns", "proposals kept")
        says("conversation", LISBON, "became a new memory")
        says("gate", "The extractor was not sure enough".lower(), "Turned away", "Perhaps likes cats.")
        says("reason", "Perhaps likes cats.", "the threshold is 0.4")
        says("runs", "Proposals by day", "<svg", "Latest runs")
        found = client.get(link("user", q="PORTO", part="list", **WHO)).text
        assert PORTO in found and "green tea" not in found and "<html" not in found
        assert LISBON in client.get(link("user", state="superseded", **WHO)).text
        assert LISBON not in client.get(link("user", q="LISBON", **WHO)).text
        assert PORTO in client.get(link("user", since="2026-03-30", until="2026-03-30", **WHO)).text
        assert client.get(link("user", since="soon", **WHO)).status_code == 422
        before = client.get(link("timeline", grain="day", end="2026-03-15", **WHO)).text
        assert "10 March 2026" in before and "Moved to Porto." not in before
        assert client.get(link("timeline", start="soon", **WHO)).status_code == 422
        assert client.get(link("gate", span="365", **WHO)).status_code == 200


def test_what_cannot_be_done_is_said_on_the_page(open_url: str, home: Home) -> None:
    with httpx.Client(base_url=open_url, timeout=60) as client:
        page = client.get(every_page(home)["memory"])
        given: dict[str, Any] = {"form_token": form_token(page), **WHO}
        undone = client.post(link("memories/mem_hostile/undo"), data=given)
        assert undone.status_code == 422 and "nothing to undo" in undone.text and "owned" in undone.text
        assert client.post(link("memories"), data={**given, "content": " "}).status_code == 422
        assert client.get("/panel/memories/mem_none", params=WHO).status_code == 404


def test_package_data(open_url: str) -> None:
    root = Path(__file__).parents[2] / "memory_pipeline" / "serving" / "panel"
    with httpx.Client(base_url=open_url) as client:
        for file in sorted((root / "static").iterdir()):
            answer = client.get(f"/panel/static/{file.name}")
            assert answer.status_code == 200 and answer.content == file.read_bytes()
