"""What the user wants forgotten or not brought up, as a topic: which texts and memories speak of it.

A topic is a person or a thing by its names, a matter by the words that people use for it and the attributes that state
it, or several words that only mean it together ("my dad's death"). It never rests on likeness: what shares no word and
no name with it is not about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from memory_pipeline.domain.entities.relations import WORDS as RELATIONS
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import STOPWORDS, normalise, singular

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_CLAUSE = re.compile(r"(?<=[.!?…,;:])\s+|\n+|\s+[-–—]\s+|\s+(?=but )", re.I)
_SHORT = 3  # letters of the shortest short form of a first name: "Tob" for "Tobias"
_LEFT_OUT = 5  # letters that a short form leaves out at most
_SELF = frozenset({"", "user", "i"})


@dataclass(frozen=True, slots=True)
class Words:
    """Words of which any says the same.

    Attributes:
        exact: lower-case words as they stand in a text, or in the singular.
        stems: of words of which any form will do.
    """

    exact: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()

    def among(self, said: frozenset[str], stems: frozenset[str]) -> bool:
        """Whether one of them is among a text's words and their singulars, or their stems."""
        return not self.exact.isdisjoint(said) or not self.stems.isdisjoint(stems)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a plea is about.

    Attributes:
        parts: a text that has a word of each speaks of the topic. Empty where only names do.
        names: lower-case names, of one word or several; any of them is enough.
        person: the names are somebody's, who may also be called by a short form.
        attributes: of memories of the user that state it.
        hints: figures' units and set phrases that tell of it where the user's own is spoken of.
        own: of others the same words tell something else: "my sister's weight".
        unless: phrases that hold its words and mean something else.
    """

    parts: tuple[Words, ...] = ()
    names: frozenset[str] = frozenset()
    person: bool = False
    attributes: frozenset[str] = frozenset()
    hints: frozenset[str] = frozenset()
    own: bool = False
    unless: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts or self.names)

    def called(self, names: Iterable[str], *, person: bool | None = None) -> Topic:
        """The topic with further names of the same being or thing."""
        added = {name for name in map(_spoken, names) if name and name not in STOPWORDS}
        return replace(self, names=self.names | added, person=self.person if person is None else person)

    @property
    def pattern(self) -> str:
        """A regular expression (RE2, case ignored) that is found in every text that speaks of it, and in others."""
        tellings = [self.names, *((self._loosest,) if self.parts else ())]
        starts = {_start(word) for telling in tellings for word in telling}
        starts |= {word[:_SHORT] for word in self.names if self.person}
        told = [rf"{_edge(start)}{re.escape(start)}" for start in sorted(starts)]
        return "|".join([*told, *(rf"(?:\b|\d){re.escape(_start(hint))}" for hint in sorted(self.hints))])

    @property
    def words(self) -> frozenset[str]:
        """All words of its parts as they stand in texts."""
        return frozenset(word for part in self.parts for word in part.exact)

    @property
    def _loosest(self) -> frozenset[str]:
        return min((part.exact | part.stems for part in self.parts), key=lambda words: (len(words), sorted(words)))


@dataclass(frozen=True, slots=True)
class Statement:
    """What one memory says, to find again in other words.

    Attributes:
        said: stems of all its content words.
        value: stems of its value.
    """

    said: frozenset[str]
    value: frozenset[str]

    @classmethod
    def of(cls, content: str, value: str | None) -> Statement:
        told = _meant(value or "")
        return cls(_meant(content), told if any(len(word) >= _SHORT for word in told) else frozenset())

    def __bool__(self) -> bool:
        return len(self.said) > 1

    @property
    def pattern(self) -> str:
        """A regular expression (RE2, case ignored) that is found in every text that may say it."""
        starts = {_start(word) for word in (*_longest(self.said), *_longest(self.value))}
        return "|".join(rf"{_edge(start)}{re.escape(start)}" for start in sorted(starts))

    def held(self, text: str, *, bare: bool = False) -> bool:
        """Whether a sentence of a text says it.

        Args:
            bare: its value alone is enough, as where an assistant takes the fact up.
        """
        wanted = self.value if bare and self.value else self.said
        return any(wanted <= _stems(sentence) for sentence in _SENTENCE.split(text))


def speaks(topic: Topic, text: str) -> bool:
    """Whether a text of several sentences speaks of a topic."""
    if not topic:
        return False
    if topic.names and _names(topic, text):
        return True
    if not topic.parts:
        return False
    if topic.own:
        return any(_of_self(topic, part) and _told(topic, part) for part in _SENTENCE.split(text))
    return _told(topic, text)


def touches(
    topic: Topic, content: str, *, subject: str | None = None, attribute: str | None = None, value: str | None = None
) -> bool:
    """Whether a memory speaks of a topic, in its content or in its slot.

    Args:
        subject: whom it is about; None and "user" mean the user.
    """
    slot = (attribute or "").lower()
    of_user = normalise(subject or "") in _SELF
    if not topic or (of_user and slot in wordset("topics", "called")):
        return False
    if topic.own and not of_user and topic.words.isdisjoint(_words(subject or "")):
        return False
    if of_user and slot in topic.attributes:
        return True
    whole = " ".join(filter(None, (content, value, slot.replace("_", " "), "" if of_user else subject)))
    if topic.names and _names(topic, whole):
        return True
    return bool(topic.parts) and _told(topic, whole)


def source(content: str, text: str) -> str:
    """The clause of a message that a memory was read out of: the one that shares most words with it."""
    wanted = _stems(content)
    return max(_CLAUSE.split(text), key=lambda clause: len(wanted & _stems(clause)), default="")


def beside(topic: Topic, text: str) -> frozenset[str]:
    """Names that a text gives to what it speaks of: "the bar Molly's", "a therapist called Dr. Stone"."""
    if len(topic.parts) != 1:
        return frozenset()
    found = set()
    for hit in _NAMED.finditer(text):
        if topic.parts[0].among(*_said(hit["head"].replace("-", " "))):
            found.add(_spoken(hit["name"]))
    return frozenset(name for name in found if name and name not in STOPWORDS)


_NAME = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?[A-ZÀ-Þ][\w’'-]+(?: (?:[A-ZÀ-Þ][\w’'-]+))*"
_NAMED = re.compile(
    rf"\b(?P<head>[A-Za-z]+(?:-[A-Za-z]+)*)(?:,? (?:called|named)| is called|'s name is|,)? (?P<name>{_NAME})"
)


def _spoken(name: str) -> str:
    return " ".join(_words(name))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    """Lower-case words in order, without the possessive."""
    found = _WORD.findall(normalise(text))
    return tuple(word.removesuffix("'s") for word in found)


@lru_cache(maxsize=4096)
def _said(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a text with their singulars, and their stems."""
    words = _words(text)
    return frozenset(words) | frozenset(map(singular, words)), _stems(text)


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(singular(word)) for word in _words(text))


