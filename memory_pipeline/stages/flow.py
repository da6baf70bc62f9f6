"""The stages of the flow, and what each of them goes by: what it reads, renders, encodes and fills."""

from __future__ import annotations

from dataclasses import dataclass

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.stages.figures import FIGURES


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage as the plan sees it.

    Attributes:
        reads: names of the digests in ``freshness`` that it depends on.
        prompts: templates it renders; with the chat model they are part of its code.
        encodes: its output depends on the encoder.
        waits: it makes a period once, when that is over; until then there is nothing to make.
        settles: what it makes of a period changes when that is over.
        holds: names of the counts in ``freshness`` of the rows that its partitions hold; where some are gone, it is
            made again.
        shares: other partitions' work may take rows out of its own; only a partition that is gone altogether is made
            again.
        table: of the index, that it fills; all is made again where the table is gone.
        version: of its code; to be raised when that makes something else of the same inputs.
    """

    name: str
    grain: Grain
    reads: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    encodes: bool = False
    waits: bool = False
    settles: bool = False
    holds: tuple[str, ...] = ()
    shares: bool = False
    table: str | None = None
    version: int = 1

    @property
    def policy(self) -> tuple[str, ...]:
        """Sections and figures of the policy table that it goes by."""
        return FIGURES[self.name]


def _summaries(name: str, grain: Grain, *, waits: bool = False, settles: bool = False) -> Stage:
    reads, prompts, holds = ("messages", "told", "classes"), ("calendar",), (f"{grain} summaries",)
    return Stage(name, grain, reads, prompts, True, waits, settles, holds, table="summaries", version=2)


STAGES = (
    Stage(
        "message_vectors",
        Grain.DAY,
        ("messages", "classes"),
        encodes=True,
        holds=("turns",),
        table="messages",
        version=3,
    ),
    Stage(
        "proposals",
        Grain.DAY,
        ("windows",),
        ("extract", "rolling_summary"),
        holds=("windows", "proposals"),
        version=2,
    ),
    # Vectors only bring up what may be meant; slots, words and the judge decide. So the ledger outlives an encoder.
    Stage(
        "memories",
        Grain.DAY,
        ("proposals", "put_back", "classes"),
        ("consolidate",),
        holds=("verdicts", "stated"),
        version=2,
    ),
    Stage("lifecycle", Grain.DAY, ("memories",), holds=("aged",)),
    Stage("patterns", Grain.WEEK, ("memories", "patterns_put_back"), ("pattern",), waits=True, holds=("patterns",)),
    Stage(
        "reflections",
        Grain.WEEK,
        ("memories", "reflections_put_back"),
        ("reflect",),
        settles=True,
        holds=("reflections",),
    ),
    Stage("memory_vectors", Grain.DAY, ("versions",), encodes=True, holds=("versions",), table="memories"),
    Stage(
        "memory_links",
        Grain.DAY,
        ("versions",),
        encodes=True,
        holds=("links",),
        shares=True,
    ),
    _summaries("daily_summaries", Grain.DAY, settles=True),
    _summaries("weekly_summaries", Grain.WEEK, waits=True),
    _summaries("monthly_summaries", Grain.MONTH, waits=True),
    Stage("recall_feedback", Grain.DAY, ("recall",)),
)
BY_NAME = {stage.name: stage for stage in STAGES}
