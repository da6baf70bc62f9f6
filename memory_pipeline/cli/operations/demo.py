"""``demo``: the main job on the sample transcripts, and a readable account of what came of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from memory_pipeline.cli.output import console, print_table
from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.reading.recall import ContextBlock
from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings, shipped

_USER = Scope("acme", "alice")
_QUESTION = "What could I cook for Rui and my sister tonight, and what do I still have to do?"


@dataclass
class Account:
    """What the demo shows."""

    settings: Settings
    report: Any
    messages: list[dict[str, Any]]
    verdicts: list[dict[str, Any]]
    memories: list[dict[str, Any]]
    week: dict[str, Any] | None
    reflection: dict[str, Any] | None
    changed: dict[str, Any] | None
    block: ContextBlock

    def show(self) -> None:
        """Print it."""
        from memory_pipeline.cli.runs.writing import print_run

        out = console()
        out.rule("The run", align="left")
        print_run(self.report)
        out.rule("Messages read", align="left")
        print_table("", ("tenant", "user", "messages", "sessions", "first day", "last day"), _cells(self.messages))
        out.rule("Proposals and what the gate said of them", align="left")
        print_table("", ("verdict", "reason", "proposals"), _cells(self.verdicts))
        out.rule("Memories", align="left")
        print_table("", ("type", "status", "memories"), _cells(self.memories))
        if self.week:
            label = Period(Grain.WEEK, self.week["start"]).label
            out.rule(f"A week of {self.week['user_id']}: {label}", align="left")
            out.print(self.week["text"], markup=False)
        if self.reflection:
            out.rule(f"A reflection on {self.reflection['user_id']}", align="left")
            out.print(self.reflection["content"], markup=False)
            out.print(f"rests on {len(self.reflection['derived_from'])} memories", style="dim")
        if self.changed:
            out.rule("A fact that changed", align="left")
            out.print(f"{self.changed['old']}  →  {self.changed['new']}", markup=False)
            out.print(f"memory-pipeline explain {self.changed['memory_id']}", markup=False, style="dim")
        out.rule(f"What a prompt of {_USER.user_id} gets for: {_QUESTION}", align="left")
        out.print(self.block.text, markup=False)
        out.print(f"{self.block.tokens} tokens", style="dim")
        out.rule("Go on", align="left")
        home = self.settings.home
        out.print(f"export MEMORY_PIPELINE_HOME={home}", markup=False)
        out.print(f'memory-pipeline search "where does she live?" --user {_USER.user_id} --tenant {_USER.tenant_id}')
        out.print("memory-pipeline serve       # the memory panel, at http://127.0.0.1:8300/panel")
        out.print("memory-pipeline ui          # or: make ui — the asset graph, at http://127.0.0.1:3000")


def _cells(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in rows]


def run_demo(progress: Callable[[str, int, int | None], None], *, fresh: bool = False) -> Account:
    """Put the sample into the inbox of the demo's home and run everything through Dagster."""
    from memory_pipeline.orchestration.processes.stage_contexts import listen
    from memory_pipeline.orchestration.runs.run import run

    settings = Settings.load(home=str(Path(Settings.load().path("demo"))))
    if fresh:
        shutil.rmtree(settings.path(), ignore_errors=True)
    inbox = Path(settings.path("inbox"))
    inbox.mkdir(parents=True, exist_ok=True)
    for source in sorted(shipped("data/sample").glob("*.jsonl")):
        if not (inbox / source.name).exists():
            shutil.copyfile(source, inbox / source.name)
    stop = listen(progress)
    try:
        report = run(settings, mark_empty=True)
    finally:
        stop()
    return _account(settings, report)


def _account(settings: Settings, report: Any) -> Account:
    from memory_pipeline.retrieval.reader import MemoryReader
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.queries.ledger import CURRENT

    lake = Lake(settings.path("lake"))

    def rows(query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = lake.sql(query).to_pylist()
        return found

    messages = rows(
        "SELECT tenant_id, user_id, count(*) AS messages, count(DISTINCT session_id) AS sessions, "
        "min(day) AS first_day, max(day) AS last_day FROM messages GROUP BY ALL ORDER BY messages DESC"
    )
    # The prompt is built as on the evening of the sample's last day, not of today.
    (end,) = rows("SELECT max(created_at) AS at FROM messages")
    reader = MemoryReader(settings, clock=lambda: end["at"].replace(tzinfo=UTC))
    return Account(
        settings=settings,
        report=report,
        messages=messages,
        verdicts=rows("SELECT outcome, reason, count(*) AS n FROM verdicts GROUP BY ALL ORDER BY outcome, n DESC"),
        memories=rows(
            f"SELECT type, status, count(*) AS n FROM ({CURRENT}) GROUP BY ALL ORDER BY n DESC, type, status"
        ),
        week=_first(
            rows(
                "SELECT user_id, start, text FROM summaries WHERE grain = 'week' "
                "ORDER BY len(text) DESC, summary_id LIMIT 1"
            )
        ),
        reflection=_first(
            rows(
                f"SELECT user_id, content, derived_from FROM ({CURRENT}) "
                "WHERE type = 'reflection' AND status = 'active' "
                "ORDER BY importance DESC, len(derived_from) DESC, memory_id LIMIT 1"
            )
        ),
        changed=_first(
            rows(
                f"WITH now AS ({CURRENT}) SELECT o.content AS old, n.content AS new, n.memory_id FROM now o "
                "JOIN now n ON n.memory_id = o.superseded_by AND n.tenant_id = o.tenant_id AND n.user_id = o.user_id "
                "WHERE n.type = 'profile_fact' ORDER BY n.importance DESC, n.observed_at, n.memory_id LIMIT 1"
            )
        ),
        block=reader.context(_QUESTION, user_id=_USER.user_id, tenant_id=_USER.tenant_id),
    )


def _first(rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    return rows[0] if rows else None
