"""The panel in a real Chromium: every page, the user's own hand, the keyboard, a hostile text, 400 pixels."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from memory_pipeline.serving.panel.pages import link
from memory_pipeline_tests.serving.panel_home import (
    HOSTILE,
    LISBON,
    PORTO,
    WHO,
    every_page,
    panel_app,
    panel_home,
    served,
)
from memory_pipeline_tests.stages.curated import Home

pytest.importorskip("playwright", reason="playwright is not installed: the panel is not driven in a browser")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("chromium is not installed: the panel is not driven in a browser", allow_module_level=True)

# What a screen reader would say of each control, and what may be reached only by sight.
_UNNAMED = """() => [...document.querySelectorAll("input:not([type=hidden]), textarea, select, button, a")]
    .filter((e) => !(e.innerText || "").trim() && !e.labels?.length && !e.getAttribute("aria-label"))
    .map((e) => e.outerHTML)"""
_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return panel_home(tmp_path_factory.mktemp("browsed") / "home")


@pytest.fixture(scope="module")
def url(home: Home) -> Iterator[str]:
    with served(panel_app(home)) as found:
        yield found


@pytest.fixture(scope="module")
def browser(url: str) -> Iterator[Any]:
    """One for all pages, started when the home is made: from then on this thread's event loop is the browser's."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    """A page on which nothing may go wrong unseen: no script fails, no policy is broken, no request is refused."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900})
    opened, wrong = context.new_page(), []
    opened.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("requestfailed", lambda request: wrong.append(request.url) if "part=list" not in request.url else None)
    yield opened
    context.close()
    assert wrong == []


def test_the_page_of_the_routes_loads_nothing_from_elsewhere_and_tries_them(page: Any, url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/docs")
    page.locator("#operations-reads-search .opblock-summary-control").click()
    body = json.dumps({**WHO, "query": "Where do I live?"})
    page.locator("#operations-reads-search textarea").fill(body)
    page.locator("#operations-reads-search button.execute").click()
    status = page.locator("#operations-reads-search .live-responses-table tr.response .response-col_status")
    assert status.inner_text().startswith("200")
    assert {address for address in asked if not address.startswith((url, "data:"))} == set()


def test_every_page_at_every_width(page: Any, home: Home) -> None:
    for name, path in every_page(home).items():
        page.goto(path)
        assert page.locator("h1").count() == page.locator("main").count() == 1, name
        assert page.evaluate(_UNNAMED) == [], name
        page.set_viewport_size({"width": 400, "height": 860})
        assert page.evaluate(_WIDE) == 0, f"{name} is wider than 400 pixels"
        page.set_viewport_size({"width": 1280, "height": 900})


def test_edit_forget_undo(page: Any, home: Home) -> None:
    page.goto(link("user", **WHO))
    page.get_by_label("What to remember, in one sentence").fill("I play the harp.")
    page.get_by_role("button", name="Remember").click()
    assert page.get_by_role("status").inner_text() == "Remembered, in your words."
    said = page.locator("h1").inner_text()
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("In your words").fill("Plays the harp and the oboe.")
    page.get_by_role("button", name="Save").click()
    assert page.locator("h1").inner_text() == "Plays the harp and the oboe."
    assert f"was: {said}" in page.locator(".history").inner_text()
    page.get_by_role("button", name="Forget").click()
    assert "Forgotten" in page.get_by_role("status").inner_text()
    assert page.get_by_text("Edit", exact=True).count() == 0, "what is forgotten is not edited"
    assert "Plays the harp and the oboe." not in home.found("harp")
    for heading in ("Plays the harp and the oboe.", said):
        page.get_by_role("button", name="Undo last change").click()
        assert page.locator("h1").inner_text() == heading
    assert said in home.found("harp")
    page.get_by_role("button", name="Pin").click()
    page.get_by_role("button", name="Silence").click()
    assert "Pinned" in page.locator(".title").inner_text() and "never brought up" in page.locator(".title").inner_text()


def test_search_as_you_type_by_keyboard_alone(page: Any) -> None:
    page.goto(link("user", **WHO))
    page.keyboard.press("/")
    page.keyboard.type("LIVES porto")
    page.get_by_text("1 memory", exact=True).wait_for()
    assert page.locator("#memories .content").all_inner_texts() == [PORTO]
    assert re.search(r"q=LIVES\+porto", page.url), "the address can be kept"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories/**")
    assert page.locator("h1").inner_text() == PORTO
    page.go_back()
    assert page.get_by_role("searchbox").input_value() == "LIVES porto"
    page.get_by_label("State").select_option("superseded")
    page.get_by_role("searchbox").fill("")
    page.get_by_text(LISBON).wait_for()
    page.goto(link())
    page.keyboard.press("/")
    page.keyboard.type("V")
    assert page.locator(".person .name:visible").all_inner_texts() == ["v"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/user?**user_id=v")


def test_a_hostile_text_stays_text(page: Any) -> None:
    for path in (
        link("user", **WHO),
        link("memories/mem_hostile", **WHO),
        link("conversation", session_id="hostile", **WHO),
    ):
        page.goto(path)
        assert HOSTILE in page.locator("main").text_content(), path
        assert "owned" not in page.title().replace(HOSTILE, ""), path
        assert page.locator("main script").count() == 0, path
    page.goto(link("prompt", **WHO))
    page.get_by_label("Message").fill(HOSTILE)
    page.get_by_role("button", name="Try").click()
    assert page.get_by_label("Message").input_value() == HOSTILE


def test_a_sentence_leads_to_its_conversation(page: Any, home: Home) -> None:
    page.goto(link(f"memories/{home.id(LISBON)}", **WHO))
    assert page.locator("mark").first.inner_text() == LISBON
    page.get_by_role("link", name="in its conversation").first.click()
    assert LISBON in page.locator(".said:target").inner_text()
    page.locator(".said:target .came").get_by_role("link", name=LISBON).click()
    assert page.locator("h1").inner_text() == LISBON


def test_without_scripts_it_works_by_forms(browser: Any, url: str) -> None:
    context = browser.new_context(base_url=url, java_script_enabled=False)
    page = context.new_page()
    page.goto(link("user", **WHO))
    page.get_by_role("searchbox").fill("porto")
    page.get_by_role("searchbox").press("Enter")
    assert PORTO in page.locator("#memories").inner_text() and "green tea" not in page.locator("#memories").inner_text()
    context.close()
