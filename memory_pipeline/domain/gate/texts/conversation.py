"""What was said in a conversation: its words, numbers and times, message by message."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache

from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.gate.texts.language import english, number_words
from memory_pipeline.domain.gate.texts.numerals import forms, numbers_of, spelled
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import DERIVED_TYPES
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import singular

MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_TIMED = lazy(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this|coming|past|recently|lately|now|soon|since|until|"
    r"weekend|minutes?|hours?|days?|weeks?|months?|years?|mornings?|evenings?|afternoons?|nights?|quarter|noon|"
    r"midnight|anniversary|birthday|christmas|easter|summer|"
    rf"spring|autumn|fall|winter|just|{WEEKDAY}|{MONTH})\b|\d"
)
_WORD = lazy(r"[^\W\d_]+(?:['’.&-][^\W\d_]+)*")
_PART = lazy(r"['’.&/+#-]")
_RUN = lazy(r"[A-Z][\w'’]*(?: (?:of |the |and )?[A-Z][\w'’]*)+")
WIDE = lazy("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_SAME_BEGINNING = 4
_PART_OF_WORD, _FIRST_PART = 5, 6
_JOINED, _SHORTEST = 7, 3


class SourceText:
    """What one message offers. Most of what is asked for stands in it to the letter; the rest is worked out when asked.

    Attributes:
        folded: its text in small letters without accents.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)

    @cached_property
    def english(self) -> bool | None:
        """See ``language.english``."""
        return english(self.text)

    @cached_property
    def timed(self) -> bool:
        """Whether it speaks of a time."""
        return _TIMED.search(self.folded) is not None

    def has(self, name: str) -> bool:
        """Whether a word (folded) stands in it, itself, in its parts, or in a form that begins alike."""
        if len(name) == 1 and WIDE.match(name):
            return name in self.folded
        if _stands(name, self.folded):
            return True
        parts = [part for part in _PART.split(name) if part]
        if len(parts) > 1 and all(_stands(part, self.folded) for part in parts):
            return True
        return self._joined != self.folded and _stands(name, self._joined)

    def counts(self, number: str) -> bool:
        """Whether a number was said, in figures, in words, or as a time of day in another form."""
        return _figures(number, self.folded) or bool(forms(number) & self._numbers) or self._clock(number)

    def abbreviates(self, name: str) -> bool:
        """Whether a name stands for capital words that were said in a row: "NYC" for "New York City"."""
        return len(name) > 1 and name in self._initials

    def joins(self, word: str) -> bool:
        """Whether a word is put together from two of its words: "beekeeper" from "keep bees"."""
        if len(word) < _JOINED:
            return False
        firsts = (part for part in self._stems if word.startswith(part) and len(word) - len(part) >= _SAME_BEGINNING)
        rests = [word[len(part) :] for part in firsts]
        return any(
            rest.startswith(other[:_SAME_BEGINNING])
            for rest in rests
            for other in self._stems
            if len(other) >= _SAME_BEGINNING
        )

    @cached_property
    def _stems(self) -> tuple[str, ...]:
        """Its words of three letters and more, without a plural ending."""
        return tuple({singular(word) for word in _WORD.findall(self.folded) if len(word) >= _SHORTEST})

    def compounds(self, word: str) -> bool:
        """Whether a word of it may be a form of another one ("toco", "toca"), or has a part in common with it.

        "Geschenk" is a part of "Hochzeitsgeschenk". Only of what is not English, which writes no compounds as one.
        """
        return any(
            _inflected(short, long)
            or len(short) >= _PART_OF_WORD
            and (long.endswith(short) or long.startswith(short[:_FIRST_PART]))
            for other in self._long
            for short, long in (sorted((word, other), key=len),)
        )

    @cached_property
    def _long(self) -> tuple[str, ...]:
        """Its longer words, where it is not English."""
        if self.english:
            return ()
        return tuple({word for word in _WORD.findall(self.folded) if len(word) >= _SAME_BEGINNING})

    @cached_property
    def _joined(self) -> str:
        """The text with "e-mail" as "email" and "it's" as "its"."""
        return self.folded.replace("-", "").replace("'", "")

    @cached_property
    def _numbers(self) -> frozenset[str]:
        words = _WORD.findall(self.folded)
        foreign = number_words() if self.english is not True else {}
        return numbers_of(self.folded).union(spelled(words), (foreign[word] for word in words if word in foreign))

    @cached_property
    def _initials(self) -> frozenset[str]:
        return frozenset(initials for found in initials_of(self.text).values() for initials in found)

    def _clock(self, number: str) -> bool:
        """Whether a time was said in its other form: 19:00 for 7, 7:30 for half past seven."""
        hour, colon, minute = number.partition(":")
        if not colon or not hour.isdigit():
            return False
        hours = {str(int(hour)), str(int(hour) % 12), str(int(hour) + 12)}
        return bool(hours & self._numbers) and (minute[:2] == "00" or minute[:2].lstrip("0") in self._numbers)


