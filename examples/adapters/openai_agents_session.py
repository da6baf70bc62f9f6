"""OpenAI Agents SDK: a session that remembers, and instructions that know the user.

memory = Memory.connect(url, key)
agent = Agent(name="Helper", instructions=instructions(memory, "ann", "Be brief."))
await Runner.run(agent, "What should I cook?", session=MemorySession(memory, "s-1", "ann"))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agents import Agent, RunContextWrapper, TResponseInputItem
from agents.memory.session import SessionABC

from memory_pipeline import Memory

_SPOKEN = ("user", "assistant")


class MemorySession(SessionABC):
    """The conversation of a session. Items are held here, and what was said in them is kept in the user's memory."""

    def __init__(self, memory: Memory, session_id: str, user_id: str, tenant_id: str | None = None) -> None:
        self.session_id = session_id
        self._memory = memory
        self._whom = {"user_id": user_id, "tenant_id": tenant_id}
        self._items: list[TResponseInputItem] | None = None

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        items = await self._held()
        return items[-limit:] if limit else list(items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        held = await self._held()
        rows = [{"role": item["role"], "content": text(item)} for item in items if item.get("role") in _SPOKEN]
        if said := [row for row in rows if row["content"]]:
            await self._memory.aadd(said, **self._whom, session_id=self.session_id)
        held.extend(items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item out of the conversation; in memory, what was said stays said."""
        items = await self._held()
        return items.pop() if items else None

    async def clear_session(self) -> None:
        """The session is over: what was said in it becomes memories."""
        self._items = []
        await self._memory.aend_session(self.session_id, **self._whom)

    async def _held(self) -> list[TResponseInputItem]:
        if self._items is None:
            prompt = await self._memory.apayload("(what was said)", **self._whom, session_id=self.session_id)
            self._items = [{"role": turn["role"], "content": turn["content"]} for turn in prompt.messages[1:-1]]
        return self._items


def text(item: Any) -> str:
    """What an item says."""
    content = item.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def instructions(
    memory: Memory, user_id: str, system: str = "", tenant_id: str | None = None
) -> Callable[[RunContextWrapper[Any], Agent[Any]], Awaitable[str]]:
    """Instructions of an agent with who the user is."""

    async def made(_: RunContextWrapper[Any], __: Agent[Any]) -> str:
        profile = await memory.aprofile(user_id=user_id, tenant_id=tenant_id)
        return f"{system}\n\n{profile.text}".strip()

    return made
