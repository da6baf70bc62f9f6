"""What a turn says, by sentence, and whose words each sentence is: only a person's own statements are their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import NEGATIONS, STOPWORDS
from memory_pipeline.language.pleas import foreign_plea, plea
from memory_pipeline.language.standing import Standing
from memory_pipeline.retrieval.scores.keywords import stems, tokenise

STATED = frozenset({Standing.OWN, Standing.REPORTED})
"""What a person states in earnest, of themselves or of others."""

_FIRST_PERSON = frozenset(["i", "i'm", "i've", "i'd", "my", "me", "mine", "we", "our", "us"])
_SECOND_PERSON = frozenset(["your", "yours", "yourself"])
_CLOSING = ".!?…”\"')"
_ELLIPTICAL_WORDS = 6
_MARK = "…"
ASKED = frozenset({Standing.QUESTION, Standing.REQUEST})
"""What a person asks; it may tell of them, too: "Which food is best for my old labrador?"."""

SPOKEN = frozenset({Standing.CLAIM, Standing.REPLY})
"""What an assistant says."""

_SENTENCE_ENDS = lazy(r"(?<=[.!?…])\s+")
_LETTERS = lazy(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn.

    Attributes:
        start, end: its place in the turn.
        standing: see ``language.standing.Standing``.
    """

    start: int
    end: int
    text: str
    standing: str

    @property
    def tells_of_self(self) -> bool:
        """Whether it names its speaker's own things, and nobody spoken to."""
        said = frozenset(tokenise(self.text))
        return bool(said & _FIRST_PERSON) and not said & _SECOND_PERSON

    @property
    def stems(self) -> frozenset[str]:
        """Stems of the words that carry meaning."""
        return meaning(self.text)


def sentences(row: Mapping[str, Any]) -> Sequence[Sentence]:
    """The sentences of a turn, in order.

    Args:
        row: of the index's messages.
    """
    content = row["content"]
    return [_sentence(content, span["start"], span["end"], span["standing"]) for span in row["spans"] or ()]


def quotable(row: Mapping[str, Any]) -> Sequence[Sentence]:
    """The sentences of a turn without pleas to forget something or to leave it alone.

    Of a turn that pleads in another language none are left: what it pleads for stands in it, and no mask knows it.

    Args:
        row: of the index's messages.
    """
    said = sentences(row)
    if any(foreign_plea(s.text) for s in said):
        return ()
    return [s for s in said if not plea(s.text)]


def _sentence(content: str, start: int, end: int, standing: str) -> Sentence:
    """A span as a sentence, with the marks that close it."""
    while end < len(content) and content[end] in _CLOSING:
        end += 1
    return Sentence(start, end, content[start:end].strip(), standing)


@lru_cache(maxsize=8192)
def meaning(text: str) -> frozenset[str]:
    """Stems of the words of a text that carry meaning."""
    said = [t for t in tokenise(text) if t not in STOPWORDS and t not in NEGATIONS and not t.endswith("n't")]
    return frozenset(stems(said))


def elliptical(text: str) -> bool:
    """Whether a turn is so short that it can only be understood with the one before it: "Yes, two."."""
    return len(text.split()) <= _ELLIPTICAL_WORDS


def question(text: str) -> str:
    """The question that a turn ends with, empty where it ends with none."""
    text = text.strip()
    return _SENTENCE_ENDS.split(text)[-1] if text.endswith("?") else ""


def quote(said: Sequence[Sentence], content: str) -> str:
    """Some sentences of a turn in its own words, with a mark where something is left out between them."""
    parts: list[str] = []
    end = 0
    for n, sentence in enumerate(said):
        skipped = bool(_LETTERS.search(content[end : sentence.start]))
        if n and skipped:
            parts.append(_MARK)
        parts.append(sentence.text)
        end = sentence.end
    return " ".join(parts)
