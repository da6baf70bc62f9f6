"""Some weeks of a small home, in steps: what comes in, what the user does, what the schedules make of it.

Every step is what somebody would simply do again after a crash. Acts of the hand and reads are looked for first, as a
person would look whether a thing was done before doing it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.inference.encoder import Encoder
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest, take_inbox
from memory_pipeline.stages.operations.maintain import Grace, maintain
from memory_pipeline.stages.plan import freshness
from memory_pipeline.stages.plan.making import make
from memory_pipeline.stages.plan.registry import STAGES
from memory_pipeline.stages.publication.publish import index_memories
from memory_pipeline.storage.queries.ledger import CURRENT

Line = dict[str, Any]
FIRST = date(2026, 3, 10)
_TRIES = 4


@dataclass(frozen=True)
class Step:
    """One thing that happens.

    Attributes:
        now: the machine's time.
        work: does it, or the rest of it.
        killed: processes are killed in it.
    """

    name: str
    now: datetime
    work: Callable[[StageContext], object]
    killed: bool = True


def scenario(
    folder: Path, days: int, users: Sequence[str], *, dagster: bool = False, short: bool = False
) -> list[Step]:
    """The steps; the files that come in lie in ``folder``.

    Args:
        days: of the sample, half of them at first and the others later.
        users: of the sample.
        short: leave out what comes later.
        dagster: runs go through the real ``run``, with its Dagster instance.
    """
    lines = [line for user in users for line in sample(user) if day_of(line) < FIRST + timedelta(days=days)]
    half = FIRST + timedelta(days=days // 2)
    early, late = ([x for x in lines if (day_of(x) < half) is first] for first in (True, False))
    missed, older = early.pop(len(early) // 2), [_older(line) for line in early[:6]]
    edit = {**next(x for x in early if x["role"] == "user"), "content": "My name is Ada. I live in Vienna."}
    end = FIRST + timedelta(days=days)
    files = {
        "early": [*map(_text, early), "{broken", _text({**early[0], "created_at": "2199-01-01T00:00:00Z"})],
        "late": [*map(_text, late), _text(late[0]), _text(missed), _text(edit)],
        "older": list(map(_text, older)),
    }
    for name, texts in files.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    run = run_dagster if dagster else run_stages
    first = [
        Step("ingest", at(half), lambda ctx: ingest(ctx, [folder / "early.jsonl"])),
        Step("run", at(half, 2), run),
        Step("reads", at(half, 3), read),
        Step("acts", at(half, 4), act),
    ]
    if short:
        return [*first, *(Step(f"maintenance {n}", at(half, 24 * 30 * n), maintain_now) for n in (1, 2))]
    return [
        *first,
        Step("inbox", at(end), lambda ctx: _from_inbox(ctx, folder / "late.jsonl")),
        Step("second run", at(end, 2), run),
        Step("second maintenance", at(end, 400), maintain_now),
        Step("second acts", at(end, 401), act),
        Step("second reads", at(end, 402), read),
        Step("back-fill", at(end, 403), lambda ctx: ingest(ctx, [folder / "older.jsonl"])),
        Step("last run", at(end, 500), run),
        Step("last maintenance", at(end, 600), maintain_now),
        Step("sweep", at(end, 660), maintain_now),
    ]


def at(day: date, hours: int = 1) -> datetime:
    return datetime.combine(day, datetime.min.time(), UTC) + timedelta(hours=hours)


def sample(user: str) -> Iterator[Line]:
    for text in Path(shipped(f"data/sample/{user}.jsonl")).read_text(encoding="utf-8").splitlines():
        yield json.loads(text)


def day_of(line: Line) -> date:
    return datetime.fromisoformat(line["created_at"]).date()


def _older(line: Line) -> Line:
    """The same talk, a week earlier, in a session of its own."""
    at = datetime.fromisoformat(line["created_at"]) - timedelta(days=7)
    ids = {name: f"{line[name]}-older" for name in ("message_id", "session_id")}
    return {**line, **ids, "created_at": at.isoformat()}


def _text(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False)


def _from_inbox(ctx: StageContext, file: Path) -> None:
    """Somebody has put a file into the inbox; it is taken from there."""
    inbox = Path(ctx.settings.path("inbox"))
    inbox.mkdir(exist_ok=True)
    target = inbox / file.name
    if not target.exists():
        target.hardlink_to(file)  # appears whole, as a file that was moved there does
    take_inbox(ctx)


def run_stages(ctx: StageContext) -> None:
    """Make what is missing or stale, stage after stage, until nothing is."""
    for _ in range(_TRIES):
        again = False
        for stage in STAGES:
            if stale := freshness.stale(ctx, stage):
                make(ctx, stage, stale)
                again = True
        if not again:
            return
    raise SystemExit(f"something is stale still after {_TRIES} times")


def run_dagster(ctx: StageContext) -> None:
    """What ``memory-pipeline run`` does, at the machine's own time."""
    from memory_pipeline.orchestration.runs.run import run

    run(ctx.settings)


