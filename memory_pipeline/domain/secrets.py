"""Recognising what must never be stored: keys, passwords, card numbers."""

from __future__ import annotations

import re

_KEY = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_PASSWORD = re.compile(
    r"\b(?:password|passwd|passphrase|pwd|passcode|pin(?: code)?|secret|api[ _-]?key|access token)\b"
    r"(?:\s+(?:is|was|for \S+ is)|\s*[:=])\s*\S+",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?!\d)")


def luhn(digits: str) -> bool:
    """Whether a digit string carries a valid payment-card checksum (ISO/IEC 7812)."""
    total = 0
    for n, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if n % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def find(text: str) -> str | None:
    """The class of the first secret in the text (``key``, ``password``, ``card``), None when there is none."""
    if _KEY.search(text):
        return "key"
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if 13 <= len(digits) <= 19 and len(set(digits)) > 1 and luhn(digits):
            return "card"
    return "password" if _PASSWORD.search(text) else None
