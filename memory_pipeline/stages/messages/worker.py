"""The process beside a server or an application that takes turns into the log and makes memories of them.

It is a process of its own because it parses: the threads of whoever starts it go on. It ends with that one, however
that ends, and one that was killed goes on where it was.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import IO, TYPE_CHECKING

from memory_pipeline.errors import MemoryPipelineError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

_LOOK_S = 0.25
_FULL_LOOK_S = 600.0
_SHARE = 3.0  # pauses in proportion to looks: with thousands of sessions that wait, looking is work
_AGAIN_S = (1.0, 60.0)  # first and longest wait after a failure
_STOP_S = 10.0
_SECRETS = {"key", "postgres_url", "alert_webhook", "telemetry_key"}  # the environment tells them, no list of processes
_log = logging.getLogger(__name__)


class Worker:
    """Starts the process, and starts it again when it ends before it is told to.

    Args:
        started: called at each start.
        told: levels of what it writes to standard error.
    """

    def __init__(
        self, settings: Settings, started: Callable[[], None] = lambda: None, *, told: int = logging.INFO
    ) -> None:
        self._settings = settings
        self._started = started
        self._told = str(told)
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._watched, name="worker", daemon=True)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it."""
        self._begin()
        self._watch.start()

    def stop(self) -> None:
        """Have it finish what it is at, and wait for it, but not for long: what is left is done by the next one."""
        self._stopping.set()
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _begin(self) -> None:
        settings = self._settings.model_dump_json(exclude_unset=True, exclude=_SECRETS)
        self._started()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "memory_pipeline.stages.messages.worker", settings, self._told],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # whoever starts it may speak a protocol there
        )

    def _watched(self) -> None:
        pause = _AGAIN_S[0]
        while True:
            process = self._process
            assert process is not None
            began = time.monotonic()
            process.wait()
            if self._stopping.is_set():
                return
            pause = _AGAIN_S[0] if time.monotonic() - began > _AGAIN_S[1] else min(2 * pause, _AGAIN_S[1])
            _log.warning("the worker has ended with %s; it is started again in %.0f s", process.returncode, pause)
            if self._stopping.wait(pause):
                return
            self._begin()


def run(settings: Settings, stopping: threading.Event) -> None:
    """Look for sessions that rest, and flush them, until told to stop."""
    from memory_pipeline.stages.messages.working_memory import flush
    from memory_pipeline.storage.logs.working_files import WorkingMemory

    settings = settings.model_copy(update={"chat_batch": False})  # nobody waits a day for what was just said
    working, unmade = WorkingMemory(settings), set[date]()
    looked, pause = -_FULL_LOOK_S, _LOOK_S
    ctx: StageContext | None = None
    while not stopping.wait(pause):
        every = time.monotonic() - looked > _FULL_LOOK_S
        if not every and not unmade and not working.count_waiting():
            pause = _LOOK_S
            continue
        ctx, began = _context(settings, ctx), time.monotonic()
        try:
            done = flush(ctx, working, every=every, unmade=unmade)
        except MemoryPipelineError as error:
            unmade |= working.days()
            pause = min(max(2 * pause, _AGAIN_S[0]), _AGAIN_S[1])
            _log.warning("turns could not be made into memories yet: %s; again in %.0f s", error, pause)
            continue
        looked = time.monotonic() if every else looked
        unmade.clear()
        pause = max(_LOOK_S, _SHARE * (time.monotonic() - began))
        if done.taken or done.made:
            _log.info("%d turns of %d sessions taken into the log", done.taken, done.sessions)


def _context(settings: Settings, last: StageContext | None) -> StageContext:
    """The surroundings of one flush; the encoder is loaded once."""
    from memory_pipeline.stages.context import StageContext

    now = datetime.now(UTC)
    ctx = StageContext(settings, f"flush-{now:%Y%m%dT%H%M%S%f}", now)
    if last is not None and "encoder" in vars(last) and not ("index" in vars(last) and last.index.switched):
        ctx.encoder = last.encoder
    return ctx


def _until_closed(pipe: IO[bytes], stopping: threading.Event) -> None:
    """Wait for the other end of the pipe to be closed, as it also is when that one is killed."""
    while os.read(pipe.fileno(), 4096):
        pass
    stopping.set()


def main() -> None:
    """Run as a process: settings as JSON in the first argument, what to log in the second; ends when standard input
    does."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):  # meant for whoever started it, who then closes the pipe
        signal.signal(number, signal.SIG_IGN)
    logging.basicConfig(level=int(sys.argv[2]), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stopping = threading.Event()
    threading.Thread(target=_until_closed, args=(sys.stdin.buffer, stopping), daemon=True).start()
    run(Settings.load(**_given(sys.argv[1])), stopping)


def _given(text: str) -> dict[str, object]:
    import json

    found: dict[str, object] = json.loads(text)
    return found


if __name__ == "__main__":
    main()
