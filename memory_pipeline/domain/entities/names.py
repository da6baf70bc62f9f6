"""Names as people write them, brought to a form to compare by, in any script.

A key holds no case, accents, articles or possessives: "Max's", "max" and "the Max" share one. Two names with the same
key are spelt alike; nothing else about two names makes them equal here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy

# Accents of Latin, Greek and Cyrillic, vowel signs of Arabic and Hebrew, and the Arabic tatweel. The marks of Indic
# scripts and of kana are letters of their own and stay.
_ACCENTS = lazy("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ى": "ي", "ة": "ه"}
    | dict.fromkeys("’‘ʼ`´", "'")
)
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff"
"""Scripts that put no space between words: Thai, Lao, Burmese, Khmer, kana, Han; as part of a character class."""
_SIGNS = "\u0900-\u0963\u0966-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
_PART = rf"(?:[^\W_]|[{_SIGNS}\u30fc])+"
_TOKEN = lazy(rf"{_PART}(?:['&]{_PART})*[+#]*")
_DOTTED = lazy(r"\b(?:\w\.){2,}")
_ASCII = lazy(r"[a-z0-9]+(?:['&][a-z0-9]+)*[+#]*")
_SUFFIX = 3  # letters after an apostrophe that may be an ending: "Max's", "İstanbul'da"


def wordset(text: str) -> frozenset[str]:
    """The words of a text, for membership."""
    return frozenset(text.split())


DETERMINERS = wordset("the a an my our their his her its your user")
_SMALL = wordset("of the and for in on at de del di da la le du des der und et y")

_TITLES = {
    **dict.fromkeys(("dr", "doctor"), "dr"),
    **dict.fromkeys(("prof", "professor"), "prof"),
    **dict.fromkeys(("mr", "mister", "herr", "monsieur", "senor"), "mr"),
    **dict.fromkeys(("mrs", "frau", "madame", "mme", "senora"), "mrs"),
    **{title: title for title in ("ms", "miss", "mx", "sir", "dame", "lady", "lord", "rev", "captain", "sergeant")},
}
_HONORIFIC = lazy(r"(?<=\w)(?:[- ](?:san|chan|kun|sama|sensei|senpai)|さん|ちゃん|くん|さま|様|先生|氏|씨|님)$")


def fold(text: str) -> str:
    """Text without case, accents, compatibility forms and the dots of abbreviations; quotes are straight."""
    if text.isascii():
        folded = text.lower().replace("`", "'")
    else:
        plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", plain)).translate(_LETTERS)
    return _DOTTED.sub(lambda hit: hit.group().replace(".", ""), folded) if "." in folded else folded


def tokens(text: str) -> list[str]:
    """Words of a folded text in order, without possessive endings; hyphens and underscores part words."""
    folded = fold(text)
    if folded.isascii() and "'" not in folded:
        return _ASCII.findall(folded)
    return [token for token, _ in _marked(folded)]


def marked_tokens(text: str) -> list[tuple[str, bool]]:
    """:func:`tokens`, each with whether it had an ending behind an apostrophe ("Max's", "James'")."""
    return _marked(fold(text))


def _marked(folded: str) -> list[tuple[str, bool]]:
    found = []
    for hit in (_ASCII if folded.isascii() else _TOKEN).finditer(folded):
        token, _, ending = hit.group().rpartition("'")
        bare = folded[hit.end() : hit.end() + 1] == "'"
        if len(token) >= 2 and len(ending) <= _SUFFIX and not hit.group().endswith("n't"):
            found.append((token, True))
        else:
            found.append((hit.group(), bare and hit.group().endswith("s")))
    return found


@lru_cache(maxsize=65536)
def key(name: str) -> str:
    """What two spellings of a name have in common; empty where it has no letter or digit."""
    return spoken(tokens(name))


def spoken(parts: Sequence[str]) -> str:
    """The key that some words of a text make: without determiners in front, a title in its short form."""
    start = 0
    while len(parts) - start > 1 and parts[start] in DETERMINERS:
        start += 1
    first = _TITLES.get(parts[start]) if len(parts) - start > 1 else None
    return " ".join([first, *parts[start + 1 :]] if first else parts[start:])


@lru_cache(maxsize=65536)
def titled(name: str) -> tuple[str, str] | None:
    """Title and key of the rest, for "Dr. Patel", "Mrs. Weber", "Sakura-san", "田中さん"; None without a title."""
    parts = key(name).split()
    if len(parts) > 1 and parts[0] in _TITLES:
        return parts[0], " ".join(parts[1:])
    bare = _HONORIFIC.sub("", name.strip())
    return None if bare == name.strip() or not key(bare) else ("", key(bare))


def initials(name_key: str) -> frozenset[str]:
    """Initialisms of a key of several words, with and without its small words: "bank of america" → boa, ba."""
    parts = name_key.split()
    if len(parts) < 2 or not name_key.replace(" ", "").isalpha():
        return frozenset()
    large = [part for part in parts if part not in _SMALL]
    return frozenset("".join(part[0] for part in some) for some in (parts, large) if len(some) > 1)


def initial_letters(text: str) -> frozenset[str]:
    """First letters of the words of a text: every initialism of a name in it is a part of one of these."""
    words = tokens(text)
    plain = [word for word in words if word not in _SMALL]
    found = (words, plain, [_TITLES.get(word, word) for word in words], [_TITLES.get(word, word) for word in plain])
    return frozenset("".join(word[0] for word in some) for some in found)


@lru_cache(maxsize=65536)
def initialism(name: str) -> str | None:
    """The key of a name that is written in capitals alone ("NYC", "N.Y.C."), None for any other."""
    bare = name.strip().replace(".", "")
    upright = 2 <= len(bare) <= 6 and bare.isascii() and bare.isalpha() and bare.isupper()
    return bare.lower() if upright else None


def proper(text: str) -> bool:
    """Whether some word of the text is written as a name: a capital, or letters of a script that has no case."""
    if text.isascii():
        return text != text.lower()
    return any(c.isupper() or (c.isalpha() and c.lower() == c.upper()) for c in text)
