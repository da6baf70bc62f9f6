"""What every stage is given: the stores, the models, the policy, and the run's identity and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from memory_pipeline.domain.policy import Policy
from memory_pipeline.settings import Settings
from memory_pipeline.stages.engines.engine import LOCAL, Engine

if TYPE_CHECKING:
    from memory_pipeline.inference.budget import Budget
    from memory_pipeline.inference.chat import ChatModel
    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.inference.hosted.salvage import Aside
    from memory_pipeline.inference.prompts import Prompts
    from memory_pipeline.inference.reply_cache import ReplyCache
    from memory_pipeline.inference.vector_cache import VectorCache
    from memory_pipeline.stages.consolidation.recalled_texts import SpooledRecalls
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.vectors.index import Index

Progress = Callable[[str, int, int | None], None]


def silent(label: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""


@dataclass
class StageContext:
    """The surroundings of one run.

    Attributes:
        run_id: recorded with every row that the run writes.
        now: the run's start, UTC; stages never read the clock, and no derived time may equal it.
        progress: called with a label, the units done and their total (None when unknown).
        accepted: names of audits that may fail without stopping the run; see ``stages.publication.auditing``.
        engine: what works on buckets of users.
    """

    settings: Settings
    run_id: str
    now: datetime
    progress: Progress = field(default=silent)
    accepted: frozenset[str] = frozenset()
    engine: Engine = field(default=LOCAL, repr=False, compare=False)
    _began: float = field(default_factory=time.monotonic, init=False, repr=False)
    _vectors: tuple[Encoder, VectorCache] | None = field(default=None, init=False, repr=False, compare=False)

    def clock(self) -> datetime:
        """The time now, UTC, for what is no output of a stage: when money was spent."""
        return self.now + timedelta(seconds=time.monotonic() - self._began)

    def set_clock(self, at: datetime) -> None:
        """Have :meth:`clock` go on from another process's time of the same run."""
        self._began = time.monotonic() - (at - self.now).total_seconds()

    @property
    def policy(self) -> Policy:
        """The policy, with the figures of likeness of the encoder in force where it has figures of its own."""
        found = self.settings.policies
        return found.for_encoder(self.encoder.model) if found.calibration.others else found

    @cached_property
    def lake(self) -> Lake:
        from memory_pipeline.storage.parquet.lake import Lake

        return Lake(self.settings.path("lake"))

    @cached_property
    def prompts(self) -> Prompts:
        from memory_pipeline.inference.prompts import Prompts

        return Prompts.open(self.settings)

    @cached_property
    def chat(self) -> ChatModel:
        from memory_pipeline.inference.models import open_run_chat

        return open_run_chat(self.settings, self.progress)

    @cached_property
    def budget(self) -> Budget:
        from memory_pipeline.inference.budget import Budget

        return Budget(self.settings.budget_usd_per_day, self.lake, self.clock)

    @cached_property
    def encoder(self) -> Encoder:
        from memory_pipeline.inference.encoder import RememberingEncoder
        from memory_pipeline.inference.metering import metered
        from memory_pipeline.inference.models import in_force, open_encoder

        own = in_force(self.settings)
        return RememberingEncoder(metered(open_encoder(own), own, self.budget, self.run_id))

    @cached_property
    def index(self) -> Index:
        from memory_pipeline.storage.vectors.index import Index

        return Index.open(self.settings, self.encoder)

    @property
    def vectors(self) -> VectorCache:
        """Vectors of the run's own texts; what was encoded in an earlier run is not encoded again."""
        from memory_pipeline.inference.encoder import RememberingEncoder
        from memory_pipeline.inference.vector_cache import VectorCache

        encoder = self.encoder
        if self._vectors is None or self._vectors[0] is not encoder:
            remembering = encoder if isinstance(encoder, RememberingEncoder) else RememberingEncoder(encoder)
            keep = self.settings.policies.maintenance.kept_vectors_bytes > 0
            self._vectors = encoder, VectorCache(self.lake, remembering, keep=keep)
        return self._vectors[1]

    def reopen_index(self) -> None:
        """Let go of the encoder and its index: the home was switched to another one, and the next use opens that."""
        for name in ("index", "encoder"):
            self.__dict__.pop(name, None)

    @cached_property
    def replies(self) -> ReplyCache:
        from memory_pipeline.inference.reply_cache import ReplyCache

        return ReplyCache(
            self.lake,
            self.chat,
            self.prompts,
            settings=self.settings,
            budget=self.budget,
            run_id=self.run_id,
            put_aside=self._put_aside,
        )

    def _put_aside(self, source: str, items: Sequence[Aside]) -> None:
        from memory_pipeline.stages.quarantine import PutAside, put_all_aside

        told = [PutAside(source, n, f"{item.place}: {item.reason}", item.content) for n, item in enumerate(items, 1)]
        put_all_aside(self, told)

    @cached_property
    def spooled_recalls(self) -> SpooledRecalls:
        from memory_pipeline.stages.consolidation.recalled_texts import SpooledRecalls

        return SpooledRecalls(self.settings.path("recall"))
