"""One set of methods for an application's memory, on a home or on a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, Unpack

from memory_pipeline.domain.reading.recall import Answer, ContextBlock, Payload, RecalledItem, StandingProfile
from memory_pipeline.sdk.chat import Chat
from memory_pipeline.sdk.model import Model
from memory_pipeline.sdk.results import MemoryHistory, MemoryRecord, Receipt, Say
from memory_pipeline.sdk.turns import Given, landing_rows
from memory_pipeline.sdk.twins import twin

if TYPE_CHECKING:
    from memory_pipeline.domain.calendar import Moment
    from memory_pipeline.retrieval.query import Reach
    from memory_pipeline.settings import Settings


class Way(Protocol):
    """A way to a memory: carries out calls by their names, with the arguments that were given."""

    def do(self, call: str, given: Mapping[str, Any]) -> Any: ...

    async def ado(self, call: str, given: Mapping[str, Any]) -> Any: ...

    def close(self) -> None: ...

    async def aclose(self) -> None: ...


class Memory(Chat):
    """Memory for an application: turns go in, what is remembered comes out. Safe for threads; one is enough.

    Made by :meth:`open` (a home on this machine) or :meth:`connect` (a server); every method does and returns the same
    on both, and has an asynchronous twin with an ``a`` before its name. Each names one user; ``tenant_id`` is
    "default" on a home, and the key's own on a server, where it is left out.

    Raises:
        MemoryPipelineError: from any method; see ``memory_pipeline.errors``. Over HTTP the same errors as on a home,
            and ``ServerError`` where a server cannot be reached or refuses.
    """

    def __init__(self, way: Way, model: Model | None = None) -> None:
        self._way = way
        self._model = model or Model()
        self._do = way.do

    @classmethod
    def open(
        cls,
        home: str | None = None,
        settings: Settings | None = None,
        *,
        model: Model | str | None = None,
        work: bool = True,
    ) -> Self:
        """The memory of a home; settings come from the environment where they are not given.

        Args:
            model: that ``chat`` asks, or its name.
            work: have a process beside this one make memories of what is added; else the next run does, or a server on
                the same home.

        Raises:
            SettingsError: a setting is wrong, or only the client is installed.
        """
        from memory_pipeline.sdk.embedding import embedded

        return cls(embedded(home, settings, work), _model(model))

    @classmethod
    def connect(
        cls,
        url: str | None = None,
        key: str | None = None,
        *,
        model: Model | str | None = None,
        timeout_s: float = 60.0,
    ) -> Self:
        """The memory of a server (``memory-pipeline serve``).

        Args:
            url: of the server; ``MEMORY_PIPELINE_URL``, else http://127.0.0.1:8300, when None.
            key: ``MEMORY_PIPELINE_KEY`` when None; a server without keys needs none.
            model: that ``chat`` asks, or its name. This process asks it, the server does not.
            timeout_s: limit of one request.

        Raises:
            SettingsError: the package httpx is missing.
        """
        from memory_pipeline.sdk.remote import remote

        return cls(remote(url, key, timeout_s), _model(model))

    @cached_property
    def awaiting(self) -> Self:
        """The same memory, whose calls bring awaitables."""
        other = copy(self)
        other._do = self._way.ado
        return other

    def close(self) -> None:
        """Let go of stores, connections and the process beside this one; what was added is on disk.

        A process beside this one may first finish what the embedded model needs seconds for; what is left is made by
        whoever opens the home next.
        """
        self._model.close()
        self._way.close()

    async def aclose(self) -> None:
        """See :meth:`close`."""
        await self._model.aclose()
        await self._way.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    # -- turns

    def add(
        self, messages: Given | Iterable[Given], *, user_id: str, session_id: str, tenant_id: str | None = None
    ) -> Receipt:
        """Keep turns of a conversation, each once. On disk when this returns, in the session's prompts at once, and
        memories within seconds of the session's last turn.

        Args:
            messages: what the user has said; or chat messages (``role``, ``content``), with what else the landing
                format knows: ``message_id`` (by which a turn is known when it comes again), ``created_at`` (now when
                absent), ``speaker``, ``agent_id``, ``domain``, ``metadata``.

        Raises:
            StorageError: they cannot be kept.
        """
        rows = landing_rows(messages, user_id, session_id, tenant_id, datetime.now(UTC))
        found: Receipt = self._do("add", {"messages": rows})
        return found

    def end_session(self, session_id: str, *, user_id: str, tenant_id: str | None = None) -> bool:
        """Say that a session is over: what was said in it becomes memories now. Returns whether it had any turns."""
        found: bool = self._call("end_session", user_id, tenant_id, session_id=session_id)
        return found

    # -- reads

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

    # -- the user's own hand

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

    aadd = twin(add)
    aend_session = twin(end_session)
    asearch = twin(search)
    acontext = twin(context)
    apayload = twin(payload)
    aask = twin(ask)
    amemories = twin(memories)
    ahistory = twin(history)
    aprofile = twin(profile)
    atimeline = twin(timeline)
    ausers = twin(users)
    aremember = twin(remember)
    aupdate = twin(update)
    aforget = twin(forget)
    afeedback = twin(feedback)

    def _what_to_say(self, message: str, user_id: str, tenant_id: str | None, **given: Any) -> Say:
        found: Say = self._call("say", user_id, tenant_id, message=message, **given)
        return found

    _awhat_to_say = twin(_what_to_say)

    def _call(self, call: str, user_id: str, tenant_id: str | None, **given: Any) -> Any:
        about = {"user_id": user_id, "tenant_id": tenant_id}
        return self._do(call, {name: value for name, value in {**about, **given}.items() if value is not None})


def _model(given: Model | str | None) -> Model:
    return given if isinstance(given, Model) else Model(given)
