"""Takes the pictures of the memory panel for ``docs/panel.md``: light, dark, and 400 pixels wide.

The home is that of ``memory-pipeline demo``, seen on the evening of its last day. Run it after a change of the panel:
``python docs/panel_pictures.py [HOME]``; without a home the demo is run first. It needs Chromium and ``playwright``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent / "panel"
WHO = {"tenant_id": "acme", "user_id": "alice"}
MESSAGE = "What could I cook for Rui and my sister tonight?"
FACT = "Lives in Berlin."
WIDE, NARROW = (1280, 860), (400, 860)
PICTURES = {
    "user": ("light", "dark", "narrow"),
    "memory": ("light", "dark", "narrow"),
    "conversation": ("narrow",),
    "prompt": ("light", "dark"),
    "runs": ("light", "dark"),
}


def demo_home(folder: str) -> str:
    """A fresh home with the sample."""
    environment = {**os.environ, "MEMORY_PIPELINE_HOME": folder, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "memory_pipeline.cli", "demo"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return str(Path(folder) / "demo")


@contextmanager
def served(home: str) -> Iterator[tuple[str, Any]]:
    """The panel of a home, as on the evening of its last day: its address, and its service."""
    import uvicorn

    from memory_pipeline.retrieval.reader import MemoryReader
    from memory_pipeline.serving.app import create_app
    from memory_pipeline.settings import Settings

    settings = Settings.load(home=home)
    app = create_app(settings, work=False)
    service = app.state.service
    (last,) = service.lake.sql("SELECT max(created_at) AS at FROM messages").to_pylist()
    evening: datetime = last["at"].replace(tzinfo=UTC)
    service.reader = MemoryReader(settings, clock=lambda: evening)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}", service
    finally:
        server.should_exit = True
        thread.join()


def take(home: str, out: Path) -> None:
    """Every picture of ``PICTURES``, as ``<page>-<kind>.png``."""
    from playwright.sync_api import sync_playwright

    with served(home) as (url, service), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        pages = _addresses(service)
        for kind, size in (("light", WIDE), ("dark", WIDE), ("narrow", NARROW)):
            scheme: Any = "dark" if kind == "dark" else "light"
            page = browser.new_page(
                viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=1
            )
            for name, kinds in PICTURES.items():
                if kind in kinds:
                    page.goto(url + pages[name])
                    if name == "prompt":
                        page.fill("#message", MESSAGE)
                        page.click("button.primary")
                    page.wait_for_load_state("networkidle")
                    page.screenshot(path=str(out / f"{name}-{kind}.png"))
            page.close()
        browser.close()


def _addresses(service: Any) -> dict[str, str]:
    from memory_pipeline.serving.panel.pages import link

    memory = next(m for m in service.reader.memories(**WHO) if m["content"] == FACT)
    session = service.reader.explain(memory["memory_id"], **WHO)["messages"][0]["session_id"]
    return {
        "user": link("user", **WHO),
        "memory": link(f"memories/{memory['memory_id']}", **WHO),
        "conversation": link("conversation", session_id=session, **WHO),
        "prompt": link("prompt", **WHO),
        "runs": link("runs"),
    }


def main() -> None:
    """Take the pictures of a home that is there, or of the demo's."""
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        take(sys.argv[1] if len(sys.argv) > 1 else demo_home(folder), OUT)


if __name__ == "__main__":
    main()
