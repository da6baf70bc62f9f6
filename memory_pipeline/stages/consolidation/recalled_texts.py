"""What was recalled into the sessions of some users, as texts: what comes back from there is no new evidence.

Reads are in the spools until the ``recall_feedback`` asset has folded them into the lake, and may be in both. A spool
is read once, whatever the number of users; where nothing was recalled, nothing else is asked.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from memory_pipeline.domain.gate import RecalledText
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext

Session = tuple[str, str, str]
"""Tenant, user, session."""

_EPISODIC = "episodic"


@dataclass(frozen=True, slots=True)
class Event:
    """One item that came into a session, and when."""

    item_id: str
    layer: str
    at: datetime


def recalled_into(
    ctx: StageContext,
    sessions: Iterable[Session],
    last: date,
    ledger: Mapping[Scope, Sequence[MemoryVersion]],
) -> Mapping[Session, Sequence[RecalledText]]:
    """The texts that were recalled into some sessions, in the order of time; sessions without any are absent.

    Args:
        last: the last local day that matters.
        ledger: all rows of these sessions' users.
    """
    events = _events(ctx, set(sessions), last)
    if not events:
        return {}
    told = _texts(ctx, {e for found in events.values() for e in found})
    texts: dict[Session, list[RecalledText]] = {}
    for session, found in events.items():
        versions: dict[str, list[MemoryVersion]] = defaultdict(list)
        for row in ledger.get(Scope(session[0], session[1]), ()):
            versions[row.memory_id].append(row)
        texts[session] = sorted(
            {r for event in found for r in _resolved(event, versions, told)}, key=lambda r: (r.at, r.text)
        )
    return texts


def items_recalled_into(ctx: StageContext, sessions: Iterable[Session], last: date) -> set[str]:
    """Ids of everything that was recalled into some sessions."""
    return {event.item_id for found in _events(ctx, set(sessions), last).values() for event in found}


def _events(ctx: StageContext, sessions: set[Session], last: date) -> Mapping[Session, set[Event]]:
    events: dict[Session, set[Event]] = defaultdict(set)
    spooled = ctx.spooled_recalls.by_session()
    for session in sessions & spooled.keys():
        events[session] |= spooled[session]
    for session, found in _in_lake(ctx, sessions, last).items():
        events[session] |= found
    return events


class SpooledRecalls:
    """What the spools say was recalled into sessions; they are read again only when one has changed."""

    def __init__(self, root: str) -> None:
        from memory_pipeline.storage.logs.recall_log import RecallLog

        self._log = RecallLog(root)
        self._state: tuple[tuple[str, int, int], ...] = ()
        self._held: Mapping[Session, set[Event]] = {}

    def by_session(self) -> Mapping[Session, set[Event]]:
        """Every item of every read that named its session."""
        stats = [(path, os.stat(path)) for path in self._log.files()]
        state = tuple((path, stat.st_size, stat.st_mtime_ns) for path, stat in stats)
        if state != self._state:
            held: dict[Session, set[Event]] = defaultdict(set)
            for row in self._log.rows():
                if row.session_id is not None and row.helpful is None:
                    session = (row.tenant_id, row.user_id, row.session_id)
                    held[session].add(Event(row.item_id, row.layer, row.recalled_at))
            self._state, self._held = state, held
        return self._held


def _in_lake(ctx: StageContext, sessions: set[Session], last: date) -> Mapping[Session, set[Event]]:
    days = [day for day in ctx.lake.days("recalls") if day <= last + timedelta(days=1)]  # UTC days
    found: dict[Session, set[Event]] = defaultdict(set)
    if not days or not sessions:
        return found
    import pyarrow as pa

    columns = dict(
        zip(("tenant_id", "user_id", "session_id"), map(list, zip(*sorted(sessions), strict=True)), strict=True)
    )
    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id, session_id, item_id, layer, recalled_at FROM recalls "
        "SEMI JOIN wanted USING (tenant_id, user_id, session_id) WHERE helpful IS NULL",
        days={"recalls": days},
        tables={"wanted": pa.table(columns)},
    )
    for row in table.to_pylist():
        session = (row["tenant_id"], row["user_id"], row["session_id"])
        found[session].add(Event(row["item_id"], row["layer"], row["recalled_at"]))
    return found


def _texts(ctx: StageContext, events: Iterable[Event]) -> Mapping[tuple[str, str], str]:
    """Texts of turns and summaries, by layer and id; memories are in the ledger."""
    ids: dict[str, set[str]] = defaultdict(set)
    for event in events:
        ids[event.layer].add(event.item_id)
    found: dict[tuple[str, str], str] = {}
    turns = sorted(ids.pop(_EPISODIC, ()))
    if turns:
        rows = ctx.index.lookup("messages", turns, ["message_key", "content"]).to_pylist()
        found |= {(_EPISODIC, row["message_key"]): row["content"] for row in rows}
    others = sorted(ids.pop("narrative", ()))
    if others:
        rows = ctx.lake.sql(
            "SELECT summary_id, text FROM summaries WHERE summary_id IN (SELECT unnest($ids))", {"ids": others}
        ).to_pylist()
        found |= {("narrative", row["summary_id"]): row["text"] for row in rows}
    return found


def _resolved(
    event: Event, versions: Mapping[str, Sequence[MemoryVersion]], told: Mapping[tuple[str, str], str]
) -> list[RecalledText]:
    """What an item said then: a memory in any of its wordings up to that time."""
    text = told.get((event.layer, event.item_id))
    if text is not None:
        return [RecalledText(text, event.at, said=event.layer == _EPISODIC)]
    rows = versions.get(event.item_id, ())
    return [RecalledText(content, event.at) for content in {r.content for r in rows if r.changed_at <= event.at}]
