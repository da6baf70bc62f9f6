"""The protocol of an encoder (texts in, unit vectors out), and a memory for one run's texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from memory_pipeline import telemetry
from memory_pipeline.inference.token_vectors import Encoding, encodings, gives_tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Encoder(Protocol):
    """Anything that makes vectors.

    Attributes:
        model: name and version; vectors of two models are never compared, and tables are named after it.
        dimensions: length of a vector.
    """

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (len(texts), dimensions), each of length 1 (zero for a text without any content).

        Raises:
            ModelError: no vectors after the retries.
        """
        ...


class RememberingEncoder:
    """An encoder that keeps what it made of the latest texts, so that stages of one run do not encode a text twice."""

    def __init__(self, encoder: Encoder, capacity: int = 20_000) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._kept: OrderedDict[str, Encoding] = OrderedDict()
        self._lock = Lock()

    @property
    def model(self) -> str:
        return self._encoder.model

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    @property
    def gives_tokens(self) -> bool:
        return gives_tokens(self._encoder)

    def remembered(self, texts: Iterable[str], *, tokens: bool = False) -> dict[str, Encoding]:
        """What is remembered of some texts.

        Args:
            tokens: leave out those whose tokens were not asked for.
        """
        with self._lock:
            kept = ((text, self._kept.get(text)) for text in texts)
            return {text: e for text, e in kept if e is not None and not (tokens and e.tokens is None)}

    def remember(self, made: Mapping[str, Encoding]) -> None:
        """Take in what was made of texts, as the latest ones."""
        with self._lock:
            for text, encoding in made.items():
                self._kept[text] = encoding
                self._kept.move_to_end(text)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :meth:`Encoder.encode`."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([encoding.vector for encoding in self._found(texts, tokens=False)])

    def encodings(self, texts: Sequence[str], *, words: bool = False) -> list[Encoding]:
        """See :meth:`TokenEncoder.encodings`; words are not remembered."""
        if words:
            return encodings(self._encoder, texts, words=True)
        return self._found(texts, tokens=self.gives_tokens)

    def _found(self, texts: Sequence[str], *, tokens: bool) -> list[Encoding]:
        found = self.remembered(texts, tokens=tokens)
        missing = [t for t in dict.fromkeys(texts) if t not in found]
        if missing:
            known = {"memory_pipeline.texts": len(missing), "memory_pipeline.texts_cached": len(texts) - len(missing)}
            with telemetry.span("embed", **known, **{"gen_ai.request.model": self.model}):
                made = encodings(self._encoder, missing) if tokens else map(Encoding, self._encoder.encode(missing))
                found.update(zip(missing, made, strict=True))
        self.remember(found)
        return [found[t] for t in texts]
