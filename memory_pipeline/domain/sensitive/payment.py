"""Payment cards and bank accounts: by their own checksums, or by the words before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.patterns import lazy

_CARD = lazy(
    r"(?<![\w.])(?:\d{4}([ .\-–]?)\d{4}\1\d{4}\1\d{1,7}|\d{4}([ .\-–])\d{6}\2\d{4,5}|(?:\d[ \-]){12,18}\d)(?![\w]|"
    r"[.,]\d)"
)
_BRANDS = lazy(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,13}|35(?:2[89]|[3-8]\d)\d{12,15}"  # Amex, Diners, JCB
    r"|6(?:011|5\d{2}|4[4-9]\d)\d{12,15}|62\d{14,17}|(?:5[06-8]|6[37])\d{10,17}"  # Discover, UnionPay, Maestro
)
_OTHER_NUMBER = lazy(
    r"\b(?:order|invoice|tracking|parcel|shipment|ticket|booking|reference|ref|barcode|serial|case|customer|part|"
    r"isbn|issn|ean|gtin|imei|doi|arxiv|id|bestell|sendung)\w*\W{0,3}(?:number|nummer|no|nr|num|code|"
    r"id)?\W*(?:\bis\W+)?$",
    re.I,
)
_PLASTIC = lazy(r"\b(?:card|visa|master ?card|amex|american express|credit|debit|karte|carte|tarjeta)\b", re.I)
_IBAN = lazy(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9]{2})")
_ACCOUNT = lazy(
    r"\b(?:bank account|account|routing|aba|sort code|konto|bic)(?:[ -]?(?:number|nummer|no|nr))?\.?(?:\s+(?:is|was|"
    r"ist)|\s*[:#=])?\s*(?P<secret>\d{2}-\d{2}-\d{2}|\d[\d -]{5,18}\d)(?!\d)",
    re.I,
)


def cards(text: str) -> Iterator[tuple[int, int]]:
    """Card numbers: a brand's prefix and length, grouped as cards are, and a valid checksum (ISO/IEC 7812).

    One number in ten has a valid checksum by chance, so a number that is called an order or a parcel is not one.
    """
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if _BRANDS.fullmatch(digits) is None or len(set(digits)) < 2 or not _luhn(digits):
            continue
        if _OTHER_NUMBER.search(text, max(match.start() - 40, 0), match.start()) and not _PLASTIC.search(text):
            continue
        yield match.span()


def bank_accounts(text: str) -> Iterator[tuple[int, int]]:
    """IBANs with a valid check (ISO 13616, mod 97) of their country's length, and numbers called a bank account."""
    for match in _IBAN.finditer(text):
        end = _iban_end(text, match.start())
        if end:
            yield match.start(), end
    if re.search(r"account|routing|sort code|konto|\baba\b", text, re.I):
        for match in _ACCOUNT.finditer(text):
            if len(re.sub(r"\D", "", match["secret"])) >= 6:
                yield match.span("secret")


def _luhn(digits: str) -> bool:
    from stdnum import luhn

    return bool(luhn.is_valid(digits))


def _iban_end(text: str, start: int) -> int:
    """Where the IBAN that begins here ends, 0 when none does: the words after it may look like more of it."""
    from stdnum import iban

    groups = lazy(r"[A-Za-z0-9]+(?:[ -]|$)?")
    at = start
    while at - start < 42 and (match := groups.match(text, at)):
        at = match.end()
        end = start + len(text[start:at].rstrip(" -"))
        if end - start >= 15 and iban.is_valid(text[start:end], check_country=False):
            return end
    return 0
