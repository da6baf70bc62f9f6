"""Where a memory came from: versions, verdicts, proposals, windows, and the messages with the quoted words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, TypeVar

from memory_pipeline.domain.memory import MemoryVersion, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal, Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.listing import listed
from memory_pipeline.storage.lake import Lake

T = TypeVar("T")


def explain(lake: Lake, scope: Scope, memory_id: str) -> dict[str, Any]:
    """The whole chain behind one memory.

    Returns:
        ``memory`` (as ``memories`` lists it), ``versions`` (that stand, oldest first), ``verdict``, ``proposal`` and
        ``window`` of the newest version that came from a proposal (None for what the user wrote or time did), the same
        in the plural for all versions, ``messages`` with ``quote`` and ``quotes``, ``derived_from``, ``prompt_hash``,
        ``model``, ``run_id``.

    Raises:
        NotFound: the user has no such memory; whether somebody else has is not told.
    """
    rows = _owned(lake, "memory_versions", MemoryVersion, scope, "memory_id", [memory_id])
    versions = sorted(standing(rows), key=lambda v: (v.version, v.recorded_at))
    if not versions:
        raise NotFound(f"no memory {memory_id!r} of this user; list them with `memory-pipeline memories --user USER`")
    current = fold(rows)[memory_id]
    made_by = list(dict.fromkeys(v.proposal_id for v in reversed(versions) if v.proposal_id))
    days = {v.day for v in versions}
    proposals = _found(lake, "proposals", Proposal, scope, "proposal_id", made_by, days)
    verdicts = _found(lake, "verdicts", Verdict, scope, "proposal_id", made_by, days)
    windows = _found(lake, "windows", Window, scope, "window_id", [p.window_id for p in proposals], days)
    return {
        "memory": listed(current),
        "versions": [_plain(v) for v in versions],
        "verdict": _first(verdicts),
        "proposal": _first(proposals),
        "window": _first(windows),
        "verdicts": [_plain(v) for v in verdicts],
        "proposals": [_plain(p) for p in proposals],
        "windows": [_plain(w) for w in windows],
        "messages": _messages(lake, scope, current, versions, days | {w.day for w in windows}),
        "derived_from": list(current.derived_from),
        "prompt_hash": proposals[0].prompt_hash if proposals else None,
        "model": proposals[0].model if proposals else None,
        "run_id": current.run_id,
    }


def _messages(
    lake: Lake, scope: Scope, current: MemoryVersion, versions: Sequence[MemoryVersion], days: Iterable[date]
) -> list[dict[str, Any]]:
    """The cited messages in order of time, each with the words that the memory rests on."""
    quotes: dict[str, list[str]] = {}
    for evidence in (*current.evidence, *(e for v in versions for e in v.evidence)):
        quotes.setdefault(evidence.message_id, [])
        if evidence.quote not in quotes[evidence.message_id]:
            quotes[evidence.message_id].append(evidence.quote)
    found = _found(lake, "messages", Message, scope, "message_id", list(quotes), days)
    sessions = {v.session_id for v in versions}
    meant = [m for m in found if m.session_id in sessions]
    ids = {m.message_id for m in meant}
    meant += [m for m in found if m.message_id not in ids]
    return [
        {
            "message_id": m.message_id,
            "session_id": m.session_id,
            "role": str(m.role),
            "speaker": m.speaker,
            "content": m.content,
            "created_at": m.created_at,
            "quote": quotes[m.message_id][0],
            "quotes": quotes[m.message_id],
        }
        for m in sorted(meant, key=lambda m: m.order)
    ]


def _found(
    lake: Lake, dataset: str, noun: type[T], scope: Scope, column: str, ids: Sequence[str], days: Iterable[date]
) -> list[T]:
    """Rows by id in the order of the ids: looked for on the likely days, and everywhere when one is missing there."""
    if not ids:
        return []
    rows = _owned(lake, dataset, noun, scope, column, ids, set(days))
    if {getattr(r, column) for r in rows} != set(ids):
        rows = _owned(lake, dataset, noun, scope, column, ids)
    place = {i: n for n, i in enumerate(ids)}
    return sorted(rows, key=lambda r: place[getattr(r, column)])


def _owned(
    lake: Lake,
    dataset: str,
    noun: type[T],
    scope: Scope,
    column: str,
    ids: Sequence[str],
    days: Collection[date] | None = None,
) -> list[T]:
    return lake.read(
        dataset,
        noun,
        days=days,
        where=f"tenant_id = $tenant AND user_id = $user AND {column} IN (SELECT unnest($ids))",
        params={"tenant": scope.tenant_id, "user": scope.user_id, "ids": list(ids)},
    )


def _plain(row: Any) -> dict[str, Any]:
    return {name: _value(value) for name, value in asdict(row).items()}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_value(v) for v in value]
    return str(value) if isinstance(value, str) else value


def _first(rows: Sequence[Any]) -> Mapping[str, Any] | None:
    return _plain(rows[0]) if rows else None
