"""The whole turn of a conversation: prompt, reply, and then the turn and the reply are kept (NM-2, NM-31)."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Unpack

from memory_pipeline.domain.reading.recall import Answer, Payload
from memory_pipeline.errors import MemoryPipelineError
from memory_pipeline.sdk.model import Model
from memory_pipeline.sdk.results import Receipt, Reply, Say

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_pipeline.sdk.prompting import Prompting

_log = logging.getLogger(__name__)


class Chat:
    """The part of ``Memory`` that converses. No memory is made before a model has replied: all that a turn waits for
    beside the model is the prompt and a write.

    Where the prompt is made of: the user's memories, and the turns of the session that were kept (or ``history``).
    When the model fails nothing is kept, and the same turn can be sent again. Turns go to the model's server.
    """

    _model: Model
    add: Callable[..., Receipt]
    aadd: Callable[..., Awaitable[Receipt]]
    payload: Callable[..., Payload]
    apayload: Callable[..., Awaitable[Payload]]
    _what_to_say: Callable[..., Say]
    _awhat_to_say: Callable[..., Awaitable[Say]]

    def chat(
        self,
        message: str,
        *,
        user_id: str,
        session_id: str,
        tenant_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        **prompting: Unpack[Prompting],
    ) -> Reply:
        """A model's reply to the user's turn, with memory; turn and reply are kept when this returns.

        Args:
            options: further parameters of the model's request, such as ``temperature``.
            prompting: as ``payload`` takes it: ``system``, ``services``, ``history``, ``budget`` and how far to reach.

        Raises:
            ModelError: the model gave no reply; nothing was kept.
            QueryError: an argument cannot be answered.
        """
        turn = _Turn(message, user_id, session_id, tenant_id)
        prompt = self.payload(message, **turn.place, **prompting)
        return self._replied(turn, prompt, options)

    async def achat(
        self,
        message: str,
        *,
        user_id: str,
        session_id: str,
        tenant_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        **prompting: Unpack[Prompting],
    ) -> Reply:
        """See :meth:`chat`."""
        turn = _Turn(message, user_id, session_id, tenant_id)
        prompt = await self.apayload(message, **turn.place, **prompting)
        return await self._areplied(turn, prompt, options)

    def chat_stream(
        self,
        message: str,
        *,
        user_id: str,
        session_id: str,
        tenant_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        **prompting: Unpack[Prompting],
    ) -> Iterator[str]:
        """The same, in parts as they come. Turn and reply are kept when the last part has been taken; a reply that
        nobody takes to its end is not kept, and neither is its turn."""
        turn = _Turn(message, user_id, session_id, tenant_id)
        prompt = self.payload(message, **turn.place, **prompting)
        parts: list[str] = []
        for part in self._model.stream(prompt.messages, options or {}):
            parts.append(part)
            yield part
        if parts:
            self._kept(turn, "".join(parts))

    async def achat_stream(
        self,
        message: str,
        *,
        user_id: str,
        session_id: str,
        tenant_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        **prompting: Unpack[Prompting],
    ) -> AsyncIterator[str]:
        """See :meth:`chat_stream`."""
        turn = _Turn(message, user_id, session_id, tenant_id)
        prompt = await self.apayload(message, **turn.place, **prompting)
        parts: list[str] = []
        async for part in self._model.astream(prompt.messages, options or {}):
            parts.append(part)
            yield part
        if parts:
            await self._akept(turn, "".join(parts))

    def say(
        self,
        message: str,
        *,
        user_id: str,
        session_id: str,
        tenant_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        **prompting: Unpack[Prompting],
    ) -> Answer | Reply:
        """Whatever the user says: what asks for the user's own past is answered from memory alone, where memory knows
        it; everything else goes to the model, as in :meth:`chat`. Either way turn and reply are kept (NM-31)."""
        turn = _Turn(message, user_id, session_id, tenant_id)
        found = self._what_to_say(message, **turn.place, **prompting)
        if found.payload is not None:
            return self._replied(turn, found.payload, options)
        assert found.answer is not None
        self._kept(turn, found.answer.text)
        return found.answer

    async def asay(
        self,
        message: str,
        *,
        user_id: str,
        session_id: str,
        tenant_id: str | None = None,
        options: Mapping[str, Any] | None = None,
        **prompting: Unpack[Prompting],
    ) -> Answer | Reply:
        """See :meth:`say`."""
        turn = _Turn(message, user_id, session_id, tenant_id)
        found = await self._awhat_to_say(message, **turn.place, **prompting)
        if found.payload is not None:
            return await self._areplied(turn, found.payload, options)
        assert found.answer is not None
        await self._akept(turn, found.answer.text)
        return found.answer

    def _replied(self, turn: _Turn, prompt: Payload, options: Mapping[str, Any] | None) -> Reply:
        text, model = self._model.reply(prompt.messages, options or {})
        return _reply(text, model, prompt, self._kept(turn, text))

    async def _areplied(self, turn: _Turn, prompt: Payload, options: Mapping[str, Any] | None) -> Reply:
        text, model = await self._model.areply(prompt.messages, options or {})
        return _reply(text, model, prompt, await self._akept(turn, text))

    def _kept(self, turn: _Turn, reply: str) -> Receipt | None:
        try:
            return self.add(turn.with_reply(reply), **turn.place)
        except MemoryPipelineError as error:  # whoever waits for the reply gets it
            _log.error("a turn and its reply were not kept: %s", error)
            return None

    async def _akept(self, turn: _Turn, reply: str) -> Receipt | None:
        try:
            return await self.aadd(turn.with_reply(reply), **turn.place)
        except MemoryPipelineError as error:
            _log.error("a turn and its reply were not kept: %s", error)
            return None


class _Turn:
    """A turn of the user, with the time at which it was said."""

    def __init__(self, message: str, user_id: str, session_id: str, tenant_id: str | None) -> None:
        self.place: dict[str, Any] = {"user_id": user_id, "tenant_id": tenant_id, "session_id": session_id}
        self._message = message
        self._at = datetime.now(UTC)

    def with_reply(self, reply: str) -> list[dict[str, Any]]:
        """Both as messages."""
        return [
            {"role": "user", "content": self._message, "created_at": self._at},
            {"role": "assistant", "content": reply, "created_at": datetime.now(UTC)},
        ]


def _reply(text: str, model: str, prompt: Payload, kept: Receipt | None) -> Reply:
    return Reply(text, model, prompt.recall_id, prompt.item_ids, prompt.tokens, kept)
