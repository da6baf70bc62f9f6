"""What the asset of the message log tells of a day."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from memory_pipeline.orchestration.assets.transcripts import _take_in
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext


def _line(user: str, session: str, role: str, at: str) -> dict[str, Any]:
    return {"user_id": user, "session_id": session, "role": role, "content": f"{user} {at}", "created_at": at}


def test_a_day_tells_its_own_rows_users_and_conversations(tmp_path: Path) -> None:
    lines = [
        _line("ann", "a", "user", "2026-03-02T09:00:00Z"),
        _line("ann", "a", "assistant", "2026-03-02T09:01:00Z"),
        _line("ann", "b", "user", "2026-03-02T10:00:00Z"),
        _line("bob", "a", "user", "2026-03-02T11:00:00Z"),
        _line("bob", "a", "user", "2026-03-03T11:00:00Z"),
    ]
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ctx = StageContext(Settings(home=str(tmp_path)), "run-1", datetime(2026, 3, 4, tzinfo=UTC))
    monday, tuesday = date(2026, 3, 2), date(2026, 3, 3)
    told = _take_in(ctx, [monday, tuesday])
    assert told.rows == {monday: 4, tuesday: 1}
    assert told.figures == {
        monday: {"users": 2, "conversations": 3, "of which said by users": 3},
        tuesday: {"users": 1, "conversations": 1, "of which said by users": 1},
    }
    assert told.metadata["taken from the inbox"] == 5
