"""The index as a rehearsal sees it: it can be read, and what is written to it goes nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memory_pipeline.storage.vectors.index import Index

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa


class UnwrittenIndex(Index):
    """The tables of one encoder, those of another encoder than the one in use are as if they were not there."""

    def table(self, name: str, *, create: bool = False) -> Any | None:
        """The LanceDB table, None where there is none; none is created."""
        return super().table(name) if self._exists(name) else None

    def upsert(self, name: str, rows: pa.Table, vectors: npt.NDArray[np.float32]) -> None:
        """Nothing."""

    def delete(self, name: str, ids: Iterable[str]) -> None:
        """Nothing."""
