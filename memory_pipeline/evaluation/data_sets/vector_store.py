"""Vectors kept between runs, by the hash of their text and the encoder's model: a data set is encoded once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memory_pipeline.errors import EvaluationError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.stages.context import Progress

_SLICE = 1024  # texts after which what was encoded is kept


class StoredEncoder:
    """An encoder that keeps its vectors in a folder, as Parquet files of ``text_hash`` and ``vector``.

    A file is written beside its place and renamed, so a run that was stopped goes on where it was. Two processes may
    share the folder: what both encode is kept twice.

    Args:
        folder: holds a folder for each model.
        progress: called with the texts encoded by this run.
    """

    def __init__(self, encoder: Encoder, folder: Path, progress: Progress | None = None) -> None:
        self._encoder = encoder
        self._folder = folder / encoder.model.replace("/", "_")
        self._progress = progress
        self._lock = Lock()
        self._vectors: dict[str, npt.NDArray[np.float32]] | None = None

    @property
    def model(self) -> str:
        return self._encoder.model

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :meth:`Encoder.encode`.

        Raises:
            EvaluationError: a kept file cannot be read or written.
        """
        import numpy as np

        names = [_hash(text) for text in texts]
        with self._lock:
            kept = self._kept()
            missing = {n: t for n, t in zip(names, texts, strict=True) if n not in kept}
            wanted = list(missing.items())
            for start in range(0, len(wanted), _SLICE):
                if self._progress is not None and len(wanted) > 1:
                    self._progress("encoding", start, len(wanted))
                part = wanted[start : start + _SLICE]
                vectors = self._encoder.encode([text for _, text in part])
                self._keep([name for name, _ in part], vectors)
            if not names:
                return np.zeros((0, self.dimensions), dtype=np.float32)
            return np.stack([kept[name] for name in names])

    def _kept(self) -> dict[str, npt.NDArray[np.float32]]:
        if self._vectors is None:
            import pyarrow as pa
            import pyarrow.parquet as pq

            self._vectors = {}
            for file in sorted(self._folder.glob("*.parquet")):
                try:
                    table = pq.read_table(file)
                except (OSError, pa.ArrowInvalid) as error:
                    raise EvaluationError(f"{file} cannot be read, delete it: {error}") from error
                values = table.column("vector").combine_chunks().values.to_numpy()
                self._vectors.update(
                    zip(table.column("text_hash").to_pylist(), values.reshape(-1, self.dimensions), strict=True)
                )
        return self._vectors

    def _keep(self, names: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._kept().update(zip(names, vectors, strict=True))
        values = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), self.dimensions)
        table = pa.table({"text_hash": pa.array(names), "vector": values})
        file = self._folder / f"{_hash(''.join(names))}.parquet"
        beside = file.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(table, beside)
            beside.replace(file)
        except OSError as error:
            raise EvaluationError(f"vectors cannot be kept in {self._folder}: {error}") from error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
