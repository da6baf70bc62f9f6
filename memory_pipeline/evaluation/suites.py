"""The suites of ``memory-pipeline eval`` by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.data_sets.metrics import Interval
from memory_pipeline.evaluation.data_sets.retrieval_suite import data_set
from memory_pipeline.evaluation.data_sets.sources import VARIABLE, loaders
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import Progress, silent

Figure = Interval | float
Failures = list[dict[str, Any]]
FAILURES = "failures"


@dataclass(frozen=True, slots=True)
class Options:
    """What suites are told.

    Attributes:
        settings: models and policies; vectors of data sets are kept under its home, in ``evaluation/vectors``.
        datasets: their folder; the environment's ``DATASETS`` when None.
        profile: of ranking.
        limit: questions of a data set at most, and only their users' conversations.
    """

    settings: Settings
    datasets: Path | None = None
    profile: str = "default"
    limit: int | None = None
    progress: Progress = field(default=silent)


def _fixtures(options: Options) -> Mapping[str, Figure | Failures]:
    """The scripted conversations; they are in the package and need no data sets."""
    from memory_pipeline.evaluation.fixtures.fixture_run import run_fixtures
    from memory_pipeline.evaluation.shadow.candidate import with_values

    report = run_fixtures(settings=with_values(options.settings), progress=options.progress)
    return {**report.metrics, FAILURES: [asdict(outcome) for outcome in report.failures]}


Suite = Callable[[Options], Mapping[str, Figure | Failures]]
# A suite is one entry here: a function from options to figures, a mean with its interval where there are many values.
SUITES: dict[str, Suite] = {"fixtures": _fixtures}
_ELSEWHERE = "data sets of research are read by a checkout of the project (folder benchmarks/), which is not here"


def suites() -> Mapping[str, Suite]:
    """Every suite there is by its name: the package's own, and one for each data set that can be read."""
    return {**SUITES, **{name: partial(data_set, name) for name in loaders()}}


def evaluate(names: Iterable[str], options: Options) -> dict[str, Mapping[str, Figure | Failures]]:
    """Run suites, in that order; when none is named the fixtures, and the data sets where their folder is given.

    Returns:
        The figures of each by name, and under ``failures`` what was expected and is not so, where a suite tells.

    Raises:
        EvaluationError: there is no suite of a name, or one cannot run; the message says what is missing.
    """
    given = options.datasets is not None or VARIABLE in os.environ
    there = suites()
    wanted = list(dict.fromkeys(names)) or list(there if given else SUITES)
    if unknown := [name for name in wanted if name not in there]:
        why = "" if loaders() else f"; {_ELSEWHERE}"
        raise EvaluationError(
            f"no suite called {', '.join(unknown)}; there are {', '.join(there)}{why}", suite=unknown[0]
        )
    if options.limit is not None and options.limit < 1:
        raise EvaluationError(f"a limit of {options.limit} leaves no question: give at least 1")
    return {name: there[name](options) for name in wanted}


def plain(figure: Figure) -> float:
    """The figure itself, without its interval."""
    return figure.mean if isinstance(figure, Interval) else figure
