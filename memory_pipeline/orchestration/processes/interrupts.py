"""Signals to stop that Dagster keeps to itself: it notes them while it is busy with its own, and forgets them after.

Who is asked to stop does so within seconds. What goes on regardless (a step that waits before it is tried again, a
native library that is busy for long) is ended as a power cut would end it, which loses nothing that was finished.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

STOPPING = frozenset({signal.SIGINT, signal.SIGTERM})
_STOPPED = 130  # 128 + SIGINT, as shells have it
_PATIENCE_S = 5.0
_LAST_WORDS_S = 3.0


@contextmanager
def watched(last_words: Callable[[], None], patience_s: float = _PATIENCE_S) -> Iterator[Callable[[], None]]:
    """Yields what raises KeyboardInterrupt if a signal to stop has come since; to be called between Dagster's runs.

    Python writes the number of every signal into a socket, whoever handles it. Elsewhere than in the main thread no
    signal comes, and nothing is watched.

    Args:
        last_words: called, in another thread, before a process that has not ended by itself is ended.
        patience_s: seconds that it is given to end by itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    heard, told = socket.socketpair()
    asked, left = threading.Event(), threading.Event()
    told.setblocking(False)
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    watch = threading.Thread(target=_watch, args=(heard, asked, left, last_words, patience_s), daemon=True)
    watch.start()
    try:
        yield lambda: _raise_if(asked)
    finally:
        left.set()
        signal.set_wakeup_fd(before)
        told.close()  # the watch reads the end, and ends
        watch.join()
        heard.close()


def _raise_if(asked: threading.Event) -> None:
    if asked.is_set():
        asked.clear()
        raise KeyboardInterrupt


def _watch(
    heard: socket.socket,
    asked: threading.Event,
    left: threading.Event,
    last_words: Callable[[], None],
    patience_s: float,
) -> None:
    while numbers := heard.recv(4096):
        if STOPPING.intersection(numbers):
            asked.set()
            if not left.wait(patience_s):
                _end(last_words)


def _end(last_words: Callable[[], None]) -> NoReturn:
    threading.Timer(_LAST_WORDS_S, os._exit, (_STOPPED,)).start()
    try:
        last_words()
        shown = "\x1b[?25h\n" if sys.stderr.isatty() else ""  # the cursor, which a progress bar has hidden
        told = "stopped in the middle of a step; what was finished is kept, and `memory-pipeline run` goes on"
        print(f"{shown}memory-pipeline: {told}", file=sys.stderr, flush=True)
    finally:
        os._exit(_STOPPED)
