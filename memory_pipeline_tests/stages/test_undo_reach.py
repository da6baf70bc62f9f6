"""What rests on a decision follows when the user undoes it: links and summaries are made again, others are not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.storage.parquet.schemas import Link
from memory_pipeline_tests.stages.whole import Whole
from memory_pipeline_tests.store import WordEncoder

NOW = datetime(2026, 6, 1, 3, 30, tzinfo=UTC)
SAID = {"2026-03-03": "I like green tea.", "2026-03-05": "I live in Oslo.", "2026-03-12": "I live in Bergen now."}


def test_links_and_summaries_follow_an_undone_replacement(tmp_path: Path) -> None:
    home = Whole(tmp_path)
    lines = [
        {
            "user_id": "ann",
            "session_id": day,
            "message_id": day,
            "role": "user",
            "content": text,
            "created_at": f"{day}T12:00:00+00:00",
        }
        for day, text in SAID.items()
    ]
    home.take(lines, NOW)
    home.run(NOW)
    by_text = {m.content: m for m in home.memories()}
    oslo, bergen = by_text["Lives in Oslo."], by_text["Lives in Bergen."]
    assert oslo.superseded_by == bergen.memory_id
    assert (bergen.memory_id, oslo.memory_id, "supersedes") in _links(home)

    later = NOW + timedelta(hours=1)
    hand = MemoryCurator(home.settings, encoder=WordEncoder(), clock=lambda: later)
    hand.undo(oslo.memory_id, user_id="ann", tenant_id="default")
    stale = home.stale(later)
    assert {"memory_links", "daily_summaries", "weekly_summaries"} <= stale.keys()
    assert date(2026, 3, 3) not in stale["daily_summaries"] and "proposals" not in stale
    home.run(later)
    assert home.stale(later) == {}
    assert {m.content for m in home.memories() if m.status == "active"} >= {"Lives in Oslo.", "Lives in Bergen."}
    assert (bergen.memory_id, oslo.memory_id, "supersedes") not in _links(home)


def _links(home: Whole) -> set[tuple[str, str, str]]:
    return {(x.source_id, x.target_id, x.relation) for x in home.lake.read("links", Link)}
