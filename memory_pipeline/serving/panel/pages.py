"""Templates as pages: what every page is given, and the headers that go with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from memory_pipeline.serving.access import PANEL, Asking, Caller
from memory_pipeline.serving.keys import Right
from memory_pipeline.serving.panel.wording import FILTERS, LABELS
from memory_pipeline.serving.service import Memories, Service
from memory_pipeline.serving.sessions import Sessions, session_of

if TYPE_CHECKING:
    from jinja2 import Environment

HEADERS = {
    # Scripts, styles and pictures from here alone, none of them inside a page; nobody frames a page or bends its links.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # a form's Origin would be null with none at all
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@cache
def environment() -> Environment:
    """The templates; every value in them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("memory_pipeline.serving.panel"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(FILTERS)
    found.globals.update(labels=LABELS, link=link)
    return found


def link(page: str = "", **given: str | int | None) -> str:
    """The address of a page with its arguments; those that are None or empty are left out."""
    path = f"{PANEL}/{quote(page)}" if page else PANEL
    query = urlencode({name: value for name, value in given.items() if value not in (None, "")})
    return f"{path}?{query}" if query else path


def html(template: str, status: int = 200, **values: Any) -> Response:
    """A page of a template."""
    return HTMLResponse(environment().get_template(template).render(**values), status, HEADERS)


def go(address: str) -> Response:
    """The way to another page, by GET."""
    return RedirectResponse(address, 303, HEADERS)


@dataclass(frozen=True, slots=True)
class View:
    """One request of the panel: who asks, and what pages are made with."""

    request: Request
    memories: Service
    caller: Caller

    @property
    def sessions(self) -> Sessions:
        """Of browsers that have signed in."""
        found: Sessions = self.request.app.state.sessions
        return found

    def about(self, user_id: str | None, tenant_id: str | None) -> dict[str, Any]:
        """Whom a page is about, as the Python calls take it.

        Raises:
            Refused: the key does not reach so far, or nobody is named.
        """
        scope = self.caller.scope(user_id, tenant_id)
        return {"user_id": scope.user_id, "tenant_id": scope.tenant_id}

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of a template. ``about`` among the values, if there is one, says whose pages stand beside it."""
        return html(template, status, **self._common(), **{"about": None, **values})

    def _common(self) -> Mapping[str, Any]:
        token = session_of(self.request.scope)
        grant = self.caller.grant
        return {
            "form_token": self.sessions.form_token(token),
            "signed_in": self.sessions.key_of(token) is not None,
            "bound": grant.user_id is not None,
            "may_write": grant.may(Right.WRITE),
            "may_see_runs": grant.may(Right.ADMIN),
        }


async def view(request: Request, memories: Memories, caller: Asking) -> View:
    """The request, for routes."""
    return View(request, memories, caller)


Viewing = Annotated[View, Depends(view)]


def pages_of(total: int, offset: int, size: int) -> dict[str, int | None]:
    """Where a page stands among others: ``first``, ``last`` (from 1), ``total``, and the offsets of its neighbours."""
    return {
        "first": min(offset + 1, total),
        "last": min(offset + size, total),
        "total": total,
        "before": max(offset - size, 0) if offset else None,
        "after": offset + size if offset + size < total else None,
    }


def chosen(value: str | None, known: Iterable[str], otherwise: str) -> str:
    """A value of a list, as a field of a form may have it; another one where it has none."""
    return value if value in [str(name) for name in known] else otherwise
