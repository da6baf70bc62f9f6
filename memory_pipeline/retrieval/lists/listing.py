"""Plain lists of what is there: memories, calendar, tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.calendar import Grain, Period, day_range, period_of, periods
from memory_pipeline.domain.derived.summary import is_over
from memory_pipeline.domain.entities import Roster
from memory_pipeline.domain.ledger.memory import MemoryVersion, Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reading.records import ListedMemory, MemoryRecord, TimelinePeriod
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.query import Query, one_of
from memory_pipeline.retrieval.store.entities import roster
from memory_pipeline.retrieval.store.guards import reaches
from memory_pipeline.retrieval.store.history import state_at
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.kept_answers import kept_sql
from memory_pipeline.storage.queries.ledger import CURRENT, STANDING, versions_of

if TYPE_CHECKING:
    import pandas as pd

_Seen = Callable[[Mapping[str, Any]], bool]
_Rows = defaultdict[Period, list[dict[str, Any]]]
_GROUPED = frozenset({"entities", "evidence", "entity_ids"})
_LISTED = [f.name for f in fields(ListedMemory) if f.name not in _GROUPED]
_OWN = "tenant_id = $tenant AND user_id = $user"
# The user's part of the ledger under the ledger's own name, so that folding looks at nobody else's rows.
_LEDGER = f"WITH memory_versions AS (SELECT * FROM memory_versions WHERE {_OWN})"
_FRAMES = {
    "memories": f"{_LEDGER} SELECT * FROM ({CURRENT}) ORDER BY observed_at, memory_id",
    "messages": f"SELECT * FROM messages WHERE {_OWN} ORDER BY created_at, session_id, ordinal, message_id",
    "summaries": f"SELECT * FROM summaries WHERE {_OWN} ORDER BY start, grain, summary_id",
    "verdicts": "SELECT v.*, p.operation, p.type, p.content, p.observed_at FROM verdicts v "
    "LEFT JOIN proposals p USING (tenant_id, user_id, proposal_id) "
    f"WHERE {_OWN} ORDER BY v.day, v.proposal_id",
    "costs": f"SELECT * FROM costs WHERE {_OWN} ORDER BY recorded_at, call_id",
}


_TALK = f"SELECT day, session_id, count(*) AS n FROM messages WHERE {_OWN} GROUP BY ALL"
_IN_ORDER = f"FROM ({STANDING}) ORDER BY changed_at, version, memory_id"
_CHANGES = f"{_LEDGER} SELECT day, memory_id, change, status, content, reason {_IN_ORDER}"
_CHANGED = f"{_LEDGER} SELECT day, memory_id, change, status {_IN_ORDER}"
_PLACES = f"{_LEDGER} SELECT memory_id, classification, domain, agent_id, shared FROM ({CURRENT})"
_TOLD = (
    "SELECT start AS day, summary_id, text, classification, domains, agent_ids FROM summaries "
    f"WHERE {_OWN} AND grain = $grain ORDER BY start, summary_id"
)


def listed(version: MemoryVersion, known: Roster | None = None) -> ListedMemory:
    """One memory as ``memories`` lists it.

    Args:
        known: the user's entities; without them it has no ``entity_ids``.
    """
    row = {name: getattr(version, name) for name in _LISTED}
    row |= {name: str(row[name]) for name in ("type", "status", "surface")}
    return ListedMemory(
        **row,
        entities=tuple(version.entities),
        evidence=tuple(dict.fromkeys(e.message_id for e in version.evidence)),
        entity_ids=None if known is None else tuple(sorted(known.of_memory(version.memory_id))),
    )


def record(version: MemoryVersion) -> MemoryRecord:
    """A memory after an act of the user's own hand."""
    return MemoryRecord(**listed(version), change=str(version.change), reason=version.reason)


def memories(
    lake: Lake, scope: Scope, *, status: str | None, type: str | None, as_of: datetime | None
) -> list[ListedMemory]:
    """A user's memories from the ledger, oldest first; all states and types unless one is named.

    Raises:
        QueryError: there is no such status or type.
    """
    if status is not None:
        one_of("status", status, Status)
    if type is not None:
        one_of("type", type, MemoryType)
    state = state_at(versions_of(lake, [scope]), as_of, None)
    known = roster(scope, state)
    return [listed(v, known) for v in state if status in (None, v.status) and type in (None, v.type)]


def frame(lake: Lake, scope: Scope, name: str) -> pd.DataFrame:
    """One of a user's tables as a pandas DataFrame.

    Raises:
        QueryError: there is no table of that name.
    """
    if name not in _FRAMES:
        raise QueryError(f"no frame {name!r}; there are {', '.join(_FRAMES)}", argument="name")
    table = lake.sql(_FRAMES[name], {"tenant": scope.tenant_id, "user": scope.user_id})
    found: pd.DataFrame = table.to_pandas()
    return found


