"""Finding sensitive spans: every detector's finds in one text, without overlaps."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import SensitiveClass
from memory_pipeline.domain.sensitive import assignments, codes, contact, credentials, documents, payment, tokens


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
_ACROSS_LINES: tuple[_Detector, ...] = (
    (SensitiveClass.PASSWORD, codes.wallet_words),
    (SensitiveClass.PASSWORD, credentials.below),
)
_ASSIGNED: _Detector = (SensitiveClass.PASSWORD, assignments.assigned)
_CODE: _Detector = (SensitiveClass.PASSWORD, codes.codes)
_PASSWORD: _Detector = (SensitiveClass.PASSWORD, credentials.passwords)
_WRITTEN: _Detector = (SensitiveClass.PASSWORD, assignments.statement_passwords)
_OPTIONS: _Detector = (SensitiveClass.PASSWORD, assignments.options)
_EMAIL: _Detector = (SensitiveClass.EMAIL, contact.emails)
_PHONE: _Detector = (SensitiveClass.PHONE, contact.phones)

_SHORT = 1_000  # characters; what is said of a proposal is looked at more than once
_LINE = lazy(r"[^\n]+")
_DIGIT = lazy(r"\d")
_NAMED = lazy(f"{credentials.MENTIONS}|{assignments.MENTIONS}|{codes.MENTIONS}")
_CODES, _SAID = lazy(codes.MENTIONS), lazy(credentials.MENTIONS)
_SEPARATED = lazy(r"[:=→⇒]|[-=]>|</|earer ")
# Numbers that name somebody or something have at least five digits, close together.
_DENSE = lazy(r"\d(?:[^\d\n]{0,3}\d){4}")


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
    found: list[Span] = []
    _add(found, SensitiveClass.KEY, tokens.keys(text), 0)
    _add(found, SensitiveClass.PASSWORD, codes.wallet_words(text), 0)
    folded = text.casefold()
    named, stated = _NAMED.search(folded) is not None, assignments.begins_statement(folded)
    if named and _SAID.search(folded) is not None:
        _add(found, SensitiveClass.PASSWORD, credentials.below(text), 0)
    for line in _LINE.finditer(text):
        for kind, detector in _detectors(line.group(), named, stated):
            _add(found, kind, detector(line.group()), line.start())
    return tuple(sorted(found, key=lambda span: span.start))


def _add(found: list[Span], kind: SensitiveClass, places: Iterable[tuple[int, int]], at: int) -> None:
    """Take what has no character in common with what was found before."""
    for start, end in places:
        span = Span(kind, at + start, at + end)
        if start < end and all(span.end <= other.start or span.start >= other.end for other in found):
            found.append(span)


_find_in_short = lru_cache(maxsize=16384)(_find)


def _detectors(line: str, named: bool, stated: bool) -> Iterator[_Detector]:
    """The detectors that a line gives any reason for: looking for reasons is cheap, and most lines have none.

    Args:
        named: a kind of secret is named somewhere in the text.
        stated: so is the beginning of a statement that has a password in it.
    """
    digit = _DIGIT.search(line)
    dense = digit is not None and _DENSE.search(line, digit.start()) is not None
    if dense:
        yield from _OF_DIGITS
    if named and _NAMED.search(folded := line.casefold()) is not None:
        if _SEPARATED.search(line) is not None:
            yield _ASSIGNED
        if _CODES.search(folded) is not None:
            yield _CODE
        if _SAID.search(folded) is not None:
            yield _PASSWORD
    if " -" in line:
        yield _OPTIONS
    if stated or line.count(":") > 3:
        yield _WRITTEN
    if "@" in line:
        yield _EMAIL
    if digit is not None:
        yield _ADDRESS
    if dense:
        yield _PHONE
