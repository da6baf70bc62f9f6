"""Vectors kept between runs, by the hash of their text and the encoder's model: a data set is encoded once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memory_pipeline.errors import EvaluationError
from memory_pipeline.inference.token_vectors import Encoding, encodings, gives_tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.stages.context import Progress

_SLICE = 1024  # texts after which what was encoded is kept


class StoredEncoder:
    """An encoder that keeps its vectors in a folder, as Parquet files of ``text_hash``, ``vector`` and ``tokens``.

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
        self._made: dict[str, Encoding] | None = None

    @property
    def model(self) -> str:
        return self._encoder.model

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    @property
    def gives_tokens(self) -> bool:
        return gives_tokens(self._encoder)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :meth:`Encoder.encode`.

        Raises:
            EvaluationError: a kept file cannot be read or written.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([encoding.vector for encoding in self.encodings(texts)])

    def encodings(self, texts: Sequence[str], *, words: bool = False) -> list[Encoding]:
        """See :meth:`TokenEncoder.encodings`; words are not kept.

        Raises:
            EvaluationError: a kept file cannot be read or written.
        """
        if words:
            return encodings(self._encoder, texts, words=True)
        names = [_hash(text) for text in texts]
        tokens = self.gives_tokens
        with self._lock:
            kept = self._kept()
            lacking = {n for n in names if n not in kept or (tokens and kept[n].tokens is None)}
            missing = {n: t for n, t in zip(names, texts, strict=True) if n in lacking}
            wanted = list(missing.items())
            for start in range(0, len(wanted), _SLICE):
                if self._progress is not None and len(wanted) > 1:
                    self._progress("encoding", start, len(wanted))
                part = wanted[start : start + _SLICE]
                made = encodings(self._encoder, [text for _, text in part])
                self._keep([name for name, _ in part], made)
            return [kept[name] for name in names]

    def _kept(self) -> dict[str, Encoding]:
        if self._made is None:
            import pyarrow as pa
            import pyarrow.parquet as pq

            self._made = {}
            for file in sorted(self._folder.glob("*.parquet"), key=lambda file: (file.stat().st_mtime_ns, file)):
                try:
                    table = pq.read_table(file)
                except (OSError, pa.ArrowInvalid) as error:
                    raise EvaluationError(f"{file} cannot be read, delete it: {error}", path=str(file)) from error
                values = table.column("vector").combine_chunks().values.to_numpy().reshape(-1, self.dimensions)
                with_tokens = "tokens" in table.column_names
                tokens = table.column("tokens").to_pylist() if with_tokens else [None] * len(values)
                made = map(Encoding, values, tokens)
                self._made.update(zip(table.column("text_hash").to_pylist(), made, strict=True))
        return self._made

    def _keep(self, names: Sequence[str], made: Sequence[Encoding]) -> None:
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._kept().update(zip(names, made, strict=True))
        vectors = np.stack([encoding.vector for encoding in made])
        values = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), self.dimensions)
        tokens = pa.array([encoding.tokens for encoding in made], pa.binary())
        table = pa.table({"text_hash": pa.array(names), "vector": values, "tokens": tokens})
        told = "tokens" if gives_tokens(self._encoder) else ""
        file = self._folder / f"{_hash(told + ''.join(names))}.parquet"
        beside = file.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(table, beside)
            beside.replace(file)
        except OSError as error:
            sentence = f"vectors cannot be kept in {self._folder}: {error}"
            raise EvaluationError(sentence, path=str(self._folder)) from error


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
