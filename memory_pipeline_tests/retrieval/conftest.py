"""One home for the reading tests of a module, and a user of its own for each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import Store


@pytest.fixture(scope="module")
def everyone(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The home that a module's tests write into: what one of them may read of another's would be a leak."""
    return Store(tmp_path_factory.mktemp("home"))


@pytest.fixture
def home(everyone: Store, request: pytest.FixtureRequest) -> Store:
    """The home as seen by a user whom no other test writes for."""
    return everyone.of(request.node.nodeid.rpartition("/")[2])


@pytest.fixture
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A home that no other test writes into."""
    yield Store(tmp_path_factory.mktemp("own"))


@pytest.fixture
def reader(everyone: Store) -> MemoryReader:
    """A reader of the common home that has read nothing yet."""
    return everyone.reader()
