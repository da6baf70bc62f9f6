"""Plain text measures: words, overlap, token estimates. No language model, no I/O."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy

_STOPWORDS = """
a about above after again all also am an and any are as at be because been before being below between both but
by can could did do does doing down during each few for from further get got had has have having he her here
hers him his how i if in into is it its just know let like ll me more most my no nor not now of off on once
only or other our ours out over own re really s same she should so some such t than that the their them then
there these they this those through to too under until up us user user's ve very was we were what when where
which while who whom why will with would you your yours
"""
_NEGATIONS = """
not no never none nothing without neither nor cannot stopped quit longer don't doesn't didn't isn't aren't
wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't hadn't dislikes dislike hates hate
avoids avoid
"""
STOPWORDS = frozenset(_STOPWORDS.split())
NEGATIONS = frozenset(_NEGATIONS.split())
_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_NUMBER = lazy(r"\d+(?:[.,:]\d+)*")
_SPACE = lazy(r"\s+")
_SPELT = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "hundred": "100", "twice": "2",
}  # fmt: skip
_SPELT_AS = {number: tuple(w for w, n in _SPELT.items() if n == number) for number in _SPELT.values()}
_SENTENCE = lazy(r"(?<=[.!?])\s+")


@lru_cache(maxsize=65536)
def normalise(text: str) -> str:
    """Compatibility-composed, case-folded, single-spaced, straight quotes, no final punctuation."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    text = text.replace("“", '"').replace("”", '"')
    return _SPACE.sub(" ", text).strip().casefold().rstrip(".!?… ")


def words(text: str) -> list[str]:
    """Lower-case words in order, apostrophes kept inside; "mother-in-law" is one word, for she is no mother."""
    return _WORD.findall(normalise(text).replace("-in-law", "inlaw"))


@lru_cache(maxsize=65536)
def content_words(text: str) -> frozenset[str]:
    """Words that carry meaning: no stop words, crude singular, possessive removed."""
    found = set()
    for word in words(text):
        word = word.removesuffix("'s")
        if word in STOPWORDS or word in NEGATIONS:
            continue
        found.add(_SPELT.get(word) or singular(word))
    return frozenset(found)


def singular(word: str) -> str:
    """A lower-case word without a plural ending, crudely."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def spellings(word: str) -> tuple[str, ...]:
    """Parts of a normalised text of which one is there wherever :func:`content_words` finds a word."""
    stem = word.partition("inlaw")[0].removesuffix("y") or word
    return (stem, *_SPELT_AS.get(word, ()))


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard overlap of two word sets, 0 to 1 (0 when either is empty)."""
    return len(a & b) / len(a | b) if a and b else 0.0


def numbers(text: str) -> frozenset[str]:
    """Numbers in digits, as written."""
    return frozenset(n.replace(",", ".") for n in _NUMBER.findall(text))


@lru_cache(maxsize=65536)
def figures(text: str) -> frozenset[str]:
    """Numbers in digits, and small ones in words, for telling "runs 5 km" from "runs ten km"."""
    return numbers(text) | {_SPELT[w] for w in words(text) if w in _SPELT}


@lru_cache(maxsize=65536)
def names(text: str) -> frozenset[str]:
    """Words that are written as names: capitals inside a sentence, or more than one of them; lower-cased.

    The first word of a sentence is capital anyway and counts only in a run of capitals ("Max Weber plays chess.").
    """
    found = set()
    for sentence in _SENTENCE.split(text):
        tokens = _WORD.findall(sentence)
        for n, token in enumerate(tokens):
            leads = n == 0 and not (len(tokens) > 1 and tokens[1][:1].isupper()) and not token[1:2].isupper()
            if token[:1].isupper() and not leads and token not in ("I", "I'm", "I've", "I'd", "I'll"):
                found.add(singular(token.casefold().removesuffix("'s").removesuffix("’s")))
    return frozenset(found)


def negations(text: str) -> int:
    """How many negations stand in the text."""
    return sum(word in NEGATIONS for word in words(text))


def negated(text: str) -> bool:
    """Whether an odd number of negations stands in the text."""
    return negations(text) % 2 == 1


def estimate_tokens(text: str) -> int:
    """Tokens a model would count, roughly: four characters each, one for each CJK character."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text) if not text.isascii() else 0
    return wide + (len(text) - wide + 3) // 4


def truncate(text: str, tokens: int) -> str:
    """The text cut at a word so that it is at most that many estimated tokens."""
    if estimate_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest prefix that fits
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= max(tokens - 1, 0):
            low = middle
        else:
            high = middle - 1
    cut = text[:low]
    if " " in cut[len(cut) // 2 :]:
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip() + "…"


def ends_of(text: str, tokens: int) -> str:
    """A text of more than that many estimated tokens without its middle: the beginning and, as long, the end."""
    if estimate_tokens(text) <= tokens:
        return text
    head = truncate(text, tokens // 2)
    tail = truncate(text[::-1], tokens - tokens // 2)[::-1].lstrip("…")
    return f"{head} {tail.lstrip()}"


def joined(items: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    parts = list(items)
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]
