"""Which partitions are missing or stale: what each was made from and by, against what stands there now.

A partition is fresh when its latest ``made`` row names the same inputs (a digest of the rows it reads) and the same
code (prompts, model, policy sections, encoder). Comparing costs a look at the folders, whatever they hold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.derived.summary import is_over
from memory_pipeline.domain.ids import digest, fingerprint
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan.digests import REACHING_BACK, of_rows, of_windows
from memory_pipeline.stages.plan.registry import STAGES, Stage
from memory_pipeline.storage.parquet.partition_values import by_partition

# What is said, not which prompt and model said it: where these change and say the same, nothing follows from it.
_SAID = ", ".join(
    f"coalesce({f.name}::VARCHAR, '')"
    for f in fields(Proposal)
    if f.name not in {"day", "prompt_hash", "model", "reply_key"}
)
_HOLD = "hold_id || asserted::VARCHAR || recorded_at::VARCHAR"
_DIGESTS = {
    "messages": "SELECT day, message_id || content_hash AS item FROM messages",
    # Classes of messages by the user's hand.
    "classes": "SELECT day, class_id || classification AS item FROM message_classes",
    "proposals": f"SELECT day, md5(concat_ws(chr(31), {_SAID})) AS item FROM proposals",
    # What rollbacks put back.
    "put_back": f"SELECT day, {_HOLD} AS item FROM holds WHERE stage = 'memories'",
    "patterns_put_back": f"SELECT day, {_HOLD} AS item FROM holds WHERE stage = 'patterns'",
    "reflections_put_back": f"SELECT day, {_HOLD} AS item FROM holds WHERE stage = 'reflections'",
    # What the pipeline and the user state; not what reflections, patterns and time derive from it.
    "memories": "SELECT day, version_id || asserted AS item FROM memory_versions WHERE cause IN ('proposal', 'manual')",
    # The same, and whether a memory was forgotten, put right or silenced since: that changes what its days tell.
    "told": "SELECT day, version_id || asserted || coalesce(back, '') AS item FROM memory_versions "
    f"LEFT JOIN {REACHING_BACK} USING (memory_id) WHERE cause IN ('proposal', 'manual')",
    "versions": "SELECT day, version_id || asserted AS item FROM memory_versions",
}

HELD = {
    "turns": "SELECT day, count(*) AS n FROM messages WHERE role IN ('user', 'assistant')",
    "versions": "SELECT day, count(*) AS n FROM memory_versions WHERE asserted AND change <> 'prune'",
    "windows": "SELECT day, count(*) AS n FROM windows",
    "proposals": "SELECT day, count(*) AS n FROM proposals",
    "verdicts": "SELECT day, count(*) AS n FROM verdicts",
    "stated": "SELECT day, count(*) AS n FROM memory_versions WHERE cause = 'proposal'",
    "aged": "SELECT day, count(*) AS n FROM memory_versions WHERE cause IN ('lifecycle', 'fading')",
    "patterns": "SELECT day, count(*) AS n FROM memory_versions WHERE cause = 'pattern'",
    "reflections": "SELECT day, count(*) AS n FROM memory_versions WHERE cause = 'reflection'",
    "links": "SELECT day, count(*) AS n FROM links",
    **{
        f"{grain} summaries": f"SELECT start AS day, count(*) AS n FROM summaries WHERE grain = '{grain}'"
        for grain in Grain
    },
}

_FILLED = "filled-{}.txt"  # note of the time since which what is in a table of the index counts
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MADE = """
SELECT day, stage, arg_max(inputs, recorded_at) AS inputs, arg_max(code, recorded_at) AS code,
       arg_max(rows, recorded_at) AS rows, epoch_us(max(recorded_at)) AS at
FROM made GROUP BY ALL
"""


class Changed(StrEnum):
    """Why a partition is missing or stale."""

    NEVER_MADE = "never made"
    INPUTS = "what it reads has changed"
    PROGRAM = "made by an older program"
    PROMPTS = "made with other prompts"
    POLICY = "made under another policy"
    MODELS = "made with other models"
    LOST = "rows of it are gone"


_PARTS = (Changed.PROGRAM, Changed.PROMPTS, Changed.POLICY, Changed.MODELS)


def code_version(settings: Settings, prompts: Prompts, stage: Stage) -> str:
    """Everything but the data that a stage's output depends on: its program, prompts, policy and models, a digest each,
    in the order of :data:`_PARTS`; also the Dagster asset's code version."""
    from memory_pipeline.inference.models import chat_name, encoder_of_record

    models = [chat_name(settings)] if stage.prompts else []
    models += [encoder_of_record(settings)] if stage.encodes else []
    rendered = [prompts.prompt_hash(name) for name in stage.prompts]
    parts = (rendered, [settings.policies.version(*stage.policy)], models)
    return ".".join((f"v{stage.version}", *(digest(*part)[:8] if part else "0" for part in parts)))


