"""The page that describes every route and lets a person try it: Swagger UI, from here and no other place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

PAGE = "/docs"
_PACKAGE = "fastapi_offline"  # carries Swagger UI's files
_FILES = {
    "swagger-ui.css": (_PACKAGE, "text/css"),
    "swagger-ui-bundle.js": (_PACKAGE, "text/javascript"),
    "start.js": (__name__, "text/javascript"),
}
PATHS = frozenset({PAGE, *(f"{PAGE}/{name}" for name in _FILES)})
"""Paths of the page and of what it loads; they say nothing of anybody."""
_HEADERS = {
    # Swagger UI draws its arrows from addresses that hold the picture.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

router = APIRouter(include_in_schema=False)


@cache
def _file(name: str) -> bytes:
    package, _ = _FILES[name]
    root = files(package)
    return (root.joinpath("static", name) if package == _PACKAGE else root.joinpath(name)).read_bytes()


@router.get(PAGE)
async def page() -> Response:
    """Every route, with its parameters and answers."""
    return HTMLResponse(files(__name__).joinpath("page.html").read_text(encoding="utf-8"), headers=_HEADERS)


@router.get(PAGE + "/{name}")
async def file(name: str) -> Response:
    """What the page loads."""
    if name not in _FILES:
        return Response(status_code=404)
    return Response(_file(name), headers=_HEADERS, media_type=_FILES[name][1])
