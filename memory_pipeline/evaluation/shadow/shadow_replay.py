"""Logged reads made again by one side of a comparison, through the reader that users have."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.reading.recall import RecalledItem
from memory_pipeline.domain.scope import Classification
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import QueryError
from memory_pipeline.evaluation.isolation.markings import Bounds
from memory_pipeline.evaluation.shadow.ab_report import SideOfRead
from memory_pipeline.evaluation.shadow.holdings import Holdings
from memory_pipeline.evaluation.shadow.logged_reads import LoggedRead
from memory_pipeline.retrieval.lists.read_again import reach_again
from memory_pipeline.retrieval.prompt.escaping import fenced
from memory_pipeline.retrieval.prompt.layouts import AVOID
from memory_pipeline.retrieval.query import LAYERS
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.inference.encoder import Encoder

_SEED = 7


@dataclass(frozen=True, slots=True)
class ReplayedItem:
    """One item of a replayed read.

    Attributes:
        evidence: messages it rests on, in order; itself where it rests on none.
        offered: it comes without the mark that it must not be brought up.
    """

    item_id: str
    evidence: tuple[str, ...]
    offered: bool
    content: str


@dataclass
class Side:
    """What is in force, or a candidate. Its reads do not go on record.

    Args:
        holdings: of its home.
        before: of the home in force.
    """

    settings: Settings
    encoder: Encoder
    holdings: Holdings
    before: Holdings
    _at: datetime = field(init=False)

    def __post_init__(self) -> None:
        self._reader = MemoryReader(
            self.settings, encoder=self.encoder, clock=lambda: self._at, seed=_SEED, recorded=False
        )

    def warm(self, read: LoggedRead) -> None:
        """Open the rows of a read's user."""
        self._at = read.at
        self._reader.search("warm", **_owner(read), k=1, layers=LAYERS)

    def replay(self, read: LoggedRead) -> tuple[SideOfRead, list[ReplayedItem]]:
        """Make a read again, as of its moment, over what the home holds now."""
        self._at = read.at
        began = time.perf_counter()
        try:
            items, tokens = _KINDS[read.kind](self, read)
        except QueryError:
            return SideOfRead((), faults={"failed": 1}, ms=_since(began)), []
        ms = _since(began)
        rated = {helpful: self._rated(read, items, helpful) for helpful in (True, False)}
        return SideOfRead(keys(items), rated[True], rated[False], self._faults(read, items), ms, tokens), items

    def _search(self, read: LoggedRead) -> tuple[list[ReplayedItem], int]:
        reach: dict[str, Any] = {"profile": read.profile, **reach_again(read.asked)}
        found = self._reader.search(
            read.query,
            **_owner(read),
            k=read.asked.get("k", 10),
            session_id=read.session_id,
            min_score=read.asked.get("min_score"),
            **reach,
        )
        return _shown(found)

    def _ask(self, read: LoggedRead) -> tuple[list[ReplayedItem], int]:
        """What an answer would be made from; no model is asked."""
        reach: Any = {"profile": read.profile, **reach_again(read.asked)}
        return _shown(self._reader.evidence(read.query, **_owner(read), **reach))

    def _context(self, read: LoggedRead) -> tuple[list[ReplayedItem], int]:
        reach: dict[str, Any] = {"profile": read.profile, **reach_again(read.asked)}
        block = self._reader.context(
            read.query,
            **_owner(read),
            session_id=read.session_id,
            layout=read.asked.get("layout", "memory"),
            budget=read.asked.get("budget"),
            scope=read.asked.get("scope", "user"),
            **reach,
        )
        open_text = "\n".join(text for title, text in block.sections.items() if title.rstrip(":") != AVOID.rstrip(":"))
        held = self.holdings.of[read.scope]
        items = []
        for item_id in block.item_ids:
            content = held.content(item_id)
            offered = item_id not in held.memories or fenced(content, tuple(block.sections)) in open_text
            items.append(ReplayedItem(item_id, held.evidence(item_id), offered, content))
        return items, block.tokens

    def _rated(self, read: LoggedRead, items: Sequence[ReplayedItem], helpful: bool) -> dict[str, int]:
        """The items that somebody has rated so, each at the first place of what rests on the same messages."""
        known = self.before.of[read.scope]
        found = {}
        for rated, verdict in read.ratings.items():
            wanted = set(known.evidence(rated)) | {rated}
            place = next((n for n, i in enumerate(items) if wanted & {i.item_id, *i.evidence}), None)
            if verdict is helpful and place is not None:
                found[rated] = place
        return found

    def _faults(self, read: LoggedRead, items: Sequence[ReplayedItem]) -> Mapping[str, int]:
        one = read.session_id if read.kind == "search" else None
        bounds = Bounds(
            Classification(read.asked.get("max_classification", Classification.INTERNAL)),
            domain=read.asked.get("domain"),
            agent_id=read.asked.get("agent_id"),
            session_id=one,
            apart_from=None if one else read.session_id,
        )
        shared = bool(read.asked.get("include_shared", False))
        found: Counter[str] = Counter()
        for item in items:
            found.update(self.holdings.faults(read.scope, item.item_id, bounds, shared, self.before))
            if item.offered and self.holdings.avoided(read.scope, item.item_id, self.before):
                found["avoided"] += 1
        return found


_KINDS: Mapping[str, Any] = {"search": Side._search, "ask": Side._ask, "context": Side._context}


def keys(items: Sequence[ReplayedItem]) -> tuple[str, ...]:
    """The items by the message that each rests on first, counted where several rest on one."""
    seen: Counter[str] = Counter()
    found = []
    for item in items:
        first = item.evidence[0]
        seen[first] += 1
        found.append(f"{first} {seen[first]}")
    return tuple(found)


def _owner(read: LoggedRead) -> dict[str, Any]:
    return {"user_id": read.scope.user_id, "tenant_id": read.scope.tenant_id}


def _shown(found: Sequence[RecalledItem]) -> tuple[list[ReplayedItem], int]:
    items = [ReplayedItem(i.id, i.evidence or (i.id,), i.surface != "avoid", i.content) for i in found]
    return items, sum(estimate_tokens(i.content) for i in found)


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
