"""What a home holds once everything is made, so that two histories of the same work can be compared."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.storage.parquet.files import NOTES
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.by_user import LAID_OUT, rows_of
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.queries.ledger import CURRENT, ledger_files
from memory_pipeline.storage.vectors.index import TABLES

# When and by which run a row came into being is another thing after a crash; so is what it took to make it.
_OTHERWISE = ("run_id", "recorded_at")
_ONLY = {
    "sources": ("sha256",),
    "quarantined": ("source", "line", "reason", "content"),
    "replies": ("key", "tenant_id", "user_id", "day", "task", "reply"),
}
# A question that the answer to an earlier one makes idle is asked only by a run that does not know that answer yet.
_WHERE = {"replies": "task <> 'consolidate' OR key IN (SELECT reply_key FROM verdicts)"}
_APART = ("costs", "vectors", "made")  # a vector is kept where it was first needed: under which day may differ
_MESSAGE = ("tenant_id", "user_id", "session_id", "message_id")
_NOT_LEFT = (".tmp", ".part")


@dataclass(frozen=True)
class State:
    """A home.

    Attributes:
        rows: of each dataset and table, as texts.
        messages, memories: keys, as often as they are there.
        faults: what is wrong with it, or not finished; only what the one left in peace does not have counts.
    """

    rows: Mapping[str, Counter[str]]
    messages: Counter[str]
    memories: Counter[str]
    faults: Sequence[str]


@dataclass
class Difference:
    """How a home differs from the one that was left in peace; nothing is wrong when it is empty."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    differing: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.lost or self.doubled or self.differing or self.faults)


def state(ctx: StageContext) -> State:
    """Read everything. The notes beside the datasets are removed at the end, to see whether they said the same."""
    lake = ctx.lake
    rows = {name: _rows(lake, name) for name in DATASETS if name not in _APART}
    rows["made"] = Counter(_made(ctx))
    rows["current memories"] = _texts(lake.sql(CURRENT).to_pylist(), _OTHERWISE)
    for name in TABLES:
        rows[f"index {name}"] = Counter(_indexed(ctx, name))
    messages = lake.sql(f"SELECT {', '.join(_MESSAGE)} FROM messages").to_pylist()
    memories = lake.sql(f"SELECT memory_id FROM ({CURRENT})").to_pylist()
    return State(
        rows,
        Counter("/".join(row.values()) for row in messages),
        Counter(row["memory_id"] for row in memories),
        [*_left_behind(ctx), *_unfinished(ctx), *_drift(ctx), *_stale_notes(ctx)],
    )


def compare(reference: State, found: State) -> Difference:
    """What a crash has changed."""
    difference = Difference(faults=[fault for fault in found.faults if fault not in reference.faults])
    for of, there in ((reference.messages, found.messages), (reference.memories, found.memories)):
        difference.lost += sorted((of - there).elements())
        difference.doubled += sorted((there - of).elements())
    for name, rows in reference.rows.items():
        gone, new = rows - found.rows[name], found.rows[name] - rows
        if gone or new:
            examples = [f"- {text}" for text in sorted(gone)[:3]] + [f"+ {text}" for text in sorted(new)[:3]]
            difference.differing[name] = [f"{gone.total()} gone, {new.total()} new", *examples]
    return difference


def _rows(lake: Lake, name: str) -> Counter[str]:
    columns = _ONLY.get(name) or [c for c in DATASETS[name].schema.names if c not in _OTHERWISE]
    quoted = ", ".join(f'"{c}"' for c in columns)
    where = _WHERE.get(name, "true")
    return _texts(lake.sql(f"SELECT {quoted} FROM {name} WHERE {where}").to_pylist(), ())


def _texts(rows: Iterable[Mapping[str, Any]], without: Sequence[str]) -> Counter[str]:
    return Counter(
        json.dumps({k: v for k, v in row.items() if k not in without}, default=str, sort_keys=True) for row in rows
    )


def _made(ctx: StageContext) -> Iterator[str]:
    for stage in registry.STAGES:
        for day, made in sorted(freshness.provenance(ctx, stage).items()):
            yield f"{stage.name} {day} {made}"


def _indexed(ctx: StageContext, name: str) -> Iterator[str]:
    if ctx.index.dataset(name) is None:
        return
    for row in ctx.index.all(name, ctx.index.schema(name).names).to_pylist():
        row["vector"] = [round(x, 4) for x in row["vector"]]
        if "tokens" in row:  # a coordinate on the edge of two bytes falls to either side, with the batch it came in
            row["tokens"] = len(row["tokens"] or ())
        yield json.dumps(row, default=str, sort_keys=True)


def _left_behind(ctx: StageContext) -> Iterator[str]:
    """Temporary files that nobody will finish."""
    home = Path(ctx.settings.path())
    for folder, _, names in os.walk(home):
        for name in names:
            if name.endswith(_NOT_LEFT):
                yield f"left behind: {(Path(folder) / name).relative_to(home)}"


def _unfinished(ctx: StageContext) -> Iterator[str]:
    for stage in registry.STAGES:
        if days := freshness.stale(ctx, stage):
            yield f"still stale: {stage.name} {', '.join(map(str, days))}"


def _drift(ctx: StageContext) -> Iterator[str]:
    """The index and the ledger's checkpoint against the ledger, and what is laid out by user against its dataset."""
    current = {row["memory_id"]: row["version_id"] for row in ctx.lake.sql(CURRENT).to_pylist()}
    users = {Scope(r["tenant_id"], r["user_id"]) for r in ctx.lake.sql(CURRENT).to_pylist()}
    for scopes in (None, users):
        short = ctx.lake.sql(CURRENT, files=ledger_files(ctx.lake, scopes)).to_pylist()
        if {row["memory_id"]: row["version_id"] for row in short} != current:
            yield "the checkpoint gives another state than the ledger"
    for dataset in LAID_OUT:
        key = DATASETS[dataset].key
        of_users = rows_of(ctx.lake, dataset, users).select(list(key)).to_pylist()
        if sorted(map(str, of_users)) != sorted(
            map(str, ctx.lake.sql(f"FROM {dataset}").select(list(key)).to_pylist())
        ):
            yield f"the layout by user gives other rows of {dataset} than the dataset"
    if ctx.index.dataset("memories") is not None:
        rows = ctx.index.all("memories", ["memory_id", "version_id"]).to_pylist()
        indexed = {row["memory_id"]: row["version_id"] for row in rows}
        if wrong := sorted(i for i in indexed if current.get(i) != indexed[i]):
            yield f"the index holds other versions than the ledger: {wrong[:3]}"


def _stale_notes(ctx: StageContext) -> Iterator[str]:
    """Notes that say something else than the datasets do."""
    noted = {stage.name: freshness.inputs(ctx, stage) for stage in registry.STAGES}
    shutil.rmtree(Path(ctx.settings.path("lake")) / NOTES, ignore_errors=True)
    fresh = StageContext(ctx.settings, ctx.run_id, ctx.now)
    for stage in registry.STAGES:
        if freshness.inputs(fresh, stage) != noted[stage.name]:
            yield f"a note about what {stage.name} reads is out of date"
