"""The reads of an application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from memory_pipeline.domain.reading.recall import Answer, ContextBlock, Payload, RecalledItem, StandingProfile
from memory_pipeline.sdk.calls import Calls
from memory_pipeline.sdk.results import MemoryHistory, MemoryRecord
from memory_pipeline.sdk.twins import twin

if TYPE_CHECKING:
    from memory_pipeline.domain.calendar import Moment
    from memory_pipeline.retrieval.query import Reach


class Reads(Calls):
    """The part of ``Memory`` that reads."""

    def search(
        self,
        query: str,
        *,
        user_id: str,
        tenant_id: str | None = None,
        k: int = 10,
        session_id: str | None = None,
        min_score: float | None = None,
        explain: bool = False,
        **reach: Unpack[Reach],
    ) -> list[RecalledItem]:
        """What is remembered for a query, best first; see ``MemoryReader.search`` for the arguments."""
        more = {"k": k, "session_id": session_id, "min_score": min_score, "explain": explain}
        found: list[RecalledItem] = self._call("search", user_id, tenant_id, query=query, **more, **reach)
        return found

    def context(
        self,
        message: str,
        *,
        user_id: str,
        tenant_id: str | None = None,
        session_id: str | None = None,
        layout: str = "memory",
        budget: int | None = None,
        stable: bool = False,
        scope: str = "user",
        **reach: Unpack[Reach],
    ) -> ContextBlock:
        """The block of memory for the prompt of a turn; see ``MemoryReader.context`` for the arguments."""
        shape = {"session_id": session_id, "layout": layout, "budget": budget, "stable": stable, "scope": scope}
        found: ContextBlock = self._call("context", user_id, tenant_id, message=message, **shape, **reach)
        return found

    def payload(
        self,
        message: str,
        *,
        user_id: str,
        tenant_id: str | None = None,
        session_id: str | None = None,
        system: str | None = None,
        services: Mapping[str, Any] | None = None,
        history: Sequence[Mapping[str, Any]] = (),
        layout: str = "memory",
        budget: int | None = None,
        stable: bool = False,
        scope: str = "user",
        **reach: Unpack[Reach],
    ) -> Payload:
        """The whole prompt of a turn, as messages for a chat model; see ``MemoryReader.payload`` for the arguments."""
        shape = {"session_id": session_id, "layout": layout, "budget": budget, "stable": stable, "scope": scope}
        told = {"system": system, "services": services, "history": list(history) or None}
        found: Payload = self._call("payload", user_id, tenant_id, message=message, **shape, **told, **reach)
        return found

    def ask(self, question: str, *, user_id: str, tenant_id: str | None = None, **reach: Unpack[Reach]) -> Answer:
        """An answer from memory alone, citing the ids of messages, or an honest "not known" (NM-31)."""
        found: Answer = self._call("ask", user_id, tenant_id, question=question, **reach)
        return found

    def memories(
        self,
        *,
        user_id: str,
        tenant_id: str | None = None,
        status: str | None = None,
        type: str | None = None,
        as_of: Moment | None = None,
    ) -> list[MemoryRecord]:
        """What is remembered, oldest first; all states and types unless one is named."""
        found: list[MemoryRecord] = self._call("memories", user_id, tenant_id, status=status, type=type, as_of=as_of)
        return found

    def history(self, memory_id: str, *, user_id: str, tenant_id: str | None = None) -> MemoryHistory:
        """Where a memory came from: versions, verdict, proposal, and the messages with the quoted words.

        Raises:
            NotFound: the user has no such memory.
        """
        found: MemoryHistory = self._call("history", user_id, tenant_id, memory_id=memory_id)
        return found

    def profile(self, *, user_id: str, tenant_id: str | None = None, as_of: Moment | None = None) -> StandingProfile:
        """Who the user is, in a few lines; the same bytes until something in it changes."""
        found: StandingProfile = self._call("profile", user_id, tenant_id, as_of=as_of)
        return found

    def timeline(
        self,
        *,
        user_id: str,
        tenant_id: str | None = None,
        start: Moment | None = None,
        end: Moment | None = None,
        grain: str = "day",
    ) -> list[dict[str, Any]]:
        """Days, weeks or months with their summary and what changed, oldest first, with values as JSON has them.

        Args:
            start, end: first and last day, both included.
        """
        found: list[dict[str, Any]] = self._call("timeline", user_id, tenant_id, start=start, end=end, grain=grain)
        return found

    def users(self, *, tenant_id: str | None = None) -> list[dict[str, Any]]:
        """Who is there, by name, with how much is known of each; values as JSON has them."""
        found: list[dict[str, Any]] = self._do("users", {} if tenant_id is None else {"tenant_id": tenant_id})
        return found

    def feedback(
        self, recall_id: str, item_id: str, helpful: bool, *, user_id: str, tenant_id: str | None = None
    ) -> None:
        """Say whether an item of a read helped.

        Raises:
            NotFound: no such read of this user, or it did not return that item.
        """
        given = {"recall_id": recall_id, "item_id": item_id, "helpful": helpful}
        nothing: None = self._call("feedback", user_id, tenant_id, **given)
        return nothing

    asearch = twin(search)
    acontext = twin(context)
    apayload = twin(payload)
    aask = twin(ask)
    amemories = twin(memories)
    ahistory = twin(history)
    aprofile = twin(profile)
    atimeline = twin(timeline)
    ausers = twin(users)
    afeedback = twin(feedback)
