"""The commands beside the daily round, in steps: rolled back, remembered and forgotten, exported and taken in, aged,
erased, maintained. Each is what somebody would simply do again after a crash."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from benchmarks.faults.scenario import (
    FIRST,
    Step,
    act,
    at,
    day_of,
    maintain_now,
    read,
    run_stages,
    sample,
)
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.operations.bundle.exporting import export
from memory_pipeline.stages.operations.bundle.importing import import_
from memory_pipeline.stages.operations.erasure.erase import erase_named
from memory_pipeline.stages.operations.rollback import prepare, write

_SECOND = "second run"


def commands(folder: Path, days: int, users: Sequence[str]) -> list[Step]:
    """The steps; the files that come in and go out lie in ``folder``. The first ones only make a home to work on.

    Args:
        days: of the sample, half of them at first and the others later.
        users: of the sample; the last is erased, what is known of the first is taken in once more as another one's.
    """
    half, end = FIRST + timedelta(days=days // 2), FIRST + timedelta(days=days)
    lines = [line for user in users for line in sample(user) if day_of(line) < end]
    folder.mkdir(parents=True, exist_ok=True)
    for name, early in (("early", True), ("late", False)):
        part = [line for line in lines if (day_of(line) < half) is early]
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in part), encoding="utf-8")
    kept, gone = lines[0]["user_id"], lines[-1]["user_id"]
    tenants = {line["user_id"]: line.get("tenant_id", "default") for line in lines}
    first, bundle = Scope(tenants[kept], kept), folder / "first.bundle"
    return [
        Step("ingest", at(half), lambda ctx: ingest(ctx, [folder / "early.jsonl"]), killed=False),
        Step("run", at(half, 2), run_stages, killed=False),
        Step("late", at(end), lambda ctx: ingest(ctx, [folder / "late.jsonl"]), killed=False),
        Step(_SECOND, at(end, 2), run_stages, killed=False),
        Step("rollback", at(end, 3), _roll_back),
        Step("run after it", at(end, 4), run_stages),
        Step("acts", at(end, 5), act),
        Step("reads", at(end, 6), read, killed=False),
        Step("export", at(end, 7), lambda ctx: export(ctx, first, bundle)),
        Step("import", at(end, 8), lambda ctx: import_(ctx, bundle, Scope(first.tenant_id, "newcomer"))),
        Step("run after that", at(end, 9), run_stages),
        Step("lifecycle", at(end, 24 * 60), lambda ctx: age(ctx, [ctx.now.date()])),
        Step("erase", at(end, 24 * 60 + 1), lambda ctx: _erase(ctx, Scope(tenants[gone], gone))),
        Step("last run", at(end, 24 * 60 + 2), run_stages),
        Step("maintenance", at(end, 24 * 90), maintain_now),
        Step("sweep", at(end, 24 * 93), maintain_now),
    ]


def _roll_back(ctx: StageContext) -> None:
    """Withdraw the second run, unless that is on record already."""
    run = f"{_SECOND.replace(' ', '-')}-0"
    done = ctx.lake.sql("SELECT 1 FROM holds WHERE list_contains(runs, $run)", {"run": run})
    if not done.num_rows:
        write(ctx, prepare(ctx, [run], "tried"))


def _erase(ctx: StageContext, scope: Scope) -> None:
    try:
        erase_named(ctx, scope)
    except NotFound:
        if not ctx.lake.sql(
            "SELECT 1 FROM messages WHERE tenant_id = $tenant AND user_id = $user",
            {"tenant": scope.tenant_id, "user": scope.user_id},
        ).num_rows:
            return
        raise
