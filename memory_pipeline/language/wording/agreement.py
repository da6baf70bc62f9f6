"""English finite verbs by their shape: told apart, and put into the form that another subject or another time needs.

Memories are worded without a subject for the user ("Lives in Lisbon.", "No longer eats meat."). Whoever retells them
must know where such a sentence has its verb, for any verb: the endings tell, a closed table the irregular ones.
"""

from __future__ import annotations

from enum import Enum
from functools import cache, lru_cache

from memory_pipeline.language.tables import read

_VOWELS = "aeiou"
_SHORTEST = 3


class Tense(Enum):
    """The time of a finite verb."""

    PRESENT = "present"
    PAST = "past"


@cache
def table(name: str) -> tuple[str, ...]:
    """The entries of one table of verb forms, in order."""
    text = str(read("agreement")[name]).replace("\n", " ")
    return tuple(entry.strip() for entry in text.split("|")) if "|" in text else tuple(text.split())


@cache
def _pasts() -> dict[str, str]:
    return dict(entry.split() for entry in table("irregular"))


@cache
def _bases() -> dict[str, str]:
    return {past: base for base, past in _pasts().items()}


@lru_cache(maxsize=8192)
def tense(word: str) -> Tense | None:
    """The time of a word that has the form of a finite verb of the third person; None where it has none."""
    low = word.lower().rstrip(".,;:")
    if low in table("present"):
        return Tense.PRESENT
    if low in table("past") or low in _bases():
        return Tense.PAST
    if len(low) < _SHORTEST or low in table("no_verb") or not low.replace("-", "").isalpha():
        return None
    if low.endswith("ed") and not low.endswith("eed"):
        return Tense.PAST if any(v in low[:-2] for v in "aeiouy") else None
    return Tense.PRESENT if low.endswith("s") and not low.endswith(("ss", "us", "is", "ous", "ings")) else None


def verb_at(words: list[str]) -> int | None:
    """Where a subjectless sentence has its verb, adverbs passed over; None where it has no verb there."""
    adverbs = table("adverb")
    for n, word in enumerate(words):
        low = word.lower()
        if tense(low) is not None:
            return n
        if low not in adverbs and not (low.endswith("ly") and len(low) > 4):
            return None
    return None


@lru_cache(maxsize=8192)
def base(verb: str) -> str:
    """A finite form → its infinitive: "carries" → "carry", "ate" → "eat", "is" → "be"."""
    low = verb.lower()
    special = {"is": "be", "are": "be", "were": "be", "has": "have", "does": "do", "goes": "go", "cannot": "can"}
    if low in special:
        return special[low]
    if low in _bases():
        return _bases()[low]
    if low.endswith("ed") and tense(low) is Tense.PAST:
        return _without_ed(low)
    if low.endswith("ies"):
        return low[:-1] if len(low) == 4 else low[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return low[:-1] if low in {"aches"} else low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith("ss") else low


def _without_ed(word: str) -> str:
    stem = word[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "slz":
        return stem[:-1]
    silent = stem.endswith(("at", "iz", "c", "v", "z", "u", "dg", "bl", "dl", "gl", "pl", "tl", "ur", "rg", "ng", "ns"))
    return stem + "e" if silent and not stem.endswith(("eat", "oat", "our")) else stem


def past(verb: str) -> str:
    """A finite form or infinitive → its simple past, with a subject in the singular."""
    if tense(verb) is Tense.PAST:
        return verb
    lemma = base(verb)
    modal = {"can": "could", "will": "would", "may": "might", "shall": "should"}
    return modal[lemma] if lemma in modal else past_of(lemma)


def past_of(lemma: str) -> str:
    """An infinitive → its simple past, where the word may look like another form: "focus", "found", "lay"."""
    if lemma in _pasts():
        return _pasts()[lemma]
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ied"
    return (lemma + lemma[-1] if lemma in table("doubling") else lemma) + "ed"


def gerund(lemma: str) -> str:
    """An infinitive → its form in -ing."""
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and lemma != "be":
        return lemma[:-1] + "ing"
    return (lemma + lemma[-1] if lemma in table("doubling") else lemma) + "ing"


def plural(text: str) -> str:
    """What follows "they" or "you": "always defends numbers" → "always defend numbers", "is not" → "are not"."""
    words = text.split(" ")
    at = verb_at(words)
    if at is None:
        return text
    low = words[at].lower()
    special = {"is": "are", "was": "were", "cannot": "cannot"}
    if low in special:
        words[at] = special[low]
    elif tense(low) is Tense.PRESENT:
        words[at] = base(low)
    return " ".join(words)


def in_the_past(text: str) -> str:
    """ "is dreading Monday" → "was dreading Monday", "does not sleep" → "did not sleep"."""
    words = text.split(" ")
    at = verb_at(words)
    if at is not None:
        words[at] = past(words[at].lower())
    return " ".join(words)
