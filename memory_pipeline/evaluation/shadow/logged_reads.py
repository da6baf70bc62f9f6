"""The recall log as reads that can be made again, each with what people have said of its items."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Recall


@dataclass(frozen=True, slots=True)
class LoggedRead:
    """One read of the past.

    Attributes:
        asked: its arguments, where they were not the defaults.
        items: ids of what it returned, best first.
        ratings: by item id, the last word on it.
    """

    recall_id: str
    kind: str
    scope: Scope
    query: str
    session_id: str | None
    profile: str
    at: datetime
    asked: Mapping[str, Any]
    items: tuple[str, ...]
    ratings: Mapping[str, bool]


def logged_reads(settings: Settings, first: date, last: date) -> list[LoggedRead]:
    """The reads of some UTC days in the order of time, from the lake and from spools that it does not have yet.

    Feedback counts whenever it was given.
    """
    lake = Lake(settings.path("lake"))
    days = [day for day in lake.days("recalls") if day >= first]
    spooled = [row for row in RecallLog(settings.path("recall")).rows() if row.day >= first]
    rows = (Counter(lake.read("recalls", Recall, days=days)) | Counter(spooled)).keys()
    reads: dict[str, list[Recall]] = defaultdict(list)
    ratings: dict[str, list[Recall]] = defaultdict(list)
    for row in rows:
        if row.helpful is not None:
            ratings[row.recall_id].append(row)
        elif row.day <= last:
            reads[row.recall_id].append(row)
    return sorted((_read(found, ratings[i]) for i, found in reads.items()), key=lambda r: (r.at, r.recall_id))


def _read(rows: Iterable[Recall], ratings: Iterable[Recall]) -> LoggedRead:
    ordered = sorted(rows, key=lambda r: r.rank)
    row = ordered[0]
    return LoggedRead(
        recall_id=row.recall_id,
        kind=row.kind,
        scope=Scope(row.tenant_id, row.user_id),
        query=row.query,
        session_id=row.session_id,
        profile=row.profile,
        at=row.recalled_at,
        asked=json.loads(row.asked) if row.asked else {},
        items=tuple(r.item_id for r in ordered if r.item_id),
        ratings={r.item_id: bool(r.helpful) for r in sorted(ratings, key=lambda r: (r.recalled_at, bool(r.helpful)))},
    )
