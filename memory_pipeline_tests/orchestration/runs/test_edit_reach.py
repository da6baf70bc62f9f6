"""An edit of one message re-makes exactly what rests on it, counted by Dagster's own events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.edit_reach import Reach, edited, put, watched
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings

DAY, WEEK, MONTH = "2026-03-11", "2026-03-09", "2026-03-01"
SAID = {
    "ann": {
        "2026-03-05": "I live in Oslo.",
        "2026-03-10": "I work as a nurse.",
        DAY: "I like green tea.",
        "2026-03-12": "Thanks, that helps.",
        "2026-03-18": "My sister is called Lea.",
        "2026-03-25": "I play the cello.",
    },
    "bob": {
        "2026-03-05": "I live in Lima.",
        DAY: "I like football.",
        "2026-03-12": "I have a dog called Rex.",
        "2026-03-25": "I am allergic to nuts.",
    },
}


def _lines() -> dict[str, dict[str, Any]]:
    return {
        f"{user}-{day}": {
            "user_id": user,
            "session_id": f"{user}-{day}",
            "message_id": f"{user}-{day}",
            "role": "user",
            "content": text,
            "created_at": f"{day}T12:00:00+00:00",
        }
        for user, said in SAID.items()
        for day, text in said.items()
    }


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in ("DAGSTER_HOME", "MEMORY_PIPELINE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    found = Settings.load(home=str(tmp_path), chat="builtin", encoder="builtin")
    put(found, "first", list(_lines().values()))
    run(found)
    return found


def test_an_edit_re_makes_what_rests_on_it_and_nothing_else(settings: Settings) -> None:
    with watched(settings) as nothing:
        run(settings)
    assert nothing == Reach()
    reach = edited(settings, _lines(), f"ann-{DAY}", "I like cocoa.", lambda: run(settings))
    assert reach.events == {
        "transcripts": [DAY],
        "message_vectors": [DAY],
        "proposals": [DAY],
        "memories": [DAY],
        "lifecycle": [DAY],
        "patterns": [WEEK],
        "reflections": [WEEK],
        "memory_vectors": [DAY],
        "memory_links": [DAY],
        "daily_summaries": [DAY],
        "weekly_summaries": [WEEK],
        "monthly_summaries": [MONTH],
    }
    assert {user for _, user in reach.changed} == {"ann"}, "nobody else's rows are touched"
    assert {user for _, user in reach.calls} == {"ann"}
    again = edited(settings, _lines(), f"ann-{DAY}", "I like cocoa.", lambda: run(settings))
    assert again == Reach()
