"""Dagster's own waiting, in the pinned version, is as ``waiting`` says; where that changes, what mends it can go."""

from __future__ import annotations

import inspect
import time
from typing import Any

import dagster as dg
import pytest
from dagster._core.execution.plan.instance_concurrency_context import InstanceConcurrencyContext
from dagster._core.executor import in_process

import memory_pipeline.definitions  # noqa: F401  (whoever loads it waits patiently)
from memory_pipeline.orchestration.processes import waiting


def _waits(of: type[InstanceConcurrencyContext], left_s: float) -> float:
    context: Any = of.__new__(of)
    context._pending_claims = {"a step"}
    context._pending_timeouts = {"a step": time.time() + left_s}
    return of.interval_to_next_pending_claim_check(context)


def test_dagster_never_sleeps_where_it_waits_for_a_pool() -> None:
    assert _waits(InstanceConcurrencyContext, 5.0) <= 0
    assert "InstanceConcurrencyContext(" in inspect.getsource(in_process), "the name that is replaced"


def test_a_run_sleeps_until_its_place_may_be_free(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_process.InstanceConcurrencyContext is waiting.PatientClaims  # type: ignore[attr-defined]
    assert _waits(waiting.PatientClaims, 0.2) == pytest.approx(0.2, abs=0.1)
    assert _waits(waiting.PatientClaims, 60.0) == 0.5, "not longer than a signal may go unheard"
    assert _waits(waiting.PatientClaims, -1.0) == 0.0
    monkeypatch.setattr(waiting, "pop_captured_interrupt", lambda: True)
    with pytest.raises(dg.DagsterExecutionInterruptedError, match="stopped while it waited"):
        _waits(waiting.PatientClaims, 60.0)
