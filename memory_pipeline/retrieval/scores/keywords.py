"""Keyword search inside one user's rows: tokens of any script, and BM25 over them.

English words are lower-cased and stemmed; scripts that are written without spaces or that inflect inside the word
become character bigrams, which need no dictionary. Stop words are kept in the index and left out of a query unless it
has nothing else, so that "who are you" still asks for something.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS
from memory_pipeline.inference.stemming import stemmer

if TYPE_CHECKING:
    import numpy.typing as npt

# Hebrew and Arabic, the Indic blocks, Thai to Myanmar, Khmer, Hangul, kana, Han. Combining marks lie in the same
# blocks, so a run is never cut inside a letter.
_BIGRAMS = (
    "\u0590-\u08ff\u0900-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u31ff"
    "\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SYMBOLS = "\u2600-\u27bf\U0001f000-\U0001faff"
_LETTER = rf"(?:(?![{_BIGRAMS}])[^\W_]|[\u0300-\u036f])"
_TOKEN = lazy(
    rf"(?P<run>[{_BIGRAMS}]+)|(?P<word>{_LETTER}+(?:'{_LETTER}+)*)"
    rf"|(?P<symbol>[{_SYMBOLS}])"
)
_ASCII = lazy(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_PARTED = bytes(byte if chr(byte).isascii() and chr(byte).isalnum() or byte == ord("'") else 32 for byte in range(256))
_OTHER = lazy(rf"[{_BIGRAMS}{_SYMBOLS}\u0300-\u036f]")
_WORD = lazy(r"[^\W_]+(?:'[^\W_]+)*")


def tokenise(text: str, *, singles: bool = False) -> list[str]:
    """Lower-case words, character bigrams of the other scripts, and pictographs, in order; not yet stemmed.

    Args:
        singles: the single characters of those scripts as well, so that a query of one character finds them.
    """
    if text.isascii():
        return _ascii_tokens(text)
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    if not _OTHER.search(text):
        return _WORD.findall(text)
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "run":
            tokens.extend(_bigrams(match.group(), singles))
        else:
            tokens.append(match.group())
    return tokens


def _ascii_tokens(text: str) -> list[str]:
    """What ``_ASCII`` finds, in a third of its time: the pattern looks at nothing but apostrophes."""
    parts = text.lower().encode("ascii").translate(_PARTED).decode("ascii").split()
    if "'" not in text:
        return parts
    return [token for part in parts for token in (_ASCII.findall(part) if "'" in part else (part,))]


def _bigrams(run: str, singles: bool) -> Iterator[str]:
    letters = "".join(c for c in run if unicodedata.category(c)[0] in "LMN")
    for n, letter in enumerate(letters):
        if singles or len(letters) == 1:
            yield letter
        if n:
            yield letters[n - 1 : n + 1]


def stems(tokens: Iterable[str]) -> list[str]:
    """Tokens with their endings off (Snowball English); possessives lose their 's first."""
    found: list[str] = stemmer().stemWords([token.removesuffix("'s") for token in tokens])
    return found


def query_terms(text: str) -> list[str]:
    """The distinct terms that a query asks for, stop words only where there is nothing else."""
    tokens = tokenise(text)
    return list(dict.fromkeys(stems([token for token in tokens if not _stop_word(token)] or tokens)))


def _stop_word(token: str) -> bool:
    return token in STOPWORDS or token.endswith("n't") or ("'" in token and token.partition("'")[0] in STOPWORDS)


class _Terms(dict[str, int]):
    """The term of each token met so far: a 64-bit hash of its stem, which two stems share once in 10^12 vocabularies.

    One for the process: users' vocabularies overlap, and to stem a word anew costs more than all else that indexing
    does (measured). Bounded: once it is full it starts anew.
    """

    _MOST = 100_000

    def __missing__(self, token: str) -> int:
        if len(self) >= self._MOST:
            self.clear()
        term = self[token] = hash(stems([token])[0])
        return term


