"""Which partitions are missing or stale: what each was made from and by, against what stands there now.

A partition is fresh when its latest ``made`` row names the same inputs (a digest of the rows it reads) and the same
code (prompts, model, policy sections, encoder). Comparing costs one query a dataset, whatever the number of days.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.ids import digest, fingerprint
from memory_pipeline.domain.summary import is_over
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext

_CODE = "1"  # raised when the code of a stage changes what it makes


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage as the plan sees it.

    Attributes:
        reads: names of the digests below that it depends on.
        prompts: templates it renders; with the chat model they are part of its code.
        policy: sections of the policy table it goes by.
        encodes: its output depends on the encoder.
        waits: it makes a period once, when that is over; until then there is nothing to make.
        settles: what it makes of a period changes when that is over.
    """

    name: str
    grain: Grain
    reads: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()
    encodes: bool = False
    waits: bool = False
    settles: bool = False


_SUMMARIES = ("summary", "gate.sensitive")
STAGES = (
    Stage("message_vectors", Grain.DAY, ("messages",), policy=("retrieval", "gate.sensitive"), encodes=True),
    Stage(
        "proposals", Grain.DAY, ("windows",), ("extract", "rolling_summary"), ("window", "summary", "gate.sensitive")
    ),
    Stage(
        "memories",
        Grain.DAY,
        ("proposals",),
        ("consolidate",),
        ("gate", "similarity", "consolidation", "lifecycle"),
        encodes=True,
    ),
    Stage("lifecycle", Grain.DAY, ("memories",), policy=("lifecycle",)),
    Stage("patterns", Grain.WEEK, ("memories",), ("pattern",), ("pattern", "gate")),
    Stage(
        "reflections", Grain.WEEK, ("memories",), ("reflect",), ("reflection", "gate", "consolidation"), settles=True
    ),
    Stage("memory_vectors", Grain.DAY, ("versions",), encodes=True),
    Stage("memory_links", Grain.DAY, ("versions",), policy=("similarity", "consolidation", "links"), encodes=True),
    Stage("daily_summaries", Grain.DAY, ("messages", "told"), ("calendar",), _SUMMARIES, encodes=True, settles=True),
    Stage("weekly_summaries", Grain.WEEK, ("messages", "told"), ("calendar",), _SUMMARIES, encodes=True, waits=True),
    Stage("monthly_summaries", Grain.MONTH, ("messages", "told"), ("calendar",), _SUMMARIES, encodes=True, waits=True),
    Stage("recall_feedback", Grain.DAY, ("recall",)),
)
BY_NAME = {stage.name: stage for stage in STAGES}

_DIGESTS = {
    "messages": "SELECT day, message_id || content_hash AS item FROM messages",
    "proposals": "SELECT day, proposal_id AS item FROM proposals",
    # What the pipeline and the user state; not what reflections, patterns and time derive from it.
    "memories": "SELECT day, version_id || asserted AS item FROM memory_versions WHERE cause IN ('proposal', 'manual')",
    # The same, and whether a memory was forgotten, put right or silenced since: that changes what its days tell.
    "told": "SELECT day, version_id || asserted || coalesce(back, '') AS item FROM memory_versions LEFT JOIN ("
    "SELECT memory_id, string_agg(version_id || asserted, ',' ORDER BY version_id, asserted) AS back "
    "FROM memory_versions WHERE change IN ('forget', 'edit', 'suppress') GROUP BY memory_id"
    ") USING (memory_id) WHERE cause IN ('proposal', 'manual')",
    "versions": "SELECT day, version_id || asserted AS item FROM memory_versions",
}


def code_version(settings: Settings, prompts: Prompts, stage: Stage) -> str:
    """Digest of everything but the data that a stage's output depends on; also the Dagster asset's code version."""
    from memory_pipeline.inference.models import chat_name, encoder_name

    parts = [_CODE, *(prompts.prompt_hash(name) for name in stage.prompts), settings.policies.version(*stage.policy)]
    if stage.prompts:
        parts.append(chat_name(settings))
    if stage.encodes:
        parts.append(encoder_name(settings))
    return digest(*parts)[:16]


def inputs(ctx: StageContext, stage: Stage, days: Iterable[date] | None = None) -> dict[date, str]:
    """Digest of what each partition would be made from now; partitions without any input are absent.

    Args:
        days: event days to look at (for weeks and months: all days of the periods must be among them); None = all.
    """
    by_partition: dict[date, list[str]] = {}
    for name in stage.reads:
        for day, found in _digests(ctx, name, days).items():
            by_partition.setdefault(period_of(stage.grain, day).start, []).append(f"{name}:{day}:{found}")
    over = {start: is_over(Period(stage.grain, start), ctx.now) for start in by_partition}
    return {
        start: fingerprint([*parts, "over"] if stage.settles and over[start] else parts)
        for start, parts in by_partition.items()
        if over[start] or not stage.waits
    }


def _digests(ctx: StageContext, name: str, days: Iterable[date] | None) -> Mapping[date, str]:
    if name == "windows":
        from memory_pipeline.stages import session_context

        return session_context.digests(ctx, days)
    if name == "recall":
        from memory_pipeline.stages.feedback import pending

        found = pending(ctx)
        return found if days is None else {d: f for d, f in found.items() if d in set(days)}
    query = _DIGESTS[name]
    dataset = query.split(" FROM ")[1].split()[0]
    table = ctx.lake.sql(
        f"SELECT day, md5(string_agg(item, ',' ORDER BY item)) AS found FROM ({query}) GROUP BY day",
        days=None if days is None else {dataset: list(days)},
    )
    return dict(zip(table["day"].to_pylist(), table["found"].to_pylist(), strict=True))


def stale(ctx: StageContext, stage: Stage, first: date | None = None, last: date | None = None) -> list[date]:
    """Partitions between two days (both included, None = unbounded) that are missing or made from something else."""
    wanted = inputs(ctx, stage)
    held = made(ctx, stage)
    code = code_version(ctx.settings, ctx.prompts, stage)
    low = period_of(stage.grain, first).start if first else date.min
    return sorted(
        start
        for start, found in wanted.items()
        if low <= start <= (last or date.max) and held.get(start) != (found, code)
    ) + sorted(start for start in held if start not in wanted and held[start][0] and low <= start <= (last or date.max))


def made(ctx: StageContext, stage: Stage) -> dict[date, tuple[str, str]]:
    """What each partition was last made from and by: digest of its inputs, code version."""
    table = ctx.lake.sql(
        "SELECT day, arg_max(inputs, recorded_at) AS inputs, arg_max(code, recorded_at) AS code "
        "FROM made WHERE stage = $stage GROUP BY day",
        {"stage": stage.name},
    )
    columns = (table[c].to_pylist() for c in ("day", "inputs", "code"))
    return {d: (i, c) for d, i, c in zip(*columns, strict=True)}


def record(
    ctx: StageContext, stage: Stage, made_from: Mapping[date, str], partitions: Sequence[date], rows: Mapping[date, int]
) -> None:
    """Note that partitions were made from the inputs that were digested before the work began."""
    from memory_pipeline.storage.schemas import Made

    code = code_version(ctx.settings, ctx.prompts, stage)
    before = made(ctx, stage)
    ctx.lake.append(
        "made",
        [
            Made(stage.name, day, made_from.get(day, ""), code, rows.get(day, 0), ctx.run_id, ctx.now)
            for day in partitions
            if day in made_from or day in before
        ],
    )
