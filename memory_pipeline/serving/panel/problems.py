"""What a person sees of a request that is refused or fails: a page, or the way to the sign-in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from memory_pipeline.errors import MemoryPipelineError
from memory_pipeline.serving.access import PANEL, is_panel
from memory_pipeline.serving.panel.pages import go, html, link
from memory_pipeline.serving.problems import detail_of, of_error, status_of


def refusal(scope: Scope, error: MemoryPipelineError) -> Response:
    """The answer to a request that access control does not let in: to a browser that opens the panel a page."""
    if not is_panel(scope["path"]) or "text/html" not in Headers(scope=scope).get("accept", ""):
        return of_error(error)
    if status_of(error) == HTTPStatus.UNAUTHORIZED and Headers(scope=scope).get("authorization") is None:
        query = scope["query_string"].decode("latin-1")
        back = scope["path"] + (f"?{query}" if query else "")
        return go(link("sign-in", then=back if scope["method"] == "GET" and back != PANEL else None))
    return problem_page(error)


def problem_page(error: MemoryPipelineError) -> Response:
    """A page that says what is wrong."""
    status = status_of(error)
    return html("problem.html", status, title=HTTPStatus(status).phrase, detail=detail_of(error))


class PanelRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except MemoryPipelineError as error:
                return problem_page(error)
            except RequestValidationError:
                detail = "the address is not one that a page of the panel links to"
                return html("problem.html", 422, title=HTTPStatus(422).phrase, detail=detail)

        return handled