def inputs(ctx: StageContext, stage: Stage, days: Iterable[date] | None = None) -> dict[date, str]:
    """Digest of what each partition would be made from now; partitions without any input are absent.

    Args:
        days: event days to look at (for weeks and months: all days of the periods must be among them); None = all.
    """
    parts_of: dict[date, list[str]] = {}
    wanted = None if days is None else set(days)
    for name in stage.reads:
        for day, found in _digests(ctx, name).items():
            if wanted is not None and day not in wanted:
                continue
            parts_of.setdefault(period_of(stage.grain, day).start, []).append(f"{name}:{day}:{found}")
    over = {start: is_over(Period(stage.grain, start), ctx.now) for start in parts_of}
    return {
        start: fingerprint([*parts, "over"] if stage.settles and over[start] else parts)
        for start, parts in parts_of.items()
        if over[start] or not stage.waits
    }


def message_digests(ctx: StageContext) -> Mapping[date, str]:
    """Digest of each day's messages."""
    return _digests(ctx, "messages")


def _digests(ctx: StageContext, name: str) -> Mapping[date, str]:
    if name == "windows":
        return of_windows(ctx)
    if name == "turns":
        from memory_pipeline.stages.messages import previous_turn

        return previous_turn.digests(ctx, _DIGESTS["classes"])
    if name == "recall":
        from memory_pipeline.stages.operations.feedback import pending

        return pending(ctx)
    return of_rows(ctx, name, _DIGESTS[name])


def stale(ctx: StageContext, stage: Stage, first: date | None = None, last: date | None = None) -> list[date]:
    """Partitions between two days (both included, None = unbounded) that are missing or made from something else."""
    return sorted(why(ctx, stage, first, last))


def why(
    ctx: StageContext, stage: Stage, first: date | None = None, last: date | None = None
) -> dict[date, tuple[Changed, ...]]:
    """The partitions that :func:`stale` names, each with what has changed."""
    wanted = inputs(ctx, stage)
    notes = _notes(ctx, stage)
    code = code_version(ctx.settings, ctx.prompts, stage)
    lost = _lost(ctx, stage, notes)
    low, high = period_of(stage.grain, first).start if first else date.min, last or date.max
    found: dict[date, tuple[Changed, ...]] = {}
    for start in wanted.keys() | notes.keys():
        if not low <= start <= high:
            continue
        if start not in notes:
            found[start] = (Changed.NEVER_MADE,)
            continue
        made_from, made_by = notes[start].made
        reasons = [Changed.INPUTS] if made_from != wanted.get(start, "") else []
        if start in wanted:
            reasons += _apart(made_by, code)
        if start in lost:
            reasons.append(Changed.LOST)
        if reasons:
            found[start] = tuple(reasons)
    return found


def _apart(before: str, now: str) -> list[Changed]:
    """The parts in which two code versions differ; one of another form is of an older program."""
    if before == now:
        return []
    old, new = before.split("."), now.split(".")
    if len(old) != len(new):
        return [Changed.PROGRAM]
    return [part for part, one, two in zip(_PARTS, old, new, strict=True) if one != two]


def _lost(ctx: StageContext, stage: Stage, notes: Mapping[date, _Note]) -> set[date]:
    """Partitions of which somebody has removed files since, or whose table of the index is gone."""
    there = row_counts(ctx, stage)
    counted = notes.items() if stage.holds else ()  # what is not counted is not missed
    enough = {start: 1 if stage.shares else note.rows for start, note in counted if note.rows}
    lost = {start for start, rows in enough.items() if there[start] < rows}
    if stage.table is not None:
        since = None if _is_gone(ctx, stage.table) else _filled_since(ctx, stage.table)
        lost |= {start for start, note in notes.items() if note.rows and (since is None or note.at < since)}
    return lost


def _is_gone(ctx: StageContext, table: str) -> bool:
    """Whether no encoder's index has a table; one of another encoder is another matter."""
    versions = f"*/{table}.lance/_versions/*.manifest"  # a folder without one was never finished
    return not ctx.settings.remote and not any(Path(ctx.settings.path("index")).glob(versions))


