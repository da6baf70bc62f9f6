"""What every read shares: the opened stores, the check of its arguments, and the record of what it returned."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from memory_pipeline import telemetry
from memory_pipeline.domain.reading import ranking
from memory_pipeline.domain.sensitive import withheld
from memory_pipeline.errors import NotFound, SettingsError
from memory_pipeline.retrieval.lists.read_again import reach_of
from memory_pipeline.retrieval.query import Query, Reach, checked, scope_of
from memory_pipeline.retrieval.scores.search import Searcher
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog
from memory_pipeline.storage.logs.working_files import WorkingMemory
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.vectors.index import Index

if TYPE_CHECKING:
    from memory_pipeline.inference.budget import Budget
    from memory_pipeline.inference.chat import ChatModel, ChatRequest
    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.retrieval.scores.hits import Hit
    from memory_pipeline.storage.parquet.schemas import Recall


class Ranked(Protocol):
    """What goes on record of an item that a read returned."""

    @property
    def id(self) -> str: ...

    @property
    def layer(self) -> str: ...

    @property
    def score(self) -> float: ...


class Engine:
    """The stores and models of one home, opened when they are first needed. See ``MemoryReader`` for the arguments."""

    def __init__(
        self,
        settings: Settings,
        encoder: Encoder | None,
        chat: Callable[[], ChatModel] | None,
        clock: Callable[[], datetime],
        seed: int | None,
        recorded: bool = True,
    ) -> None:
        self.settings = settings
        self.policy = settings.policies
        self.clock = clock
        self.lake = Lake(settings.path("lake"))
        self._encoder = encoder
        self._chat = chat
        self._seed = seed
        self._searcher: Searcher | None = None
        self.recorded = recorded
        self.working = WorkingMemory(settings)
        self._log = RecallLog(settings.path("recall"))
        for name, profile in self.policy.profiles.items():
            try:
                ranking.weights(profile)
            except ValueError as error:
                raise SettingsError(f"policy.profiles.{name}: {error}", setting=f"profiles.{name}") from error

    def close(self) -> None:
        """Let go of the stores and of what is kept in memory; whoever asks again opens them again."""
        self._searcher = None
        for name in ("encoder", "budget"):
            self.__dict__.pop(name, None)
        self.lake = Lake(self.settings.path("lake"))

    def unrecorded(self) -> Engine:
        """The same stores and models for reads that do not go on record; nothing is opened twice."""
        _ = self.searcher
        twin = copy(self)
        twin.recorded = False
        return twin

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of the query; it must be the one of the index."""
        if self._encoder is not None:
            return self._encoder
        from memory_pipeline.inference.models import open_encoder

        return open_encoder(self.settings)

    @property
    def searcher(self) -> Searcher:
        """Ranks rows of the index. Once the home is switched to another encoder, it is one over that one's vectors.

        Raises:
            IndexMismatch: the index was built with another encoder than the one that was given.
            SettingsError: the home was switched to a hosted encoder, which the settings do not allow.
        """
        if self._searcher is not None and self._searcher.index.switched and self._encoder is None:
            self._searcher = None
            self.__dict__.pop("encoder", None)
        if self._searcher is None:
            index = Index.open(self.settings, self.encoder)
            self.policy = self.settings.policies.for_encoder(self.encoder.model)
            self._searcher = Searcher(self.lake, index, self.encoder, self.policy, seed=self._seed)
        return self._searcher

    @cached_property
    def budget(self) -> Budget:
        """The day's limit, for what calls a chat model."""
        from memory_pipeline.inference.budget import Budget

        return Budget(self.settings.budget_usd_per_day, self.lake, self.clock)

    def most_usd(self, request: ChatRequest[Any]) -> float | None:
        """What a request may cost at most; None where nobody asks or it costs nothing."""
        if self.budget.limit is None or self.settings.chat == "builtin":
            return None
        from memory_pipeline.inference.prices import most_usd
        from memory_pipeline.inference.prompts import Prompts

        return most_usd(self.settings, Prompts.open(self.settings), request)

    def chat(self) -> ChatModel:
        """A chat model of the caller's own, to be closed by it."""
        if self._chat is not None:
            return self._chat()
        from memory_pipeline.inference.models import open_chat

        return open_chat(self.settings)

    def checked(self, text: str, user_id: str, tenant_id: str, reach: Reach, *, k: int, **more: Any) -> Query:
        """The query of a read, as of now.

        Raises:
            QueryError: an argument cannot be answered.
        """
        scope, now = scope_of(tenant_id, user_id), self.clock().astimezone(UTC)
        return checked(text, scope, self.policy, now, self.settings.timezone, k=k, **more, **reach)

    def ranked(self, query: Query) -> list[Hit]:
        """The best hits of a query; a span tells how many, of what was asked and found nothing (RX-27)."""
        if not telemetry.is_traced():
            return self.searcher.ranked(query)
        asked: dict[str, telemetry.Value] = {"memory_pipeline.profile": query.profile, "memory_pipeline.k": query.k}
        who = telemetry.identity(self.settings, query.scope.tenant_id, query.scope.user_id)
        with telemetry.span("recall", **asked, **who) as span:
            hits = self.searcher.ranked(query)
            span.set_attributes({"memory_pipeline.items": len(hits)})
        return hits

    def logged(
        self,
        kind: str,
        query: Query,
        session_id: str | None,
        hits: Sequence[Ranked],
        started: float,
        model: str | None = None,
        asked: Mapping[str, Any] | None = None,
        offered: Sequence[str] | None = None,
    ) -> str:
        """Put a read on record (LS-33, NM-33). Returns its id.

        Args:
            started: reading of ``time.perf_counter`` at its beginning.
            model: the chat model that was asked; the encoder when None.
            asked: arguments that the query does not hold, where they are not the defaults.
            offered: ids that a session's block offered to be mentioned (DL-35).
        """
        recall_id = f"rec_{uuid.uuid4().hex[:24]}"
        if not self.recorded:
            return recall_id
        self._log.read(
            ReadEvent(
                recall_id=recall_id,
                kind=kind,
                scope=query.scope,
                query=withheld(query.text, self.policy.gate),
                session_id=session_id,
                profile=query.profile,
                model=model or self.encoder.model,
                latency_ms=(time.perf_counter() - started) * 1000,
                recalled_at=self.clock().astimezone(UTC),
                items=tuple((h.id, h.layer, h.score) for h in hits),
                asked={**reach_of(query), **(asked or {})},
                offered=None if offered is None or session_id is None else tuple(offered),
            )
        )
        return recall_id

    def feedback(
        self, recall_id: str, item_id: str, helpful: bool, *, user_id: str | None = None, tenant_id: str | None = None
    ) -> None:
        """Put on record whether an item of a read helped.

        Args:
            user_id, tenant_id: whose read it must be; anybody's when None.

        Raises:
            NotFound: no such read, or it did not return that item.
        """
        read = self._recalled(recall_id)
        own = [r for r in read if user_id in (None, r.user_id) and tenant_id in (None, r.tenant_id)]
        found = next((row for row in own if row.item_id == item_id), None)
        if found is None:
            raise NotFound(
                f"read {recall_id!r} did not return {item_id!r}: use the recall_id and the id of one item",
                recall_id=recall_id,
                item_id=item_id,
                tenant_id=tenant_id,
                user_id=user_id,
            )
        scope = scope_of(found.tenant_id, found.user_id)
        self._log.feedback(recall_id, scope, item_id, helpful, self.clock().astimezone(UTC))

    def _recalled(self, recall_id: str) -> Sequence[Recall]:
        """The items of a read: from the spools, or, where they have been removed, from the lake."""
        from memory_pipeline.storage.parquet.schemas import Recall

        where = "recall_id = $id AND kind <> 'feedback'"
        return self._log.find(recall_id) or self.lake.read("recalls", Recall, where=where, params={"id": recall_id})
