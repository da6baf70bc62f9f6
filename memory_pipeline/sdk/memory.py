"""One set of methods for an application's memory, on a home or on a server."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from memory_pipeline.sdk.calls import Way
from memory_pipeline.sdk.chat import Chat
from memory_pipeline.sdk.hand import Hand
from memory_pipeline.sdk.model import Model
from memory_pipeline.sdk.reads import Reads
from memory_pipeline.sdk.results import Receipt, Say
from memory_pipeline.sdk.turns import Given, landing_rows
from memory_pipeline.sdk.twins import twin

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings


class Memory(Reads, Hand, Chat):
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

    aadd = twin(add)
    aend_session = twin(end_session)

    def _what_to_say(self, message: str, user_id: str, tenant_id: str | None, **given: Any) -> Say:
        found: Say = self._call("say", user_id, tenant_id, message=message, **given)
        return found

    _awhat_to_say = twin(_what_to_say)


def _model(given: Model | str | None) -> Model:
    return given if isinstance(given, Model) else Model(given)
