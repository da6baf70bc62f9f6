"""The surroundings of a stage that works in several rounds, each on what the round before has written.

What it writes is staged; it sees it as if it held. Models, prompts and the index are those of the run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.replay_outcome import Outcome
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.staged_publication import Batch
from memory_pipeline.stages.publication.staged_view import Prospect
from memory_pipeline.storage.parquet.lake import Lake

if TYPE_CHECKING:
    from memory_pipeline.inference.budget import Budget
    from memory_pipeline.inference.chat import ChatModel
    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.inference.prompts import Prompts
    from memory_pipeline.inference.reply_cache import ReplyCache
    from memory_pipeline.stages.consolidation.recalled_texts import SpooledRecalls
    from memory_pipeline.storage.vectors.index import Index


class OnTop(StageContext):
    """The surroundings of a run, with another lake.

    Attributes:
        proposed: ids of the proposals that replays have worked on meanwhile.
    """

    def __init__(self, base: StageContext, lake: Lake) -> None:
        super().__init__(base.settings, base.run_id, base.now, base.progress, base.accepted)
        self._base = base
        self.lake = lake
        self.proposed: set[str] = set()
        self._replayed: list[Outcome] = []

    def clock(self) -> datetime:
        return self._base.clock()

    @cached_property
    def prompts(self) -> Prompts:
        return self._base.prompts

    @cached_property
    def chat(self) -> ChatModel:
        return self._base.chat

    @cached_property
    def budget(self) -> Budget:
        return self._base.budget

    @cached_property
    def encoder(self) -> Encoder:
        return self._base.encoder

    @cached_property
    def index(self) -> Index:
        return self._base.index

    @cached_property
    def replies(self) -> ReplyCache:
        return self._base.replies

    @cached_property
    def spooled_recalls(self) -> SpooledRecalls:
        return self._base.spooled_recalls

    def keep(self, replayed: Outcome, proposed: Collection[str]) -> None:
        """Write what replays of users came to: the versions are seen from now on, the verdicts are put together."""
        self.lake.append("memory_versions", replayed.versions)
        self._replayed.append(replayed)
        self.proposed |= set(proposed)

    def replayed(self) -> Outcome | None:
        """What all replays came to, of each user and day the last one; None where there was none."""
        import pyarrow as pa

        covered: dict[date, set[Scope]] = defaultdict(set)
        verdicts = []
        for outcome in reversed(self._replayed):
            new = {day: scopes - covered[day] for day, scopes in outcome.covered.items()}
            rows = zip(*(outcome.verdicts[name].to_pylist() for name in ("day", "tenant_id", "user_id")), strict=True)
            wanted = [Scope(tenant, user) in new.get(day, ()) for day, tenant, user in rows]
            verdicts.append(outcome.verdicts.filter(pa.array(wanted, pa.bool_())))
            for day, scopes in new.items():
                covered[day] |= scopes
        if not self._replayed:
            return None
        failed = frozenset(day for outcome in self._replayed for day in outcome.failed)
        return Outcome(self._replayed[0].versions, pa.concat_tables(verdicts), dict(covered), failed)


@contextmanager
def on_top(ctx: StageContext, writer: str, batch: Batch, since: date) -> Iterator[OnTop]:
    """Surroundings on top of the lake: what is written there is staged in a batch.

    Args:
        since: first day of the ledger that the work goes by.
    """
    top = OnTop(ctx, batch.rows.on_top(batch.part))
    yield top
    replayed = top.replayed()
    if replayed is not None:
        batch.put("verdicts", replayed.verdicts)
    covered = replayed.covered if replayed else {}
    prospect = Prospect(ctx, writer, batch.users, batch.rows, batch.part, covered, top.proposed)
    prospect.since = min([since, *prospect.changed["day"].to_pylist()])
    batch.prospect = prospect
