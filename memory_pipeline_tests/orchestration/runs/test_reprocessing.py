"""A changed policy, from ``diff`` over a run to its rollback: what was told comes to pass, and goes back as it came."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import MemoryVersion, standing
from memory_pipeline.inference.models import open_encoder
from memory_pipeline.orchestration.runs.diff import diff, rollback_diff
from memory_pipeline.orchestration.runs.rollback import roll_back
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import silent
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Link
from memory_pipeline.storage.queries.ledger import CURRENT
from memory_pipeline.storage.queries.runs import runs
from memory_pipeline.storage.vectors.index import Index

SAID = {
    "2026-03-05": "I live in Oslo.",
    "2026-03-10": "I work as a nurse in Oslo.",
    "2026-03-12": "I moved from Oslo to Bergen last week.",
}
STRICT = "[gate]\nmin_salience = 0.8\n"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in ("DAGSTER_HOME", "MEMORY_PIPELINE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    found = Settings.load(home=str(tmp_path), chat="builtin", encoder="builtin")
    lines = [
        {
            "user_id": "ann",
            "session_id": day,
            "message_id": f"m-{day}",
            "role": "user",
            "content": text,
            "created_at": f"{day}T12:00:00+00:00",
        }
        for day, text in SAID.items()
    ]
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return found


def _seen(settings: Settings) -> dict[str, Any]:
    """Everything that readers see."""
    lake = Lake(settings.path("lake"))
    index = Index.open(settings, open_encoder(settings))
    return {
        "ledger": {v.version_id for v in standing(lake.read("memory_versions", MemoryVersion))},
        "index": sorted(index.all("memories", ["version_id"])["version_id"].to_pylist()),
        "links": sorted((x.source_id, x.target_id, x.relation) for x in lake.read("links", Link)),
        "summaries": sorted((s.label, s.text) for s in lake.read("summaries", Summary)),
    }


def _texts(settings: Settings) -> set[str]:
    return set(Lake(settings.path("lake")).sql(f"SELECT content FROM ({CURRENT})")["content"].to_pylist())


def _files(settings: Settings) -> dict[str, str]:
    """Every file of the stores but replies, vectors and costs."""
    home = Path(settings.path("lake")).parent
    paths = [p for folder in ("lake", "index") for p in (home / folder).rglob("*") if p.is_file()]
    paid = {home / "lake" / name for name in ("replies", "vectors", "costs")}
    kept = [p for p in paths if paid.isdisjoint(p.parents) and p.suffix != ".lock"]
    return {str(p.relative_to(home)): hashlib.sha256(p.read_bytes()).hexdigest() for p in kept}


def test_what_is_told_comes_to_pass_and_goes_back(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(settings)
    assert [step["stages"][0] for step in first.planned if step["grain"] == "day"].count("message_vectors") == 1
    assert first.stages["proposals"]["partitions"] == len(SAID), "silent days between them are left alone"
    before, texts = _seen(settings), _texts(settings)
    policy = tmp_path / "strict.toml"
    policy.write_text(STRICT, encoding="utf-8")
    monkeypatch.setenv("MEMORY_PIPELINE_POLICY", str(policy))
    settings = Settings.load()

    files = _files(settings)
    told = diff(settings, agree=lambda ahead: False, progress=silent)
    assert _files(settings) == files, "nothing below has changed"
    gone = {d.before.content for d in told.memories if d.before and d.kind == "retired"}
    assert gone and all(d.reason.startswith("salience: ") and d.quote for d in told.memories if not d.after)
    assert told.counts["retired"] == len(gone) and "proposals" not in told.partitions
    assert told.used["calls"] + told.used["cached"] > 0

    report = run(settings)
    assert texts - _texts(settings) == {d.before.content for d in told.memories if d.before and not d.after}
    assert (report.model_calls, report.told) == (
        0,
        f"0 model calls: all {report.model_calls_cached} replies were kept ones.",
    )
    strict = _seen(settings)
    assert all(strict[name] != before[name] for name in before)

    listed = {r["run_id"]: r for r in runs(Lake(settings.path("lake")))}
    changed = [i for i in report.run_ids if any(listed[i]["versions"].values())]
    files = _files(settings)
    would = rollback_diff(settings, changed, agree=lambda ahead: False, progress=silent)
    assert _files(settings) == files
    assert {d.after.content for d in would.memories if d.after and not d.before} == texts - _texts(settings)
    back = roll_back(settings, changed, "too strict")
    assert _seen(settings) == before, "ledger, index, links and summaries"
    assert not back.run.models.keys() & {"extract", "consolidate"}, "nothing is extracted or judged for it"
    idle = run(settings)
    assert (idle.planned, idle.told) == ([], "Nothing was stale: nothing was made, and no model was called.")
    listed = {r["run_id"]: r for r in runs(Lake(settings.path("lake")))}
    assert {listed[i]["rolled_back_by"] for i in changed} == {back.rollback_id}
    assert listed[back.rollback_id]["rolls_back"] == changed
