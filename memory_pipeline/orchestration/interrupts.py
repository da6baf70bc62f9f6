"""Signals to stop that Dagster keeps to itself: it notes them while it is busy with its own, and forgets them after."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPPING = frozenset({signal.SIGINT, signal.SIGTERM})


@contextmanager
def watched() -> Iterator[Callable[[], None]]:
    """Yields what raises KeyboardInterrupt if a signal to stop has come since; to be called between Dagster's runs.

    Python writes the number of every signal into a socket, whoever handles it. Elsewhere than in the main thread no
    signal comes, and nothing is watched.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    heard, told = socket.socketpair()
    with heard, told:
        heard.setblocking(False)
        told.setblocking(False)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield lambda: _raise_if_told(heard)
        finally:
            signal.set_wakeup_fd(before)


def _raise_if_told(heard: socket.socket) -> None:
    try:
        numbers = heard.recv(4096)
    except BlockingIOError:
        return
    if STOPPING.intersection(numbers):
        raise KeyboardInterrupt
