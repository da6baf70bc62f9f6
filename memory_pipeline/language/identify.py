"""Which language a text is in, so that what the embedded default cannot read is told and not passed over in silence.

English in doubt: an English message taken for a foreign one would lose its facts, a foreign one taken for English costs
a futile reading. The script decides where it can, then words that English alone has, then a naive Bayes model over
byte sequences (py3langid), whose data comes with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.tables import read

ENGLISH = "en"
_READ = 1000  # characters: more do not make it any clearer
_WORD = lazy(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NO_PROSE = lazy(r"```.*?(?:```|\Z)|`[^`\n]*`|\b\w+://\S+|\bwww\.\S+|(?<!\S)\S+@\S+\.\w+|</?\w[^>\n]*>", re.S)
_SENTENCE_END = lazy(r"(?<=[.!?…])[\"'”’)]*\s+|\n+|(?<=[。！？])")
_AT_START = lazy(r"(?:^|[.!?…:\n])[\s\"'“”‘’„«»¡¿()*–-]*\Z")
_SETTLED_BY, _SHARE = 2, 0.2  # English words, and of all words
_KEPT_BY, _KEPT_SHARE = 4, 0.25  # words of English sentences around or among foreign ones
_CLEARLY_ENGLISH = 0.5
_WIDE = {"HIRAGANA", "KATAKANA", "CJK", "HANGUL", "THAI"}  # a character of these says about what two letters say


def language_of(text: str) -> str:
    """The language of one message, as ISO 639-1; "en" where it is not clearly another.

    A message of which English sentences make up a part of their own counts as English.
    """
    return clear_language(text) or ENGLISH


def english(text: str) -> bool:
    """Whether a message is to be read as English."""
    return language_of(text) == ENGLISH


def languages_of(texts: Sequence[str]) -> list[str]:
    """The language of each of one person's messages of one talk, in order.

    What is too short to say takes the language that most of the clear messages of the talk are in.
    """
    clear = [clear_language(text) for text in texts]
    counted = Counter(language for language in clear if language)
    most, times = counted.most_common(1)[0] if counted else (ENGLISH, 0)
    around = most if 2 * times > counted.total() else ENGLISH
    return [language or around for language in clear]


def named(language: str) -> str:
    """The English name of a language, or its code where it has none here."""
    return _tables().names.get(language, language)


def clear_language(text: str) -> str | None:
    """The language that a text is clearly in, or None. Its first 1,000 characters count."""
    return _clear(text[:_READ])


@lru_cache(maxsize=2048)
def _clear(text: str) -> str | None:
    prose = _NO_PROSE.sub(" ", text.lower() if text.isupper() else text)
    script = _script(prose)
    if script is None:
        return None
    candidates = _tables().scripts[script]
    if script != "LATIN":
        return _among(prose, candidates)
    found = _latin(prose)
    return ENGLISH if found not in (None, ENGLISH) and _partly_english(prose) else found


@dataclass(frozen=True, slots=True)
class _Tables:
    english: frozenset[str]
    doubt: Sequence[tuple[int, float]]
    scripts: Mapping[str, Sequence[str]]
    names: Mapping[str, str]

    def may_be_left(self, words: int) -> float:
        return next(share for most, share in self.doubt if words <= most)


@cache
def _tables() -> _Tables:
    table = read("languages")
    doubt = sorted((int(words), float(share)) for words, share in table["doubt"].items())
    return _Tables(frozenset(table["english"].split()), doubt, table["scripts"], table["names"])


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([language for part in _tables().scripts.values() for language in part])
    return identifier


def _weights(text: str) -> dict[str, float]:
    """What the model gives each language; together 1."""
    return dict(_identifier().rank(text))


def _script(text: str) -> str | None:
    """The script that most of a text is in; Japanese is told from Chinese by its kana."""
    if text.isascii():
        return "LATIN" if _WORD.search(text) else None
    counted = Counter[str]()
    for letter, times in Counter(filter(str.isalpha, text)).items():
        script = _script_of(letter)
        counted[script] += times * (2 if script in _WIDE else 1)
    kana = counted["HIRAGANA"] + counted["KATAKANA"]
    if kana and 10 * kana >= counted["CJK"]:
        counted["HIRAGANA"], counted["KATAKANA"], counted["CJK"] = kana + counted["CJK"], 0, 0
    script, most = counted.most_common(1)[0] if counted else ("", 0)
    if not most or script not in _tables().scripts:
        return None
    return "LATIN" if 2 * most < counted.total() and counted["LATIN"] else script


@lru_cache(maxsize=4096)
def _script_of(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _among(text: str, candidates: Sequence[str]) -> str:
    if len(candidates) == 1:
        return candidates[0]
    weights = _weights(text)
    return max(candidates, key=lambda language: weights[language])


def _latin(text: str) -> str | None:
    words = list(_WORD.finditer(text))
    if _reads_english([word.group() for word in words]):
        return ENGLISH
    plain = sum(_no_name(text, word) for word in words)
    left = _tables().may_be_left(plain)
    if not left:
        return None
    weights = _weights(text)
    if weights[ENGLISH] >= _CLEARLY_ENGLISH:
        return ENGLISH
    others = [language for language in _tables().scripts["LATIN"] if language != ENGLISH]
    return max(others, key=lambda language: weights[language]) if weights[ENGLISH] < left else None


def _reads_english(words: Sequence[str]) -> bool:
    known = [w for word in words if (w := word.lower().replace("’", "'")) in _tables().english]
    return len(set(known)) >= _SETTLED_BY and len(known) >= _SHARE * len(words)


def _no_name(text: str, word: re.Match[str]) -> bool:
    """Whether a word is in lower case, or has its capital from where it stands."""
    return word.group()[0].islower() or bool(_AT_START.search(text[max(word.start() - 8, 0) : word.start()]))


def _partly_english(text: str) -> bool:
    """Whether the sentence at either end is English, as around something pasted, or a good part of all words are."""
    ends = [0, *(m.end() for m in _SENTENCE_END.finditer(text)), len(text)]
    sentences = [part for a, b in pairwise(ends) if len(_WORD.findall(part := text[a:b])) > 1]
    if len(sentences) < 2:
        return False
    words = [len(_WORD.findall(part)) for part in sentences]
    own = [n if _latin(part) == ENGLISH else 0 for n, part in zip(words, sentences, strict=True)]
    return max(own[0], own[-1]) >= _KEPT_BY or sum(own) >= _KEPT_SHARE * sum(words)
