"""Which model replies stand behind a memory, and what they took."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion
from memory_pipeline.domain.proposal import Proposal, Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake

_OWN = "tenant_id = $tenant AND user_id = $user"
_DERIVED = frozenset({Cause.REFLECTION, Cause.PATTERN})
_PERIOD = timedelta(days=31)  # the longest that a derivation looks at ends on its own day
# Where two processes have asked the same, the reply that was there first counts.
_FIRST = "QUALIFY row_number() OVER (PARTITION BY key ORDER BY recorded_at, reply) = 1"


def replies_behind(
    lake: Lake,
    scope: Scope,
    versions: Sequence[MemoryVersion],
    proposals: Sequence[Proposal],
    verdicts: Sequence[Verdict],
) -> list[dict[str, Any]]:
    """The replies that made a memory's versions: extraction of its windows, the judge's word, a derivation.

    Returns:
        For each ``key``, ``stage``, ``model``, ``prompt_hash``, ``recorded_at``, ``prompt_tokens``,
        ``completion_tokens`` and ``usd`` of the reply (its part of the call), ``shared_by`` (memories that it proposed,
        candidates that it decided on or insights that it holds), and ``tokens`` and ``usd_share``: this memory's part.
    """
    asked: list[Proposal | Verdict] = [*proposals, *verdicts]
    keys = list(dict.fromkeys(row.reply_key for row in asked if row.reply_key))
    days = {row.day for row in asked}
    found = _by_key(lake, scope, keys, days) + _by_content(lake, scope, versions)
    sharing = _sharing(lake, scope, keys, days)
    return [_share(row, sharing.get(row["key"]) or row.get("statements", 1)) for row in found]


def cost(replies: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """A memory's part of what its replies took; None where no model was asked, or nothing is known of it."""
    if not replies:
        return None
    return {
        "tokens": sum(r["tokens"] for r in replies),
        "usd": round(sum(r["usd_share"] for r in replies), 9),
        "replies": list(replies),
    }


def _share(row: dict[str, Any], shared_by: int) -> dict[str, Any]:
    shown = {name: value for name, value in row.items() if name not in ("statements", "reply")}
    tokens = row["prompt_tokens"] + row["completion_tokens"]
    return {**shown, "shared_by": shared_by, "tokens": round(tokens / shared_by), "usd_share": row["usd"] / shared_by}


def _by_key(lake: Lake, scope: Scope, keys: Sequence[str], days: Collection[date]) -> list[dict[str, Any]]:
    """Kept replies in the order of their keys: on the likely days, and everywhere when one is missing there."""
    if not keys:
        return []
    found = _kept(lake, scope, "key IN (SELECT unnest($keys))", {"keys": list(keys)}, days)
    if len(found) < len(keys):
        found = _kept(lake, scope, "key IN (SELECT unnest($keys))", {"keys": list(keys)}, None)
    place = {key: n for n, key in enumerate(keys)}
    return sorted(found, key=lambda row: place[row["key"]])


def _by_content(lake: Lake, scope: Scope, versions: Sequence[MemoryVersion]) -> list[dict[str, Any]]:
    """The replies that state a reflection or a pattern, the first for each: these carry no key."""
    found: dict[str, dict[str, Any]] = {}
    for version in versions:
        if version.version != 1 or version.cause not in _DERIVED:
            continue
        days = [version.day - timedelta(days=n) for n in range(_PERIOD.days)]
        where = "task NOT IN ('extract', 'consolidate') AND contains(reply, $start)"
        start = version.content.split()[0] if version.content.split() else ""
        for row in _kept(lake, scope, where, {"start": start}, days):
            said = list(_statements(json.loads(row["reply"])))
            if version.content in said:
                found.setdefault(version.content, {**row, "statements": len(said)})
    return list(found.values())


def _statements(value: Any) -> Iterator[str]:
    """Every ``content`` in a reply, in single spaces, as the stages keep it."""
    if isinstance(value, Mapping):
        if isinstance(value.get("content"), str):
            yield " ".join(value["content"].split())
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _statements(inner)


def _kept(
    lake: Lake, scope: Scope, where: str, params: Mapping[str, Any], days: Iterable[date] | None
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = lake.sql(
        "SELECT key, task AS stage, model, prompt_hash, recorded_at, prompt_tokens, completion_tokens, usd, reply "
        f"FROM replies WHERE {_OWN} AND {where} {_FIRST} ORDER BY recorded_at, key",
        {"tenant": scope.tenant_id, "user": scope.user_id, **params},
        days=None if days is None else {"replies": list(days)},
    ).to_pylist()
    return rows


def _sharing(lake: Lake, scope: Scope, keys: Sequence[str], days: Collection[date]) -> dict[str, int]:
    """How many proposals, or verdicts, rest on a reply."""
    if not keys:
        return {}
    table = lake.sql(
        f"SELECT reply_key, count(*) AS n FROM (SELECT reply_key FROM proposals WHERE {_OWN} "
        f"UNION ALL SELECT reply_key FROM verdicts WHERE {_OWN}) "
        "WHERE reply_key IN (SELECT unnest($keys)) GROUP BY reply_key",
        {"tenant": scope.tenant_id, "user": scope.user_id, "keys": list(keys)},
        days={"proposals": days, "verdicts": days},
    )
    return dict(zip(table["reply_key"].to_pylist(), table["n"].to_pylist(), strict=True))
