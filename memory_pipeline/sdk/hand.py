"""The user's own hand, from an application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_pipeline.sdk.calls import Calls
from memory_pipeline.sdk.results import MemoryRecord
from memory_pipeline.sdk.twins import twin

if TYPE_CHECKING:
    from memory_pipeline.domain.calendar import Moment


class Hand(Calls):
    """The part of ``Memory`` that changes memories."""

    def remember(
        self,
        content: str,
        *,
        user_id: str,
        tenant_id: str | None = None,
        type: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        entities: Sequence[str] | None = None,
        importance: float | None = None,
        surface: str | None = None,
        pinned: bool = False,
        due_at: Moment | None = None,
        valid_from: Moment | None = None,
        valid_until: Moment | None = None,
        agent_id: str | None = None,
        domain: str | None = None,
        shared: bool = False,
        classification: str = "internal",
    ) -> MemoryRecord:
        """Remember one sentence at once, in the user's words; see ``MemoryCurator.remember`` for the arguments.

        Raises:
            CurationError: it is empty, too long, a secret, or not a fact; or an argument does not exist.
        """
        times = {"due_at": due_at, "valid_from": valid_from, "valid_until": valid_until}
        places = {"agent_id": agent_id, "domain": domain, "shared": shared, "classification": classification}
        fact = {"type": type, "subject": subject, "attribute": attribute, "value": value, "entities": entities}
        weight = {"importance": importance, "surface": surface, "pinned": pinned}
        given = {"content": content, **fact, **weight, **times, **places}
        found: MemoryRecord = self._call("remember", user_id, tenant_id, **given)
        return found

    def update(
        self,
        memory_id: str,
        content: str,
        *,
        user_id: str,
        tenant_id: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
    ) -> MemoryRecord:
        """Put a memory in other words; what it said before is never shown again.

        Args:
            subject, attribute, value: its slot, where it is not to be read out of the words.

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended, or the words cannot be kept.
        """
        slot = {"subject": subject, "attribute": attribute, "value": value}
        found: MemoryRecord = self._call("update", user_id, tenant_id, memory_id=memory_id, content=content, **slot)
        return found

    def forget(self, memory_id: str, *, user_id: str, tenant_id: str | None = None) -> MemoryRecord:
        """Never show a memory again, nor what was said of it; it stays in the ledger.

        Raises:
            NotFound: the user has no such memory.
        """
        found: MemoryRecord = self._call("forget", user_id, tenant_id, memory_id=memory_id)
        return found

    def undo(self, memory_id: str | None = None, *, user_id: str, tenant_id: str | None = None) -> MemoryRecord:
        """Take back what the user did last by hand; of a memory that is named, what was done to it last, by the user or
        by the pipeline.

        Raises:
            NotFound: the user has no such memory.
            CurationError: there is nothing of the kind to undo.
        """
        found: MemoryRecord = self._call("undo", user_id, tenant_id, memory_id=memory_id)
        return found

    aremember = twin(remember)
    aupdate = twin(update)
    aforget = twin(forget)
    aundo = twin(undo)
