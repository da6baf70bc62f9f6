"""The panel's style, script and icon."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.pages import HEADERS

router = APIRouter()
_KINDS = {"panel.css": "text/css", "panel.js": "text/javascript", "icon.svg": "image/svg+xml"}


@cache
def _file(name: str) -> bytes:
    return files("memory_pipeline.serving.panel").joinpath("static", name).read_bytes()


@router.get(f"{PANEL}/static/panel.css")
async def style() -> Response:
    """How pages look."""
    return _answer("panel.css")


@router.get(f"{PANEL}/static/panel.js")
async def script() -> Response:
    """What pages do beyond links and forms."""
    return _answer("panel.js")


@router.get(f"{PANEL}/static/icon.svg")
async def icon() -> Response:
    """The picture in a browser's tab."""
    return _answer("icon.svg")


def _answer(name: str) -> Response:
    kept = HEADERS | {"Cache-Control": "no-cache"}
    return Response(_file(name), headers=kept, media_type=_KINDS[name])
