"""Example rows of what a stage made, by partition: what people look at first on a partition's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.calendar import Grain, period_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

_MOST = 5  # of a partition: every event of a range has its own


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a stage's rows are found.

    Attributes:
        where: which of the dataset's rows are the stage's.
        order: of what is worth looking at first.
        day: column of the partition.
    """

    dataset: str
    columns: tuple[str, ...]
    where: str = "true"
    order: str = "user_id"
    day: str = "day"


_VERSIONS = ("user_id", "change", "type", "status", "content", "reason")
_STATED = "asserted AND version = 1 AND type = '{}'"
_SUMMARIES = ("user_id", "text")

_SOURCES: Mapping[str, _Source] = {
    "proposals": _Source("proposals", ("user_id", "operation", "type", "content"), order="salience DESC, proposal_id"),
    "memories": _Source("memory_versions", _VERSIONS, "asserted AND cause = 'proposal'", "importance DESC, version_id"),
    "lifecycle": _Source("memory_versions", _VERSIONS, "asserted AND cause = 'lifecycle'", "version_id"),
    "memory_links": _Source(
        "links", ("user_id", "relation", "source_id", "target_id", "reason"), order="weight DESC, link_id"
    ),
    "patterns": _Source("memory_versions", _VERSIONS, _STATED.format("pattern"), "importance DESC, version_id"),
    "reflections": _Source("memory_versions", _VERSIONS, _STATED.format("reflection"), "importance DESC, version_id"),
    **{
        f"{grain.adjective}_summaries": _Source(
            "summaries", _SUMMARIES, f"grain = '{grain}'", "user_id, summary_id", "start"
        )
        for grain in Grain
    },
}


def examples(ctx: StageContext, stage: str, grain: Grain, starts: Sequence[date]) -> dict[date, list[dict[str, Any]]]:
    """Some rows of each partition, by its start; of a stage whose rows are nothing to look at, none."""
    source = _SOURCES.get(stage)
    if source is None or not starts:
        return {}
    there = set(ctx.lake.days(source.dataset))
    days = sorted(d for d in there if period_of(grain, d).start in set(starts))
    if not days:
        return {}
    table = ctx.lake.sql(
        f"SELECT {source.day} AS day, {', '.join(source.columns)} FROM {source.dataset} WHERE {source.where} QUALIFY "
        f"row_number() OVER (PARTITION BY date_trunc('{grain}', {source.day}) ORDER BY {source.order}) <= $most "
        f"ORDER BY {source.day}, {source.order}",
        {"most": _MOST},
        days={source.dataset: days},
    )
    found: dict[date, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        found.setdefault(period_of(grain, row.pop("day")).start, []).append(row)
    return found