class Conversation:
    """What was said, message by message: the cited ones first, which mostly suffice, then the others, latest first."""

    def __init__(self, given: GateInput) -> None:
        self._cited = [message for _, message in given.cited()]
        derived = given.proposal.type in DERIVED_TYPES  # it rests on more messages than it names
        self._session: Sequence[Message] = tuple(given.messages.values()) if derived else given.session
        self.empty = not self._cited and not self._session

    def __iter__(self) -> Iterator[SourceText]:
        for message in self._cited:
            yield source_text(message.content)
        for message in reversed(self._session):
            yield source_text(message.content)
        for speaker in dict.fromkeys(m.speaker for m in (*self._cited, *self._session) if m.speaker):
            yield source_text(speaker)

    def speaks(self, content: str) -> bool:
        """Whether some of it is in the language of a content, as far as one can tell."""
        language = english(content)
        if language is None:
            return True
        known = False
        for said in self:
            if said.english is language:
                return True
            known = known or said.english is not None
        return not known


@lru_cache(maxsize=4096)
def source_text(text: str) -> SourceText:
    return SourceText(text)


@cache
def aliases(name: str) -> tuple[str, ...]:
    """Other forms of a name, folded: "js" of "javascript"."""
    groups = (line.split() for line in table("restating")["aliases"])
    return tuple(other for group in groups if name in group for other in group if other != name)


def kin(word: str, text: str) -> bool:
    """Whether a word, in any form of it, stands in a text."""
    return source_text(text).has(fold(word))


def fold(text: str) -> str:
    """The text in small letters, compatibility forms as plain ones, without accents."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).replace("’", "'").casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


def initials_of(text: str) -> dict[str, tuple[str, ...]]:
    """The initials of capital words in a row, by each of the words, folded: "nyc" for "york".

    Without the first word, too, which may be capital only because it begins the sentence.
    """
    found: dict[str, tuple[str, ...]] = {}
    for run in _RUN.findall(text):
        words = [fold(word) for word in run.split()]
        letters = "".join(word[0] for word in words)
        found |= dict.fromkeys(words, (letters, letters[1:]))
    return found


def _figures(number: str, text: str) -> bool:
    """Whether a number stands in a text in these very figures."""
    at = text.find(number)
    while at >= 0:
        before, after = text[max(at - 2, 0) : at], text[at + len(number) : at + len(number) + 2]
        if not (before[-1:].isdigit() or before[:1].isdigit() and before[-1:] in ".,:") and not (
            after[:1].isdigit() or after[:1] in ".,:" and after[1:].isdigit()
        ):
            return True
        at = text.find(number, at + 1)
    return False


def _stands(word: str, text: str) -> bool:
    """Whether a word of a text is this one or begins alike."""
    beginning = word[:_SAME_BEGINNING]
    at = text.find(beginning)
    while at >= 0:
        if at == 0 or not text[at - 1].isalnum():
            end = at + len(word)
            if text.startswith(word, at) and (end == len(text) or not text[end].isalnum()):
                return True
            if len(word) >= _SAME_BEGINNING and _alike(word, _word_at(text, at)):
                return True
        at = text.find(beginning, at + 1)
    return False


def _word_at(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start:end]


def _inflected(short: str, long: str) -> bool:
    """Whether all but the ends of two words agree: "mora" and "moro"."""
    same = next((n for n, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return len(short) >= _SAME_BEGINNING and same >= len(short) - 1 and len(long) - len(short) <= 1


def _alike(a: str, b: str) -> bool:
    """Whether two words that begin alike may be forms of one: "Portugal" and "Portuguese", "painting" and "paints"."""
    short, long = sorted((a, b), key=len)
    same = next((n for n, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return same == len(short) or len(long) - len(short) <= 4 and same >= len(short) - 2
