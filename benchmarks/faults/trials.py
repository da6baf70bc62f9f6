"""Trials: a home is worked on by a process that dies, and then by one that is left in peace; fork makes them cheap.

Whoever forks has imported everything and opened nothing: no database, no model, no thread of a native library.
"""

from __future__ import annotations

import os
import pickle
import random
import shutil
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.faults.boundaries import Watch, install
from benchmarks.faults.scenario import Step, context
from benchmarks.faults.state import Difference, State, compare, state

_PATIENCE_S = 1200.0
_DIED = -signal.SIGKILL

# It makes its runtime anew in a forked child, and here nobody has used it before.
for about in ("lancedb fork support", "lance is not fork-safe"):
    warnings.filterwarnings("ignore", message=about)


@dataclass(frozen=True)
class Kill:
    """When a process dies.

    Attributes:
        step: in which step of the scenario.
        boundary: at which of the step's boundaries, counted from 1; None: at a moment.
        after_s: the moment, seconds from the beginning of the step.
        again: a boundary of the next attempt at which that dies too; None = it does not.
    """

    step: int
    kind: str
    boundary: int | None = None
    after_s: float = 0.0
    again: int | None = None


@dataclass
class Outcome:
    """What came of a trial.

    Attributes:
        kills: how often a process was killed in it.
        failed: why the work could not be finished.
    """

    kill: Kill
    kills: int = 0
    difference: Difference = field(default_factory=Difference)
    failed: str = ""


@dataclass
class Reference:
    """The undisturbed run.

    Attributes:
        boundaries: of each step, in order.
        seconds: of each step.
        vectors: of all texts that were encoded.
    """

    boundaries: list[list[str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    state: State | None = None
    vectors: Mapping[str, Any] = field(default_factory=dict)


class KeptEncoder:
    """The builtin encoder with the vectors of the undisturbed run at hand; other texts are encoded for real."""

    def __init__(self, vectors: Mapping[str, Any] | None = None) -> None:
        from memory_pipeline.inference.models import open_encoder
        from memory_pipeline.settings import Settings

        self._open: Callable[[], Any] = lambda: open_encoder(Settings.load(encoder="builtin"))
        self._real: Any = None
        self.vectors = dict(vectors or {})

    @property
    def model(self) -> str:
        return str(self._encoder().model)

    @property
    def dimensions(self) -> int:
        return int(self._encoder().dimensions)

    def _encoder(self) -> Any:
        self._real = self._real or self._open()
        return self._real

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy as np

        missing = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if missing:
            self.vectors.update(zip(missing, self._encoder().encode(missing), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self.vectors[text] for text in texts])


def import_everything(dagster: bool) -> None:
    """What children would import each for themselves."""
    names = ["duckdb", "lancedb", "lancedb.merge", "pandas", "pyarrow.dataset", "sqlalchemy.event"]
    for name in [
        *names,
        *(["memory_pipeline.definitions", "memory_pipeline.orchestration.runs.run"] if dagster else []),
    ]:
        import_module(name)


def reference(steps: Sequence[Step], folder: Path) -> Reference:
    """Let everything happen, and keep the home as it was before each step (``folder/<n>``)."""

    def work(report: Callable[[Any], None]) -> None:
        home = folder / "home"
        home.mkdir(parents=True)
        encoder, watch, found = KeptEncoder(), Watch(str(home)), Reference()
        _prepare(encoder)
        install(watch)
        for n, step in enumerate(steps):
            shutil.copytree(home, folder / str(n))
            began, before = time.monotonic(), len(watch.seen)
            step.work(context(str(home), step, 0, encoder))
            found.seconds.append(time.monotonic() - began)
            found.boundaries.append(watch.seen[before:])
        found.state = state(context(str(home), steps[-1], 0, encoder))
        found.vectors = encoder.vectors
        report(found)

    code, reports, said = _in_child(work, folder)
    if code or not reports:
        raise SystemExit(f"the undisturbed run failed ({code}): {said}")
    made: Reference = reports[-1]
    return made


def trial(steps: Sequence[Step], kill: Kill, undisturbed: Reference, snapshots: Path, folder: Path) -> Outcome:
    """Kill a process, let others finish its work, and compare."""
    outcome = Outcome(kill)
    home = folder / "home"
    shutil.copytree(snapshots / str(kill.step), home)
    step, at, moment = kill.step, kill.boundary, kill.after_s if kill.boundary is None else None
    for attempt in range(4):
        code, reports, said = _in_child(
            _worker(steps, step, attempt, str(home), undisturbed, at), folder, moment, reports_of=step
        )
        done = [n for n in reports if isinstance(n, int)]
        step = min(max(done, default=step - 1) + 1, len(steps) - 1)  # maintenance comes again every night
        if code == _DIED:
            outcome.kills += 1
            at, moment = (kill.again if attempt == 0 else None), None
            continue
        if code or not isinstance(reports[-1], State):
            outcome.failed = f"{code}: {said}"
            return outcome
        assert undisturbed.state is not None
        outcome.difference = compare(undisturbed.state, reports[-1])
        return outcome
    outcome.failed = "it was killed again and again"
    return outcome


def _worker(
    steps: Sequence[Step], first: int, attempt: int, home: str, undisturbed: Reference, at: int | None
) -> Callable[[Callable[[Any], None]], None]:
    def work(report: Callable[[Any], None]) -> None:
        encoder = KeptEncoder(undisturbed.vectors)
        _prepare(encoder)
        install(Watch(home, at, seed=first))
        for n in range(first, len(steps)):
            steps[n].work(context(home, steps[n], attempt, encoder))
            report(n)
        report(state(context(home, steps[-1], attempt, encoder)))

    return work


def _prepare(encoder: KeptEncoder) -> None:
    """What opens an encoder by itself in this process is given the one that remembers."""
    from memory_pipeline.inference import models

    random.seed(0)
    models.open_encoder = lambda settings: encoder


def _in_child(
    work: Callable[[Callable[[Any], None]], None], folder: Path, kill_after: float | None = None, reports_of: int = 0
) -> tuple[int, list[Any], str]:
    """Run something in a forked child. Returns its exit code, what it reported, and its last words.

    Args:
        kill_after: seconds after which it is killed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    told, words = folder / "reports", folder / "words"
    told.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _be_child(work, told, words)
    code = _wait(child, kill_after)
    reports = []
    if told.exists():
        with told.open("rb") as file:
            while True:
                try:
                    reports.append(pickle.load(file))
                except (EOFError, pickle.UnpicklingError):
                    break
    return code, reports, words.read_text(encoding="utf-8")[-1500:] if words.exists() else ""


def _be_child(work: Callable[[Callable[[Any], None]], None], told: Path, words: Path) -> None:
    code = 1
    try:
        out = os.open(words, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        with told.open("wb") as file:

            def report(what: Any) -> None:
                pickle.dump(what, file)
                file.flush()

            work(report)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _wait(child: int, kill_after: float | None) -> int:
    began = time.monotonic()
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        passed = time.monotonic() - began
        if kill_after is not None and passed >= kill_after:
            os.kill(child, signal.SIGKILL)
            kill_after = None
        if passed > _PATIENCE_S:
            os.kill(child, signal.SIGABRT)
        time.sleep(0.005)
