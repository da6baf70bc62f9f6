"""Numbers with their units, so that two statements of the same measure can be compared: "500 mg" and "1000 mg"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.tables import read

_TABLE = read("units")
_CURRENCIES: dict[str, str] = _TABLE["currencies"]
_SCALES: dict[str, float] = _TABLE["scales"]
_COUNTS: dict[str, float] = _TABLE["counts"]
_UNITS: dict[str, str] = {said: unit for unit, words in _TABLE["units"].items() for said in words}
_RATES: dict[str, str] = {said: rate for rate, words in _TABLE["rates"].items() for said in words}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit as it stands in a text.

    Attributes:
        start, end: its place in characters.
        number: the value; "2.5k" is 2500, and a pace of "5:30" 5.5 minutes.
        unit: its name in the table, with "/" and a period for a rate: "mg", "EUR/month", "times/week"; "" for a bare
            number with a scale ("70k"). A blood pressure of "131/84" is two quantities, of the units "mmHg systolic"
            and "mmHg diastolic".
        text: the words there.
    """

    start: int
    end: int
    number: float
    unit: str
    text: str


def _any_of(words: Iterable[str]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered) + ")"


_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
_WORDS = _any_of(word for word in _COUNTS if word not in {"once", "twice"})
_SIGNS = _any_of(word for word in _CURRENCIES if not word.isalpha() and len(word) == 1)
_MONEY = _any_of(word for word in _CURRENCIES if word.isascii() and word[0].isalpha())


def _scale(group: str) -> str:
    return rf"(?:\s?(?P<{group}>{_any_of(_SCALES)})(?!\w|/))?"


def _rate(group: str) -> str:
    return rf"(?:\s*(?P<{group}>{_any_of(_RATES)})(?!\w))?"


_QUANTITY = lazy(
    rf"(?<![\w.,:/-])(?:"
    rf"(?P<high>\d{{2,3}})\s?/\s?(?P<low>\d{{2,3}})(?P<pressure>\s*mmhg\b)?(?![\w/]|[.,]\d)"
    rf"|(?P<minutes>\d{{1,2}}):(?P<seconds>[0-5]\d)\s*(?:min)?\s*(?P<pace>/\s?km|/\s?mi(?:le)?|per\s+km|per\s+mile)\b"
    rf"|(?P<once>once|twice)(?=\s*{_any_of(_RATES)}(?!\w)){_rate('rate')}"
    rf"|(?P<sign>{_SIGNS})\s?(?P<price>{_DIGITS}){_scale('price_scale')}{_rate('price_rate')}"
    rf"|(?P<number>{_DIGITS}|{_WORDS}){_scale('number_scale')}"
    rf"(?:\s?(?P<after>{_SIGNS})|[\s-]?(?:(?P<money>{_MONEY})|(?P<unit>{_any_of(_UNITS)}))(?!\w))?"
    rf"{_rate('number_rate')}(?![\d:])"
    rf")",
    re.I,
)
_PRESSURE = lazy(r"\b(?:blood\s+pressure|bp|systolic|pressure)\b", re.I)


def quantities(text: str) -> list[Quantity]:
    """The numbers with a unit, a currency, a rate or a scale that a text holds, left to right.

    A bare number ("I have 3") is none, and neither is a date, a time of day, a version or an address.
    """
    found = []
    for hit in _QUANTITY.finditer(text):
        found.extend(_pressure(hit, text))
        read = _pace(hit) or _price(hit) or _measure(hit)
        if read is not None:
            end = hit.start() + len(hit[0].rstrip())
            found.append(Quantity(hit.start(), end, *read, text[hit.start() : end]))
    return found


def _pressure(hit: re.Match[str], text: str) -> list[Quantity]:
    if hit["high"] is None:
        return []
    high, low = int(hit["high"]), int(hit["low"])
    if not (hit["pressure"] or _PRESSURE.search(text)) or not 60 <= high <= 260 or not 30 <= low < high:
        return []
    return [
        Quantity(*hit.span("high"), float(high), "mmHg systolic", hit["high"]),
        Quantity(*hit.span("low"), float(low), "mmHg diastolic", hit["low"]),
    ]


def _pace(hit: re.Match[str]) -> tuple[float, str] | None:
    if hit["pace"] is None:
        return None
    unit = "min/km" if hit["pace"].lower().endswith("km") else "min/mi"
    return int(hit["minutes"]) + int(hit["seconds"]) / 60, unit


def _price(hit: re.Match[str]) -> tuple[float, str] | None:
    if hit["sign"] is None:
        return None
    value = _value(hit["price"], hit["price_scale"])
    return value, _rated(_CURRENCIES[hit["sign"]], hit["price_rate"])


def _measure(hit: re.Match[str]) -> tuple[float, str] | None:
    if hit["once"]:
        return _COUNTS[hit["once"].lower()], _rated("times", hit["rate"])
    if hit["number"] is None:
        return None
    said = hit["after"] or hit["money"]
    unit = _CURRENCIES[_plain(said)] if said else _UNITS[_plain(hit["unit"])] if hit["unit"] else ""
    if not unit and not hit["number_scale"] and not hit["number_rate"]:
        return None
    if not unit and hit["number_scale"] and hit["number_scale"].lower() == "m":
        unit = "m" if hit["number_scale"] == "m" else ""  # "100 m" is a distance, "2M" two million
        if unit:
            return _value(hit["number"], None), _rated(unit, hit["number_rate"])
    return _value(hit["number"], hit["number_scale"]), _rated(unit, hit["number_rate"])


def _rated(unit: str, rate: str | None) -> str:
    return f"{unit}/{_RATES[_plain(rate)]}" if rate else unit


def _value(number: str, scale: str | None) -> float:
    """ "1,200", "1.5", "2,5" (a decimal comma) and "two"; times its scale."""
    said = number.lower()
    if said in _COUNTS:
        value = _COUNTS[said]
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", said):
        value = float(said.replace(",", ""))
    else:
        value = float(said.replace(",", "."))
    return value * _SCALES[scale.lower()] if scale else value


def _plain(said: str) -> str:
    return " ".join(said.lower().split())
