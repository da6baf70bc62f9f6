"""Data sets of research: where their files are, and who reads them.

Neither is a part of the package. The files are the user's, in a folder named by ``--datasets`` or by the environment
variable ``DATASETS``; what reads them is the package ``benchmarks`` of a checkout of this project.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.data_sets.corpus import Corpus

VARIABLE = "DATASETS"
Loader = Callable[[Path], Corpus]
_READERS = "benchmarks.datasets"


def loaders() -> Mapping[str, Loader]:
    """What reads each data set, by its name; empty where no checkout's ``benchmarks`` can be imported."""
    try:
        found: Mapping[str, Loader] = import_module(_READERS).LOADERS
    except ModuleNotFoundError as error:
        if error.name not in (_READERS, _READERS.partition(".")[0]):
            raise
        return {}
    return found


def folder(given: Path | None) -> Path:
    """The folder of the data sets.

    Raises:
        EvaluationError: none is given, or it does not exist.
    """
    named = given if given is not None else os.environ.get(VARIABLE)
    if not named:
        raise EvaluationError(f"no data sets: set {VARIABLE} to their folder, or give it with --datasets")
    if not Path(named).is_dir():
        raise EvaluationError(
            f"{named} is no folder: {VARIABLE} or --datasets must name the one with the data sets", path=str(named)
        )
    return Path(named)


def load(name: str, place: Path) -> Corpus:
    """A data set by its name.

    Raises:
        EvaluationError: nothing here reads it, or its files are missing in the folder, or are not what its authors
            publish.
    """
    read = loaders().get(name)
    if read is None:
        raise EvaluationError(f"nothing here reads a data set called {name}", data_set=name)
    try:
        return read(place)
    except FileNotFoundError as error:
        missing = f"{name}: {error.filename or error} is missing under {place}"
        raise EvaluationError(missing, data_set=name, path=str(error.filename or place)) from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        detail = f"{type(error).__name__}: {error}"
        sentence = f"{name}: a file under {place} does not have the set's format ({detail})"
        raise EvaluationError(sentence, data_set=name, path=str(place)) from error
