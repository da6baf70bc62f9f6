"""A user's own sentences as memories word them: in clauses, in the third person, and about whom."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS
from memory_pipeline.inference.builtin.about import of_the_user
from memory_pipeline.inference.builtin.answering.terms import MODAL
from memory_pipeline.inference.builtin.verbs import FORMS, Kind
from memory_pipeline.language.questions.subjects import belonging, canonical
from memory_pipeline.language.questions.tables import any_of
from memory_pipeline.language.wording.agreement import Tense, tense
from memory_pipeline.language.wording.inflection import third_person
from memory_pipeline.language.wording.third_person import third

SUBJECT = lazy(r"(?:i|we|my|our|i['’]\w+|we['’]\w+|he|she|they|it)\b", re.I)
FARTHEST = 4  # words before a verb
_FIRST = lazy(r"^(?:i|we)(?P<short>['’](?:m|re|ve|d|ll))?\b\s*(?P<rest>.*)$", re.I | re.S)
_SHORT = {"m": "is", "re": "is", "ve": "has", "d": "would", "ll": "will"}
_AUXILIARY = {
    "am": "is", "are": "is", "was": "was", "were": "was", "have": "has", "do": "does", "can": "can", "cannot": "cannot",
    "can't": "cannot", "don't": "does not", "haven't": "has not", "didn't": "did not", "won't": "will not",
    "couldn't": "could not", "wasn't": "was not",
}  # fmt: skip
_JOINT = lazy(r"(?:\s*,)?\s+(?:and|but|although|though|plus)\s+|\s*[;,]\s+")
_OPENERS = frozenset({"their", "they", "yes", "no", "maybe", "there", "this", "that", "it", "one", "im", "ive", "dont"})
_OWNED = lazy(r"their (?P<whom>(?P<first>[\w-]+)\b(?: (?P<second>[\w-]+))?.*)", re.I)
_MY = lazy(r"^(?:my|our)\b\s*", re.I)


@lru_cache(maxsize=2048)
def worded(quote: str) -> tuple[str, bool]:
    """A sentence of the user's as a memory words it, and whether it is about the user.

    "and I moved to Lisbon" → "moved to Lisbon"; "My brother lives in Oslo" → "Brother lives in Oslo".
    """
    text = any_of("signs", "opening").sub("", quote.strip(), count=1).strip()
    own = _FIRST.match(text)
    if own:
        return third(_predicate(own["short"], own["rest"])), True
    if _MY.match(text):
        rest = _MY.sub("", text, count=1)
        first = rest.split(" ", 1)[0].lower()
        if canonical(first) in belonging():
            return third(rest), False
        return third(f"their {rest}"), True
    first, _, more = text.partition(" ")
    form = FORMS.get(first) if more else None
    if form is not None and Kind.ING in form.kind:
        return third(f"is {text}"), True
    if form is not None and Kind.BASE in form.kind:
        return third(f"{third_person(first)} {more}"), True
    return third(text), of_the_user(text) and not text[:1].isupper()


@lru_cache(maxsize=2048)
def clauses(quote: str) -> tuple[str, ...]:
    """A sentence cut where another predicate begins: "I moved to Hamburg and now live in Munich" is two."""
    cut: list[str] = []
    start = 0
    for joint in _JOINT.finditer(quote):
        following = re.sub(r"^(?:(?:now|then|also|just|still|only|never)\s+)+", "", quote[joint.end() :], flags=re.I)
        first = following.split(" ", 1)[0].lower().strip(",.")
        verb = tense(first) is not None or Kind.BASE in getattr(FORMS.get(first), "kind", Kind(0))
        if SUBJECT.match(following) or (verb and " " in following and "," not in joint.group()):
            cut.append(quote[start : joint.start()])
            start = joint.end()
    return tuple(part for part in (*cut, quote[start:]) if part.strip())


def _predicate(short: str | None, rest: str) -> str:
    """What follows "I", in the third person: "'m 34" → "is 34", "just moved" → "just moved"."""
    if short:
        verb = _SHORT[short[1:].lower()]
        return rest if short[1:].lower() == "ve" and tense(rest.split(" ", 1)[0]) is Tense.PAST else f"{verb} {rest}"
    adverbs = ""
    while hit := any_of("signs", "adverb").match(rest):
        adverbs, rest = adverbs + hit.group(), rest[hit.end() :]
    first, _, more = rest.partition(" ")
    low = first.lower().replace("’", "'").rstrip(",")
    if low in _AUXILIARY:
        verb = _AUXILIARY[low]
    elif low in MODAL or tense(low) is Tense.PAST:
        verb = first
    else:
        verb = third_person(low)
    return f"{verb} {more}".strip() if low in _AUXILIARY or not adverbs else f"{verb} {more} {adverbs.strip()}".strip()


def leading(text: str) -> frozenset[str]:
    """Whom or what a sentence names before its verb; nobody where it begins otherwise."""
    owned = _OWNED.match(text)
    if owned and {canonical(owned[g] or "") for g in ("first", "second")} & belonging():
        text = owned["whom"]
    told: list[str] = []
    for word in re.findall(r"[\w'’-]+", any_of("signs", "article").sub("", text))[: FARTHEST + 1]:
        low = word.lower().replace("’", "'")
        if told and not word[:1].isupper() and finite(low):
            break
        told.append(low.removesuffix("'s") if low.endswith("'s") else word)
        if low.endswith("'s") and canonical(told[-1]) not in belonging():
            break
    else:
        return frozenset()
    first = told[0].lower() if told else ""
    if not told or first in STOPWORDS | _OPENERS or (canonical(first) not in belonging() and finite(first)):
        return frozenset()
    close = {canonical(w) for w in told if canonical(w) in belonging()}
    named = {canonical(w) for w in told if w[:1].isupper()}
    return frozenset(close | named or {canonical(told[-1])})


def finite(low: str) -> bool:
    """Whether a word is a finite form of a verb that is known, or of one that an ending tells."""
    known = FORMS.get(low)
    finite = known is not None and bool(known.kind & (Kind.S | Kind.PAST))
    return finite or low in MODAL or low in _AUXILIARY or low in _AUXILIARY.values() or tense(low) is Tense.PAST


def verb_phrase(text: str) -> str:
    """The first verb of a sentence, and two words behind it."""
    said = text.split(" ")
    at = next((n for n, word in enumerate(said) if finite(word.lower())), 0)
    return " ".join(said[at : at + 3])
