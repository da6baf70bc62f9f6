"""A small home behind the panel: a user with a history, a hostile text, other users; and a server in a thread."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation
from memory_pipeline.serving.app import create_app
from memory_pipeline.serving.panel.pages import link
from memory_pipeline_tests.factories import NOON, proposal, residence
from memory_pipeline_tests.stages.curated import Home, at
from memory_pipeline_tests.store import Store

HOSTILE = "<script>document.title='owned'</script> \"quoted\" & 'single' \u202egnihtyna"
SECRET = "Rivals' plan is called Bluebird."
CARD = "Yes, I have paid with 4242 4242 4242 4242."
WHO = {"tenant_id": "t", "user_id": "u"}
LISBON, PORTO = "Lives in Lisbon.", "Lives in Porto."


def panel_home(folder: Path) -> Home:
    """User u of tenant t, who moved; v of the same tenant; and w of another one."""
    home = Home(folder)
    tea = proposal("Likes green tea.", at(1), type=MemoryType.PREFERENCE, attribute="likes", value="green tea")
    unsure = proposal("Perhaps likes cats.", at(2), confidence=0.1)
    moved = residence("Porto", at(20), operation=Operation.UPDATE)
    due = proposal("Needs to call the dentist.", at(21), type=MemoryType.OPEN_LOOP, due_at=home.now + timedelta(days=2))
    rival = proposal(SECRET, at(3), tenant_id="rival", user_id="w")
    home.say(residence("Lisbon", at(0)), tea, unsure, moved, due)
    home.say(rival)
    store = Store(folder, encoder=home.encoder, user_id="u", tenant_id="t")
    store.message(HOSTILE, session_id="hostile", message_id="m-hostile")
    store.memory(HOSTILE, memory_id="mem_hostile", session_id="hostile", evidence=("m-hostile",))
    store.message(CARD, session_id="card", message_id="m-card")
    store.memory("Has paid.", memory_id="mem_card", session_id="card", evidence=(Evidence("m-card", CARD),))
    store.summary("Moved to Porto.", at(20).date())
    store.summary("Moved from Lisbon to Porto.", NOON.date().replace(day=1), Grain.MONTH)
    store.of("v", "t").memory("Collects stamps.", memory_id="mem_v")
    return home


def panel_app(home: Home, **given: Any) -> FastAPI:
    """The server's application over a home whose vectors are words."""
    app = create_app(home.settings.model_copy(update=given), work=False)
    app.state.service.reader, app.state.service.curator = home.reader, home.curator
    return app


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of an application that is served for a while."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has not started"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def every_page(home: Home) -> dict[str, str]:
    """Each kind of page by its name."""
    lisbon = home.id(LISBON)
    return {
        "users": link(),
        "user": link("user", **WHO),
        "memory": link(f"memories/{lisbon}", **WHO),
        "months": link("timeline", **WHO),
        "days": link("timeline", grain="day", **WHO),
        "conversations": link("conversations", **WHO),
        "conversation": link("conversation", session_id="s", **WHO),
        "prompt": link("prompt", **WHO),
        "gate": link("gate", **WHO),
        "reason": link("gate", reason="confidence", **WHO),
        "runs": link("runs"),
    }


def form_token(page: httpx.Response) -> str:
    """What the forms of a page carry."""
    found = re.search(r'name="form_token" value="([^"]+)"', page.text)
    assert found is not None, page.text[:500]
    return unescape(found[1])
