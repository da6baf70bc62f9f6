"""One home for all tests of erasing; each works on a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_pipeline_tests.stages.erasure.home import Home, built, copied


@pytest.fixture(scope="package")
def original(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return built(tmp_path_factory.mktemp("erasure") / "home")


@pytest.fixture
def home(original: Home, tmp_path: Path) -> Home:
    return copied(original, tmp_path / "home")
