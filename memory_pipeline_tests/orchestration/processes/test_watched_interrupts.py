"""A signal to stop that comes while Dagster keeps it to itself is heard after the run that it fell into."""

from __future__ import annotations

import os
import signal
import threading
import time
from datetime import date
from pathlib import Path

import pytest
from dagster._utils.interrupts import capture_interrupts

from memory_pipeline.orchestration.processes.interrupts import watched
from memory_pipeline.orchestration.runs import materialise
from memory_pipeline.orchestration.runs.plan import Step
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline_tests.stages.landing_files import numbered, write


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_dagster_forgets_is_heard(number: signal.Signals) -> None:
    before = signal.set_wakeup_fd(-1)
    try:
        with watched(lambda: None) as raise_if_stopped:
            raise_if_stopped()
            with capture_interrupts():
                os.kill(os.getpid(), number)
            with pytest.raises(KeyboardInterrupt):
                while True:  # another thread hears it
                    raise_if_stopped()
            raise_if_stopped()
        assert signal.set_wakeup_fd(-1) == -1
    finally:
        signal.set_wakeup_fd(before)


def test_another_thread_has_no_signals_to_watch() -> None:
    found: list[bool] = []

    def work() -> None:
        with watched(lambda: None) as raise_if_stopped:
            raise_if_stopped()
            found.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [True]


def test_a_run_ends_after_the_step_in_which_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.load(home=str(tmp_path))
    write(tmp_path / "inbox" / "a.jsonl", [numbered(n) for n in range(2)])
    os.utime(tmp_path / "inbox" / "a.jsonl", (1, 1))
    steps: list[tuple[str, ...]] = []

    def stopped(dagster: object, step: Step, *rest: object, **more: object) -> dict[tuple[str, date], str]:
        steps.append(step.stages)
        with capture_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        return {}

    monkeypatch.setattr(materialise, "_materialise", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(settings)
    assert len(steps) == 1
