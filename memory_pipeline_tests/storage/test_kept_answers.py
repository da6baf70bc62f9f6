"""Kept answers: no file is opened for the same question twice, and none outlives a change of its files."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from unittest.mock import patch

import pytest

from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.kept_answers import kept_sql
from memory_pipeline_tests.factories import memory, proposal

_COUNT = "SELECT count(*) AS n FROM memory_versions WHERE user_id = $user"


def _count(lake: Lake, user: str = "u", days: list[date] | None = None) -> int:
    found = kept_sql(
        lake, ["memory_versions"], _COUNT, {"user": user}, days=None if days is None else {"memory_versions": days}
    )
    return int(found["n"][0].as_py())


def test_a_question_is_asked_again_once_its_files_are_others(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    one, other = memory(proposal("One.")), memory(proposal("Other."))
    lake.append("memory_versions", [one])
    assert _count(lake) == 1
    with patch.object(Lake, "sql", side_effect=AssertionError("a file was opened")):
        assert _count(lake) == 1
        with pytest.raises(AssertionError, match="opened"):
            _count(lake, "bob")
    lake.append("memory_versions", [other])
    assert (_count(lake), _count(lake, days=[])) == (2, 0)


def test_only_files_that_keep_what_they_say_are_asked_so(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="messages"):
        kept_sql(Lake(str(tmp_path)), ["messages"], "SELECT 1 FROM messages", {})
