"""Arguments that shape the prompt of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_pipeline.retrieval.query import Reach


class Prompting(Reach, total=False):
    """What ``Memory.payload`` takes beside the turn, as it explains them."""

    system: str | None
    services: Mapping[str, Any] | None
    history: Sequence[Mapping[str, Any]]
    layout: str
    budget: int | None
    stable: bool
    scope: str
