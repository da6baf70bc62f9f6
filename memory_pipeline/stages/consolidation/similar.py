"""The nearest older neighbours of a user's memories, exactly, in blocks of a matrix.

Products are taken in double precision, so that a cosine has the same four digits whatever stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BLOCK = 512
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs of memories that are near each other, by their places; all arrays of one length.

    Attributes:
        shared: the two share a specific entity, and without it they would not be near enough.
    """

    newer: npt.NDArray[np.int64]
    older: npt.NDArray[np.int64]
    cosine: npt.NDArray[np.float64]
    shared: npt.NDArray[np.bool_]


def similar(
    matrix: npt.NDArray[np.float64],
    wanted: Sequence[int],
    sharing: Sequence[tuple[int, int]],
    *,
    floor: float,
    sharing_floor: float,
    most: int,
) -> Near:
    """Of some memories the ``most`` nearest older ones.

    Args:
        matrix: vectors of all memories, oldest first, each of length 1 or 0.
        wanted: places, in order.
        sharing: pairs (newer, older) of the wanted that share a specific entity, in order.
        floor: least cosine (KN-10).
        sharing_floor: least cosine of pairs that share one.
    """
    import numpy as np

    rows = np.array(wanted, dtype=np.int64)
    pairs = np.array(sharing, dtype=np.int64).reshape(-1, 2)
    parts = []
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        stop = int(block[-1])  # nothing older stands behind it
        cosines = np.round(matrix[block] @ matrix[:stop].T, _DIGITS)
        near = cosines >= floor
        low, high = np.searchsorted(pairs[:, 0], (block[0], block[-1] + 1))
        at, columns = np.searchsorted(block, pairs[low:high, 0]), pairs[low:high, 1]
        near[at, columns] |= cosines[at, columns] >= sharing_floor
        near &= np.arange(stop)[None, :] < block[:, None]
        for row, newer in enumerate(block):
            places = np.flatnonzero(near[row])
            best = places[np.argsort(-cosines[row, places], kind="stable")[:most]]
            parts.append((np.full(len(best), newer), best, cosines[row, best]))
    newer, older, cosine = (np.concatenate([part[n] for part in parts]) for n in range(3))
    return Near(newer.astype(np.int64), older.astype(np.int64), cosine, cosine < floor)


def near_to(matrix: npt.NDArray[np.float64], places: Sequence[int], floor: float) -> set[int]:
    """Memories newer than one of some, with at least that cosine to it."""
    import numpy as np

    found: set[int] = set()
    for start in range(0, len(places), _BLOCK):
        block = np.array(places[start : start + _BLOCK], dtype=np.int64)
        first = int(block[0])
        near = np.round(matrix[block] @ matrix[first:].T, _DIGITS) >= floor
        near &= np.arange(first, len(matrix))[None, :] > block[:, None]
        found |= set((np.flatnonzero(near.any(axis=0)) + first).tolist())
    return found
