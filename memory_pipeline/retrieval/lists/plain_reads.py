"""Plain reads: what is remembered, about whom, when and why; nothing is ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

from memory_pipeline.asynchronous import in_thread
from memory_pipeline.domain.calendar import day_start
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.query import Reach, When, instant, local_date, scope_of

if TYPE_CHECKING:
    import pandas as pd

    from memory_pipeline.domain.reading.records import ListedMemory, MemoryHistory, TimelinePeriod
    from memory_pipeline.retrieval.engine import Engine
    from memory_pipeline.retrieval.store.links import LinkedMemory


class PlainReads:
    """The part of ``MemoryReader`` that lists and explains."""

    _engine: Engine

    def memories(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        status: str | None = None,
        type: str | None = None,
        as_of: When | None = None,
    ) -> list[ListedMemory]:
        """What is remembered, from the ledger, oldest first; all states and types unless one is named.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.lists import listing

        moment = instant(as_of, self._engine.settings.timezone, "as_of")
        scope = scope_of(tenant_id, user_id)
        return listing.memories(self._engine.lake, scope, status=status, type=type, as_of=moment)

    def browse(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        text: str = "",
        type: str | None = None,
        state: str = "active",
        since: When | None = None,
        until: When | None = None,
        order: str = "newest",
        offset: int = 0,
        limit: int = 50,
    ) -> dict[str, Any]:
        """A page of what is remembered, as a person looks through it; see ``browse.browse``.

        Args:
            text: words that the content holds.
            state: a status, ``forgotten`` (what no status shows) or ``all``.
            since, until: when it was said; dates mean whole days.
            order: newest, oldest, important, due or words.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.lists import browse
        from memory_pipeline.retrieval.store.user_rows import MEMORIES

        engine, scope = self._engine, scope_of(tenant_id, user_id)
        zone = engine.settings.timezone
        first = local_date(since, zone, "since")
        begins, ends = None if first is None else day_start(first, zone), instant(until, zone, "until")
        wanted = browse.MemoryFilter(text, type, state, begins, ends, order)
        rows = engine.searcher.sources.rows(MEMORIES, scope)
        return browse.browse(rows, wanted, engine.clock().astimezone(UTC), offset=offset, limit=limit)

    def sessions(self, *, user_id: str, tenant_id: str = "default", offset: int = 0, limit: int = 50) -> dict[str, Any]:
        """A user's sessions, the latest first; see ``conversations.sessions``.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.lists import conversations

        engine, scope = self._engine, scope_of(tenant_id, user_id)
        sources = engine.searcher.sources
        return conversations.sessions(engine.lake, sources, scope, engine.policy, offset=offset, limit=limit)

    def conversation(self, session_id: str, *, user_id: str, tenant_id: str = "default") -> list[dict[str, Any]]:
        """The turns of a session, whose words each sentence is, and what came of it; see
        ``conversations.conversation``.

        Raises:
            NotFound: the user has no such session.
        """
        from memory_pipeline.retrieval.lists import conversations

        engine, scope = self._engine, scope_of(tenant_id, user_id)
        return conversations.conversation(engine.lake, engine.searcher.sources, scope, session_id, engine.policy)

    def people(self, *, tenant_id: str | None = None) -> list[dict[str, Any]]:
        """Who has something in the index, of all tenants unless one is named; see ``users.people``."""
        from memory_pipeline.retrieval.users import people

        return people(self._engine.searcher.index, tenant_id)

    def person(self, *, user_id: str, tenant_id: str = "default") -> dict[str, Any]:
        """How much there is of one user; see ``users.people``.

        Raises:
            NotFound: nothing.
        """
        from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES
        from memory_pipeline.retrieval.users import person

        scope, rows = scope_of(tenant_id, user_id), self._engine.searcher.sources.rows
        found = person(rows(MESSAGES, scope), rows(MEMORIES, scope))
        if found is None:
            raise NotFound(
                f"nothing is known of a user {user_id!r} of tenant {tenant_id!r}", tenant_id=tenant_id, user_id=user_id
            )
        return found

    def users(self, *, tenant_id: str = "default", user_id: str | None = None) -> list[dict[str, Any]]:
        """Who is there, by name, with how much is known of each; see ``users.users``.

        Args:
            user_id: only this one.
        """
        from memory_pipeline.retrieval.users import users

        return users(self._engine.lake, tenant_id, user_id)

    def entities(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        kind: str | None = None,
        as_of: When | None = None,
    ) -> list[dict[str, Any]]:
        """Who and what the memories are about, with every name each goes by; see ``entities.entities_of``.

        Args:
            kind: person, pet, place, organisation, project, product, metric or other; all when None.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.store.entities import entities_of

        moment = instant(as_of, self._engine.settings.timezone, "as_of")
        return entities_of(self._engine.lake, scope_of(tenant_id, user_id), kind=kind, as_of=moment)

    def links(
        self, memory_ids: Iterable[str], *, user_id: str, tenant_id: str = "default"
    ) -> Mapping[str, Sequence[LinkedMemory]]:
        """What some memories are linked to, both ways, the strongest first and at most 20 each (KN-10).

        Returns:
            For each of the memories that has any its links, with ``memory_id``, ``relation``, ``direction``,
            ``weight`` and ``reason``; see ``links.LinkedMemory``.

        Raises:
            QueryError: an argument cannot be answered.
        """
        return self._engine.searcher.sources.linked(scope_of(tenant_id, user_id), memory_ids)

    def timeline(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        start: When | None = None,
        end: When | None = None,
        grain: str = "day",
        max_classification: str = "internal",
        agent_id: str | None = None,
        domain: str | None = None,
        contents: bool = True,
    ) -> list[TimelinePeriod]:
        """Days, weeks or months with their summary, changes of memory and counts.

        A week or a month that is not over has no summary yet, but those of its days.

        Args:
            start, end: first and last day, both included.
            max_classification, agent_id, domain: as in ``search``: summaries and changes that such a read may not see
                are left out.
            contents: changes say what a memory states and why it changed; whoever only counts them spares half the
                time of a long span.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.lists import listing

        engine = self._engine
        reach: Reach = {"max_classification": max_classification, "agent_id": agent_id, "domain": domain}
        query = engine.checked("", user_id, tenant_id, reach, k=0)
        zone = engine.settings.timezone
        days = local_date(start, zone, "start"), local_date(end, zone, "end")
        return listing.timeline(engine.lake, query, grain, *days, engine.clock(), contents=contents)

    def maturity(self, *, user_id: str, tenant_id: str = "default") -> dict[str, Any]:
        """How the user's memory grows beside the messages, by month, age, type and status; see ``maturity.maturity``.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.domain.calendar import local_day
        from memory_pipeline.retrieval.lists.maturity import maturity

        engine = self._engine
        today = local_day(engine.clock(), engine.settings.timezone)
        return maturity(engine.lake, scope_of(tenant_id, user_id), today)

    def explain(
        self, memory_id: str, *, user_id: str, tenant_id: str = "default", entities: bool = True
    ) -> MemoryHistory:
        """Where a memory came from: versions, verdicts, proposals, and the messages with the words it rests on.

        Args:
            entities: also say which of the user's entities it is about, for which all memories are read.

        Raises:
            NotFound: the user has no such memory.
        """
        from memory_pipeline.retrieval.lists import provenance

        scope = scope_of(tenant_id, user_id)
        around = None if entities else provenance.around(self._engine.searcher.sources, scope, memory_id)
        return provenance.explain(self._engine.lake, scope, memory_id, around)

    def explain_message(self, message_id: str, *, user_id: str, tenant_id: str = "default") -> list[dict[str, Any]]:
        """Why a turn is quoted in prompts or is not, by sentence; see ``turn_explanation.explained``.

        Raises:
            NotFound: the user has no such turn in the index.
        """
        from memory_pipeline.retrieval.lists import turn_explanation

        engine = self._engine
        scope = scope_of(tenant_id, user_id)
        return turn_explanation.explained(engine.searcher.sources, scope, message_id, engine.policy.context)

    def frame(self, name: str, *, user_id: str, tenant_id: str = "default") -> pd.DataFrame:
        """``memories``, ``messages``, ``summaries``, ``verdicts`` or ``costs`` of a user, as a pandas DataFrame: the
        whole table, of every class, for analysis and not for prompts.

        Raises:
            QueryError: there is no table of that name.
        """
        from memory_pipeline.retrieval.lists import listing

        return listing.frame(self._engine.lake, scope_of(tenant_id, user_id), name)

    amemories = in_thread(memories)
    atimeline = in_thread(timeline)
    aexplain = in_thread(explain)
