"""How a run waits for its place in a pool, where Dagster's own waiting hears no signal and takes a whole core.

Its loop sleeps for the *smallest* of zero and the time until the next look, so it never sleeps; and nothing in it asks
whether somebody wants the run to stop. It asks this object on every round, which sleeps and hears in its place.
"""

from __future__ import annotations

import time

import dagster as dg
from dagster._core.execution.plan.instance_concurrency_context import InstanceConcurrencyContext
from dagster._core.executor import in_process
from dagster._utils.interrupts import pop_captured_interrupt

_LOOK_S = 0.5  # between looks for a signal; the database is asked less often, as Dagster has it


class PatientClaims(InstanceConcurrencyContext):
    """A run's places in the pools, and its claims to some."""

    def interval_to_next_pending_claim_check(self) -> float:
        """Seconds until the next look for a place.

        Raises:
            dagster.DagsterExecutionInterruptedError: somebody has stopped the run.
        """
        if pop_captured_interrupt():
            raise dg.DagsterExecutionInterruptedError("stopped while it waited for its place in a pool")
        now = time.time()
        waits: list[float] = [ready_at - now for ready_at in self._pending_timeouts.values()]
        return max(0.0, min([_LOOK_S, *waits]))


def wait_patiently() -> None:
    """Have every run that works in its own process wait like that."""
    in_process.InstanceConcurrencyContext = PatientClaims  # type: ignore[attr-defined]
