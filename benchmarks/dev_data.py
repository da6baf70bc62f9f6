"""The development data sets: a folder outside the repository, named by the environment variable DATASETS."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

MISSING = "DATASETS is not set: export DATASETS=<folder with loaders.py and the data sets>"


def folder() -> Path | None:
    """The folder, None when the variable is not set or names none."""
    named = os.environ.get("DATASETS")
    return Path(named) if named and (Path(named) / "loaders.py").is_file() else None


def loaders() -> ModuleType | None:
    """The data sets' own loaders, None without data."""
    place = folder()
    if place is None:
        return None
    spec = importlib.util.spec_from_file_location("dev_data_loaders", place / "loaders.py")
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
