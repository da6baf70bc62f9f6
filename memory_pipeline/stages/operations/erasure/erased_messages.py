"""What an erasure takes out of a home, as the stages see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion
from memory_pipeline.domain.message import Message


@dataclass(frozen=True, slots=True)
class ErasedMessages:
    """Messages that are erased, with the versions and summaries that rest on them."""

    messages: Sequence[Message]
    versions: Sequence[MemoryVersion]
    summaries: Sequence[Summary]

    @property
    def days(self) -> set[date]:
        """On which the messages were written."""
        return {m.day for m in self.messages}

    @property
    def changed(self) -> set[date]:
        """On which the ledger loses a version."""
        return {v.day for v in self.versions}

    def caused(self, grain: Grain, *causes: Cause) -> set[date]:
        """Periods in which the ledger loses a version of some causes, by their first day."""
        return {period_of(grain, v.day).start for v in self.versions if v.cause in causes}

    def summarised(self, grain: Grain) -> set[date]:
        """Periods of which a summary goes; with days, those of sessions."""
        wanted = {str(grain), *([str(SummaryGrain.SESSION)] if grain is Grain.DAY else [])}
        return {s.start for s in self.summaries if str(s.grain) in wanted}
