"""What runs in a worker of the cluster: a stage's function, in surroundings like those of the process that asked.

Secrets come as an argument, which Ray neither logs nor shows, and not in a runtime environment, which it does.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from logging.handlers import QueueHandler
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memory_pipeline import telemetry
from memory_pipeline.domain.ids import digest
from memory_pipeline.errors import EngineError, MemoryPipelineError, SettingsError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

_PASSED_ON = ("MEMORY_PIPELINE_", "OPENAI_", "AWS_", "GOOGLE_", "AZURE_", "OTEL_", "SSL_CERT_")
_PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"})
_LOGGER = "memory_pipeline"


@dataclass(frozen=True)
class Surroundings:
    """What a worker needs to know of the run.

    Attributes:
        name: their own; a worker keeps what it has opened as long as they are the same.
        environment: variables that libraries read, keys among them.
        program: digest of the code, prompts, policy and models that the run goes by.
        level: from which on log records are passed on.
    """

    name: str
    settings: Settings
    run_id: str
    now: datetime
    program: str
    environment: Mapping[str, str] = field(repr=False)
    level: int


@dataclass(frozen=True)
class Task:
    """One call of a function.

    Attributes:
        name: its own; that of all attempts.
        at: the run's clock when it was handed out.
        trace: the span that its own lies in.
    """

    function: Callable[[StageContext, Any], Any]
    name: str
    at: datetime
    trace: Mapping[str, str]


@dataclass(frozen=True)
class TaskResult:
    """What a task came to.

    Attributes:
        error: the package's own, in place of a value.
        records: what was logged.
        taken: calls, requests that took none, prompt tokens, completion tokens and unfit calls.
    """

    value: Any
    error: MemoryPipelineError | None
    records: tuple[logging.LogRecord, ...]
    taken: tuple[int, int, int, int, int]


def surroundings_of(ctx: StageContext) -> Surroundings:
    """What the workers of a run are to be told."""
    settings = ctx.settings.model_copy(update={"engine": "local", "home": ctx.settings.path().rstrip("/")})
    passed = {n: v for n, v in os.environ.items() if n.startswith(_PASSED_ON) or n.upper() in _PROXIES}
    passed.pop("MEMORY_PIPELINE_ENGINE", None)
    level = logging.getLogger(_LOGGER).getEffectiveLevel()
    return Surroundings(uuid4().hex, settings, ctx.run_id, ctx.now, _program(ctx), passed, level)


def run_task(task: Task, surroundings: Surroundings, desk: Any, item: Any) -> TaskResult:
    """Call a function in a worker. Errors of the package come back as they are, with what was logged before."""
    queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
    handler, logger = QueueHandler(queue), logging.getLogger(_LOGGER)
    logger.addHandler(handler)
    logger.setLevel(surroundings.level)
    value: Any = None
    failed: MemoryPipelineError | None = None
    before, taken = (0, 0, 0, 0, 0), (0, 0, 0, 0, 0)
    try:
        ctx = _context(surroundings, task, desk)
        before = _counts(ctx)
        try:
            with telemetry.within(task.trace), telemetry.span(task.function.__name__):
                value = task.function(ctx, item)
        finally:
            taken = _counts(ctx)
    except MemoryPipelineError as error:
        failed = error
    finally:
        logger.removeHandler(handler)
        telemetry.flush()
    records = tuple(queue.get() for _ in range(queue.qsize()))
    return TaskResult(value, failed, records, _less(taken, before))


_OPEN: dict[str, StageContext] = {}  # of this worker: models are loaded once a run


def _context(surroundings: Surroundings, task: Task, desk: Any) -> StageContext:
    from memory_pipeline.stages.context import StageContext

    settings = surroundings.settings
    if surroundings.name not in _OPEN:
        os.environ.update(surroundings.environment)
        ctx = StageContext(settings, surroundings.run_id, surroundings.now)
        _check(ctx, surroundings)
        _OPEN.clear()
        _OPEN[surroundings.name] = ctx
    ctx = _OPEN[surroundings.name]
    ctx.lake.fence.renew()
    ctx.set_clock(task.at)
    if desk is not None:
        from memory_pipeline.stages.engines.ray_budget import DeskBudget

        if not isinstance(ctx.budget, DeskBudget):
            ctx.budget = DeskBudget(settings.budget_usd_per_day, ctx.lake, ctx.clock)
        ctx.budget.attend(desk, task.name, hosted=settings.chat != "builtin")
    return ctx


def _check(ctx: StageContext, surroundings: Surroundings) -> None:
    """Two programs would make two kinds of rows, and a home that is not shared an empty one."""
    settings, here = ctx.settings, os.uname().nodename
    if not settings.remote and not Path(settings.home).is_dir():
        raise EngineError(
            f"{settings.home} is not there on {here}: a home that several machines work on is an object-storage URI, "
            "or lies on a file system that all of them share",
            node=here,
        )
    if _program(ctx) != surroundings.program:
        raise SettingsError(
            f"{here} has other code, prompts or policy than the machine that started the run: install the same version "
            "everywhere, and place what MEMORY_PIPELINE_POLICY and MEMORY_PIPELINE_PROMPTS name on every machine",
            setting="MEMORY_PIPELINE_ENGINE",
        )


def _program(ctx: StageContext) -> str:
    from memory_pipeline.stages.plan.freshness import code_version
    from memory_pipeline.stages.plan.registry import STAGES

    return digest(*(code_version(ctx.settings, ctx.prompts, stage) for stage in STAGES))


def _counts(ctx: StageContext) -> tuple[int, int, int, int, int]:
    replies = ctx.__dict__.get("replies")  # asking for it would open a model that nobody needs
    return (0, 0, 0, 0, 0) if replies is None else (*replies.taken, replies.unfit)


def _less(now: tuple[int, ...], before: tuple[int, ...]) -> tuple[int, int, int, int, int]:
    calls, cached, read, written, unfit = (n - b for n, b in zip(now, before, strict=True))
    return calls, cached, read, written, unfit
