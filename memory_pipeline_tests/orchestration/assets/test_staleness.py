"""What Dagster's UI calls stale, by the data versions that the assets report."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from memory_pipeline.definitions import defs
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings

_DAYS = ("2026-03-05", "2026-03-06")


def _drop(settings: Settings, name: str, day: str, text: str) -> None:
    inbox = Path(settings.path("inbox"))
    inbox.mkdir(exist_ok=True)
    said = {"user_id": "ann", "session_id": day, "message_id": name, "role": "user", "content": text}
    line = json.dumps({**said, "created_at": f"{day}T12:00:00+00:00"})
    (inbox / f"{name}.jsonl").write_text(line + "\n", encoding="utf-8")


def _statuses(settings: Settings, *assets: str) -> dict[str, list[StaleStatus]]:
    graph = defs.resolve_asset_graph()
    with instance(settings) as kept:
        found = CachingStaleStatusResolver(kept, graph, LoadingContextForTest(kept))
        return {name: [found.get_status(dg.AssetKey(name), day) for day in _DAYS] for name in assets}


def test_a_late_message_makes_its_day_stale_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DAGSTER_HOME", "MEMORY_PIPELINE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    settings = Settings.load(home=str(tmp_path), chat="builtin", encoder="builtin")
    for day, text in zip(_DAYS, ("I live in Oslo.", "I work as a nurse."), strict=True):
        _drop(settings, f"m-{day}", day, text)
    run(settings)
    fresh = [StaleStatus.FRESH, StaleStatus.FRESH]
    assert _statuses(settings, "transcripts", "proposals", "memories") == dict.fromkeys(
        ("transcripts", "proposals", "memories"), fresh
    )

    _drop(settings, "late", _DAYS[0], "I have a cat called Tom.")
    run(settings, only=["message_vectors"])
    statuses = _statuses(settings, "proposals")
    assert statuses == {"proposals": [StaleStatus.STALE, StaleStatus.FRESH]}
