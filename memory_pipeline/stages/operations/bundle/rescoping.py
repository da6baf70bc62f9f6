"""A bundle's rows for another tenant or user: ids that follow from the owner are made anew, and every mention of them.

An id is derived by the same formula as the pipeline's own, wherever that formula gives the id that the row has; so
what is processed again finds the same ids. Any other id is derived from the old one and the new owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_pipeline.domain.derived.summary import Summary, SummaryGrain, summary_id
from memory_pipeline.domain.entities import Entity
from memory_pipeline.domain.entities.names import key as name_key
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.hold import Hold, hold_id
from memory_pipeline.domain.ledger.memory import MemoryVersion, memory_id, seal
from memory_pipeline.domain.message import Message, derive_message_id
from memory_pipeline.domain.proposal import Evidence, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import normalise
from memory_pipeline.domain.window import Window

Rows = Mapping[str, list[Any]]
Formula = Callable[[Scope, Mapping[str, str]], Iterable[str]]
_SAME_TIME = 8  # equal messages of one moment that are looked for
_PASSES = 8  # reflections rest on memories, and patterns on reflections


def rescoped(rows: Rows, old: Scope, new: Scope) -> dict[str, list[Any]]:
    """The rows as another owner's. Kept replies are left out: they answer requests that named the old owner."""
    ids = _ids(rows, old, new)
    moved = {
        dataset: [_moved(row, ids, new) for row in found]
        for dataset, found in rows.items()
        if dataset not in ("memory_versions", "holds", "replies")
    }
    versions = _versions(rows["memory_versions"], ids, new)
    holds = [_hold(row, ids, old, new) for row in rows["holds"]]
    return {**moved, "memory_versions": versions, "holds": holds, "replies": []}


def _ids(rows: Rows, old: Scope, new: Scope) -> dict[str, str]:
    """Old id → new id, of everything but versions, which are named after all that they say."""
    ids: dict[str, str] = {}

    def name(identity: str, kind: str, formula: Formula) -> None:
        """Name one row anew, by the formula if that has given its old id."""
        if identity not in ids:
            before, after = formula(old, {}), formula(new, ids)
            found = next((to for was, to in zip(before, after, strict=True) if was == identity), None)
            ids[identity] = found or identifier(kind, "imported", new.tenant_id, new.user_id, identity)

    for message in (*rows["messages"], *rows["message_revisions"]):
        if message.message_id.startswith("msg_"):
            name(message.message_id, "msg", _message(message))
    for window in rows["windows"]:
        name(window.window_id, "win", _window(window))
    for proposal in rows["proposals"]:
        name(proposal.proposal_id, "prp", _proposal(proposal))
    for verdict in rows["verdicts"]:
        name(verdict.verdict_id, "vdt", _follows("vdt", verdict.proposal_id))
    _name_memories(rows["memory_versions"], ids, old, new)
    for link in rows["links"]:
        name(link.link_id, "lnk", _follows("lnk", link.source_id, link.target_id))
    for entity in rows["entities"]:
        name(entity.entity_id, "ent", _entity(entity))
    for summary in rows["summaries"]:
        name(summary.summary_id, "sum", _summary(summary))
    return ids


def _at(ids: Mapping[str, str], identity: str) -> str:
    return ids.get(identity, identity)


def _message(m: Message) -> Formula:
    def formula(scope: Scope, _: Mapping[str, str]) -> Iterable[str]:
        place = (scope.tenant_id, scope.user_id, m.session_id, m.role, m.created_at, m.content)
        return [derive_message_id(*place, nth) for nth in range(_SAME_TIME)]

    return formula


def _follows(kind: str, *others: str) -> Formula:
    """The formula of an id that follows from others alone."""
    return lambda _, ids: [identifier(kind, *(_at(ids, other) for other in others))]


def _entity(e: Entity) -> Formula:
    return lambda scope, _: [identifier("ent", scope.tenant_id, scope.user_id, name_key(e.name), e.kind)]


def _window(w: Window) -> Formula:
    place = (w.session_id, w.day.isoformat(), str(w.ordinal), *w.content_hashes)
    return lambda scope, _: [identifier("win", scope.tenant_id, scope.user_id, *place)]