_terms = _Terms()


class KeywordIndex:
    """BM25 over some texts, in compressed sparse rows: for each term the texts that hold it and its weight there.

    Args:
        texts: the texts; a score belongs to the text at the same place.
        k1, b: saturation of repeated terms and discount of long texts.
    """

    def __init__(self, texts: Sequence[str], *, k1: float, b: float) -> None:
        self.size = len(texts)
        tokens = [tokenise(text, singles=True) for text in texts]
        lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=self.size)
        said = np.fromiter(map(_terms.__getitem__, chain.from_iterable(tokens)), np.int64, count=int(lengths.sum()))
        order = np.argsort(said, kind="stable")  # by term, and by text within one
        said, text_of = said[order], np.repeat(np.arange(self.size, dtype=np.int32), lengths)[order]
        another = np.diff(said, prepend=said[:1] - 1) != 0
        postings = np.flatnonzero(another | (np.diff(text_of, prepend=-1) != 0))
        counts = np.diff(postings, append=len(said))
        self._terms, self._texts = said[another], text_of[postings]
        terms = np.cumsum(another)[postings] - 1
        found_in = np.bincount(terms, minlength=len(self._terms))
        self._starts = np.concatenate([[0], np.cumsum(found_in)]).astype(np.int32)
        rarity = _rarity(self.size, found_in)
        mean = max(float(lengths.mean()), 1.0) if self.size else 1.0
        norm = k1 * (1 - b + b * lengths / mean)
        weights = rarity[terms] * counts * (k1 + 1) / (counts + norm[self._texts])
        self._weights = weights.astype(np.float32)

    @property
    def nbytes(self) -> int:
        """Memory taken, in bytes."""
        postings = self._texts.nbytes + self._weights.nbytes + self._starts.nbytes
        return int(postings + self._terms.nbytes)

    def scores(self, terms: Sequence[str]) -> npt.NDArray[np.float32]:
        """How much of the query each text answers, shape (texts,), 0 to 1.

        The BM25 score over that of a text of average length in which each term stands once. Unlike ranks, min-max or
        z-scores this means the same in every store, so that layers can be merged and a floor can be set; it fuses as
        well (measured on LoCoMo, BEAM and LongMemEval). Terms that no text holds count as rarest.

        Args:
            terms: as ``query_terms`` gives them.
        """
        total = np.zeros(self.size, dtype=np.float32)
        attainable = 0.0
        wanted = np.array([hash(term) for term in terms], dtype=np.int64)
        for term, place in zip(wanted, np.searchsorted(self._terms, wanted).tolist(), strict=True):
            if place == len(self._terms) or self._terms[place] != term:
                attainable += math.log1p((self.size + 0.5) / 0.5)
                continue
            part = slice(self._starts[place], self._starts[place + 1])
            attainable += float(_rarity(self.size, np.array([part.stop - part.start]))[0])
            total[self._texts[part]] += self._weights[part]
        return np.minimum(total / attainable, 1.0, dtype=np.float32) if attainable else total

    def rarities(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """How rare each word is among the texts, by its rarest term; 0 for what is no word. Shape (words,)."""
        found = {word: self._rarest(stems(tokenise(word))) for word in set(words)}
        return np.array([found[word] for word in words], dtype=np.float64)

    def _rarest(self, terms: Sequence[str]) -> float:
        wanted = np.array([hash(term) for term in terms], dtype=np.int64)
        places = np.searchsorted(self._terms, wanted)
        known = places < len(self._terms)
        known[known] = self._terms[places[known]] == wanted[known]
        sizes = np.zeros(len(wanted), dtype=np.int64)
        sizes[known] = self._starts[places[known] + 1] - self._starts[places[known]]
        return float(_rarity(self.size, sizes).max(initial=0.0))


def _rarity(size: int, found_in: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """BM25's inverse document frequency of terms that so many of the texts hold."""
    return np.log1p((size - found_in + 0.5) / (found_in + 0.5))
