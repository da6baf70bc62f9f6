"""A ranked row on its way to the reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_pipeline.domain.calendar import age
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.reading.recall import RecalledItem, Signal
from memory_pipeline.retrieval.query import MESSAGE
from memory_pipeline.retrieval.store.user_rows import MESSAGES, SUMMARIES

DERIVED = "derived"  # the standing of what summaries say
_OVER = frozenset({Status.SUPERSEDED, Status.CONTRADICTED, Status.CLOSED})
_NONE: Mapping[str, Signal] = {}


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked row.

    Attributes:
        row: the columns of its index table.
        surface: how it may be used; ``avoid`` also for a message behind a memory that must not be brought up.
        evidence: message ids; also those of what it stands for.
        rests_on: keys of the message turns it rests on (its own, for a message); empty where they were not looked up.
    """

    layer: str
    id: str
    row: Mapping[str, Any]
    score: float
    signals: Mapping[str, Signal]
    surface: str
    evidence: tuple[str, ...]
    rests_on: frozenset[str] = frozenset()

    @property
    def observed_at(self) -> datetime:
        """When it was said; of a summary, the time of the last message. UTC."""
        at: datetime = self.row["created_at" if self.layer == "episodic" else "observed_at"]
        return at

    @property
    def type(self) -> str:
        """Type of the memory, ``message``, or ``day_summary``, ``week_summary``, ``month_summary``."""
        if self.layer == "episodic":
            return MESSAGE
        return str(self.row["type"]) if "type" in self.row else f"{self.row['grain']}_summary"

    @property
    def standing(self) -> str:
        """Whose words it is: of a turn that of most of it (see ``language.standing.Standing``), else the state of the
        memory, or ``derived`` for a summary."""
        if self.layer != "episodic":
            return str(self.row["status"]) if "status" in self.row else DERIVED
        sizes: Counter[str] = Counter()
        for span in self.row["spans"] or ():
            sizes[span["standing"]] += span["end"] - span["start"]
        return max(sizes, key=lambda name: sizes[name], default="filler")

    def item(self, at: datetime, recall_id: str, *, explain: bool) -> RecalledItem:
        """What a reader is given; ``at`` is the moment that ages count from."""
        return RecalledItem(
            id=self.id,
            layer=self.layer,
            type=self.type,
            content=self.row["content"],
            score=self.score,
            signals=dict(self.signals) if explain else {},
            surface=self.surface,
            status=self.row.get("status", "active"),
            observed_at=self.observed_at,
            age=age(self.observed_at, at),
            session_id=self.row.get("session_id"),
            evidence=self.evidence,
            recall_id=recall_id,
            pinned=self.row.get("pinned", False),
            standing=self.standing,
        )


def hit(
    table: str,
    row: Mapping[str, Any],
    score: float = 0.0,
    signals: Mapping[str, Signal] = _NONE,
    *,
    shared: bool = False,
) -> Hit:
    """A hit from a row of an index table.

    Args:
        shared: the row is another user's; its messages cannot be looked up and are not named.
    """
    if table == MESSAGES:
        message_id = row["message_id"]
        return Hit("episodic", message_id, row, score, signals, "speak", (message_id,), frozenset({row["message_key"]}))
    if table == SUMMARIES:
        return Hit("narrative", row["summary_id"], row, score, signals, "adapt", tuple(row["message_ids"]))
    layer = "narrative" if row["type"] == "reflection" else "semantic"
    evidence = () if shared else tuple(row["evidence"])
    return Hit(layer, row["memory_id"], row, score, signals, row["surface"], evidence)


def once(hits: Iterable[Hit], most: int) -> list[Hit]:
    """The first ``most`` hits, where a memory and a message it rests on count once.

    Of the two the better one stays, with the evidence of both; of several, the best. Two memories out of one message
    are two. What is over says more than its messages do: that it is over; neither stands for the other.

    Args:
        hits: best first.
    """
    kept: list[Hit] = []
    stands_for: dict[tuple[str, str], int] = {}  # layer and turn → place in ``kept``
    for found in hits:
        other = {"semantic": "episodic", "episodic": "semantic"}.get(found.layer, "")
        said = frozenset() if found.row.get("status") in _OVER else found.rests_on
        twin = min((stands_for[other, key] for key in said if (other, key) in stands_for), default=None)
        if twin is not None:
            both = tuple(dict.fromkeys((*kept[twin].evidence, *found.evidence)))
            kept[twin] = replace(kept[twin], evidence=both)
            continue
        if len(kept) == most:
            break
        for key in said:
            stands_for.setdefault((found.layer, key), len(kept))
        kept.append(found)
    return kept
