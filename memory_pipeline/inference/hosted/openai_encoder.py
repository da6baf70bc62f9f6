"""The hosted encoder: any server that speaks OpenAI's embeddings."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.text import estimate_tokens, truncate
from memory_pipeline.errors import ModelError
from memory_pipeline.inference.chat import Usage
from memory_pipeline.inference.hosted.connection import RefusedAnswer, refusal, synchronous_client
from memory_pipeline.inference.hosted.endpoint import Endpoint, everything_said
from memory_pipeline.inference.hosted.reply_usage import count_of
from memory_pipeline.inference.hosted.retries import MalformedAnswer, options
from memory_pipeline.inference.prices import encoder_usd
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from openai import APIStatusError, OpenAI

_BATCH_TEXTS = 256
_BATCH_TOKENS = 32_000  # by our estimate; OpenAI takes 300,000, smaller servers work longer on one call
_TEXT_TOKENS = 5_000  # by our estimate, which may be a third too low; OpenAI's models take 8,192
_NEGOTIABLE = frozenset({400, 404, 422})
_CONNECT_S = 10.0


class OpenAIEncoder:
    """An encoder behind OpenAI's protocol. Thread-safe; connects on first use.

    Raises:
        SettingsError: neither ``OPENAI_API_KEY`` nor ``OPENAI_BASE_URL`` is set.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        asked = "the encoder openai" if settings.encoder_fixed else "MEMORY_PIPELINE_ENCODER=openai"
        self._endpoint = Endpoint.from_environment(asked)
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        self._optional: dict[str, Any] = {
            "dimensions": settings.encoder_dimensions,
            "encoding_format": "base64",  # a fifth of the bytes of numbers in JSON
        }
        self._tokens = 0
        self._calls = 0

    @property
    def model(self) -> str:
        """Name and length: vectors of one model cut to different lengths cannot be compared."""
        return f"{self._settings.encoder_model}-{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return self._settings.encoder_dimensions

    @property
    def usage(self) -> Usage:
        """What this object's calls have taken so far."""
        usd = encoder_usd(self._settings, self._tokens)
        return Usage(prompt_tokens=self._tokens, usd=usd, calls=self._calls)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (len(texts), dimensions); see :class:`Encoder`. Very long texts are cut.

        Raises:
            ModelError: no vectors after the retries, or vectors of another length than the settings say.
        """
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for batch in _batches(texts):
            vectors[list(batch)] = self._embed(list(batch.values()))
        return vectors

    def close(self) -> None:
        """Release connections."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of one batch, asked for in a way that the server accepts."""
        from openai import APIError, APIStatusError
        from tenacity import Retrying

        while True:
            optional = dict(self._optional)
            try:
                return Retrying(**options(self._settings.chat_retries))(self._once, texts, optional)
            except APIStatusError as error:
                if not self._adapted(optional, error):
                    raise self._endpoint.failure(error, model=self._settings.encoder_model, role="ENCODER") from error
            except (APIError, MalformedAnswer, RefusedAnswer) as error:
                raise self._endpoint.failure(error, model=self._settings.encoder_model, role="ENCODER") from error

    def _once(self, texts: Sequence[str], optional: dict[str, Any]) -> npt.NDArray[np.float32]:
        import numpy as np
        from openai import APIConnectionError

        try:
            reply: Any = self._connected().embeddings.create(
                model=self._settings.encoder_model, input=list(texts), **optional
            )
        except APIConnectionError as error:
            refused = refusal(error)
            if refused is not None:
                raise refused from error
            raise
        except (ValueError, RecursionError) as error:  # a body that is not JSON
            raise MalformedAnswer(f"no JSON: {error}") from error
        rows = getattr(reply, "data", None) or []
        if sorted(row.index for row in rows) != list(range(len(texts))):
            raise MalformedAnswer(f"{len(rows)} vectors for {len(texts)} texts, or not one for each")
        found = [_floats(row.embedding) for row in sorted(rows, key=lambda row: row.index)]
        for vector in found:
            if len(vector) != self.dimensions:
                raise ModelError(
                    f"{self._settings.encoder_model} at {self._endpoint.url} makes vectors of length {len(vector)}, "
                    f"not {self.dimensions}: set MEMORY_PIPELINE_ENCODER_DIMENSIONS={len(vector)}"
                )
        vectors = np.vstack(found)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise MalformedAnswer("vectors without length")
        self._count(reply, texts)
        unit: npt.NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit

    def _adapted(self, sent: dict[str, Any], error: APIStatusError) -> bool:
        """Whether the request can do without what this refusal names; that is remembered."""
        if error.status_code not in _NEGOTIABLE:
            return False
        said = everything_said(error)
        with self._lock:
            if "dimensions" in sent and any(word in said for word in ("dimensions", "matryoshka")):
                self._optional.pop("dimensions", None)
                return True
            if sent.get("encoding_format") == "base64" and any(w in said for w in ("encoding_format", "base64")):
                self._optional["encoding_format"] = "float"
                return True
        return False

    def _connected(self) -> OpenAI:
        from openai import OpenAI, Timeout

        with self._lock:
            if self._client is None:
                limit = self._settings.chat_timeout_s
                timeout = Timeout(limit, connect=min(limit, _CONNECT_S))
                self._client = OpenAI(
                    api_key=self._endpoint.api_key,
                    base_url=self._endpoint.base_url,
                    timeout=timeout,
                    max_retries=0,
                    http_client=synchronous_client(timeout),
                )
            return self._client

    def _count(self, reply: Any, texts: Sequence[str]) -> None:
        said = getattr(reply.usage, "prompt_tokens", None) if reply.usage is not None else None
        with self._lock:
            self._calls += 1
            self._tokens += count_of(said, sum(map(estimate_tokens, texts)), sum(len(t.encode()) for t in texts))


def _batches(texts: Sequence[str]) -> Iterator[dict[int, str]]:
    """Texts by position, in order, as many as one call may carry; those without content are left out."""
    batch: dict[int, str] = {}
    size = 0
    for i, text in enumerate(texts):
        text = text.encode("utf-8", "replace").decode("utf-8").strip()
        if not text:
            continue
        text = truncate(text, _TEXT_TOKENS)
        tokens = estimate_tokens(text)
        if batch and (len(batch) == _BATCH_TEXTS or size + tokens > _BATCH_TOKENS):
            yield batch
            batch, size = {}, 0
        batch[i] = text
        size += tokens
    if batch:
        yield batch


def _floats(embedding: str | Sequence[float]) -> npt.NDArray[np.float32]:
    """A vector as the server wrote it: base64 of little-endian floats, or numbers."""
    import numpy as np

    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding), dtype="<f4").astype(np.float32)
    return np.asarray(embedding, dtype=np.float32)
