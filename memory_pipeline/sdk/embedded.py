"""An application's memory on a home of this machine: reader, curator and working memory in this process, and the worker
beside it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.plain import parsed, plain
from memory_pipeline.domain.scope import Scope
from memory_pipeline.language.questions.routing import asks_memory
from memory_pipeline.retrieval.lists.listing import record
from memory_pipeline.retrieval.query import QUERY_CHARACTERS
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.sdk.results import MemoryHistory, MemoryRecord, Receipt, Say
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.worker import Worker
from memory_pipeline.stages.messages.working_memory import receive
from memory_pipeline.storage.logs.working_files import WorkingMemory

_TENANT = "default"
_LOOK_S = 0.05
_OF_PROMPTS_ALONE = ("session_id", "system", "services", "history", "layout", "budget", "stable", "scope")


class Embedded:
    """Carries out calls on a home.

    Args:
        work: start a process that makes memories of what waits, when something does.
    """

    def __init__(self, settings: Settings, *, work: bool) -> None:
        self._settings = settings
        self._reader = MemoryReader.open(settings=settings)
        self._curator = MemoryCurator.open(settings=settings)
        self._working = WorkingMemory(settings)
        self._works = work and not settings.remote
        self._worker: Worker | None = None
        self._guard = threading.Lock()
        self._calls: Mapping[str, Callable[..., Any]] = {
            "add": self._add,
            "end_session": self._end_session,
            "search": self._reader.search,
            "context": self._reader.context,
            "payload": self._reader.payload,
            "ask": self._reader.ask,
            "say": self._say,
            "memories": self._memories,
            "history": self._history,
            "profile": self._reader.profile,
            "timeline": lambda **given: plain(self._reader.timeline(**given)),
            "users": lambda **given: plain(self._reader.users(**given)),
            "remember": lambda **given: record(self._curator.remember(**given)),
            "update": lambda **given: record(self._curator.edit(**given)),
            "forget": lambda **given: record(self._curator.forget(**given)),
            "undo": lambda **given: record(self._curator.undo(**given)),
            "feedback": self._reader.feedback,
        }
        if self._works and self._working.count_waiting():
            self._begin()

    def do(self, call: str, given: Mapping[str, Any]) -> Any:
        """Carry out a call."""
        about = {} if call == "add" or "tenant_id" in given else {"tenant_id": _TENANT}
        return self._calls[call](**about, **given)

    async def ado(self, call: str, given: Mapping[str, Any]) -> Any:
        """Carry out a call in a worker thread."""
        return await asyncio.to_thread(self.do, call, given)

    def _add(self, messages: list[dict[str, Any]]) -> Receipt:
        now = datetime.now(UTC)
        ctx = StageContext(self._settings, f"add-{now:%Y%m%dT%H%M%S%f}", now)
        received = receive(ctx, self._working, messages)
        if received.taken:
            self._begin()
        return parsed(Receipt, received.to_dict())

    def _end_session(self, session_id: str, user_id: str, tenant_id: str) -> bool:
        return self._working.end(Scope(tenant_id, user_id), session_id)

    def _say(self, message: str, **given: Any) -> Say:
        return say(self._reader, message, given)

    def _memories(self, **given: Any) -> list[MemoryRecord]:
        return [parsed(MemoryRecord, plain(row)) for row in self._reader.memories(**given)]

    def _history(self, **given: Any) -> MemoryHistory:
        return parsed(MemoryHistory, plain(self._reader.explain(**given)))

    def _begin(self) -> None:
        """Start the worker, once."""
        with self._guard:
            if self._works and self._worker is None:
                self._worker = Worker(self._settings, told=logging.WARNING)
                self._worker.start()

    def close(self) -> None:
        """Let go of everything. What the embedded model makes within seconds is made first; a hosted one is not waited
        for."""
        with self._guard:
            worker, self._worker = self._worker, None
        if worker is not None:
            if self._settings.chat == "builtin":
                self._drain(worker)
            worker.stop()
        self._reader.close()
        self._curator.close()

    def _drain(self, worker: Worker) -> None:
        end = time.monotonic() + self._settings.policies.serving.stop_seconds
        while worker.alive and self._working.count_waiting() and time.monotonic() < end:
            time.sleep(_LOOK_S)

    async def aclose(self) -> None:
        """See :meth:`close`."""
        await asyncio.to_thread(self.close)


def say(reader: MemoryReader, message: str, given: Mapping[str, Any]) -> Say:
    """What memory has for a message: an answer that it knows, where the message asks for one; else the prompt.

    Args:
        given: arguments of ``MemoryReader.payload``.

    Raises:
        QueryError: an argument cannot be answered.
        ModelError: the model that answers questions gave no reply that fits.
    """
    if len(message) <= QUERY_CHARACTERS and asks_memory(message):  # what is longer is no question alone
        asked = {name: value for name, value in given.items() if name not in _OF_PROMPTS_ALONE}
        answer = reader.ask(message, **asked)
        if answer.known:
            return Say(answer=answer)
    return Say(payload=reader.payload(message, **given))
