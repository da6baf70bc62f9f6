"""Where a person is found: e-mail, telephone, street address, coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.patterns import lazy

_EMAIL = lazy(r"(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[^\W\d_]{2,}(?![\w-])")
_INTERNATIONAL = lazy(r"(?<![\w+])(?:\+|\b00)\d{1,3}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}(?![\w])")
_AMERICAN = lazy(r"(?<![\d.+-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-]|\.\d)")
_CALLED = lazy(
    r"\b(?:phone|mobile|cell|tel(?:ephone)?|whatsapp|telefon\w*|handy\w*|portable|móvil|"
    r"celular)\b\.?[^\d\n]{0,25}?(?<![\w$€£])(?P<number>\(?0?\d[\d ()/.\-]{5,16}\d)(?![\d]|[.,]\d| ?[€$£%])"
    r"|\b(?:call|text|reach|ring|message) (?:me|him|her|us|them) (?:at|on|"
    r"under)\W{1,3}(?P<also>\(?0?\d[\d ()/.\-]{5,16}\d)(?!\d)",
    re.I,
)
_STREETS = (
    r"Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Parkway|Pkwy|"
    r"Close|Crescent|Highway|Hwy|Circle|Cir|Way|Row|Gardens|Grove|Mews"
)
_NUMBER_FIRST = lazy(
    r"\d{1,5}(?:[A-Za-z]?,? (?:[NSEW]\.? )?(?:(?:[A-Z][\w'’-]*|\d+(?:st|nd|rd|th))\.? ){1,3}"
    rf"(?:{_STREETS})\b\.?(?:,? (?:Apt|Apartment|Unit|Suite|Flat|#)\.? ?\w+)?"
    r"(?:,? [A-Z][\w'’-]+)?(?:,? [A-Z]{2}\b)?(?:,? \d{5}(?:-\d{4})?)?"
    r"|(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|quai|impasse) (?:d[eu]s? |de la |de l['’]|"
    r"d['’])?[A-ZÀ-Ý][\w'’-]+)"
)
_A_YEAR = lazy(r"(?:[\w.,/-]|\b(?:in|of|since|by|until|from) )$", re.I)
_NAME_FIRST = lazy(
    r"\b(?:[A-ZÄÖÜ][\w-]*?(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Gg]asse|[Ww]eg|[Pp]latz|[Aa]llee|[Uu]fer|[Dd]amm|straat|"
    r"laan|gracht|gatan|vägen) \d{1,4} ?[a-z]?(?![\w%€]|[.,:]\d)(?:, \d{4,5} [A-ZÄÖÜ]\w+)?"
    r"|(?:Calle|Carrer|Avenida|Plaza|Via|Viale|Piazza|Corso|Rua|Largo|Travessa) (?:d[eaio]s?|del|della|dei|"
    r"de la)? ?[A-ZÀ-Ý][\w'’-]+(?: [A-ZÀ-Ý][\w'’-]+)?,? (?:n[.º°]? ?)?\d{1,4}(?![\w%€]|[.,:]\d)"
    r"|P\.? ?O\.? Box \d+|Postfach \d+)"
)
_NAME_PARTS = """
traße trasse tr. asse eg latz llee fer amm straat laan gracht gatan vägen Calle Carrer Aven Plaza Via Pia Corso Rua
Largo Trav Box Postf
"""
_NAMES = tuple(_NAME_PARTS.split())
_DECIMAL = lazy(
    r"(?<![\d.])(?P<lat>[+-]?\d{1,2}\.\d{4,})°? ?(?:[NS]\b)?,? {0,2}"
    r"(?P<lon>[+-]?\d{1,3}\.\d{4,})°? ?(?:[EW]\b)?(?![\d.])"
)
_SEXAGESIMAL = r" ?° ?\d{1,2} ?['′’] ?\d{1,2}(?:\.\d+)? ?[\"″”'′’]{1,2} ?"
_DEGREES = lazy(rf"\d{{1,2}}{_SEXAGESIMAL}[NS],? {{0,2}}\d{{1,3}}{_SEXAGESIMAL}[EWO]")


def emails(text: str) -> Iterator[tuple[int, int]]:
    """Addresses of e-mail."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield match.span()


def phones(text: str) -> Iterator[tuple[int, int]]:
    """International numbers, North American ones, and others right after a word for a telephone."""
    for match in _INTERNATIONAL.finditer(text):
        if 8 <= _digits(match.group()) <= 15:
            yield match.span()
    for match in _AMERICAN.finditer(text):
        yield match.span()
    for match in _CALLED.finditer(text):
        group = "number" if match["number"] else "also"
        if 7 <= _digits(match[group]) <= 15 and not re.fullmatch(r"\d{4}[ /-]\d{1,2}[ /-]\d{1,4}", match[group]):
            yield match.span(group)


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """A street and a house number, as they are written in the larger languages of Europe."""
    for match in _NUMBER_FIRST.finditer(text):
        if _A_YEAR.search(text, max(match.start() - 8, 0), match.start()) is None:
            yield match.span()
    if any(name in text for name in _NAMES):
        for match in _NAME_FIRST.finditer(text):
            yield match.span()


def coordinates(text: str) -> Iterator[tuple[int, int]]:
    """Pairs of latitude and longitude of four decimals or more (some ten metres), or in degrees, minutes, seconds."""
    for match in _DECIMAL.finditer(text):
        if abs(float(match["lat"])) <= 90 and abs(float(match["lon"])) <= 180:
            yield match.span()
    for match in _DEGREES.finditer(text):
        yield match.span()


def _digits(text: str) -> int:
    return sum(c.isdigit() for c in text)
