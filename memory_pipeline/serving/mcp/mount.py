"""``/mcp`` in the server. Every call of a tool is a request to the server's own routes with the key of whoever asks, so
that the one access check decides on it, counts it and records it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from httpx import ASGITransport
from mcp.server.mcpserver import Context
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route

from memory_pipeline.sdk.memory import Memory
from memory_pipeline.sdk.remote import Remote
from memory_pipeline.serving.access import Caller, caller
from memory_pipeline.serving.mcp.reach import Reached
from memory_pipeline.serving.mcp.server import build

PATH = "/mcp"
_HERE = "http://127.0.0.1"
_TIMEOUT_S = 60.0


def mount(app: FastAPI) -> AbstractAsyncContextManager[None]:
    """Serve the protocol with an application, for as long as the context that is returned is open."""
    transport = ASGITransport(app=app)

    @asynccontextmanager
    async def reach(ctx: Context[Any, Any]) -> AsyncIterator[Reached]:
        request = ctx.request_context.request
        assert isinstance(request, Request)
        asking: Caller = await caller(request)
        key = request.headers.get("authorization")
        way = Remote(_HERE, {"Authorization": key} if key else {}, _TIMEOUT_S, transport)
        async with Memory(way) as memory:
            yield Reached(memory, asking.grant.user_id)

    server = build(reach)
    # No session is kept: each request shows its key. Whoever may ask was found out before: Host and Origin too.
    anybody = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(stateless_http=True, json_response=True, transport_security=anybody)
    app.router.routes.append(Route(PATH, endpoint=StreamableHTTPASGIApp(server.session_manager)))
    return server.session_manager.run()
