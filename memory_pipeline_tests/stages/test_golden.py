"""Homes know what an older program made: a stage whose code makes something else has another version."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from memory_pipeline.stages.plan.registry import BY_LEVEL
from memory_pipeline_tests.stages.golden import FILE, changed, observed

WRITTEN = json.loads(FILE.read_text(encoding="utf-8"))
WRITE_DOWN = "run `python -m memory_pipeline_tests.stages.golden` to write down what the stages make now"


def test_what_the_stages_make_is_written_down(tmp_path: Path) -> None:
    now = observed(tmp_path)
    assert not changed(WRITTEN, now), "\n".join(changed(WRITTEN, now))
    assert now == WRITTEN, WRITE_DOWN


def _with(name: str, **given: str) -> dict[str, dict[str, str]]:
    found = deepcopy(WRITTEN)
    found[name].update(given)
    return found


@pytest.mark.parametrize("name", [stage.name for stage in BY_LEVEL])
def test_other_rows_of_the_same_program_are_told(name: str) -> None:
    (told,) = changed(WRITTEN, _with(name, rows="others"))
    assert told.startswith(f"{name} makes something else")
    assert changed(WRITTEN, _with(name, rows="others", program="v99")) == []


def test_what_reads_something_else_may_make_something_else() -> None:
    now = _with("proposals", rows="others", program="v99")
    now["memories"]["rows"] = "others"
    assert changed(WRITTEN, now) == []
    now["message_vectors"]["rows"] = "others"
    assert len(changed(WRITTEN, now)) == 1, "those beside it do not read it"
