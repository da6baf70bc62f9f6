"""The user's own hand: remember, edit, forget, pin, unpin, suppress, classify, undo.

The module is light to import: engines are loaded when a curator is first used.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from memory_pipeline.asynchronous import in_thread
from memory_pipeline.data_rights import DataRights, scope_of
from memory_pipeline.domain.calendar import Moment, day_end, moment, zone
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.errors import CurationError

E = TypeVar("E", bound=StrEnum)
When = Moment


class MemoryCurator(DataRights):
    """Changes memories by the user's own hand. Safe for threads and beside other processes.

    Every change is effective with the next read of any process, stands in the ledger as ``manual``, and survives every
    re-run. Each act names one user of one tenant, and returns the memory's new version; one that changes nothing
    (forgetting twice) returns the version that stands. Copies and erasure of all that is known are its base's.

    Args:
        settings: where the home is, and which encoder its index was made with.
        encoder: in place of the settings' own.
        clock: the time of an act.
    """

    def remember(
        self,
        content: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        type: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        entities: Iterable[str] | None = None,
        importance: float | None = None,
        surface: str | None = None,
        pinned: bool = False,
        due_at: When | None = None,
        valid_from: When | None = None,
        valid_until: When | None = None,
        agent_id: str | None = None,
        domain: str | None = None,
        shared: bool = False,
        classification: str = "internal",
    ) -> MemoryVersion:
        """Remember what the user states, in the user's words.

        A fact that is known in the same words is confirmed; known in fewer, it takes these words over; one that
        replaces the value of a slot with one value ends the older fact, as if it had been said.

        Args:
            content: one sentence.
            type, subject, attribute, value, entities, surface: read out of English sentences where they are left out;
                else a ``profile_fact`` about the user, without a slot, that may be mentioned.
            importance: 0 to 1.
            pinned: keep it in every prompt.
            due_at: of an open loop; a date means the end of that day.
            valid_from, valid_until: when it is true; dates mean the whole day.

        Raises:
            CurationError: it is empty, too long, a secret, or not a fact; or an argument does not exist.
        """
        from memory_pipeline.stages.hand.curate import remember
        from memory_pipeline.stages.hand.statement import Fact

        if importance is not None and not 0 <= importance <= 1:
            raise CurationError(f"importance is between 0 and 1, not {importance!r}")
        fact = Fact(
            content=content,
            type=_one_of("type", type, MemoryType),
            subject=subject,
            attribute=attribute,
            value=value,
            entities=None if entities is None else tuple(dict.fromkeys(entities)),
            importance=importance,
            surface=_one_of("surface", surface, Surface),
            pinned=pinned,
            due_at=self._time(due_at, end=True),
            valid_from=self._time(valid_from, end=False),
            valid_until=self._time(valid_until, end=True),
            agent_id=agent_id,
            domain=domain,
            shared=shared,
            classification=_one_of("classification", classification, Classification) or Classification.INTERNAL,
        )
        return remember(self._context(), scope_of(tenant_id, user_id), fact)

    def edit(
        self,
        memory_id: str,
        content: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
    ) -> MemoryVersion:
        """Put a memory in the user's words (NM-20: it keeps its id and is encoded anew).

        The words of before are never shown again: where something of them is gone, neither are the messages that said
        it. Later statements of the same fact confirm the memory and leave its words; a changed fact may end it.

        Args:
            subject, attribute, value: its slot, where it is not to be read out of the words.

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended, or the words cannot be kept.
        """
        from memory_pipeline.stages.hand.curate import edit

        slot = {"subject": subject, "attribute": attribute, "value": value}
        return edit(self._context(), scope_of(tenant_id, user_id), memory_id, content, slot)

    def forget(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Never show a memory again, nor the messages and summaries that say it; it stays in the ledger (DL-28).

        It stays forgotten when its messages are processed again. A new statement of the user makes a new memory.

        Raises:
            NotFound: the user has no such memory.
        """
        from memory_pipeline.stages.hand.curate import forget

        return forget(self._context(), scope_of(tenant_id, user_id), memory_id)

    def pin(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Keep a memory in every prompt, and out of time's reach (DL-18, DL-27).

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended.
        """
        from memory_pipeline.stages.hand.curate import pin

        return pin(self._context(), scope_of(tenant_id, user_id), memory_id)

    def unpin(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Treat a memory like any other again.

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended.
        """
        from memory_pipeline.stages.hand.curate import unpin

        return unpin(self._context(), scope_of(tenant_id, user_id), memory_id)

    def suppress(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Keep a memory in mind, and never bring it up (DL-23, DL-35).

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended.
        """
        from memory_pipeline.stages.hand.curate import suppress

        return suppress(self._context(), scope_of(tenant_id, user_id), memory_id)

    def classify(
        self, memory_id: str, classification: str, *, user_id: str, tenant_id: str = "default"
    ) -> MemoryVersion:
        """Give a memory a class: reads with a lower ceiling do not see it (KN-27).

        Args:
            classification: public, internal, restricted or confidential.

        Raises:
            NotFound: the user has no such memory.
            CurationError: there is no such class, the memory has ended, or the policy keeps what it states above it.
        """
        from memory_pipeline.stages.hand.curate import classify

        return classify(self._context(), scope_of(tenant_id, user_id), memory_id, _class(classification))

    def classify_message(
        self,
        message_id: str,
        classification: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        session_id: str | None = None,
    ) -> int:
        """Give a message a class; memories and summaries that rest on it take at least that one. Returns 1.

        Args:
            session_id: where several sessions have a message of that id.

        Raises:
            NotFound: the user has no such message.
            CurationError: there is no such class, or the id alone does not say which message is meant.
            ModelError: the judge is needed for the memories that rest on it, and cannot be reached; the message has its
                class, and the next run makes the memories anew.
        """
        from memory_pipeline.stages.hand.classify import classify_message

        scope = scope_of(tenant_id, user_id)
        return classify_message(self._context(), scope, message_id, session_id, _class(classification))

    def classify_domain(self, domain: str, classification: str, *, user_id: str, tenant_id: str = "default") -> int:
        """Give a class to all that the user has said in a domain, and will say. Returns the number of messages so far.

        Raises:
            NotFound: the user has no messages in such a domain.
            CurationError: there is no such class.
            ModelError: as in :meth:`classify_message`.
        """
        from memory_pipeline.stages.hand.classify import classify_domain

        return classify_domain(self._context(), scope_of(tenant_id, user_id), domain, _class(classification))

    def undo(self, memory_id: str | None = None, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Undo what was done to a memory last: the user's own act, which is withdrawn; else the latest decision that
        merged another statement into it, or that ended it (RX-31).

        Args:
            memory_id: when None, what the user did last by hand is undone, whichever memory it was done to: what was
                remembered is forgotten, everything else is withdrawn.

        What had been merged becomes a memory of its own; what had ended stands again. Later days are replayed at once,
        and every later run keeps to it.

        Raises:
            NotFound: the user has no such memory.
            CurationError: there is nothing of the kind to undo.
            ModelError: the judge is needed for what follows, and cannot be reached; nothing is changed.
        """
        from memory_pipeline.stages.hand.undo import undo, undo_last

        if memory_id is None:
            return undo_last(self._context(), scope_of(tenant_id, user_id))
        return undo(self._context(), scope_of(tenant_id, user_id), memory_id)

    aremember = in_thread(remember)
    aedit = in_thread(edit)
    aforget = in_thread(forget)
    apin = in_thread(pin)
    aunpin = in_thread(unpin)
    asuppress = in_thread(suppress)
    aclassify = in_thread(classify)
    aclassify_message = in_thread(classify_message)
    aclassify_domain = in_thread(classify_domain)
    aundo = in_thread(undo)

    def _time(self, when: When | None, *, end: bool) -> datetime | None:
        """A moment in UTC; a date means its first or last one, a time without a zone is taken in the settings' zone."""
        if when is None:
            return None
        try:
            found = moment(when)
        except ValueError as error:
            raise CurationError(str(error)) from error
        if isinstance(found, datetime):
            return (found if found.tzinfo else found.replace(tzinfo=zone(self._settings.timezone))).astimezone(UTC)
        day = found if end else found - timedelta(days=1)
        return day_end(day, self._settings.timezone) - timedelta(seconds=1 if end else 0)


def _class(name: str) -> Classification:
    found = _one_of("classification", name, Classification)
    if found is None:
        raise CurationError(f"a classification is needed: {', '.join(Classification)}")
    return found


def _one_of(name: str, value: str | None, known: type[E]) -> E | None:
    if value is None:
        return None
    try:
        return known(value)
    except ValueError as error:
        raise CurationError(f"{name} {value!r} does not exist; there are {', '.join(sorted(known))}") from error
