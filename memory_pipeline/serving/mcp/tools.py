"""The tools. Each is a call of the SDK; what it may do is decided where that call is let in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from memory_pipeline.serving.mcp.reach import Reach, about
from memory_pipeline.serving.mcp.shapes import (
    AnswerOutput,
    Block,
    Explanation,
    Items,
    Memories,
    MessagesOutput,
    Profile,
    Remembered,
    Turn,
)

Asking = Context[Any, Any]
User = Annotated[str | None, Field(description="Whom it is about; may be left out where only one user is reached.")]
Id = Annotated[str, Field(description="memory_id, as search_memories and list_memories give it.")]
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
_STATES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class Tools:
    """The tools, on whatever memory a request reaches."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def add_messages(
        self,
        messages: Annotated[list[Turn], Field(min_length=1)],
        session_id: Annotated[str, Field(description="The conversation that they belong to.")],
        ctx: Asking,
        user_id: User = None,
    ) -> MessagesOutput:
        """Keep turns of a conversation. What they state becomes memories when the conversation rests. A turn with a
        message_id counts once, however often it is sent."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            rows = [turn.model_dump(exclude_none=True) for turn in messages]
            return MessagesOutput.model_validate(await memory.aadd(rows, **whom, session_id=session_id))

    async def search_memories(
        self,
        query: str,
        ctx: Asking,
        k: Annotated[int, Field(ge=1, le=50, description="Items at most.")] = 10,
        user_id: User = None,
    ) -> Items:
        """What is remembered for a query, best first: memories, and the user's own turns."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return Items(items=await memory.asearch(query, **whom, k=k))  # type: ignore[arg-type]

    async def get_context(
        self,
        message: Annotated[str, Field(description="The user's turn, as it was written.")],
        ctx: Asking,
        session_id: str | None = None,
        budget: Annotated[int | None, Field(ge=1, le=100_000, description="Tokens at most.")] = None,
        user_id: User = None,
    ) -> Block:
        """The block of memory for the prompt of a turn: who the user is, what matters for it, what must not be brought
        up. Ask for it before replying to the user."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            found = await memory.acontext(message, **whom, session_id=session_id, budget=budget)
            return Block.model_validate(found)

    async def ask_memory(self, question: str, ctx: Asking, user_id: User = None) -> AnswerOutput:
        """An answer from memory alone, with the messages that it rests on, or an honest "not known"."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return AnswerOutput.model_validate(await memory.aask(question, **whom))

    async def list_memories(
        self,
        ctx: Asking,
        status: Annotated[
            str | None, Field(description="active, stale, archived, superseded, contradicted, closed; null = all")
        ] = "active",
        type: Annotated[str | None, Field(description="Such as preference or open_loop.")] = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        offset: Annotated[int, Field(ge=0)] = 0,
        user_id: User = None,
    ) -> Memories:
        """What is remembered, oldest first."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            found = await memory.amemories(**whom, status=status, type=type)
            shown = [Remembered.model_validate(record) for record in found[offset : offset + limit]]
            return Memories(items=shown, total=len(found))

    async def remember(
        self,
        content: Annotated[str, Field(description="One sentence, in the user's words.")],
        ctx: Asking,
        pinned: Annotated[bool, Field(description="Keep it in every prompt.")] = False,
        due_at: Annotated[str | None, Field(description="Of something that is still to do: ISO 8601.")] = None,
        user_id: User = None,
    ) -> Remembered:
        """Remember what the user asks to be remembered; effective at once."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return Remembered.model_validate(await memory.aremember(content, **whom, pinned=pinned, due_at=due_at))

    async def update_memory(self, memory_id: Id, content: str, ctx: Asking, user_id: User = None) -> Remembered:
        """Put a memory in other words, as the user has corrected it. What it said before is never shown again."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return Remembered.model_validate(await memory.aupdate(memory_id, content, **whom))

    async def forget_memory(self, memory_id: Id, ctx: Asking, user_id: User = None) -> Remembered:
        """Never show a memory again, nor what was said of it, as the user has asked."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return Remembered.model_validate(await memory.aforget(memory_id, **whom))

    async def explain_memory(self, memory_id: Id, ctx: Asking, user_id: User = None) -> Explanation:
        """Where a memory came from: its versions, the verdict, and the messages with the quoted words."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return Explanation.model_validate(await memory.ahistory(memory_id, **whom))

    async def get_profile(self, ctx: Asking, user_id: User = None) -> Profile:
        """Who the user is, in a few lines."""
        async with about(self._reach, ctx, user_id) as (memory, whom):
            return Profile.model_validate(await memory.aprofile(**whom))


def add_tools(server: MCPServer[Any], reach: Reach) -> None:
    """Give a server the tools."""
    tools = Tools(reach)
    listed: Sequence[tuple[ToolAnnotations, Sequence[Callable[..., Awaitable[Any]]]]] = (
        (_READS, (tools.get_context, tools.search_memories, tools.ask_memory, tools.list_memories)),
        (_READS, (tools.explain_memory, tools.get_profile)),
        (_ADDS, (tools.add_messages,)),
        (_STATES, (tools.remember,)),
        (_REPLACES, (tools.update_memory, tools.forget_memory)),
    )
    for hints, group in listed:
        for tool in group:
            server.add_tool(tool, annotations=hints)