def _proposal(p: Proposal) -> Formula:
    def formula(_: Scope, at: Mapping[str, str]) -> Iterable[str]:
        said = (p.operation, p.type, p.content, p.subject or "", p.attribute or "", p.value or "")
        cited = tuple(f"{_at(at, e.message_id)}:{e.quote}" for e in p.evidence)
        window = _at(at, p.window_id)
        former = identifier("prp", window, p.model, p.prompt_hash, *said, *cited)  # of rows of earlier releases
        return [identifier("prp", window, *said, *cited), former]

    return formula


def _summary(s: Summary) -> Formula:
    if s.grain is SummaryGrain.SESSION:
        return lambda scope, _: [identifier("sum", scope.tenant_id, scope.user_id, s.grain, s.session_id or "")]
    domains = (None, "", *(s.domains or ()))
    return lambda scope, _: [summary_id(scope, s.grain, s.start, domain) for domain in domains]


def _name_memories(versions: Iterable[MemoryVersion], ids: dict[str, str], old: Scope, new: Scope) -> None:
    firsts: dict[str, MemoryVersion] = {}
    for version in versions:
        known = firsts.get(version.memory_id)
        if known is None or version.version < known.version:
            firsts[version.memory_id] = version
    for identity, first in firsts.items():
        ids[identity] = _memory(first, ids, old, new) or identifier(
            "mem", "imported", new.tenant_id, new.user_id, identity
        )


def _memory(first: MemoryVersion, ids: Mapping[str, str], old: Scope, new: Scope) -> str | None:
    """A memory's id by one of the formulas, where one of them has given its old id."""
    slot = (first.subject, first.attribute, first.value, first.content)
    cited = [e.message_id for e in first.evidence] or [f"{first.session_id}:{first.observed_at.isoformat()}"]
    for message_id in cited:
        if memory_id(old.tenant_id, old.user_id, message_id, *slot) == first.memory_id:
            return memory_id(new.tenant_id, new.user_id, _at(ids, message_id), *slot)
    derived = (str(first.type), normalise(first.content))
    if identifier("mem", old.tenant_id, old.user_id, *derived) == first.memory_id:
        return identifier("mem", new.tenant_id, new.user_id, *derived)
    return None


def _versions(versions: Iterable[MemoryVersion], ids: dict[str, str], new: Scope) -> list[MemoryVersion]:
    """Versions of the new owner's memories, each sealed anew after the one before it."""
    found = []
    for version in sorted(versions, key=lambda v: (v.memory_id, v.version)):
        moved = seal(_moved(version, ids, new))
        ids[version.version_id] = moved.version_id
        found.append(moved)
    return found


def _hold(hold: Hold, ids: Mapping[str, str], old: Scope, new: Scope) -> Hold:
    """A hold of the new owner's versions, which have their new ids by now."""

    def named(scope: Scope) -> str:
        return hold_id(hold.rollback_id, hold.stage, scope, hold.day)

    identity = (
        named(new)
        if named(old) == hold.hold_id
        else identifier("hld", "imported", new.tenant_id, new.user_id, hold.hold_id)
    )
    return replace(
        hold,
        hold_id=identity,
        tenant_id=new.tenant_id,
        user_id=new.user_id,
        versions=_renamed(hold.versions, ids),
        inputs=tuple(sorted(_renamed(hold.inputs, ids))),
    )


def _moved(row: Any, ids: Mapping[str, str], new: Scope) -> Any:
    """A row with the new owner and the new ids, wherever one is named."""
    changes: dict[str, Any] = {"tenant_id": new.tenant_id, "user_id": new.user_id}
    for name in row.__slots__:
        value = getattr(row, name)
        if name not in changes and _names(name):
            changes[name] = _renamed(value, ids)
    return replace(row, **changes)


def _names(column: str) -> bool:
    return column.endswith(("_id", "_ids", "evidence", "aliases", "derived_from", "superseded_by")) or column in (
        "taken_back",
        "apart",
    )


def _renamed(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, tuple):
        return tuple(_renamed(item, ids) for item in value)
    if isinstance(value, Evidence):
        return replace(value, message_id=ids.get(value.message_id, value.message_id))
    if hasattr(value, "memory_id"):
        return replace(value, memory_id=ids.get(value.memory_id, value.memory_id))
    return value
