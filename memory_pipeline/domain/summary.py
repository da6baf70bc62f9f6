"""Derived text over a calendar period, with the ids it was derived from (DL-29)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from memory_pipeline.domain.calendar import Grain


@dataclass(frozen=True, slots=True)
class Summary:
    """One user's day, week or month in prose.

    Attributes:
        start: first local day of the period; with ``grain`` it names the period.
        message_ids, memory_ids: the evidence, in order.
        input_hash: digest of the evidence's content; a different one means the summary is stale.
        observed_at: time of the last message it covers, UTC.
    """

    summary_id: str
    tenant_id: str
    user_id: str
    grain: Grain
    start: date
    text: str
    message_ids: tuple[str, ...]
    memory_ids: tuple[str, ...]
    input_hash: str
    observed_at: datetime
    prompt_hash: str
    model: str
    run_id: str
    recorded_at: datetime
