"""The read API. Every read names one tenant and one user; none of them calls a model except ``ask``.

The module is light to import: engines are loaded when a reader is made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, Unpack

from memory_pipeline.asynchronous import in_thread
from memory_pipeline.domain.reading.recall import Answer, ContextBlock, Payload, RecalledItem, StandingProfile
from memory_pipeline.retrieval.lists.plain_reads import PlainReads
from memory_pipeline.retrieval.prompt.session.over_reference import Restraint
from memory_pipeline.retrieval.prompt.session.session_blocks import SessionBlocks
from memory_pipeline.retrieval.query import Reach, When, utc_now
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.inference.chat import ChatModel
    from memory_pipeline.inference.encoder import Encoder


class MemoryReader(PlainReads):
    """Reads memories into prompts. Safe for threads; one is enough for a process.

    Args:
        settings: where the home is, and which models it was made with.
        encoder: in place of the settings' own.
        chat: makes the model that ``ask`` asks, in place of the settings' own.
        clock: the time of a read.
        seed: of the draws of profiles that explore (``knowlyr``); None = others each time.
        recorded: whether its reads go on record; an evaluation's do not.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        encoder: Encoder | None = None,
        chat: Callable[[], ChatModel] | None = None,
        clock: Callable[[], datetime] = utc_now,
        seed: int | None = None,
        recorded: bool = True,
    ) -> None:
        from memory_pipeline.retrieval.engine import Engine
        from memory_pipeline.storage.logs.block_files import BlockFiles

        self._engine = Engine(settings, encoder, chat, clock, seed, recorded)
        spools = settings.path("recall") if recorded else None
        self._restraint = Restraint(spools)
        self._began = SessionBlocks(None if spools is None else BlockFiles(spools))

    @classmethod
    def open(cls, home: str | None = None, settings: Settings | None = None) -> MemoryReader:
        """A reader of a home; settings come from the environment where they are not given.

        Raises:
            SettingsError: a setting is wrong; the message names it.
        """
        return cls(settings or Settings.load(home=home))

    def close(self) -> None:
        """Let go of the stores and of what is kept in memory; a later read opens them again."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- ranked reads

    def search(
        self,
        query: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        k: int = 10,
        profile: str = "default",
        layers: Sequence[str] = ("semantic", "episodic"),
        as_of: When | None = None,
        known_at: When | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
        domain: str | None = None,
        max_classification: str = "internal",
        include_shared: bool = False,
        types: Iterable[str] | None = None,
        statuses: Iterable[str] | None = None,
        detail: str = "normal",
        min_score: float | None = None,
        explain: bool = False,
    ) -> list[RecalledItem]:
        """What is remembered for a query, best first; nothing for a query without text.

        Args:
            query: its first 2,000 characters count.
            k: items at most, up to 10,000.
            profile: of the policy table: default, durable, logicspike, knowlyr, similarity, or one of your own.
            layers: ``semantic`` (memories), ``episodic`` (verbatim messages), ``narrative`` (summaries, reflections).
            as_of: how things stood then; a date means the end of that day.
            known_at: only what had been recorded by then.
            session_id: only what was said in that session (DL-34).
            agent_id, domain: leaves out what belongs to another agent (unless shared) or domain (unless public, KN-31).
            max_classification: public, internal, restricted or confidential: nothing above it (KN-27).
            include_shared: also memories that other users of the tenant share (KN-11).
            types: of memories; ``message`` and ``day_summary`` … for the other layers.
            statuses: of memories; by default those of ``detail``. What is over is found by its status, although it is
                not valid any more.
            detail: ``normal`` finds active memories; ``high`` also what has faded: stale and archived ones (NM-37).
            min_score: leaves out items that score less.
            explain: fill in ``signals``.

        Raises:
            QueryError: an argument cannot be answered.
        """
        started = time.perf_counter()
        reach = Reach(
            profile=profile,
            layers=layers,
            as_of=as_of,
            known_at=known_at,
            agent_id=agent_id,
            domain=domain,
            max_classification=max_classification,
            include_shared=include_shared,
            types=types,
            statuses=statuses,
            detail=detail,
        )
        more = {"session_id": session_id, "min_score": min_score, "unasked": True}
        asked = self._engine.checked(query, user_id, tenant_id, reach, k=k, **more)
        hits = self._engine.ranked(asked)
        recall_id = self._engine.logged("search", asked, session_id, hits, started, asked={"k": k})
        return [hit.item(asked.at, recall_id, explain=explain) for hit in hits]

    def context(
        self,
        message: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        session_id: str | None = None,
        layout: str = "memory",
        budget: int | None = None,
        stable: bool = False,
        scope: str = "user",
        **reach: Unpack[Reach],
    ) -> ContextBlock:
        """The block of memory for the prompt of a turn; its text is empty when nothing is remembered.

        Args:
            message: the user's turn.
            session_id: of the turn: the session's own messages are in the prompt already and are left out, but for
                what working memory holds of them that is in no memory yet; and what its last two blocks have offered
                to be mentioned is not offered a third time running (DL-35).
            layout: ``memory`` (DL-22), ``lessons`` (KN-17) or ``known-facts`` (RX-24).
            budget: tokens at most, estimated; the policy's when None. It is never exceeded: boundaries go in first,
                then pinned memories, and what finds no room is named in ``dropped``.
            stable: the block that the session began with, to the byte, in whatever process, for a month at most
                (RX-25); a home on object storage keeps it for as long as this reader lives. What the user forgets,
                corrects or silences meanwhile ends it. Needs a ``session_id``.
            scope: ``user``, or ``conversation``: only what was said in that session, as ``search`` with a
                ``session_id`` finds it (NM-9), and what is never to be brought up, wherever that was said.
            reach: as in :meth:`search`; all layers by default.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.prompt import context

        return context.assemble(
            self._engine,
            self._restraint,
            message,
            reach,
            user_id=user_id,
            tenant_id=tenant_id,
            session_id=session_id,
            layout=layout,
            budget=budget,
            began=self._began if stable else None,
            scope=scope,
        )

    def payload(
        self,
        message: str,
        *,
        user_id: str,
        tenant_id: str = "default",
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
        """The whole prompt of a turn, as messages for a chat model: rules, profile, memories, service data, history
        and the new turn, each within its budget, with an account of what was used and left out (LS-27 to LS-30).

        Args:
            message: the user's new turn; it is not part of ``history``.
            system: the system prompt, never cut; LS-28's rules when None.
            services: JSON-like data by name of the service; only what the turn is about goes in.
            history: the conversation so far, as chat messages: its first turn, the last 20, and a summary of those
                between are shown, the last 4 before all others. Where none is given, the turns of the session that
                working memory holds.
            layout, stable, scope: as in :meth:`context`.
            budget: tokens of the whole prompt, estimated; the policy's 8,000 when None. Another total scales the
                sections.
            reach: as in :meth:`search`; all layers by default.

        Raises:
            QueryError: an argument cannot be answered, or the system prompt and the message alone exceed the budget.
        """
        from memory_pipeline.retrieval.prompt import payload
        from memory_pipeline.retrieval.prompt.profile import standing_profile
        from memory_pipeline.retrieval.prompt.session import session_turns

        if session_id is not None and not history:
            history = session_turns.history(self._engine, user_id, tenant_id, session_id, message, reach)
        asked = payload.given(message, system, services, history)
        only = session_id if scope == "conversation" else None
        profile = standing_profile(self._engine, user_id, tenant_id, reach, only)
        rooms = payload.Rooms(asked, profile, self._engine.policy.payload, budget)
        block = self.context(
            message,
            user_id=user_id,
            tenant_id=tenant_id,
            session_id=session_id,
            layout=layout,
            budget=rooms.memories,
            stable=stable,
            scope=scope,
            **reach,
        )
        query = self._engine.checked(message, user_id, tenant_id, reach, k=0)
        return payload.assembled(self._engine, query, session_id, asked, rooms, profile, block)

    def profile(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        max_classification: str = "internal",
        agent_id: str | None = None,
        domain: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> StandingProfile:
        """Who the user is, in at most 200 estimated tokens: name, place, work, people, preferences, how to answer, and
        what never to bring up. The same bytes until something in it changes, whenever it is read (LS-27, RX-25).

        Args:
            max_classification, agent_id, domain, as_of, known_at: as in :meth:`search`.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.prompt.profile import standing_profile

        reach: Reach = {
            "max_classification": max_classification,
            "agent_id": agent_id,
            "domain": domain,
            "as_of": as_of,
            "known_at": known_at,
        }
        return standing_profile(self._engine, user_id, tenant_id, reach)

    def explain_context(
        self,
        message: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        session_id: str | None = None,
        layout: str = "memory",
        budget: int | None = None,
        k: int = 30,
        **reach: Unpack[Reach],
    ) -> dict[str, Any]:
        """The block that :meth:`context` would give for a message, and what became of everything that might have stood
        in it. Nothing goes on record: whoever tries a message has not read for a user.

        Args:
            session_id, layout, budget: as in :meth:`context`.
            k: how many candidates are explained.
            reach: as in :meth:`search`; all layers by default.

        Returns:
            ``block``, a ``ContextBlock``, and ``items``, best first, as ``block_account.account`` explains them.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.lists.block_account import account
        from memory_pipeline.retrieval.prompt import context
        from memory_pipeline.retrieval.query import LAYERS

        engine, wide = self._engine.unrecorded(), Reach(**{"layers": LAYERS, **reach})
        owner: dict[str, Any] = {"user_id": user_id, "tenant_id": tenant_id}
        given: dict[str, Any] = {"session_id": session_id, "layout": layout, "budget": budget}
        block = context.assemble(engine, Restraint(None), message, reach, **owner, **given)
        asked = engine.checked(message, **owner, reach=wide, k=k, unasked=True)
        # As for the block: a memory and the turns that it rests on stand side by side, none of them for the other.
        hits = engine.searcher.evidence(asked, engine.searcher.request(asked)).ranked
        asked_at = self._engine.clock().astimezone(UTC)
        return {"block": block, "items": account(block, [hit.item(asked_at, "", explain=True) for hit in hits])}

    aprofile = in_thread(profile)
    asearch = in_thread(search)
    acontext = in_thread(context)
    apayload = in_thread(payload)

    # -- answers

    async def aask(self, question: str, *, user_id: str, tenant_id: str = "default", **reach: Unpack[Reach]) -> Answer:
        """An answer from memory alone, citing the ids of messages, or an honest "not known" (NM-32).

        Args:
            reach: as in :meth:`search`; all states but archived by default, so that a change stays answerable (NM-34).
                Summaries and reflections retell memories and turns: nothing is answered from them.

        Raises:
            QueryError: an argument cannot be answered.
            ModelError: the model gave no reply that fits.
        """
        from memory_pipeline.retrieval.answers import answer

        return await answer.ask(self._engine, question, user_id, tenant_id, reach)

    def ask(self, question: str, *, user_id: str, tenant_id: str = "default", **reach: Unpack[Reach]) -> Answer:
        """See :meth:`aask`."""
        with ThreadPoolExecutor(1) as pool:  # the caller's thread may have an event loop of its own
            asked = self.aask(question, user_id=user_id, tenant_id=tenant_id, **reach)
            return pool.submit(asyncio.run, asked).result()

    def evidence(
        self, question: str, *, user_id: str, tenant_id: str = "default", **reach: Unpack[Reach]
    ) -> list[RecalledItem]:
        """What :meth:`ask` would answer a question from: at most 25 items, memories that hold first, then those that
        no longer do, then turns that say more. No model is asked, and nothing goes on record.

        Args:
            reach: as in :meth:`ask`.

        Raises:
            QueryError: an argument cannot be answered.
        """
        from memory_pipeline.retrieval.answers import answer

        return answer.considered(self._engine, question, user_id, tenant_id, reach)

    def feedback(
        self, recall_id: str, item_id: str, helpful: bool, *, user_id: str | None = None, tenant_id: str | None = None
    ) -> None:
        """Say whether an item of a read helped; its q-value moves with the next nightly run (KN-19).

        Args:
            user_id, tenant_id: whose read it must be; anybody's when None.

        Raises:
            NotFound: no such read, or it did not return that item.
        """
        self._engine.feedback(recall_id, item_id, helpful, user_id=user_id, tenant_id=tenant_id)
