"""Whose memory a request of the protocol is about, and how it is reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from memory_pipeline.errors import MemoryPipelineError
from memory_pipeline.sdk.memory import Memory


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory, and the user that whoever asks is bound to.

    Attributes:
        tenant_id: None = the key's own.
    """

    memory: Memory
    user_id: str | None = None
    tenant_id: str | None = None


Reach = Callable[[Context[Any, Any]], AbstractAsyncContextManager[Reached]]
"""Finds the memory of a request."""


@asynccontextmanager
async def about(reach: Reach, ctx: Context[Any, Any], user_id: str | None) -> AsyncIterator[tuple[Memory, Any]]:
    """The memory of a request, and whom the request is about, as the calls of the SDK take it.

    Raises:
        ToolError: what went wrong, in one sentence for the model that asks.
    """
    try:
        async with reach(ctx) as found:
            named = user_id or found.user_id
            if not named:
                raise ToolError("user_id is missing: name the user whom the request is about")
            yield found.memory, {"user_id": named, "tenant_id": found.tenant_id}
    except MemoryPipelineError as error:
        raise ToolError(str(error)) from error


def one_memory(memory: Memory, user_id: str | None, tenant_id: str | None) -> Reach:
    """One memory for all requests, as over stdio: whoever starts the process is who asks."""
    found = Reached(memory, user_id, tenant_id)

    @asynccontextmanager
    async def reach(_: Context[Any, Any]) -> AsyncIterator[Reached]:
        yield found

    return reach
