"""Where a memory came from: versions, verdicts, proposals, windows, and the messages with the quoted words.

It answers who made it, when and why it changed, what took its place (KN-29), which slice of which session it rests on
(RX-28), and what it cost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, TypeVar

from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal, Verdict
from memory_pipeline.domain.reading.records import MemoryHistory
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.answers.reply_costs import cost, replies_behind
from memory_pipeline.retrieval.lists.listing import listed
from memory_pipeline.retrieval.prompt.relatives import relatives, sources
from memory_pipeline.retrieval.store.entities import roster
from memory_pipeline.retrieval.store.links import LinkedMemory
from memory_pipeline.retrieval.store.sources import Sources
from memory_pipeline.retrieval.store.user_rows import MEMORIES
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.kept_answers import kept_sql
from memory_pipeline.storage.queries.ledger import versions_of

T = TypeVar("T")
_IDS = """
SELECT DISTINCT memory_id, lineage_id, superseded_by, day FROM memory_versions
WHERE tenant_id = $tenant AND user_id = $user
"""


@dataclass(frozen=True, slots=True)
class Around:
    """What the index knows of the memories around one.

    Attributes:
        memory_ids: what it was made from, and what it is linked with.
        links: of the memory.
    """

    memory_ids: frozenset[str]
    links: Sequence[LinkedMemory]


def around(sources: Sources, scope: Scope, memory_id: str) -> Around | None:
    """The memories around one, None where the index has none of that id."""
    rows = sources.rows(MEMORIES, scope)
    place = rows.place.get(memory_id)
    if place is None:
        return None
    links = sources.linked(scope, [memory_id]).get(memory_id, ())
    made_of = rows.row(place)["derived_from"] or ()
    return Around(frozenset((*made_of, *(linked.memory_id for linked in links))), links)


def explain(lake: Lake, scope: Scope, memory_id: str, around: Around | None = None) -> MemoryHistory:
    """The whole chain behind one memory.

    Args:
        around: where given, only these memories are read; the memory then has no ``entity_ids``.

    Raises:
        NotFound: the user has no such memory, or it was withdrawn; whether somebody else has it is not told.
    """
    ledger = versions_of(lake, [scope]) if around is None else _beside(lake, scope, memory_id, around)
    rows = [row for row in ledger if row.memory_id == memory_id]
    versions = sorted(standing(rows), key=lambda v: (v.version, v.recorded_at))
    if not versions:
        raise _not_found(scope, memory_id, rows)
    state = fold(ledger)
    current = state[memory_id]
    made_by = list(dict.fromkeys(v.proposal_id for v in reversed(versions) if v.proposal_id))
    days = {v.day for v in versions}
    proposals = _proposed(lake, scope, made_by, days)
    verdicts = _found(lake, "verdicts", Verdict, scope, "proposal_id", made_by, days)
    windows = _found(lake, "windows", Window, scope, "window_id", [p.window_id for p in proposals], days)
    replies = replies_behind(lake, scope, versions, proposals, verdicts)
    rests_on = [state[i] for i in current.derived_from if i in state and not state[i].forgotten]
    return MemoryHistory(
        memory=listed(current, roster(scope, state.values()) if around is None else None),
        versions=tuple(_plain(v) for v in versions),
        verdict=_first(verdicts),
        proposal=_first(proposals),
        window=_first(windows),
        verdicts=tuple(_plain(v) for v in verdicts),
        proposals=tuple(_plain(p) for p in proposals),
        windows=tuple(_plain(w) for w in windows),
        messages=_messages(lake, scope, [current, *versions, *rests_on], days | {w.day for w in windows}),
        derived_from=tuple(current.derived_from),
        sources=tuple(sources(current, state)),
        manual=tuple(_act(v) for v in versions if v.cause is Cause.MANUAL),
        **relatives(lake, scope, current, state, None if around is None else around.links),
        prompt_hash=proposals[0].prompt_hash if proposals else replies[0]["prompt_hash"] if replies else None,
        model=proposals[0].model if proposals else replies[0]["model"] if replies else None,
        run_id=current.run_id,
        cost=cost(replies),
    )


def _beside(lake: Lake, scope: Scope, memory_id: str, around: Around) -> list[MemoryVersion]:
    """Every row of a memory, of its chain, of what took its place and of those around it.

    Which these are, and on which days, is looked for first: whole rows of a long ledger take five times as long to read
    as their ids (measured).
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    every = kept_sql(lake, ["memory_versions"], _IDS, {"tenant": scope.tenant_id, "user": scope.user_id})
    own = every.filter(pc.equal(every["memory_id"], memory_id))
    beside = pc.is_in(every["lineage_id"], own["lineage_id"].combine_chunks())
    beside = pc.or_(beside, pc.fill_null(pc.equal(every["superseded_by"], memory_id), False))
    found = set(every.filter(beside)["memory_id"].to_pylist()) | set(own["superseded_by"].to_pylist())
    ids = pa.array(sorted({i for i in found if i} | around.memory_ids), pa.string())
    days = every.filter(pc.is_in(every["memory_id"], ids))["day"].to_pylist()
    return _owned(lake, "memory_versions", MemoryVersion, scope, "memory_id", ids.to_pylist(), set(days))


def _not_found(scope: Scope, memory_id: str, rows: Sequence[MemoryVersion]) -> NotFound:
    whose = {"tenant_id": scope.tenant_id, "user_id": scope.user_id, "memory_id": memory_id}
    if not rows:
        sentence = f"no memory {memory_id!r} of this user; list them with `memory-pipeline memories --user USER`"
        return NotFound(sentence, **whose)
    last = max(rows, key=lambda v: v.recorded_at)
    return NotFound(
        f"memory {memory_id!r} was withdrawn on {last.recorded_at:%Y-%m-%d} by run {last.run_id}: what it rested on "
        f"has changed, or its run was rolled back; it said {last.content!r}",
        run_id=last.run_id,
        **whose,
    )


def _act(version: MemoryVersion) -> dict[str, Any]:
    names = ("version", "change", "reason", "changed_at", "day", "content", "run_id", "recorded_at")
    return {name: _value(getattr(version, name)) for name in names}


def _messages(
    lake: Lake, scope: Scope, cited_by: Sequence[MemoryVersion], days: Iterable[date]
) -> tuple[dict[str, Any], ...]:
    """The cited messages in order of time, each with the words that the memory rests on."""
    quotes: dict[str, list[str]] = {}
    for evidence in (e for v in cited_by for e in v.evidence):
        quotes.setdefault(evidence.message_id, [])
        if evidence.quote not in quotes[evidence.message_id]:
            quotes[evidence.message_id].append(evidence.quote)
    found = _found(lake, "messages", Message, scope, "message_id", list(quotes), {*days, *(v.day for v in cited_by)})
    sessions = {v.session_id for v in cited_by}
    meant = [m for m in found if m.session_id in sessions]
    ids = {m.message_id for m in meant}
    meant += [m for m in found if m.message_id not in ids]
    return tuple(
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
    )


def _proposed(lake: Lake, scope: Scope, ids: Sequence[str], days: Iterable[date]) -> list[Proposal]:
    """Proposals by id, in order; those that a later extraction does not make any more are kept aside."""
    found = {p.proposal_id: p for p in _found(lake, "proposals", Proposal, scope, "proposal_id", ids, days)}
    missing = [i for i in ids if i not in found]
    former = _found(lake, "former_proposals", Proposal, scope, "proposal_id", missing, days)
    found |= {p.proposal_id: p for p in former}
    return [found[i] for i in ids if i in found]


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
