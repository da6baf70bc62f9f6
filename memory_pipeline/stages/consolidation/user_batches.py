"""A batch of users replayed over some days, and what comes of it staged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.replay_inputs import replays
from memory_pipeline.stages.consolidation.replay_outcome import Covered, outcome_of
from memory_pipeline.stages.consolidation.replay_rounds import settle
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.staged_publication import Batch, Publication
from memory_pipeline.stages.publication.staged_view import Prospect
from memory_pipeline.storage.parquet.staged_rows import StagedRows


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """Users to be replayed over some days.

    Attributes:
        staged, part: where their rows are staged.
    """

    users: Sequence[Scope]
    days: Sequence[date]
    staged: str
    part: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is to be known of a batch whose rows are staged.

    Attributes:
        covered: days whose verdicts these replace, with the users that it is done for.
        proposed: ids of the proposals that were judged.
        failed: days on which the judge's reply did not fit.
    """

    covered: Covered
    proposed: frozenset[str]
    failed: AbstractSet[date]


def replay_batches(ctx: StageContext, publication: Publication, days: Sequence[date]) -> dict[Batch, Replayed]:
    """Replay everybody of a publication over some days.

    Raises:
        ModelError: the judge cannot be reached; batches that were ready before are complete.
    """
    opened: list[Batch] = []

    def tasks() -> Iterator[ReplayTask]:
        for batch in publication.opened("consolidating"):
            opened.append(batch)
            yield ReplayTask(batch.users, days, batch.rows.name, batch.part)

    made: dict[Batch, Replayed] = {}
    for n, replayed in enumerate(ctx.engine.map(ctx, replay_batch, tasks())):
        batch = opened[n]
        given = (batch.users, batch.rows, batch.part, replayed.covered, replayed.proposed, days[0])
        batch.prospect = Prospect(ctx, publication.writer, *given)
        publication.complete(batch)
        made[batch] = replayed
    return made


def replay_batch(ctx: StageContext, task: ReplayTask) -> Replayed:
    """Replay some users over some days, and stage what comes of it, in the place of what is staged there.

    Raises:
        ModelError: the judge cannot be reached; nothing is staged.
    """
    every = replays(ctx, task.users, task.days, ())
    asyncio.run(settle(ctx, every, task.days))
    made = outcome_of(ctx, every)
    rows = StagedRows(ctx.lake, task.staged)
    rows.begin(task.part)
    rows.put(task.part, "verdicts", made.verdicts)
    rows.put(task.part, "memory_versions", made.versions)
    proposed = frozenset(i for replay in every for i in replay.history.proposed)
    covered = {day: frozenset(users) for day, users in made.covered.items()}
    return Replayed(covered, proposed, frozenset(made.failed))
