"""What stands around a row: its session, the turn that follows it, and what the user's rows have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from memory_pipeline.retrieval.store.user_rows import UserRows

    Floats = npt.NDArray[np.float64]
    Places = npt.NDArray[np.int64]


class Surroundings:
    """Neighbourhoods of one user's rows of a table, made once and read by every query.

    Attributes:
        sessions: of each row, as a number, shape (rows,); a row of its own where the table has none.
        distinct: how little a row resembles all others, 0 to 1, shape (rows,): a half for one whose cosine to the mean
            vector is that of the average row. What resembles everything is near to any query.
    """

    def __init__(self, rows: UserRows) -> None:
        self.sessions = _numbered(rows.table.column("session_id")) if rows.has("session_id") else np.arange(len(rows))
        self._order = np.argsort(self.sessions, kind="stable")
        ordered = self.sessions[self._order]
        self._starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        self._following = _following(rows, self.sessions) if rows.has("ordinal") else None
        self._beside = _beside(self._following, rows.short) if self._following is not None else None
        self.distinct = _distinct(rows.vectors)

    def following(self, values: Floats) -> Floats:
        """For each row the value of the turn after it in its session, 0 where there is none."""
        if self._following is None:
            return np.zeros_like(values)
        return np.where(self._following >= 0, values[self._following], 0.0)

    def beside(self, places: Places) -> Places:
        """Places of the turns before and after some turns in their sessions, shape (2, places); -1 where there is none,
        or where one of the two is long and says more than the other answers."""
        if self._beside is None:
            return np.full((2, len(places)), -1, dtype=np.int64)
        return self._beside[:, places]

    def session(self, values: Floats) -> Floats:
        """For each row the highest value in its session."""
        if not len(values):
            return values
        best = np.maximum.reduceat(values[self._order], self._starts)
        return np.asarray(best[self.sessions], dtype=np.float64)


def _numbered(column: pa.ChunkedArray) -> Places:
    """Equal texts as equal numbers, without gaps."""
    codes = pc.rank(column, tiebreaker="dense") if len(column) else column
    return np.asarray(codes.to_numpy(), dtype=np.int64) - 1 if len(column) else np.zeros(0, dtype=np.int64)


def _following(rows: UserRows, sessions: Places) -> Places:
    """Place of the turn after each, -1 after the last of a session."""
    order = np.lexsort((rows.numbers("ordinal"), rows.seconds("created_at"), sessions))
    found = np.full(len(rows), -1, dtype=np.int64)
    same = sessions[order[1:]] == sessions[order[:-1]]
    found[order[:-1][same]] = order[1:][same]
    return found


def _beside(following: Places, short: npt.NDArray[np.bool_]) -> Places:
    """Of short turns the short ones before and after each."""
    found = np.full((2, len(following)), -1, dtype=np.int64)
    first = np.flatnonzero((following >= 0) & short & short[following])
    found[0, following[first]] = first
    found[1, first] = following[first]
    return found


def _distinct(vectors: npt.NDArray[np.float32]) -> Floats:
    if not len(vectors):
        return np.zeros(0, dtype=np.float64)
    mean = vectors.mean(axis=0)
    cosines = (vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-9))).astype(np.float64)
    return np.asarray(np.clip(0.5 - (cosines - cosines.mean()), 0.0, 1.0), dtype=np.float64)