def timeline(
    lake: Lake,
    query: Query,
    grain: str,
    start: date | None,
    end: date | None,
    now: datetime,
    *,
    contents: bool = True,
) -> list[TimelinePeriod]:
    """A user's days, weeks or months in order, those without anything left out.

    Args:
        query: whose, and what of it may be seen: by class, domain and agent.
        start, end: local days, both included; None = from the first, to the last.
        now: the moment of the read.
        contents: changes say what a memory states and why it changed. Without that a process keeps what it has read of
            them for as long as the ledger is the same.

    Raises:
        QueryError: there is no such grain, or the end lies before the start.
    """
    size = Grain(one_of("grain", grain, Grain))
    if start is not None and end is not None and end < start:
        raise QueryError(f"the timeline ends ({end}) before it starts ({start})", argument="end")
    known = [d for name in ("messages", "memory_versions", "summaries") for d in lake.days(name)]
    if not known:
        return []
    first, last = start or min(known), end or max(known)
    days = [d for d in sorted(set(known)) if first <= d <= last]
    starts = [p.start for p in periods(size, days)]  # the partitions of summaries

    owner = {"tenant": query.scope.tenant_id, "user": query.scope.user_id}

    def rows(dataset: str, days: Sequence[date], wanted: str, seen: _Seen = _everything, **more: str) -> _Rows:
        found = lake.sql(wanted, {**owner, **more}, days={dataset: days}).to_pylist()
        return _by_period(size, [row for row in found if seen(row)])

    # What changed in these days stands now as its latest version says, which lies in one of them or later.
    since = {"memory_versions": [d for d in lake.days("memory_versions") if d >= first]}
    places = kept_sql(lake, since, _PLACES, owner, days=since).to_pylist()
    shown = {m["memory_id"] for m in places if _memory_seen(query, m)}
    of_summaries = partial(_summary_seen, query)
    talk = rows("messages", days, _TALK)
    if contents:
        changes = rows("memory_versions", days, _CHANGES, lambda row: row["memory_id"] in shown)
    else:
        ids = kept_sql(lake, ["memory_versions"], _CHANGED, owner, days={"memory_versions": days})
        changes = _by_period(size, [row for row in ids.to_pylist() if row["memory_id"] in shown])
    told = rows("summaries", starts, _TOLD, of_summaries, grain=size)
    found = sorted({*talk, *changes, *told})
    running = [p for p in found if not is_over(p, now.astimezone(UTC))]
    inside = [day for p in running for day in p.days()] if size is not Grain.DAY else []
    told_days = rows("summaries", inside, _TOLD, of_summaries, grain=Grain.DAY)
    return [
        TimelinePeriod(
            **_entry(p, talk[p], changes[p], told[p]),
            over=p not in running,
            days=tuple(map(_day, told_days[p])),
        )
        for p in found
    ]


def _everything(row: Mapping[str, Any]) -> bool:
    return True


def _summary_seen(query: Query, row: Mapping[str, Any]) -> bool:
    return reaches(query, row["classification"], row["domains"], row["agent_ids"])


def _memory_seen(query: Query, row: Mapping[str, Any]) -> bool:
    """Whether a read may see a memory, as it is classified now."""
    domains = [row["domain"]] if row["domain"] else []
    agents = [row["agent_id"]] if row["agent_id"] and not row["shared"] else []
    return reaches(query, row["classification"], domains, agents)


def _day(told: dict[str, Any]) -> dict[str, Any]:
    return {"label": told["day"].isoformat(), "summary": told["text"], "summary_id": told["summary_id"]}


def _by_period(grain: Grain, rows: Sequence[dict[str, Any]]) -> _Rows:
    found: _Rows = defaultdict(list)
    of_day: dict[date, list[dict[str, Any]]] = {}
    for row in rows:  # years of one user have many rows, and few days
        day = row["day"]
        if day not in of_day:
            of_day[day] = found[period_of(grain, day)]
        of_day[day].append(row)
    return found


def _entry(
    period: Period,
    talk: Sequence[dict[str, Any]],
    changes: Sequence[dict[str, Any]],
    told: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "label": period.label,
        "start": period.start,
        "end": day_range(period.start, period.end)[-2],
        "messages": sum(row["n"] for row in talk),
        "sessions": len({row["session_id"] for row in talk}),
        "summary": "\n".join(row["text"] for row in told) or None,
        "summary_id": told[0]["summary_id"] if told else None,
        "summary_ids": tuple(row["summary_id"] for row in told),
        "changes": tuple(changes),
    }
