"""What the stages make of a fixed input, as a digest each, beside the program that made it.

``python -m memory_pipeline_tests.stages.golden`` writes down what they make now.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.models import chat_name
from memory_pipeline.settings import shipped
from memory_pipeline.stages.plan.registry import BY_LEVEL, Stage
from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog
from memory_pipeline_tests.stages.whole import Whole

NOW = datetime(2026, 6, 20, 12, tzinfo=UTC)
FILE = Path(__file__).with_name("golden.json")
SELDOM = frozenset({"reflections"})  # the embedded model writes one where a longer history has something that recurs
FINDINGS = (  # which make a pattern
    "The nightly deploy failed because the migration lock timed out.",
    "Turns out the staging deploy failed because a migration held the lock.",
    "The deploy on Friday failed because the migration lock was never released.",
    "I found out that the deploy fails whenever the migration lock is held by the worker.",
)
_VERSIONS = "SELECT * FROM memory_versions WHERE cause IN ({})"
_SUMMARIES = "SELECT * FROM summaries WHERE {}"
_ROWS: Mapping[str, tuple[str, ...]] = {
    "proposals": ("SELECT * FROM windows", "SELECT * FROM proposals"),
    "memories": ("SELECT * FROM verdicts", _VERSIONS.format("'proposal'")),
    "lifecycle": (_VERSIONS.format("'lifecycle', 'fading'"),),
    "patterns": (_VERSIONS.format("'pattern'"),),
    "reflections": (_VERSIONS.format("'reflection'"),),
    "memory_links": ("SELECT * FROM links", "SELECT * FROM entities"),
    "daily_summaries": (_SUMMARIES.format("grain IN ('day', 'session')"),),
    "weekly_summaries": (_SUMMARIES.format("grain = 'week'"),),
    "monthly_summaries": (_SUMMARIES.format("grain = 'month'"),),
    "recall_feedback": ("SELECT * FROM recalls", "SELECT * FROM usefulness"),
}
_TABLES = {"message_vectors": "messages", "memory_vectors": "memories"}
# Of the run, of the model and of the encoder; what they come to is compared, not their names.
_LEFT_OUT = {"run_id", "recorded_at", "source", "model", "prompt_hash", "reply_key", "vector", "tokens"}


def observed(folder: Path) -> dict[str, dict[str, str]]:
    """By stage its program and the digest of what it makes of the input."""
    home = Whole(folder / "home")
    home.take(_lines(), NOW)
    _read(home)
    home.run(NOW)
    home.make(home.ctx(NOW), "recall_feedback")
    found = {}
    for stage in BY_LEVEL:
        rows = made(home, stage)
        assert rows or stage.name in SELDOM, f"{stage.name} makes nothing of the input: whatever it does is not seen"
        found[stage.name] = {"program": program(home, stage), "rows": digest(*rows)[:16]}
    return found


def program(home: Whole, stage: Stage) -> str:
    """The version of a stage's code, and of the model that answers it."""
    return " ".join([f"v{stage.version}", *([chat_name(home.settings)] if stage.prompts else [])])


def _lines() -> Iterable[dict[str, Any]]:
    yield from map(json.loads, (shipped("data/sample") / "yumi.jsonl").read_text(encoding="utf-8").splitlines())
    said = [(9 + n, content) for n, content in enumerate(FINDINGS)]
    for n, (day, content) in enumerate(said):
        yield {
            "user_id": "dev",
            "session_id": f"s{n}",
            "message_id": f"f{n}",
            "role": "user",
            "content": content,
            "created_at": f"2026-03-{day:02}T10:00:00+00:00",
        }


def _read(home: Whole) -> None:
    log = RecallLog(home.settings.path("recall"))
    for n in range(3):
        log.read(
            ReadEvent(
                recall_id=f"rec_{n}",
                kind="search",
                scope=Scope("default", "yumi"),
                query="what do I eat?",
                session_id=None,
                profile="default",
                model="words",
                latency_ms=1.0,
                recalled_at=NOW - timedelta(days=10, minutes=n),
                items=(("mem_1", "semantic", 0.9), (f"m-{n}", "episodic", 0.5)),
            )
        )


def made(home: Whole, stage: Stage) -> list[str]:
    """What a stage has made of a home's messages, as text."""
    if stage.name in _TABLES:
        index, table = home.ctx(NOW).index, _TABLES[stage.name]
        return _plain(index.all(table, index.schema(table).names).to_pylist())
    return [row for query in _ROWS[stage.name] for row in _plain(home.lake.sql(query).to_pylist())]


def _plain(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    kept = ({k: v for k, v in row.items() if k not in _LEFT_OUT} for row in rows)
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in kept)


def changed(before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What is wrong, a sentence each: stages that make something else although their program says that it is the same.

    Of a stage that reads what another one makes, nothing can be said where that one makes something else.
    """
    found, moved = [], len(BY_LEVEL)
    for stage in BY_LEVEL:
        old, new = before.get(stage.name, {}), now[stage.name]
        if old.get("rows") == new["rows"] or stage.level > moved:
            continue
        moved = min(moved, stage.level)
        if old.get("program") == new["program"]:
            found.append(
                f"{stage.name} makes something else of the same input: raise its `version` in stages/plan/registry.py, "
                "or VERSION of the builtin model where that answers otherwise, so that homes know what is stale"
            )
    return found


def main() -> None:
    """Write down what the stages make now.

    Raises:
        SystemExit: a stage makes something else, and its program does not say so.
    """
    with tempfile.TemporaryDirectory() as folder:
        now = observed(Path(folder))
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    if wrong := changed(before, now):
        raise SystemExit("\n".join(wrong))
    FILE.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