def begin(ctx: StageContext, stage: Stage) -> None:
    """To be called before a stage's work: where its table of the index is gone, what was in it counts no more.

    So a process that dies while it fills the table anew leaves none of the rest behind.
    """
    if stage.table is not None and _is_gone(ctx, stage.table):
        sharing = (other for other in STAGES if other.table == stage.table)
        last = max((note.at for other in sharing for note in _notes(ctx, other).values()), default=ctx.now)
        since = max(ctx.now, last + timedelta(microseconds=1))
        ctx.lake.store.write_note(_FILLED.format(stage.table), since.isoformat().encode())


def _filled_since(ctx: StageContext, table: str) -> datetime:
    try:
        return datetime.fromisoformat(ctx.lake.store.note(_FILLED.format(table)).decode())
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)


def row_counts(ctx: StageContext, stage: Stage) -> Counter[date]:
    """How many rows each of a stage's partitions holds (of vectors: how many there must be in the index)."""
    found = Counter[date]()
    for name in stage.holds:
        query = HELD[name]
        dataset = query.split(" FROM ")[1].split()[0]

        def compute(days: Collection[date], query: str = query, dataset: str = dataset) -> Mapping[date, int]:
            table = ctx.lake.sql(f"{query} GROUP BY day", days={dataset: days})
            return dict(zip(table["day"].to_pylist(), table["n"].to_pylist(), strict=True))

        rows = by_partition(ctx.lake, f"held_{name.replace(' ', '_')}", digest(query)[:16], dataset, compute)
        for day, n in rows.items():
            found[period_of(stage.grain, day).start] += n
    return found


def provenance(ctx: StageContext, stage: Stage) -> dict[date, tuple[str, str]]:
    """What each partition was last made from and by: digest of its inputs, code version."""
    return {start: note.made for start, note in _notes(ctx, stage).items()}


def last_made(ctx: StageContext, stage: Stage) -> tuple[date, datetime] | None:
    """The last partition that a stage has made, and when it was made last."""
    notes = _notes(ctx, stage)
    return (max(notes), notes[max(notes)].at) if notes else None


@dataclass(frozen=True, slots=True)
class _Note:
    """The latest note on a partition: what it was made from and by, how many rows it got, and when."""

    made: tuple[str, str]
    rows: int
    at: datetime


def _notes(ctx: StageContext, stage: Stage) -> dict[date, _Note]:
    def compute(days: Collection[date]) -> Mapping[date, dict[str, list[Any]]]:
        found: dict[date, dict[str, list[Any]]] = defaultdict(dict)
        for row in ctx.lake.sql(_MADE, days={"made": days}).to_pylist():
            at = (_EPOCH + timedelta(microseconds=row["at"])).isoformat()
            found[row["day"]][row["stage"]] = [row["inputs"], row["code"], row["rows"], at]
        return found

    held = by_partition(ctx.lake, "made", digest(_MADE)[:16], "made", compute)
    return {
        day: _Note((note[0], note[1]), note[2], datetime.fromisoformat(note[3]))
        for day, of in held.items()
        if (note := of.get(stage.name)) is not None
    }


def restate(ctx: StageContext, stage: Stage, partitions: Iterable[date]) -> None:
    """Note that partitions are as they would be made from what is there now: rows went out of both alike."""
    there, notes = inputs(ctx, stage), _notes(ctx, stage)
    wanted = [day for day in partitions if day in notes]
    record(ctx, stage, there, wanted, {day: notes[day].rows for day in wanted})


def record(
    ctx: StageContext, stage: Stage, made_from: Mapping[date, str], partitions: Sequence[date], rows: Mapping[date, int]
) -> None:
    """Note that partitions were made from the inputs that were digested before the work began, and what they hold.

    Args:
        rows: of stages whose partitions are not counted in the lake.
    """
    from memory_pipeline.storage.parquet.schemas import PartitionRecord

    if stage.holds:
        rows = {} if stage.table and _is_gone(ctx, stage.table) else row_counts(ctx, stage)
    code = code_version(ctx.settings, ctx.prompts, stage)
    before = _notes(ctx, stage)
    first = max(ctx.now, _filled_since(ctx, stage.table)) if stage.table else ctx.now

    def at(day: date) -> datetime:
        """Later than the note that it takes the place of, whatever the machine's clock says."""
        return max(first, before[day].at + timedelta(microseconds=1)) if day in before else first

    ctx.lake.append(
        "made",
        [
            PartitionRecord(stage.name, day, made_from.get(day, ""), code, rows.get(day, 0), ctx.run_id, at(day))
            for day in partitions
            if day in made_from or day in before
        ],
    )
