"""A stage's function as tasks of a Ray cluster; this process hands them out and takes what they come to.

The cluster is the one that ``RAY_ADDRESS`` names, as everywhere with Ray; without it Ray runs on this machine alone, as
long as this process. A task whose worker dies is begun again by Ray.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from memory_pipeline import telemetry
from memory_pipeline.errors import EngineError, SettingsError
from memory_pipeline.stages.engines.ray_task import Surroundings, Task, TaskResult, run_task, surroundings_of

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext

T = TypeVar("T")
R = TypeVar("R")

INSTALL = "MEMORY_PIPELINE_ENGINE=ray needs Ray: pip install 'memory-pipeline[ray]'"
_BUCKETS_A_WORKER = 3  # a bucket that takes longer than the others holds nobody up for long
_AHEAD = 2  # tasks for each worker, so that none waits for this process
_RETRIES = 3  # of a task whose worker died
_STORE_BYTES = 512 * 1024 * 1024  # of a Ray of our own, for results on their way; more goes to the disk
_LOOK_S = 0.5
_STOP_S = 10.0
_NAMESPACE = "memory-pipeline"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_END = object()


class RayEngine:
    """Works on as many items at once as the cluster has processors, or ``ENGINE_WORKERS`` says."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._given: tuple[StageContext, Any, Any] | None = None

    @property
    def buckets(self) -> int:
        return self.workers * _BUCKETS_A_WORKER

    @property
    def workers(self) -> int:
        """How many items are worked on at once.

        Raises:
            SettingsError, EngineError: see :meth:`map`.
        """
        ray = self._ray()
        return self._settings.engine_workers or max(int(ray.cluster_resources().get("CPU", 1)), 1)

    def map(self, ctx: StageContext, function: Callable[[StageContext, T], R], items: Iterable[T]) -> Iterator[R]:
        """See :meth:`Engine.map`. Whoever leaves the results before their end stops the tasks.

        Raises:
            SettingsError: Ray is not installed, or a machine of the cluster has another program, prompts or policy.
            EngineError: the cluster cannot be reached, or lost a task again and again.
        """
        ray = self._ray()
        surroundings, desk = self._given_to_tasks(ctx)
        task = ray.remote(run_task).options(name=function.__name__, num_cpus=1, max_retries=_RETRIES)
        under_way: deque[Any] = deque()
        most, source, trace = self.workers * _AHEAD, iter(items), telemetry.carrier()
        try:
            while True:
                while len(under_way) < most and (item := next(source, _END)) is not _END:
                    under_way.append(
                        task.remote(Task(function, uuid4().hex, ctx.clock(), trace), surroundings, desk, item)
                    )
                if not under_way:
                    return
                ready, _ = ray.wait([under_way[0]], timeout=_LOOK_S)  # in short turns: a signal is heard between them
                if ready:
                    result = _result(ray, under_way[0])
                    under_way.popleft()
                    yield _taken(ctx, result)
        finally:
            _stop(ray, under_way, desk)

    def close(self) -> None:
        """Let go of the cluster; a Ray of our own ends."""
        self._given, ray = None, _installed()
        if ray.is_initialized():
            ray.shutdown()

    def describe(self) -> str:
        """See :meth:`Engine.describe`. A Ray of our own is not started for that."""
        ray, where = _installed(), address()
        found = f"ray {ray.__version__}"
        if where == "local":
            return f"{found}: on this machine, as long as a run (no RAY_ADDRESS)"
        try:
            workers, nodes = self.workers, sum(node["Alive"] for node in ray.nodes())
        finally:
            self.close()
        return f"{found} at {where}: {nodes} machines, {workers} tasks at once"

    def _given_to_tasks(self, ctx: StageContext) -> tuple[Any, Any]:
        """The surroundings in Ray's store, and the actor that all tasks of the run ask before they ask a model."""
        if self._given is None or self._given[0] is not ctx:
            ray = self._ray()
            given = surroundings_of(ctx)
            self._given = ctx, ray.put(given), _desk(ray, given)
        return self._given[1:]

    def _ray(self) -> Any:
        ray = _installed()
        if not ray.is_initialized():
            _connect(ray, self._settings)
        return ray


def _installed() -> Any:
    try:
        import ray
    except ImportError as error:
        raise SettingsError(INSTALL, setting="MEMORY_PIPELINE_ENGINE") from error
    return ray


def address() -> str:
    """Where the cluster is, as Ray takes it; ``local`` = on this machine, and for this process alone."""
    return os.environ.get("RAY_ADDRESS") or "local"


def _connect(ray: Any, settings: Settings) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray tells its makers of every start
    where = address()
    own = {"num_cpus": settings.engine_workers, "object_store_memory": _STORE_BYTES, "include_dashboard": False}
    try:
        with _handlers_kept(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*fork-safe")  # what it forks is another program at once
            ray.init(
                address=where,
                namespace=_NAMESPACE,
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
                **(own if where == "local" else {}),
            )
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise EngineError(f"Ray cannot be reached at {where}: {error}", address=where) from error


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Ray takes SIGTERM for itself; whoever started the run has said already what is to be done then."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _desk(ray: Any, given: Surroundings) -> Any:
    """Where hosted models are asked: the one place that counts the calls under way and the money; None elsewhere."""
    if given.settings.chat == "builtin" and given.settings.encoder == "builtin":
        return None
    from memory_pipeline.stages.engines.ray_budget import ModelDesk

    return ray.remote(ModelDesk).options(num_cpus=0, max_concurrency=1000).remote(given)


def _result(ray: Any, reference: Any) -> TaskResult:
    from ray import exceptions

    try:
        found: TaskResult = ray.get(reference)
    except exceptions.RayTaskError:
        raise  # an error of ours that nobody foresaw, with the worker's traceback
    except exceptions.RayError as error:
        sentence = f"the cluster lost a task {_RETRIES + 1} times: {error}"
        raise EngineError(sentence, address=address()) from error
    return found


def _taken(ctx: StageContext, result: TaskResult) -> Any:
    """What a task came to, with what its worker logged and asked told here."""
    for record in result.records:
        logging.getLogger(record.name).handle(record)
    if any(result.taken):
        ctx.replies.add(result.taken)
    if result.error is not None:
        raise result.error
    return result.value


def _stop(ray: Any, under_way: Iterable[Any], desk: Any) -> None:
    """End the tasks that nobody waits for any more: what they write would come after what is next."""
    left = list(under_way)
    for reference in left:
        ray.cancel(reference, force=True)
    if left:
        ray.wait(left, num_returns=len(left), timeout=_STOP_S)
        if desk is not None:
            ray.get(desk.release_all.remote(), timeout=_STOP_S)
