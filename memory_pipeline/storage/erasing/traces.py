"""Traces of texts: keyed hashes of short windows of their bytes, by which the texts are found again in any bytes.

So a journal can name what must not be found any more without holding a word of it. Of a text of at least 24 bytes every
eighth window of 24 bytes is hashed: every fragment of 31 bytes holds one. A shorter text of several words is hashed as
a whole. Texts are looked for as they are and as JSON writes them, once or twice over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]

WINDOW = 24  # bytes
SHORTEST = 12  # bytes of a text, of several words, that is told apart from others by being looked for as a whole
_STRIDE = 8
_BLOCK = 1 << 20
_FILTER_BITS = 22


@dataclass
class Traces:
    """Hashes by length of the window.

    Attributes:
        by_length: sorted, without repetitions.
        too_short: texts that are too short to be told apart.
    """

    salt: bytes
    by_length: dict[int, Hashes] = field(default_factory=dict)
    too_short: int = 0

    @classmethod
    def of(cls, salt: bytes, texts: Iterable[str]) -> Traces:
        """Traces of some texts."""
        made = cls(salt)
        found: dict[int, list[bytes]] = {}
        for text in set(texts):
            if not _distinctive(text):
                made.too_short += 1
                continue
            for data in spellings(text):
                length = min(len(data), WINDOW)
                windows = found.setdefault(length, [])
                windows += [data[n : n + length] for n in range(0, len(data) - length + 1, _STRIDE)]
                if len(data) > length:
                    windows.append(data[-length:])
        for length, windows in found.items():
            whole = np.frombuffer(b"".join(set(windows)), dtype=np.uint8).reshape(-1, length)
            made.by_length[length] = np.unique(_hashed(whole, length, _factors(salt)))
        return made

    def __len__(self) -> int:
        return sum(len(hashes) for hashes in self.by_length.values())

    def found_in(self, data: bytes | memoryview) -> dict[int, Hashes]:
        """Which of the hashes some bytes hold, by length."""
        seen: dict[int, list[Hashes]] = {}
        for length, hashes in self._hits(data):
            seen.setdefault(length, []).append(hashes)
        return {length: np.unique(np.concatenate(parts)) for length, parts in seen.items()}

    def count(self, data: bytes | memoryview) -> int:
        """At how many places some bytes hold one of them."""
        return sum(len(hashes) for _, hashes in self._hits(data))

    def touch(self, text: str) -> bool:
        """Whether a text holds one of them."""
        return any(True for _ in self._hits(text.encode("utf-8", "surrogatepass")))

    def without(self, known: Iterable[dict[int, Hashes]]) -> Traces:
        """Those that are not among some others."""
        rest = dict(self.by_length)
        for found in known:
            for length, hashes in found.items():
                rest[length] = np.setdiff1d(rest[length], hashes, assume_unique=True)
        return Traces(self.salt, {n: h for n, h in rest.items() if len(h)}, self.too_short)

    def together(self, other: Traces) -> Traces:
        """These and others."""
        both = {
            n: np.union1d(self.by_length.get(n, _NONE), other.by_length.get(n, _NONE))
            for n in self.by_length.keys() | other.by_length.keys()
        }
        return Traces(self.salt, both, self.too_short + other.too_short)

    def _hits(self, data: bytes | memoryview) -> Iterator[tuple[int, Hashes]]:
        if not self.by_length or len(data) < min(self.by_length):
            return
        whole = np.frombuffer(data, dtype=np.uint8)
        factors = _factors(self.salt)
        for start in range(0, len(whole), _BLOCK):
            block = whole[start : start + _BLOCK + WINDOW - 1]
            if len(block) < 8:
                return
            words = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(block, 8)).view("<u8").ravel()
            for length, wanted in self.by_length.items():
                places = min(len(block) - length + 1, _BLOCK)
                if places <= 0:
                    continue
                hashes = _mixed(
                    words[:places], words[(length - 8) // 2 :][:places], words[length - 8 :][:places], factors
                )
                likely = hashes[self._filter(length)[hashes >> np.uint64(64 - _FILTER_BITS)]]
                hits = likely[np.isin(likely, wanted)]
                if len(hits):
                    yield length, hits

    def _filter(self, length: int) -> npt.NDArray[np.bool_]:
        if length not in self._filters:
            bits = np.zeros(1 << _FILTER_BITS, dtype=np.bool_)
            bits[self.by_length[length] >> np.uint64(64 - _FILTER_BITS)] = True
            self._filters[length] = bits
        return self._filters[length]

    _filters: dict[int, npt.NDArray[np.bool_]] = field(default_factory=dict, repr=False)

    def dump(self) -> bytes:
        """For the journal."""
        import io

        sink = io.BytesIO()
        arrays: dict[str, Any] = {str(n): h for n, h in self.by_length.items()}
        np.savez(sink, too_short=np.array([self.too_short]), **arrays)
        return sink.getvalue()

    @classmethod
    def load(cls, salt: bytes, data: bytes) -> Traces:
        """See :meth:`dump`."""
        import io

        with np.load(io.BytesIO(data)) as found:
            hashes = {int(name): found[name] for name in found.files if name != "too_short"}
            return cls(salt, hashes, int(found["too_short"][0]))


_NONE = np.zeros(0, dtype=np.uint64)


def _distinctive(text: str) -> bool:
    size = len(text.encode("utf-8", "surrogatepass"))
    return size >= WINDOW or (size >= SHORTEST and len(text.split()) > 1)


def spellings(text: str) -> set[bytes]:
    """How a text may stand in a file: as it is, in JSON, and in JSON that stands in JSON."""
    found = {text}
    for ascii_ in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_)[1:-1]
        found |= {once, json.dumps(once, ensure_ascii=ascii_)[1:-1]}
    return {spelling.encode("utf-8", "surrogatepass") for spelling in found}


def _factors(salt: bytes) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    raw = hashlib.blake2b(b"traces", key=salt[:64], digest_size=32).digest()
    a, b, c, d = (np.uint64(int(v) | 1) for v in np.frombuffer(raw, dtype="<u8"))
    return a, b, c, d


def _hashed(windows: npt.NDArray[np.uint8], length: int, factors: tuple[np.uint64, ...]) -> Hashes:
    def word(at: int) -> Hashes:
        return np.ascontiguousarray(windows[:, at : at + 8]).view("<u8").ravel()

    return _mixed(word(0), word((length - 8) // 2), word(length - 8), factors)


def _mixed(first: Hashes, middle: Hashes, last: Hashes, factors: tuple[np.uint64, ...]) -> Hashes:
    """A hash of windows of one length from the words at their start, in their middle and at their end: together they
    cover all of a window of up to 24 bytes."""
    a, b, c, d = factors
    mixed: Hashes = first * a + middle * b + last * c
    mixed ^= mixed >> np.uint64(29)
    mixed *= d
    mixed ^= mixed >> np.uint64(32)
    return mixed
