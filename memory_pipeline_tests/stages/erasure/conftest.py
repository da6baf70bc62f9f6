"""One home for all tests of erasing; each works on a copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from memory_pipeline_tests.stages.erasure.home import Home, built, copied


@pytest.fixture(scope="package")
def original(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Home:
    """Built by the first worker that asks for it; nobody writes into it afterwards."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "erasure"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            shutil.copytree(built(own / "erasure-built" / "home").path, folder / "home")
    return Home(folder / "home")


@pytest.fixture
def home(original: Home, tmp_path: Path) -> Home:
    return copied(original, tmp_path / "home")
