"""Whom a question is about: the user, somebody of theirs, somebody by name, or whoever is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import singular
from memory_pipeline.language.tables import read
from memory_pipeline.language.vocabulary import relations, words
from memory_pipeline.language.wording.agreement import Tense, tense

_AUXILIARY = (
    r"(?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|should|must|may|might)(?:n't)?(?: not)?"
)
_SUBJECT = lazy(rf"^(?P<head>.*?)\b(?P<aux>{_AUXILIARY}) (?P<after>.+)$", re.I)
_WORD = lazy(r"[^\W_]+(?:['’.-][^\W_]+)*")
_MY = lazy(r"\b(?:my|our)\b", re.I)
_MINE = lazy(r"\b(?:i|we|me|us|myself)\b", re.I)
_BEFORE_NAME = lazy(r"(?:.*\b(?:do|does|did|has|have|had|can|will)|(?:(?:how old|where|when|how) )?\w+)$", re.I)
_WHO_IS = lazy(r"who (?:is|are|was|were)", re.I)
_ONE = lazy(
    r"(?!(?:i|we|you|he|she|it|they|my|our|the|an?|this|that|there|in|at|on)\b)[^\W\d_][\w'-]*(?: [A-Z][\w'-]*)*"
)
_USER = lazy(r"^(?:i|we)\b", re.I)
_ASKING = lazy(r"^(?:who|which of|which one of|whose|whom)\b", re.I)
_ABOUT = lazy(r"^(?:who|what|where|when|how|which|whose|why|that|it|this|there|the|a|an|any|all|some|you)$", re.I)
_FARTHEST = 4  # words between "my" and the word for somebody


class Whose(StrEnum):
    """Whom a question is about."""

    USER = "user"
    OTHER = "other"  # somebody of the user's, or somebody by name
    ASKED = "asked"  # "who has asthma?"
    ANY = "any"  # a thing, or nobody in particular


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a question is about.

    Attributes:
        who: words for them in the singular and lower case, relations in the wording of memories; empty for the user.
        text: the question with X in the place of the subject.
    """

    whose: Whose
    who: frozenset[str]
    text: str


@cache
def belonging() -> frozenset[str]:
    """Words for people and animals that belong to somebody, in the singular."""
    known = {*relations(), *words("pet"), *read("questions")["wider"]}
    return frozenset(known | {singular(word) for word in known}) - frozenset(
        read("questions")["nobody"]["words"].split()
    )


def canonical(word: str) -> str:
    """A word for somebody as memories word it, in the singular: "mum" → mother, "sisters" → sister."""
    low = word.lower().removesuffix("'s").removesuffix("’s")
    for form in (low, singular(low)):
        if form in relations():
            told = relations()[form]
            return told if told == "children" else singular(told)
    return singular(low) if singular(low) in belonging() else low


def people(text: str) -> frozenset[str]:
    """Whom a text names: words for people and animals that belong to somebody, and names inside it."""
    found = set()
    for n, word in enumerate(_WORD.findall(text)):
        bare = word.removesuffix("'s").removesuffix("’s")
        known = canonical(bare)
        if known in belonging() or (n and bare[:1].isupper() and bare not in ("I", "X")):
            found.add(known)
    return frozenset(found)


def subject_of(question: str) -> Subject:
    """Whom a question is about, and the question with X for them.

    Args:
        question: without what leads in to it, its short forms written out.
    """
    parts = _SUBJECT.match(question)
    after = parts.group("after") if parts else question
    start = parts.start("after") if parts else 0
    other = _somebody(after) if parts or _MY.match(question) else None
    if other is None and not _USER.match(after):
        other = next((s for m in _MY.finditer(question) if (s := _somebody(question, m.start()))), None)
        start = 0 if other is not None else start
    asks = f"{parts['head']}{parts['aux']}" if parts else ""
    if _WHO_IS.fullmatch(asks) and _ONE.fullmatch(after):
        return Subject(Whose.OTHER, frozenset(w.lower() for w in after.split()), f"{question[:start]}X")
    if _ASKING.match(question) and not _USER.match(after) and not (parts and _MY.match(after)):
        return Subject(Whose.ASKED, frozenset(), _mine(question))
    if other is not None:
        a, b, who = other
        return Subject(Whose.OTHER, who, _mine(f"{question[: start + a]}X{question[start + b :]}"))
    if _USER.match(after) or _MY.search(question) or _MINE.search(question):
        return Subject(Whose.USER, frozenset(), _mine(question))
    named = _named(after, lower=bool(asks and _BEFORE_NAME.match(asks)))
    if named:
        text = f"{question[:start]}X{question[start + len(named) :]}"
        return Subject(Whose.OTHER, frozenset(w.lower() for w in named.split()), text)
    return Subject(Whose.ANY, frozenset(), question)


def _mine(text: str) -> str:
    return _MINE.sub("X", _MY.sub("X's", text))


def _somebody(text: str, at: int = 0) -> tuple[int, int, frozenset[str]] | None:
    """Somebody who is called the user's: the place of "my older sister Anna", and who that is."""
    if not _MY.match(text, at):
        return None
    found: set[str] = set()
    end = at
    spoken = list(_WORD.finditer(text, at))[1:]
    for n, word in enumerate(spoken):
        bare = re.sub(r"['’]s$", "", word.group())
        if canonical(bare) in belonging():
            found.add(canonical(bare))
        elif not (found and bare[:1].isupper()) and (found or n >= _FARTHEST or _ends(word.group())):
            break
        elif found:
            found.add(bare.lower())
        if found:
            end = word.start() + len(bare)
        if found and bare != word.group() and not _followed(spoken[n + 1 : n + 2]):
            break
    return (at, end, frozenset(found)) if found else None


def _followed(following: list[re.Match[str]]) -> bool:
    """Whether "my sister's" goes on with somebody: "my sister's husband"."""
    return bool(following) and canonical(following[0].group()) in belonging()


def _ends(word: str) -> bool:
    """Whether a word cannot stand between "my" and whom it speaks of."""
    low = word.lower()
    return low.endswith(("'s", "’s")) or bool(re.fullmatch(_AUXILIARY, low)) or low in ("and", "of", "in", "to", "for")


def _named(text: str, *, lower: bool) -> str:
    """The name that a text begins with: capital words, or a word in lower case where only a name can stand."""
    capitals = re.match(r"[A-Z][\w-]+(?: [A-Z][\w-]+)*", text)
    if capitals:
        return capitals.group()
    first = _WORD.match(text) if lower else None
    if (
        first is None
        or _ABOUT.match(first.group())
        or tense(first.group()) is Tense.PAST
        or not re.match(r"['’]s\b| \w", text[first.end() :])
    ):
        return ""
    return re.sub(r"['’]s$", "", first.group())
