"""Whether a short text is English, as far as one can tell from its small words. No model, no guess beyond them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import words

# Small words that other languages do not have, and the verbs that memories begin with.
_ENGLISH_WORDS = """
the is are was were been being and of to for with that this these those it its he she they them their his her my your
our you i'm i've i'll don't doesn't isn't have has had does did would could should from at by not but what when
which who how because about after before into than then there here just only also very really always never
lives works likes loves prefers wants plans owns speaks uses dislikes hates avoids needs goes plays studies learns
believes thinks takes runs feels knows met moved bought got went started finished user
"""
_OTHER_WORDS = """
der die das und ist nicht mit für von ein eine einen im zum zur ich wir sie er mein meine auf bei hat wohnt lebt mag
le les des une est et dans pour avec sur je il elle nous vous mon ma mes aux du habite aime
el los las que por con una mi su para vive del muy pero tiene
il che per con sono della nel vive ha gli mio mia
o os um uma não com em meu minha mora na da dos
de het een van ik niet met mijn woont heeft
och att är det som jag på med inte bor har
"""
_DIGIT = lazy(r"\d")
_NAMED = lazy(r"\b(?=(\w+) ([A-Z\u00c0-\u00de][\w'’&.-]*\w))")
_MARKED = {
    plain: "[" + "".join(c for c in map(chr, range(0x61, 0x180)) if unicodedata.normalize("NFD", c)[0] == plain) + "]"
    for plain in "aceisuznog"
}
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_OTHERS = frozenset(_OTHER_WORDS.split())


@lru_cache(maxsize=16384)
def english(text: str) -> bool | None:
    """True for English, False for another language, None when its words do not tell."""
    letters = [c for c in text if c.isalpha()] if not text.isascii() else []
    if sum(c > "\u024f" for c in letters) * 2 > len(letters) > 0:
        return False
    there = words(text)
    own, other = sum(w in _ENGLISH for w in there), sum(w in _OTHERS for w in there)
    if own == other:
        return None
    return own > other


def grammar() -> frozenset[str]:
    """Words of grammar of languages that no parser reads, in small letters without accents."""
    return wordset("languages", "grammar") | _OTHERS


def nouns_have_capitals(text: str) -> bool:
    """Whether a text is German, which writes every noun as other languages write names."""
    german, there = wordset("languages", "german"), words(text)
    return sum(w in german for w in there) > sum(w in _ENGLISH for w in there)


@lru_cache(maxsize=4096)
def capital_names(text: str) -> frozenset[str]:
    """The words of a German text that stand where a name does: "bei Siemens", "Schwester Lena"; as written."""
    found = _NAMED.finditer(text)
    return frozenset(m[2] for m in found if plain(m[1]) in wordset("languages", "before_names") and not _bare(m[2]))


def _bare(noun: str) -> bool:
    word = plain(noun)
    return word in wordset("languages", "bare_nouns") or word.endswith(tuple(wordset("languages", "bare_endings")))


def plain(text: str) -> str:
    """The text in small letters without accents, "ß" as "ss"."""
    text = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


@cache
def number_words() -> Mapping[str, str]:
    """Number words of other languages than English, in small letters without accents, each with its figures."""
    lines = (line.split() for line in str(table("languages")["numbers"]).splitlines())
    return {word: line[0] for line in lines if line for word in line[1:]}


@lru_cache(maxsize=4096)
def without_dates(text: str) -> str:
    """The text with the dates blanked that name a month in another language than English, or are of Chinese form."""
    if not _DIGIT.search(text):
        return text
    return _dates().sub(lambda m: " " * len(m.group()), text)


@cache
def _dates() -> re.Pattern[str]:
    months = sorted(wordset("languages", "months"), key=len, reverse=True)
    month = "|".join(_any_accent(name) for name in months)
    return lazy(
        rf"\b\d{{1,2}}(?:\.|º|er)? ?(?:de |di )?(?:{month})\b(?:,? (?:de )?\d{{4}}\b)?"
        rf"|\b(?:{month})\b,? (?:de )?\d{{4}}\b"
        r"|(?:\d{4} ?[年년] ?)?\d{1,2} ?[月월](?: ?\d{1,2} ?[日일号])?|\d{4} ?[年년]|\d{1,2} ?[日일号]",
        re.I,
    )


def _any_accent(name: str) -> str:
    """A pattern for a word whatever marks its letters bear."""
    return "".join(_MARKED.get(c, re.escape(c)) for c in name)
