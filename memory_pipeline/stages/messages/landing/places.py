"""The place of a message among those of its session that bear the same time."""

from __future__ import annotations

from datetime import datetime

Session = tuple[str, str, str]
_HELD = 100_000


class _Run:
    __slots__ = ("at", "hashes", "length")

    def __init__(self, at: datetime, first: str) -> None:
        self.at = at
        self.length = 1
        self.hashes = {first: 1}


class Places:
    """Counts along a file the messages of each session that follow one another with one and the same time.

    A run ends where the session's time changes. A file in which an export overlaps itself goes back in time, so its
    repeated part is numbered as it was the first time and recognised; a user who says "ok" twice in a second is not.
    The state is bounded: one run for each of the sessions written to last.
    """

    def __init__(self, held: int = _HELD) -> None:
        self._held = held
        self._runs: dict[Session, _Run] = {}

    def take(self, session: Session, at: datetime, hashed: str) -> tuple[int, int]:
        """Number the session's next message.

        Args:
            hashed: its content hash (role and text).

        Returns:
            How many of the run came before it, and how many of these are equal to it.
        """
        run = self._runs.get(session)
        if run is not None and run.at == at:
            ordinal, nth = run.length, run.hashes.get(hashed, 0)
            run.length += 1
            run.hashes[hashed] = nth + 1
            return ordinal, nth
        if run is not None:
            del self._runs[session]
        elif len(self._runs) >= self._held:
            del self._runs[next(iter(self._runs))]
        self._runs[session] = _Run(at, hashed)
        return 0, 0
