from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.evaluation.data_sets.baselines import Baselines
from memory_pipeline.retrieval.store.user_rows import MESSAGES, UserRows
from memory_pipeline.settings import Settings
from memory_pipeline.storage.vectors.index import vectors_of
from memory_pipeline_tests.store import Store


@pytest.fixture
def home(tmp_path: Path) -> Store:
    return Store(tmp_path)


TEXTS = ("apple pear", "apple apple apple", "plum", "cherry")


def orders(home: Store, query: str, vector: list[float], allowed: list[bool]) -> dict[str, list[str]]:
    home.messages([(text, {}) for text in TEXTS])
    table = home.index.rows(MESSAGES, Scope(home.tenant_id, home.user_id))
    rows = UserRows(MESSAGES, table.drop_columns(["vector"]), vectors_of(table), Settings.load().policies.retrieval)
    place = [list(rows.values("content")).index(text) for text in TEXTS]
    rows.vectors = np.zeros((4, 2), dtype=np.float32)
    rows.vectors[place] = [[0, 1], [0.6, 0.8], [1, 0], [0.8, 0.6]]
    mask = np.zeros(4, dtype=bool)
    mask[place] = allowed
    found = Baselines(rows).rankings(query, np.array(vector, dtype=np.float32), mask)
    return {name: [str(text) for text in rows.values("content")[order()]] for name, order in found.items()}


def test_each_ranks_by_its_own(home: Store) -> None:
    found = orders(home, "the apple", [1, 0], [True] * 4)
    assert found["bm25"][:2] == ["apple apple apple", "apple pear"]
    assert found["dense"] == ["plum", "cherry", "apple apple apple", "apple pear"]
    # 1/61 + 1/63 against at most 1/61 + 1/63 of the plum, which no keyword brings up: third of the keywords at best.
    assert found["rrf"][0] in {"apple apple apple", "plum"}
    assert found["rrf"][-1] in {"cherry", "apple pear"}


def test_what_a_read_may_not_see_is_left_out(home: Store) -> None:
    found = orders(home, "the apple", [1, 0], [True, False, False, True])
    assert found["bm25"][0] == "apple pear"
    assert found["dense"] == ["cherry", "apple pear"]
    assert set(found["rrf"]) == {"apple pear", "cherry"}
