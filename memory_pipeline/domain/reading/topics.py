"""What the user wants forgotten or not brought up, as a topic: which texts and memories speak of it.

A topic is a person or a thing by its names, a matter by the words that people use for it and the attributes that state
it, or several words that only mean it together ("my dad's death"). It never rests on likeness: what shares no word and
no name with it is not about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_pipeline.domain.entities.relations import WORDS as RELATIONS
from memory_pipeline.domain.passage import Passage, beginning, beginning_with, passage
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import STOPWORDS, normalise, singular

_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
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

    def among(self, there: Passage) -> bool:
        """Whether a text has one of them."""
        return bool(self.exact and not self.exact.isdisjoint(there.said)) or bool(
            self.stems and not self.stems.isdisjoint(there.stems)
        )


@dataclass(frozen=True, slots=True)
class Topic:
    """What a plea is about.

    Attributes:
        parts: a text that has a word of each speaks of the topic. Empty where only names do.
        names: lower-case names, of one word or several; any of them is enough.
        person: the names are somebody's, who may also be called by a short form.
        attributes: of memories of the user that state it.
        hints: figures' units and set phrases that tell of it where the user's own is spoken of.
        says: regular expressions (RE2, over lower-case text) that tell of it in figures or set phrases.
        own: of others the same words tell something else: "my sister's weight".
        unless: phrases that hold its words and mean something else.
    """

    parts: tuple[Words, ...] = ()
    names: frozenset[str] = frozenset()
    person: bool = False
    attributes: frozenset[str] = frozenset()
    hints: frozenset[str] = frozenset()
    says: tuple[str, ...] = ()
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
        starts = {beginning(word) for telling in tellings for word in telling}
        starts |= {word[:_SHORT] for word in self.names if self.person}
        hints = (rf"(?:\b|\d){re.escape(beginning(hint))}" for hint in sorted(self.hints))
        return "|".join([*map(beginning_with, sorted(starts)), *hints, *self.says])

    @property
    def words(self) -> frozenset[str]:
        """All words of its parts as they stand in texts."""
        return frozenset(word for part in self.parts for word in part.exact)

    @property
    def _loosest(self) -> frozenset[str]:
        return min((part.exact | part.stems for part in self.parts), key=lambda words: (len(words), sorted(words)))


def speaks(topic: Topic, text: str | Passage) -> bool:
    """Whether a text speaks of a topic; of one of several parts in a sentence or in two that follow each other."""
    if not topic:
        return False
    there = passage(text)
    if topic.names and _names(topic, there):
        return True
    if not topic.parts or not (topic.hints or topic.says or all(part.among(there) for part in topic.parts)):
        return False
    if topic.own:
        return any(_of_self(topic, part) and _told(topic, part) for part in there.sentences)
    return any(_told(topic, part) for part in (there.neighbours if len(topic.parts) > 1 else [there]))


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
    if topic.own and not of_user and topic.words.isdisjoint(Passage(subject or "").words):
        return False
    if of_user and slot in topic.attributes:
        return True
    whole = Passage(" ".join(filter(None, (content, value, slot.replace("_", " "), "" if of_user else subject))))
    if topic.names and _names(topic, whole):
        return True
    return bool(topic.parts) and _told(topic, whole)


def beside(topic: Topic, text: str) -> frozenset[str]:
    """Names that a text gives to what it speaks of: "the bar Molly's", "the Lindenhof clinic", "a dog called Rex"."""
    if len(topic.parts) != 1:
        return frozenset()
    found = {
        _spoken(hit["name"])
        for pattern in (_NAMED[:2] if topic.own else _NAMED)  # "the office Monday" names no office
        for hit in pattern.finditer(text)
        if topic.parts[0].among(Passage(hit["head"].replace("-", " ")))
    }
    return frozenset(
        name for name in found if name not in STOPWORDS and singular(name) not in wordset("topics", "dates") and name
    )


_NAME = r"(?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?[A-ZÀ-Þ][\w’'-]+(?: (?:[A-ZÀ-Þ][\w’'-]+))*)"
_HEAD = r"(?P<head>[a-z]+(?:-[a-z]+)*)"
_THE = r"\b(?:[Tt]he|[Mm]y|[Oo]ur|[Aa]n?|[Tt]hat|[Tt]his|[Hh]er|[Hh]is|[Tt]heir)"
_NAMED = (
    lazy(rf"\b{_HEAD},? (?:called|named) {_NAME}"),
    lazy(rf"\b{_HEAD}(?: is called|['’]s name is) {_NAME}"),
    lazy(rf"{_THE} {_HEAD},? {_NAME}"),
    lazy(rf"(?:{_THE}|\bat|\bin) {_NAME} {_HEAD}"),
)


def _spoken(name: str) -> str:
    return Passage(name).line.strip()


def _names(topic: Topic, there: Passage) -> bool:
    if any(f" {name} " in there.line for name in topic.names):
        return True
    return topic.person and any(_short_for(name, there.text) for name in topic.names)


def _short_for(name: str, text: str) -> bool:
    """Whether a text calls somebody by the beginning of the first name, written as a name: "Tobi"."""
    if " " in name or len(name) <= _SHORT or name[:_SHORT].capitalize() not in text:
        return False
    return any(
        name != (word := hit.group().lower().removesuffix("'s").removesuffix("’s"))
        and hit.group()[0].isupper()
        and len(word) >= _SHORT
        and name.startswith(word)
        and len(name) - len(word) <= _LEFT_OUT
        for hit in _WORD.finditer(text)
    )


def _told(topic: Topic, there: Passage) -> bool:
    if any(phrase in there.plain for phrase in topic.unless):
        there = Passage(_without(there.plain, topic.unless))
    if all(part.among(there) for part in topic.parts) or any(_said(says, there.plain) for says in topic.says):
        return True
    return any(
        f" {hint.replace('-', ' ')} " in there.line
        or (topic.own and re.search(rf"\d ?{re.escape(hint)}\b", there.plain))
        for hint in topic.hints
    )


def _said(says: str, plain: str) -> bool:
    return lazy(says).search(plain) is not None


def _without(plain: str, phrases: Iterable[str]) -> str:
    for phrase in phrases:
        plain = plain.replace(phrase, " ")
    return plain


def _of_self(topic: Topic, there: Passage) -> bool:
    """Whether a sentence may speak of the user: nobody else is named as somebody's, or the user is, too."""
    words = set(there.words)
    return words.isdisjoint(RELATIONS - topic.words) or not words.isdisjoint(wordset("topics", "own_voice"))


__all__ = ["Topic", "Words", "beside", "speaks", "touches"]
