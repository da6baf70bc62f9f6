"""Finding sensitive spans: every detector's finds in one text, without overlaps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_pipeline.domain.policy import SensitiveClass
from memory_pipeline.domain.sensitive import contact, credentials, documents, payment


@dataclass(frozen=True, slots=True)
class Span:
    """A sensitive place in a text: ``text[start:end]``."""

    kind: SensitiveClass
    start: int
    end: int


_Detector = tuple[SensitiveClass, Callable[[str], Iterable[tuple[int, int]]]]
# In this order: where two claim the same characters, the first has them.
_OF_DIGITS: tuple[_Detector, ...] = (
    (SensitiveClass.CARD, payment.cards),
    (SensitiveClass.BANK_ACCOUNT, payment.bank_accounts),
    (SensitiveClass.NATIONAL_ID, documents.national_ids),
    (SensitiveClass.IDENTITY_DOCUMENT, documents.identity_documents),
    (SensitiveClass.COORDINATES, contact.coordinates),
)
_ADDRESS: _Detector = (SensitiveClass.ADDRESS, contact.addresses)
_PASSWORD: _Detector = (SensitiveClass.PASSWORD, credentials.passwords)
_EMAIL: _Detector = (SensitiveClass.EMAIL, contact.emails)
_PHONE: _Detector = (SensitiveClass.PHONE, contact.phones)

_SHORT = 1_000  # characters; what is said of a proposal is looked at more than once
_LINE = re.compile(r"[^\n]+")
_DIGIT = re.compile(r"\d")
# Numbers that name somebody or something have at least five digits, close together.
_DENSE = re.compile(r"\d(?:[^\d\n]{0,3}\d){4}")


def cleaned(text: str) -> str:
    """The text as the detectors read it: compatibility forms ("４２") as plain ones, invisible characters gone."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def find(text: str) -> tuple[Span, ...]:
    """The sensitive spans of a text in order, none overlapping another; positions are those in ``cleaned(text)``."""
    return _find_in_short(text) if len(text) <= _SHORT else _find(text)


def _find(text: str) -> tuple[Span, ...]:
    text = cleaned(text)
    found = [Span(SensitiveClass.KEY, start, end) for start, end in credentials.keys(text)]
    digit, said = _DIGIT.search(text) is not None, credentials.mentioned(text)
    if not digit and not said and "@" not in text:
        return tuple(found)
    for line in _LINE.finditer(text):
        for kind, detector in _detectors(line.group(), said):
            for start, end in detector(line.group()):
                span = Span(kind, line.start() + start, line.start() + end)
                if all(span.end <= other.start or span.start >= other.end for other in found):
                    found.append(span)
    return tuple(sorted(found, key=lambda span: span.start))


_find_in_short = lru_cache(maxsize=16384)(_find)


def _detectors(line: str, said: bool) -> Iterator[_Detector]:
    """The detectors that a line gives any reason for: looking for reasons is cheap, and most lines have none."""
    digit = _DIGIT.search(line)
    dense = digit is not None and _DENSE.search(line, digit.start()) is not None
    if dense:
        yield from _OF_DIGITS
    if said and credentials.mentioned(line):
        yield _PASSWORD
    if "@" in line:
        yield _EMAIL
    if digit is not None:
        yield _ADDRESS
    if dense:
        yield _PHONE
