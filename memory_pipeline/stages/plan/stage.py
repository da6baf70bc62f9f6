"""What is told of a stage of the flow: what it reads and goes by, what makes it, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.stages.operations.erasure.erased_messages import ErasedMessages
from memory_pipeline.stages.plan.work import Work


class Cadence(StrEnum):
    """How often the schedules make a stage."""

    ARRIVAL = "arrival"  # with new messages, and every night
    NIGHTLY = "nightly"
    SWEEP = "sweep"  # every night, in a job of its own
    WEEKLY = "weekly"
    MONTHLY = "monthly"


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A job over periods that are over, and when it looks for them.

    Attributes:
        cron: UTC. It looks every day, so that periods which late messages have left stale are made anew.
    """

    job: str
    grain: Grain
    cron: str
    description: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the flow.

    Attributes:
        reads: names of the digests in ``freshness`` that it depends on.
        work: makes some of its partitions.
        policy: sections and figures of the policy table that it goes by: exactly these make its partitions stale when
            they change. How requests are packed into calls, how often a bad reply is asked for again, and what only
            reads go by change no partition.
        version: of its code; to be raised when that makes something else of the same inputs.
        level: stages of one level do not make each other stale; a lower one may make a higher one stale.
        follows: the stage whose new partitions give this one something to make.
        after: assets that Dagster makes before it.
        cadence: how often the schedules make it.
        group, kinds, pool: of its asset in Dagster's UI.
        description: of what it makes.
        prompts: templates it renders; with the chat model they are part of its code.
        encodes: its output depends on the encoder.
        waits: it makes a period once, when that is over; until then there is nothing to make.
        settles: what it makes of a period changes when that is over.
        writes_ledger: it adds versions to the ledger, which are audited before they are published.
        holds: names of the counts in ``freshness`` of the rows that its partitions hold; where some are gone, it is
            made again.
        shares: other partitions' work may take rows out of its own; only a partition that is gone altogether is made
            again.
        table: of the index, that it fills; all is made again where the table is gone.
        reached: the partitions from which an erasure takes rows, to be made again although their inputs may look the
            same; None where none is.
    """

    name: str
    grain: Grain
    reads: tuple[str, ...]
    work: Work
    policy: tuple[str, ...]
    level: int
    after: tuple[str, ...]
    cadence: Cadence
    group: str
    kinds: frozenset[str]
    description: str
    version: int = 1
    follows: str | None = None
    pool: str | None = None
    prompts: tuple[str, ...] = ()
    encodes: bool = False
    waits: bool = False
    settles: bool = False
    writes_ledger: bool = False
    holds: tuple[str, ...] = ()
    shares: bool = False
    table: str | None = None
    reached: Callable[[ErasedMessages], set[date]] | None = None

    @property
    def tells(self) -> bool:
        """Whether it states or tells something; what the others make follows from that without a model's reply."""
        return bool(self.prompts) or self.writes_ledger
