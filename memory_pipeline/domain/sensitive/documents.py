"""National identity numbers, by format and check digits, and the numbers of passports, identity cards and licences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from memory_pipeline.domain.patterns import lazy


@dataclass(frozen=True, slots=True)
class _Scheme:
    """A country's number.

    Attributes:
        module: of python-stdnum, which checks it; empty = the format alone decides.
        word: must stand in the text, where the check alone lets through too many other numbers.
    """

    pattern: re.Pattern[str]
    module: str
    word: re.Pattern[str] | None = None


def _scheme(pattern: str, module: str, word: str = "") -> _Scheme:
    return _Scheme(
        lazy(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.I),
        module,
        lazy(rf"(?<!\w)(?:{word})(?!\w)", re.I) if word else None,
    )


_SCHEMES = (
    _scheme(r"\d{3}-\d{2}-\d{4}", "us.ssn"),
    _scheme(r"\d{3}[ -]?\d{2}[ -]?\d{4}", "us.ssn", r"ssn|social security(?: number| no\.?)?"),
    _scheme(r"9\d{2}-\d{2}-\d{4}", "us.itin"),
    _scheme(
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]",
        "",
        r"national insurance|nino?|" r"ni number",
    ),
    _scheme(r"\d{3} ?\d{3} ?\d{4}", "gb.nhs", "nhs(?: number)?"),
    _scheme(r"\d{8}-?[A-HJ-NP-TV-Z]", "es.dni"),
    _scheme(r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", "es.nie"),
    _scheme(r"[1278] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", "fr.nir"),
    _scheme(r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]", "it.codicefiscale"),
    _scheme(
        r"\d{2} ?\d{3} ?\d{3} ?\d{3}",
        "de.idnr",
        r"steuer(?:liche)?[ -]?id\w*(?:nummer)?|steuernummer|" r"idnr\.?|tax id",
    ),
    _scheme(r"\d{9}", "nl.bsn", r"bsn|burgerservicenummer|sofinummer"),
    _scheme(r"\d{11}", "pl.pesel", "pesel"),
    _scheme(r"(?:19|20)?\d{6}[-+]\d{4}", "se.personnummer"),
    _scheme(r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", "fi.hetu"),
    _scheme(r"\d{6}-?\d{4}", "dk.cpr", "cpr(?:[ -]?n(?:umme)?r)?"),
    _scheme(r"\d{6} ?\d{5}", "no.fodselsnummer", "fødselsnummer|personnummer"),
    _scheme(r"\d{3}\.\d{3}\.\d{3}-\d{2}", "br.cpf"),
    _scheme(r"\d{11}", "br.cpf", "cpf"),
    _scheme(r"\d{4} ?\d{4} ?\d{4}", "in_.aadhaar", "aadhaar|aadhar"),
    _scheme(r"[A-Z]{5}\d{4}[A-Z]", "in_.pan", "pan(?: card| number)?"),
    _scheme(r"\d{17}[\dX]", "cn.ric"),
    _scheme(r"\d{6}-[1-8]\d{6}", "kr.rrn"),
    _scheme(r"\d{3}[ -]?\d{3}[ -]?\d{3}", "ca.sin", "sin|social insurance(?: number)?"),
    _scheme(r"\d{3} ?\d{3} ?\d{3}", "au.tfn", "tfn|tax file number"),
    _scheme(r"\d{11}", "tr.tckimlik", r"tc kimlik(?: no)?|kimlik numaras[ıi]"),
    _scheme(r"756\.?\d{4}\.?\d{4}\.?\d{2}", "ch.ssn"),
)
_SEVEN = lazy(r"\d(?:[ .+-]?[A-Za-z]{0,2}[ .-]?\d){5}")  # none has fewer than six digits
_DOCUMENT = lazy(
    r"\b(?:passport|reisepass|passeport|pasaporte|personalausweis|ausweis|id card|identity card|driv(?:er'?s|"
    r"ing) licen[cs]e|führerschein|visa)(?:[ -]?(?:number|nummer|no|nr|id|num|numéro|número)\.?)?(?:\s+(?:is|was|ist|"
    r"est|es)|\s*[:#=,])?\s+(?P<secret>(?=(?:[A-Z]*\d){5})[A-Z0-9]{6,12})(?![A-Za-z0-9])",
    re.I,
)


def national_ids(text: str) -> Iterator[tuple[int, int]]:
    """Numbers that a state gives its people: the format and, where there are any, the check digits are right."""
    if _SEVEN.search(text) is None:
        return
    for scheme in _SCHEMES:
        if scheme.word is not None and scheme.word.search(text) is None:
            continue
        for match in scheme.pattern.finditer(text):
            if not scheme.module or _checks(scheme.module, match.group()):
                yield match.span()


def identity_documents(text: str) -> Iterator[tuple[int, int]]:
    """Numbers of at least five digits right after the name of a document."""
    for match in _DOCUMENT.finditer(text):
        yield match.span("secret")


def _checks(module: str, number: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(number))
