"""The one place where requests are let in: key, right, tenant and user, and the record of who was.

A middleware looks at every request before any route does: what is not listed in ``RIGHTS`` is not there. A route
gets to know whom a request is about from :meth:`Caller.scope` alone, which refuses what the key does not reach.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Annotated

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import MemoryPipelineError
from memory_pipeline.serving import api_page
from memory_pipeline.serving.keys import EVERYBODY, Grant, Keys, Right
from memory_pipeline.serving.limits import Rates
from memory_pipeline.serving.metrics import Metrics
from memory_pipeline.serving.problems import Refused
from memory_pipeline.serving.sessions import Sessions, session_of
from memory_pipeline.storage.logs.access_log import Access, AccessLog

PANEL = "/panel"
_STYLE = frozenset(f"{PANEL}/static/{name}" for name in ("panel.css", "panel.js", "icon.svg"))
OPEN = frozenset(
    {"/healthz", "/readyz", "/openapi.json", *api_page.PATHS} | {*_STYLE, f"{PANEL}/sign-in", f"{PANEL}/sign-out"}
)
"""Paths that say nothing of anybody."""
RIGHTS = tuple(
    (frozenset(methods.split()), re.compile(path), right)
    for methods, path, right in (
        ("POST", r"/v1/(?:search|context|payload|ask|say)", Right.READ),
        ("GET", r"/v1/(?:memories(?:/[^/]+(?:/history)?)?|profile|timeline|users)", Right.READ),
        ("POST", r"/v1/(?:messages|memories|feedback|undo|sessions/[^/]+/end)", Right.WRITE),
        ("PATCH DELETE", r"/v1/memories/[^/]+", Right.WRITE),
        ("POST", r"/v1/memories/[^/]+/(?:pin|unpin|suppress|undo|classify)", Right.WRITE),
        ("POST", r"/v1/erasures", Right.ERASE),
        ("GET", r"/v1/erasures/[^/]+", Right.ERASE),
        ("GET", r"/metrics", Right.ADMIN),
        ("GET POST DELETE", r"/mcp", Right.READ),  # its tools are requests of their own
        ("GET", r"/panel(?:/(?:user|memories/[^/]+|timeline|conversations|conversation|prompt|gate))?", Right.READ),
        ("POST", r"/panel/prompt", Right.READ),
        ("POST", r"/panel/memories(?:/[^/]+/(?:edit|forget|pin|unpin|suppress|undo))?", Right.WRITE),
        ("GET", r"/panel/runs", Right.ADMIN),
    )
)
"""What a key needs: methods, path, right."""
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_log = logging.getLogger(__name__)
_CALLER = "memory_pipeline.caller"


def right_for(method: str, path: str) -> Right | None:
    """What a key needs for a request; None where there is nothing of the kind."""
    return next((right for methods, form, right in RIGHTS if method in methods and form.fullmatch(path)), None)


def is_loopback(host: str) -> bool:
    """Whether an address is the machine's own and nobody else's."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_panel(path: str) -> bool:
    """Whether a path is one of the panel's pages."""
    return path == PANEL or path.startswith(f"{PANEL}/")


def same_origin(scope: Connection) -> bool:
    """Whether no page of another address sent a request, as far as the browser says."""
    headers = Headers(scope=scope)
    return headers.get("origin") in (None, f"{scope.get('scheme', 'http')}://{headers.get('host', '')}")


class Caller:
    """Who asks, and whom the request turned out to be about."""

    def __init__(self, grant: Grant) -> None:
        self.grant = grant
        self.about: tuple[str, str | None] | None = None

    def tenant(self, named: str | None) -> str:
        """The tenant of a request.

        Raises:
            Refused: the key is another tenant's.
        """
        found = self.grant.tenant(named)
        if found is None:
            raise Refused("this key is bound to another tenant", 403)
        self.about = (found, None)
        return found

    def scope(self, user_id: str | None, tenant_id: str | None) -> Scope:
        """Whom a request is about.

        Raises:
            Refused: the key does not reach so far, or nobody is named.
        """
        tenant = self.tenant(tenant_id)
        found = self.grant.user(user_id)
        if found is None or not found.strip():
            if self.grant.user_id is not None:
                raise Refused("this key is bound to another user", 403)
            raise Refused("user_id is missing: name the user whom the request is about", 422)
        self.about = (tenant, found)
        return Scope(tenant, found)

    def unnamed(self, pseudonym: Callable[[Scope], str]) -> None:
        """Have the record of the request not name the user: it is about an erasure, and stays when that is done."""
        if self.about is not None and self.about[1] is not None:
            tenant, user = self.about
            self.about = (tenant, pseudonym(Scope(tenant, user or "")))