def maintain_now(ctx: StageContext) -> None:
    maintain(ctx, Grace(*3 * [timedelta(0)]))


def _current(ctx: StageContext) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = ctx.lake.sql(f"SELECT * FROM ({CURRENT}) ORDER BY memory_id").to_pylist()
    return rows


def act(ctx: StageContext) -> None:
    """What one user does by hand: each act unless the ledger holds it already."""
    rows = ctx.lake.sql("SELECT * FROM memory_versions WHERE cause = 'manual'").to_pylist()
    done = {(row["change"], row["changed_at"].replace(tzinfo=UTC)) for row in rows}
    index_memories(ctx, {row["memory_id"] for row in rows})  # as doing it again does
    owner = min((r["tenant_id"], r["user_id"]) for r in _current(ctx))
    scope = {"tenant_id": owner[0], "user_id": owner[1]}
    for n, change in enumerate(("add", "edit", "pin", "forget", "suppress")):
        at = ctx.now + timedelta(minutes=n)
        if (change, at) in done:
            continue
        curator = MemoryCurator(ctx.settings, encoder=ctx.encoder, clock=lambda at=at: at)  # type: ignore[misc]
        if change == "add":
            curator.remember(f"I keep bees since {ctx.now:%d %B, at %H} o'clock.", **scope)
            continue
        memory_id = _target(ctx, owner, n, at)
        if change == "edit":
            curator.edit(memory_id, f"Said otherwise on {ctx.now:%d %B at %H}.", **scope)
        else:
            getattr(curator, change)(memory_id, **scope)


def _target(ctx: StageContext, owner: tuple[str, str], n: int, at: datetime) -> str:
    """The n-th of the user's memories that time alone has made what they are."""
    rows = ctx.lake.sql(
        f"SELECT memory_id FROM ({CURRENT}) WHERE tenant_id = $tenant AND user_id = $user AND status = 'active' "
        "AND cause = 'proposal' AND NOT pinned AND surface <> 'avoid' AND memory_id NOT IN "
        "(SELECT memory_id FROM memory_versions WHERE cause = 'manual') ORDER BY memory_id",
        {"tenant": owner[0], "user": owner[1]},
    ).column("memory_id")
    return str(rows[0].as_py())


def read(ctx: StageContext) -> None:
    """Reads by an application, and what it heard of them: each unless the log holds it already."""
    from memory_pipeline.domain.scope import Scope
    from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog

    log = RecallLog(ctx.settings.path("recall"))
    known = {(row.recall_id, row.kind, row.item_id) for row in log.rows()}
    rows = _current(ctx)
    for n in range(6):
        at = ctx.now + timedelta(minutes=n)
        row = rows[n * 7 % len(rows)]
        scope, recall = Scope(row["tenant_id"], row["user_id"]), f"rec-{at:%m%d%H%M}"
        item = row["memory_id"]
        if (recall, "search", item) not in known:
            items = ((item, "semantic", 0.5),)
            log.read(ReadEvent(recall, "search", scope, "what?", None, "default", "m", 1.0, at, items))
        if n % 2 and (recall, "feedback", item) not in known:
            log.feedback(recall, scope, item, n % 3 == 0, at + timedelta(seconds=30))


def context(home: str, step: Step, attempt: int, encoder: Encoder) -> StageContext:
    """That of a step; who tries again does so later, but for what the user did at its time."""
    settings = Settings.load(home=home, chat="builtin", encoder="builtin")
    later = timedelta(0) if step.work in (act, read) else timedelta(minutes=attempt)
    ctx = StageContext(settings, f"{step.name.replace(' ', '-')}-{attempt}", step.now + later)
    ctx.__dict__["encoder"] = encoder
    return ctx
