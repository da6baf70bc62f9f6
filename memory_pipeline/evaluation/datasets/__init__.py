"""Data sets with known evidence, each read from a folder of the user's as its authors publish it.

The folder is named by ``--datasets`` or by the environment variable ``DATASETS``; nothing of it ships with the package.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from memory_pipeline.errors import EvaluationError
from memory_pipeline.evaluation.corpus import Corpus
from memory_pipeline.evaluation.datasets import beam, fact_consolidation, halumem, locomo, longmemeval, memdaily

VARIABLE = "DATASETS"
LOADERS: Mapping[str, Callable[[Path], Corpus]] = {
    "locomo": locomo.load,
    "longmemeval-s": longmemeval.load_haystacks,
    "longmemeval-oracle": longmemeval.load_oracle,
    "beam-100k": beam.load,
    "halumem": halumem.load,
    "fact-consolidation": fact_consolidation.load,
    "memdaily": memdaily.load,
}


def folder(given: Path | None) -> Path:
    """The folder of the data sets.

    Raises:
        EvaluationError: none is given, or it does not exist.
    """
    named = given if given is not None else os.environ.get(VARIABLE)
    if not named:
        raise EvaluationError(f"no data sets: set {VARIABLE} to their folder, or give it with --datasets")
    if not Path(named).is_dir():
        raise EvaluationError(f"{named} is no folder: {VARIABLE} or --datasets must name the one with the data sets")
    return Path(named)


def load(name: str, place: Path) -> Corpus:
    """A data set by its name.

    Raises:
        EvaluationError: its files are missing in the folder, or are not what its authors publish.
    """
    try:
        return LOADERS[name](place)
    except FileNotFoundError as error:
        raise EvaluationError(f"{name}: {error.filename or error} is missing under {place}") from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        detail = f"{type(error).__name__}: {error}"
        raise EvaluationError(f"{name}: a file under {place} does not have the set's format ({detail})") from error