async def caller(request: Request) -> Caller:
    """Who asks, for routes."""
    found: Caller = request.scope[_CALLER]
    return found


Asking = Annotated[Caller, Depends(caller)]


class AccessControl:
    """Lets requests in, or refuses them; counts and records what was answered.

    Args:
        sessions: of browsers that have signed in; they count under ``/panel`` alone.
        refusal: the answer to a request that is not let in.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Keys,
        rates: Rates,
        log: AccessLog,
        metrics: Metrics,
        sessions: Sessions,
        refusal: Callable[[Connection, MemoryPipelineError], Response],
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._refusal = refusal
        self._keys = keys
        self._rates = rates
        self._log = log
        self._metrics = metrics

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self._admit(scope)
        except MemoryPipelineError as error:
            await self._refusal(scope, error)(scope, receive, seen)
        else:
            await self._app(scope, receive, seen)
        finally:
            await self._record(scope, status, time.perf_counter() - began)

    def _admit(self, scope: Connection) -> None:
        """Find out who asks.

        Raises:
            Refused: nobody who may.
        """
        if scope["path"] in OPEN:
            if scope["method"] == "POST":  # somebody signs in
                self._rates.take(None)
            return
        headers = Headers(scope=scope)
        grant = self._grant(scope, headers)
        scope[_CALLER] = Caller(grant)
        self._rates.take(grant.key_id)
        right = right_for(scope["method"], scope["path"])
        if right is None:
            raise Refused("there is nothing here, or not by this method: /docs shows what there is", 404)
        if not grant.may(right):
            raise Refused(f"this key has not the scope {right!s} that the request needs", 403)

    def _grant(self, scope: Connection, headers: Headers) -> Grant:
        kind, _, text = headers.get("authorization", "").partition(" ")
        if not self._keys:
            return _without_keys(scope, headers)
        now = datetime.now(UTC)
        signed_in = self._sessions.key_of(session_of(scope)) if is_panel(scope["path"]) else None
        if signed_in is not None and not text:
            key = self._keys.holding(signed_in, now)
        elif kind.lower() != "bearer" or not text.strip():
            raise Refused("a key is needed: Authorization: Bearer mp_…", 401, {"WWW-Authenticate": "Bearer"})
        else:
            key = self._keys.find(text.strip(), now)
        if key is None:
            challenge = 'Bearer error="invalid_token"'
            raise Refused("this key is unknown, was revoked or has expired", 401, {"WWW-Authenticate": challenge})
        return Grant.of(key)

    async def _record(self, scope: Connection, status: int, seconds: float) -> None:
        path = getattr(scope.get("route"), "path", None)
        route = path or ("none" if scope["path"] not in OPEN else scope["path"])
        self._metrics.answered(scope["method"] if path else "any", route, status, seconds)
        asked: Caller | None = scope.get(_CALLER)
        if asked is None or path is None:
            return
        tenant_id, user_id = asked.about or (asked.grant.tenant_id, asked.grant.user_id)
        params = scope.get("path_params") or {}
        entry = Access(
            at=datetime.now(UTC),
            key_id=asked.grant.key_id,
            tenant_id=tenant_id,
            user_id=user_id,
            method=scope["method"],
            route=route,
            item=params.get("memory_id") or params.get("erasure_id"),
            status=status,
            ms=seconds * 1000,
        )
        try:
            await run_in_threadpool(self._log.write, entry)
        except MemoryPipelineError as error:  # the answer has been given
            _log.error("%s", error)


def _without_keys(scope: Connection, headers: Headers) -> Grant:
    """Everybody on this machine, but no page of the web that a browser on it happens to show.

    Raises:
        Refused: the request came from elsewhere.
    """
    client = scope.get("client")
    host = headers.get("host", "")
    name = host.rsplit(":", 1)[0].strip("[]") if not host.endswith("]") else host.strip("[]")
    if client is None or not is_loopback(client[0]):
        raise Refused("this server has no keys, and answers its own machine alone", 401)
    own = same_origin(scope)  # the panel's pages, and the one that describes the routes
    if name not in _LOCAL_NAMES or (headers.get("origin") is not None and not own):
        raise Refused("this server has no keys, and answers no request of a web page", 403)
    return EVERYBODY
