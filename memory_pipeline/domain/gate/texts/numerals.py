"""Numbers as people write them, brought to one form: "1,200", "1.2k" and "twelve hundred" are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory_pipeline.domain.patterns import lazy

NUMBER = lazy(r"\d+(?:[.,:]\d+)*")
_GROUPED = lazy(r"\d{1,3}(?:[.,]\d{3})+")
_SCALED = lazy(r"(\d+(?:[.,]\d+)?) ?(k|m|mn|bn|hundred|thousand|million|billion)\b")
_SCALES = {"k": 3, "m": 6, "mn": 6, "bn": 9, "hundred": 2, "thousand": 3, "million": 6, "billion": 9}
_UNIT_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
_VALUES = {word: n for n, word in enumerate(_UNIT_WORDS.split())} | {
    word: 10 * n for n, word in enumerate(_TEN_WORDS.split(), 2)
}
_POWERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_IMPLIED: dict[str, tuple[str, ...]] = {
    **{word: (str(n),) for n, word in enumerate(_ORDINAL_WORDS.split(), 1)},
    **dict.fromkeys(
        ("a", "an", "once", "single", "daily", "weekly", "monthly", "yearly", "each", "every", "only"), ("1",)
    ),
    **dict.fromkeys(("couple", "pair", "both", "twice", "double", "twins", "twin"), ("2",)),
    **dict.fromkeys(("triple", "thrice", "triplets"), ("3",)),
    "half": ("0.5", "50", "30"),
    "quarter": ("0.25", "25", "15"),
    "dozen": ("12",),
    "dozens": ("12",),
    "noon": ("12",),
    "midnight": ("0", "12", "24"),
    "fortnight": ("14", "2"),
    "decade": ("10",),
    "century": ("100",),
    "hour": ("60",),
    "hourly": ("1",),
}


def forms(number: str) -> frozenset[str]:
    """The forms under which a number as written is looked for; two numbers are the same when they share one."""
    plain = number.replace(",", ".")
    found = {plain, plain.lstrip("0") or "0"}
    if ":" not in plain:
        if _GROUPED.fullmatch(number):
            found.add(re.sub(r"[.,]", "", number))
        if plain.count(".") <= 1:
            found.add(_short(float(plain)))
    return frozenset(found)


def numbers_of(text: str) -> frozenset[str]:
    """Every number that a text (lower-case) gives or implies, in all its forms, and the parts of times and dates."""
    found: set[str] = set()
    for number in NUMBER.findall(text):
        found |= forms(number)
        for part in re.split(r"[.,:]", number):
            found |= forms(part)
    for number, scale in _SCALED.findall(text):
        found.add(_short(float(number.replace(",", ".")) * 10 ** _SCALES[scale]))
    return frozenset(found)


def spelled(words: Iterable[str]) -> Iterator[str]:
    """The numbers that stand in words (lower-case), each part and the whole: "twenty-five" gives 20, 5 and 25."""
    total = current = 0
    inside = False
    for word in (*words, ""):
        for part in word.split("-"):
            if part in _VALUES:
                yield str(_VALUES[part])
                current, inside = current + _VALUES[part], True
            elif part in _POWERS:
                current = max(current, 1) * _POWERS[part]
                yield str(current)
                if part != "hundred":
                    total, current = total + current, 0
                inside = True
            elif not (inside and part == "and"):
                if inside:
                    yield str(total + current)
                total = current = 0
                inside = False
                yield from _IMPLIED.get(part, ())


def is_number_word(word: str) -> bool:
    """Whether a word (lower-case) is a number: "three", "twenty-five"; "one" is mostly none."""
    parts = word.split("-")
    return word != "one" and all(part in _VALUES or part in _POWERS for part in parts)


def is_scale(word: str) -> bool:
    """Whether a word (lower-case) only tells of what a number is so many: "million"."""
    return word in _POWERS


def _short(value: float) -> str:
    return f"{value:.10g}" if value < 1e15 else str(int(value))
