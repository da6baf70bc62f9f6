"""``doctor``: every part looked at once, each with one line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memory_pipeline import telemetry
from memory_pipeline.cli.operations.costs import spending_sentence, today
from memory_pipeline.errors import BudgetExceeded, MemoryPipelineError
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.engine import open_engine
from memory_pipeline.stages.operations.migrate import pending
from memory_pipeline.stages.operations.reencode import choice_of, uncalibrated
from memory_pipeline.stages.publication import audit
from memory_pipeline.storage.logs.alert_log import AlertLog

_PACKAGES = ("dagster", "duckdb", "lancedb", "pyarrow", "openai", "pandas", "onnxruntime")
_PROBED = 5  # users: the daily probe reads as more
_SHOWN_ALERTS = 100
_LANGUAGES = "languages"
_SHOWN_DAYS = 3
_AGAIN = "`memory-pipeline run` or `memory-pipeline doctor --repair` makes them again"


def examine() -> list[dict[str, Any]]:
    """All checks as ``{"name", "ok", "detail"}``; one that fails does not stop the others.

    That of languages also has ``languages``: how many user messages are in each, by code.
    """
    try:
        settings = Settings.load()
        _ = settings.policies
    except MemoryPipelineError as error:
        return [{"name": "settings", "ok": False, "detail": str(error)}]
    now = datetime.now(UTC)
    ctx = StageContext(settings, f"doctor-{now:%Y%m%dT%H%M%S}", now)
    found = Counter[str]()
    checks = [_guarded(name, check) for name, check in checks_of(ctx, found)]
    more = {_LANGUAGES: {"languages": dict(found.most_common())}}
    return [{**check, **more.get(check["name"], {})} for check in checks]


def checks_of(
    ctx: StageContext, languages: Counter[str] | None = None
) -> Iterator[tuple[str, Callable[[], tuple[bool, str]]]]:
    """Every check: its name, and what makes it.

    Args:
        languages: gets how many user messages are in each language, by code.
    """
    settings = ctx.settings
    yield "settings", lambda: (True, f"home {settings.path()}, chat {settings.chat}, encoder {settings.encoder}")
    yield "policy", lambda: (True, _in_force("policy", settings.policy, settings.policy_file))
    yield "prompts", lambda: _prompts(settings)
    yield "versions", lambda: (True, f"python {sys.version.split()[0]}, " + _versions())
    yield "privacy", lambda: (True, _privacy(settings))
    yield "chat model", lambda: (True, ctx.chat.model)
    yield "encoder", lambda: _encoder(ctx)
    yield "engine", lambda: (True, open_engine(settings).describe())
    yield "budget", lambda: (True, spending_sentence(today(ctx.lake, settings)))
    yield "Dagster's storage", lambda: _dagster_storage(settings)
    yield "schema versions", lambda: (True, _pending(ctx))
    yield "telemetry", lambda: (True, telemetry.state())
    yield "alerts", lambda: (True, _alerts(settings, ctx.now))
    yield "lake", lambda: _lake(ctx)
    yield _LANGUAGES, lambda: (True, _languages(ctx, Counter() if languages is None else languages))
    yield "files", lambda: _files(ctx)
    yield "unfinished files", lambda: _unfinished(ctx)
    yield "recall log", lambda: (True, _recall_log(ctx))
    yield "index", lambda: _index(ctx)
    yield "partitions", lambda: _partitions(ctx)
    yield "replies", lambda: _replies(ctx)
    yield "isolation", lambda: _isolation(ctx)
    days = ctx.lake.days("messages")
    for name, checks in audit.OF_PARTITIONS.items():
        for check in checks:
            yield f"{name}: {check.__name__}", lambda check=check: _audit(check(ctx, days))  # type: ignore[misc]
    for store_check in audit.OF_STORES:
        yield store_check.__name__, lambda store_check=store_check: _audit(store_check(ctx))  # type: ignore[misc]


def _dagster_storage(settings: Settings) -> tuple[bool, str]:
    from memory_pipeline.orchestration.dagster_home.postgres import database, location, require, runs_in

    url = database(settings)
    if url is None:
        from memory_pipeline.orchestration.dagster_home.broken_databases import ADVICE, broken

        if bad := broken(settings):
            return False, f"{', '.join(map(str, bad))} cannot be read: {ADVICE}"
        return True, "SQLite under the home" if not settings.remote else "SQLite in DAGSTER_HOME"
    require(url)
    return True, f"Postgres at {location(url)}, {runs_in(url)} runs"


def _alerts(settings: Settings, now: datetime) -> str:
    found = AlertLog(settings).latest(_SHOWN_ALERTS)
    if not found:
        return "none"
    since = (now - timedelta(days=1)).isoformat()
    told = "; ".join(f"{row['at'][:16]} {row['message']}" for row in found[:3])
    fresh = sum(row["at"] >= since for row in found)
    return f"{fresh if fresh < _SHOWN_ALERTS else f'{fresh} or more'} in the last day; the latest: {told}"


def _in_force(name: str, given: Path | None, used: Path | None) -> str:
    if used is None:
        return "as shipped"
    whence = f"MEMORY_PIPELINE_{name.upper()}" if given else "put in force by `memory-pipeline promote`"
    return f"{used} ({whence})"


def _prompts(settings: Settings) -> tuple[bool, str]:
    Prompts.open(settings)
    return True, _in_force("prompts", settings.prompts, settings.prompts_folder)


def _guarded(name: str, check: Callable[[], tuple[bool, str]]) -> dict[str, Any]:
    try:
        ok, detail = check()
    except (MemoryPipelineError, OSError, ImportError) as error:
        ok, detail = False, f"{type(error).__name__}: {error}"
    return {"name": name, "ok": ok, "detail": detail}


def _versions() -> str:
    return ", ".join(f"{name} {version(name)}" for name in _PACKAGES)


def _privacy(settings: Settings) -> str:
    remote = [name for name in ("chat", "encoder") if getattr(settings, name) != "builtin"]
    return f"transcripts are sent to the {' and the '.join(remote)} model" if remote else "nothing leaves this machine"


def _encoder(ctx: StageContext) -> tuple[bool, str]:
    try:
        vectors = ctx.encoder.encode(["a short sentence"])
    except BudgetExceeded:
        return True, f"{ctx.encoder.model}, not tried: the day's budget is spent"
    note = uncalibrated(ctx.settings, choice_of(ctx.settings))
    told = f"{ctx.encoder.model}, {ctx.encoder.dimensions} dimensions{f'; {note}' if note else ''}"
    return vectors.shape == (1, ctx.encoder.dimensions), told


def _pending(ctx: StageContext) -> str:
    waiting = [entry.told for entry in pending(ctx)]
    return f"run `memory-pipeline migrate`: {'; '.join(waiting)}" if waiting else "everything is of this release"


def _lake(ctx: StageContext) -> tuple[bool, str]:
    days = ctx.lake.days("messages")
    row = ctx.lake.sql("SELECT count(*) AS n FROM messages").to_pylist()[0]
    return True, f"{row['n']} messages on {len(days)} days" if days else "empty: ingest some transcripts"


def _languages(ctx: StageContext, found: Counter[str]) -> str:
    """Never a failure: it is for the operator to say whether these users are to be remembered."""
    from memory_pipeline.stages.messages.languages import shares, spoken, unread

    found.update(spoken(ctx.lake, ctx.lake.days("messages")))
    return unread(ctx.settings, found) or shares(found)


def _files(ctx: StageContext) -> tuple[bool, str]:
    from memory_pipeline.storage.parquet.damaged_files import damage, damaged
    from memory_pipeline.storage.parquet.schemas import DATASETS

    paths = [info.path for dataset in DATASETS for info in ctx.lake.store.infos(dataset, None)]
    bad = [str(damage(path, why)) for path, why in damaged(ctx.lake.store.fs, paths)]
    more = f"; and {len(bad) - 1} more" if len(bad) > 1 else ""
    return not bad, f"{bad[0]}{more}" if bad else f"{len(paths)} files of the lake are whole"


def _unfinished(ctx: StageContext) -> tuple[bool, str]:
    from memory_pipeline.storage.erasing.unfinished import unfinished

    left = unfinished(ctx.settings, timedelta(days=1))
    return True, f"{len(left)} left by killed processes; maintenance removes them" if left else "none"


def _recall_log(ctx: StageContext) -> str:
    """Never a failure: lines that a full disk or a crash has cut are lost, and nothing is to be done about them."""
    from memory_pipeline.storage.logs.recall_log import RecallLog

    log = RecallLog(ctx.settings.path("recall"))
    lost = log.unreadable()
    told = f"; {lost} lines cannot be read (torn, or of another release) and are passed over" if lost else ""
    return f"{len(log.files())} spools{told}"


def _index(ctx: StageContext) -> tuple[bool, str]:
    from memory_pipeline.stages.operations.index_repair import damages

    if bad := damages(ctx, whole=True):
        return False, f"{'; '.join(bad.values())}: {_AGAIN}"
    found = ctx.index.statistics()
    return True, ", ".join(f"{name} {s['rows']} rows" for name, s in found.items()) or "empty: run the pipeline"


def _partitions(ctx: StageContext) -> tuple[bool, str]:
    """Partitions of which rows are gone that a stage had made."""
    from memory_pipeline.stages.plan.freshness import Changed, why
    from memory_pipeline.stages.plan.registry import STAGES

    lost = {
        stage.name: days
        for stage in STAGES
        if (days := sorted(day for day, reasons in why(ctx, stage).items() if Changed.LOST in reasons))
    }
    told = "; ".join(f"{name}: {_several(days)}" for name, days in lost.items())
    return not lost, f"rows are gone of {told}: {_AGAIN}" if lost else "every partition holds what was made"


def _replies(ctx: StageContext) -> tuple[bool, str]:
    """Kept replies that proposals and verdicts rest on."""
    days = ctx.lake.sql(
        "SELECT DISTINCT day FROM (SELECT day, reply_key FROM proposals UNION ALL SELECT day, reply_key FROM verdicts) "
        "WHERE reply_key IS NOT NULL AND reply_key NOT IN (SELECT key FROM replies) ORDER BY day"
    )["day"].to_pylist()
    told = (
        f"kept replies are gone of {_several(days)}: put lake/replies back from a backup, or the model is asked again"
    )
    return not days, told if days else "all are kept that proposals and verdicts rest on"


def _several(days: Sequence[date]) -> str:
    more = f" and {len(days) - _SHOWN_DAYS} more" if len(days) > _SHOWN_DAYS else ""
    return f"{', '.join(map(str, days[:_SHOWN_DAYS]))}{more}"


def _isolation(ctx: StageContext) -> tuple[bool, str]:
    """A few of the reads that the daily probe makes."""
    from memory_pipeline.evaluation.isolation.probe import probe, recent_users
    from memory_pipeline.retrieval.reader import MemoryReader

    reader = MemoryReader(ctx.settings, encoder=ctx.encoder, recorded=False)
    found = probe(ctx, reader, recent_users(ctx)[:_PROBED], ctx.now.date())
    more = f"; e.g. {found.foreign[0]}" if found.foreign else ""
    return not found.foreign, f"{len(found.foreign)} foreign rows in {found.reads} reads{more}"


def _audit(found: audit.Audit) -> tuple[bool, str]:
    more = f"; e.g. {dict(found.examples[0])}" if found.examples and not found.ok else ""
    return found.ok, f"{found.detail}: {found.found}{more}" if not found.ok or found.found else found.detail
