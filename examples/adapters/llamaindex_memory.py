"""LlamaIndex: the memory of an agent or a chat engine.

    agent.run("What should I cook?", memory=UserMemory.of(Memory.connect(url, key), user_id="ann", session_id="s-1"))

Each message is kept as it comes. What the model gets is what is remembered for the user's turn, as a system message,
and the conversation.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemory

from memory_pipeline import Memory

_SPOKEN = (MessageRole.USER, MessageRole.ASSISTANT)


class UserMemory(BaseMemory):
    """One user's memory in one session."""

    _memory: Memory = PrivateAttr()
    _place: dict[str, Any] = PrivateAttr()
    _messages: list[ChatMessage] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "UserMemory"

    @classmethod
    def of(cls, memory: Memory, user_id: str, session_id: str, tenant_id: str | None = None) -> UserMemory:
        """The memory of a user; what the session has held is there again."""
        made = cls()
        made._memory = memory
        made._place = {"user_id": user_id, "session_id": session_id, "tenant_id": tenant_id}
        held = memory.payload("(what was said)", **made._place).messages[1:-1]
        made._messages = [ChatMessage(role=turn["role"], content=turn["content"]) for turn in held]
        return made

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> UserMemory:
        return cls.of(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        asked = input or next((m.content for m in reversed(self._messages) if m.role is MessageRole.USER), None)
        text = self._memory.context(asked, **self._place).text if asked else ""
        return [*([ChatMessage(role=MessageRole.SYSTEM, content=text)] if text else []), *self._messages]

    def get_all(self) -> list[ChatMessage]:
        return list(self._messages)

    def put(self, message: ChatMessage) -> None:
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        self._messages += messages
        rows = [
            {"role": message.role.value, "content": message.content}
            for message in messages
            if message.role in _SPOKEN and message.content
        ]
        if rows:
            self._memory.add(rows, **self._place)

    def set(self, messages: list[ChatMessage]) -> None:
        """Show other messages from now on; what was said stays said."""
        self._messages = list(messages)

    def reset(self) -> None:
        """The session is over: what was said in it becomes memories, and the next turn begins a new conversation."""
        self._messages = []
        place = dict(self._place)
        self._memory.end_session(place.pop("session_id"), **place)
