"""A batch of users replayed over some days, and what comes of it staged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date

from memory_pipeline.stages.consolidation.replay_inputs import replays
from memory_pipeline.stages.consolidation.replay_outcome import Outcome, outcome_of
from memory_pipeline.stages.consolidation.replay_rounds import settle
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.staged_publication import Batch
from memory_pipeline.stages.publication.staged_view import Prospect


def replay_batch(ctx: StageContext, batch: Batch, days: Sequence[date]) -> Outcome:
    """Replay a batch's users over some days, and stage what comes of it.

    Raises:
        ModelError: the judge cannot be reached; nothing is staged.
    """
    every = replays(ctx, batch.users, days, ())
    asyncio.run(settle(ctx, every, days))
    made = outcome_of(ctx, every)
    batch.put("verdicts", made.verdicts)
    batch.put("memory_versions", made.versions)
    proposed = frozenset(i for replay in every for i in replay.history.proposed)
    batch.prospect = Prospect(ctx, "memories", batch.users, batch.rows, batch.part, made.covered, proposed, days[0])
    return made
