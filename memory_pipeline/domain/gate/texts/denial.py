"""A sentence turned round, where no parser reads its language: the words of a clause that was told, and one denies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from memory_pipeline.domain.gate.texts.conversation import fold
from memory_pipeline.domain.gate.texts.entailment import framing
from memory_pipeline.domain.gate.texts.hinges import telling
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table, wordset

_END = ".!?…;:,。！？、，；：\n"
_CLAUSE = lazy(rf"([^{_END}]+)([{_END}]*)")
_ASKED = lazy("[?？]")
_STEM, _ENDING = 3, 4  # letters
_IN_THE = lazy(r"\bno\b", re.I)
_WORD = lazy(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def turned_round(
    sentence: str, texts: Iterable[str], least: float, around: str = "", *, contained: bool = False
) -> str:
    """The clause of a sentence of which all that was told in its words says the opposite, "" where there is none.

    Args:
        texts: what was told.
        least: share of the words of each of two clauses in the other, for them to be held against each other.
        around: what tells the language of short texts.
        contained: so are two clauses of which the one says nothing that does not stand in the other, however much more
            that holds ("isst Fleisch", "seit dem Studium rühre ich kein Fleisch mehr an").
    """
    if _portuguese(f"{sentence} {around}"):
        sentence, texts = _contracted(sentence), map(_contracted, texts)
    told = [clause for text in texts for clause in clauses(text)]
    for clause in clauses(sentence):
        if _turns(clause):
            continue
        same = [
            other
            for other in told
            if (_same(clause, other, least) or contained and _within(clause, other)) and not _undone(clause, other)
        ]
        if same and all(denies(other) is not denies(clause) and not _turns(other) for other in same):
            return clause
    return ""


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[str, ...]:
    """The clauses of a text, as far as punctuation tells them, without what is asked."""
    parts = _CLAUSE.findall(text)
    return tuple(bare for part, end in parts if (bare := part.strip()) and not _ASKED.search(end))


def _same(a: str, b: str, least: float) -> bool:
    ours, theirs = _words(a), _words(b)
    return _share(ours, theirs) >= least and _share(theirs, ours) >= least


def _within(clause: str, other: str) -> bool:
    """Whether all that a clause says stands in another one."""
    said = [word for word in _words(clause) if word not in framing()]
    return bool(said) and _share(tuple(said), _words(other)) == 1.0


def _undone(clause: str, other: str) -> bool:
    """Whether a clause denies in one word what another one tells: "Nichtraucher" beside "rauchen"."""
    beginnings = tuple(wordset("languages", "undoing"))
    bare = (word.removeprefix(start) for word in _words(clause) for start in beginnings if word.startswith(start))
    return any(len(word) > _STEM and _share((word,), _words(other)) for word in bare)


def _share(some: tuple[str, ...], others: tuple[str, ...]) -> float:
    return sum(any(akin(a, b) for b in others) for a in some) / len(some) if some else 0.0


def akin(a: str, b: str) -> bool:
    """Whether two words may be forms of one: all but the ends of longer ones agree ("mora", "moro")."""
    short, long = sorted((a, b), key=len)
    same = next((n for n, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return a == b or same >= max(_STEM, len(short) - 2) and len(long) - len(short) <= _ENDING


@lru_cache(maxsize=4096)
def _words(clause: str) -> tuple[str, ...]:
    """Its telling words without what denies."""
    plain = _signs().sub(" ", clause)
    aside = wordset("languages", "denying") | wordset("languages", "being") | wordset("languages", "grammar")
    aside |= wordset("languages", "ceasing")
    return tuple(word for word in telling(plain) if word not in aside)


@lru_cache(maxsize=4096)
def denies(clause: str) -> bool:
    """Whether an odd number of denials stands in a clause ("ne … pas" is one); what was given up is denied, too."""
    words = [fold(word) for word in _WORD.findall(_condoning().sub(" ", clause))]
    signs = frozenset().union(*(wordset("languages", name) for name in ("denying", "disliking", "ceasing")))
    spoken = [word for word in words if word in signs]
    french = sum(word == "ne" or word.startswith("n'") for word in spoken)
    return (len(spoken) - (french if len(spoken) > french else 0) + len(_signs().findall(clause))) % 2 == 1


@lru_cache(maxsize=4096)
def _portuguese(text: str) -> bool:
    """Whether a text is Portuguese, in which "no" is "in the" and denies nothing."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return sum(w in wordset("languages", "portuguese") for w in words) > sum(
        w in wordset("languages", "spanish") for w in words
    )


def _contracted(text: str) -> str:
    return _IN_THE.sub("em", text)


def _turns(clause: str) -> bool:
    return not wordset("languages", "turning").isdisjoint(fold(word) for word in _WORD.findall(clause))


@cache
def _condoning() -> re.Pattern[str]:
    return lazy(rf"\b(?:{'|'.join(map(re.escape, table('restating')['condoning']))})\b", re.I)


@cache
def _signs() -> re.Pattern[str]:
    signs = sorted(wordset("languages", "denying_signs"), key=len, reverse=True)
    return lazy("|".join(map(re.escape, signs)))