def _longest(stems: frozenset[str]) -> tuple[str, ...]:
    return (max(stems, key=lambda word: (len(word), word)),) if stems else ()


def _meant(text: str) -> frozenset[str]:
    return frozenset(stem(singular(word)) for word in _words(text) if word not in STOPWORDS)


def _names(topic: Topic, text: str) -> bool:
    words = _words(text)
    line = f" {' '.join(words)} "
    if any(f" {name} " in line for name in topic.names):
        return True
    return topic.person and any(_short_for(name, text) for name in topic.names)


def _short_for(name: str, text: str) -> bool:
    """Whether a text calls somebody by the beginning of the first name, written as a name: "Tobi"."""
    if " " in name or len(name) <= _SHORT:
        return False
    return any(
        name != (word := hit.group().lower().removesuffix("'s").removesuffix("’s"))
        and hit.group()[0].isupper()
        and len(word) >= _SHORT
        and name.startswith(word)
        and len(name) - len(word) <= _LEFT_OUT
        for hit in _WORD.finditer(text)
    )


def _told(topic: Topic, text: str) -> bool:
    plain = normalise(text)
    for phrase in topic.unless:
        plain = plain.replace(phrase, " ")
    if all(part.among(*_said(plain)) for part in topic.parts):
        return True
    line = f" {' '.join(_words(plain))} "
    return any(f" {hint.replace('-', ' ')} " in line for hint in topic.hints) or bool(
        topic.hints and topic.own and any(re.search(rf"\d ?{re.escape(hint)}\b", plain) for hint in topic.hints)
    )


def _of_self(topic: Topic, sentence: str) -> bool:
    """Whether a sentence may speak of the user: nobody else is named as somebody's, or the user is, too."""
    words = set(_words(sentence))
    return words.isdisjoint(RELATIONS - topic.words) or not words.isdisjoint(wordset("topics", "own_voice"))


def _start(word: str) -> str:
    """What every form of a word or phrase begins with."""
    first = re.split(r"[ -]", word)[0]
    return first.removesuffix("y") if len(first) > _SHORT else first


def _edge(start: str) -> str:
    """Word boundaries of RE2 know ASCII alone."""
    return r"\b" if start[:1].isascii() and start[:1].isalpha() else ""


__all__ = ["Statement", "Topic", "Words", "beside", "source", "speaks", "touches"]
