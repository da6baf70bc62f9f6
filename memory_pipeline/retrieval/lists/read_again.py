"""What the recall log keeps of a read's arguments, so that the same read can be made again (KN-28)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_pipeline.domain.scope import Classification
from memory_pipeline.retrieval.query import DETAILS, LAYERS, Query, Reach


def reach_of(query: Query) -> dict[str, Any]:
    """How far a query reached, in JSON's types; what is the default is left out."""
    found: dict[str, Any] = {"layers": [name for name in LAYERS if name in query.layers]}
    found |= {n: at.isoformat() for n in ("as_of", "known_at") if (at := getattr(query, n)) is not None}
    found |= {n: v for n in ("agent_id", "domain", "min_score") if (v := getattr(query, n)) is not None}
    if query.ceiling is not Classification.INTERNAL:
        found["max_classification"] = str(query.ceiling)
    if query.include_shared:
        found["include_shared"] = True
    if query.types is not None:
        found["types"] = sorted(query.types)
    if not query.named and query.statuses == DETAILS["high"]:
        found["detail"] = "high"
    elif query.statuses != DETAILS["normal"]:
        found["statuses"] = sorted(query.statuses)
    return found


def reach_again(asked: Mapping[str, Any]) -> Reach:
    """The arguments of a read as they were logged."""
    found: Reach = {}
    if "layers" in asked:
        found["layers"] = tuple(asked["layers"])
    if "as_of" in asked:
        found["as_of"] = datetime.fromisoformat(asked["as_of"])
    if "known_at" in asked:
        found["known_at"] = datetime.fromisoformat(asked["known_at"])
    if "types" in asked:
        found["types"] = tuple(asked["types"])
    if "detail" in asked:
        found["detail"] = asked["detail"]
    if "statuses" in asked:
        found["statuses"] = tuple(asked["statuses"])
    found["agent_id"], found["domain"] = asked.get("agent_id"), asked.get("domain")
    found["max_classification"] = asked.get("max_classification", str(Classification.INTERNAL))
    found["include_shared"] = asked.get("include_shared", False)
    return found
