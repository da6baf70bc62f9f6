"""What the account of a run says beyond its figures."""

from __future__ import annotations

import pytest

from memory_pipeline.cli.runs.writing import print_run
from memory_pipeline.orchestration.runs.run_report import RunReport

_VERSIONS = {"added": 1, "changed": 0, "retired": 0, "withdrawn": 0}


@pytest.mark.parametrize(("later", "said"), [(0, False), (33, True)])
def test_days_beyond_the_last_one_asked_for_are_told(
    later: int, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    print_run(RunReport(run_ids=["one"], versions=_VERSIONS, later_days=later))
    found = " ".join(capsys.readouterr().out.split())
    assert ("memories of 33 later days rest on what changed, and were consolidated again" in found) == said
