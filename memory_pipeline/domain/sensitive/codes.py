"""PINs, door codes, one-time codes and the words of a wallet: short values that only the words beside them betray."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.patterns import lazy

_NO_UNIT = (
    r"(?![\d%€$£°])(?! ?[%€$£°])(?! (?:digit|number|character|char|letter|people|time|day|hour|minute|week|"
    r"year|euro|dollar|"
    r"message|post|task|item|attempt)s?\b)"
)
_LINK = r"(?:\s*(?:[:=#→]|[-=]>)|\s+(?:is|was|are|ist|lautet|est|es|é)(?: now| still)?)?"
_DIGITS = r"(?P<secret>\d(?:[ .-]?\d){2,7}[*#]?)"
_PIN = lazy(
    r"\b(?:pin|puk|cvv2?|cvc2?|pass ?code|security code)\b(?: ?(?:code|number|nummer))?"
    rf"(?: (?:for|to|of|on|für|de|del|pour)(?: \S+){{1,4}}?)?{_LINK}\W{{0,3}}{_DIGITS}{_NO_UNIT}",
    re.I,
)
_SPELT_DIGIT = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPELT_PIN = lazy(
    rf"\b(?:pin|pass ?code|security code)\b[^\n.:]{{0,20}}?{_LINK}\s+"
    rf"(?P<secret>{_SPELT_DIGIT}(?:[ ,-]+{_SPELT_DIGIT}){{3,7}})\b",
    re.I,
)
_ACCESS = lazy(
    r"\b(?:(?:alarm|door|front door|gate|garage|entry|entrance|unlock|lock|lockbox|safe|locker|keypad|"
    r"key ?safe|voicemail|screen[- ]?time|"
    r"tür|haustür|tor|alarmanlagen)[ -]?(?:code|pin|combination|combo)|combination (?:to|for|of) (?:the|my|our) \w+)\b"
    rf"(?: (?:for|to|of|at)(?: \S+){{1,4}}?)?{_LINK}\W{{0,3}}(?P<secret>[*#]?\d(?:[ .-]?\d){{2,9}}[*#]?){_NO_UNIT}",
    re.I,
)
_ONCE = lazy(
    r"\b(?:otp|one[- ]time (?:code|password|passcode|pin)|verification code|2fa(?: code)?|mfa code|two[- ]factor code|"
    r"auth(?:entication|enticator)? code|sms code|log[- ]?in code|confirmation pin|tan)\b"
    rf"(?: (?:for|to|from)(?: \S+){{1,4}}?)?{_LINK}\W{{0,3}}(?P<secret>(?:[A-Z]-)?\d{{3,4}}[ -]?\d{{2,4}}){_NO_UNIT}",
    re.I,
)
_YOUR_CODE = lazy(rf"\b(?:your|my) code(?: is|:) (?P<secret>\d{{3}}[ -]?\d{{3}}){_NO_UNIT}(?!\w)", re.I)
_BACKUP = lazy(
    r"\b(?:backup|recovery|rescue|2fa|scratch|emergency)[ -]codes?\b[^\n:]{0,25}[:=]?\s*"
    r"(?P<secret>(?=[a-z0-9 ,\n-]*\d)[a-z0-9]{4,12}-?[a-z0-9]{0,12}(?:(?:\s*[,;]\s*|\s+)(?=[a-z0-9-]*\d)"
    r"[a-z0-9]{4,12}-?[a-z0-9]{0,12})*)",
    re.I,
)
_WALLET_WORDS = lazy(
    r"\b(?:seed|recovery|mnemonic|secret|backup|wallet|metamask|ledger|12|24|twelve|twenty-four)"
    r"(?:[ -]?(?:phrase|words?|seed))*\b"
    r"[^\n:=]{0,40}?(?:[:=→]|\bis\b|\bare\b|[-=]>|\n)\s*[\"'“`]?"
    r"(?P<secret>(?:(?:\d{1,2}[.)] ?)?[a-z]{3,8}[\s,]+){11,23}(?:\d{1,2}[.)] ?)?[a-z]{3,8})\b",
    re.I,
)
_SMALL = "the and that with for was are this you have has not but they his her its from our your"
_SMALL_WORDS = frozenset(_SMALL.split(" "))
MENTIONS = "pin|puk|cvv|cvc|code|combination|combo|otp|one-time|2fa|mfa|tan[ :]"
"""Expression of what stands in any text that names such a code, in lower case."""

_SAYS_WORDS = ("seed", "phrase", "mnemonic", "recovery", "backup", "wallet", " words")


def codes(text: str) -> Iterator[tuple[int, int]]:
    """Figures that open or confirm something, in one line."""
    for expression in (_PIN, _SPELT_PIN, _ACCESS, _ONCE, _YOUR_CODE, _BACKUP):
        for match in expression.finditer(text):
            if len(match["secret"]) >= 3:
                yield match.span("secret")


def wallet_words(text: str) -> Iterator[tuple[int, int]]:
    """Twelve to twenty-four plain words that are said to be a seed; also numbered, also on lines of their own."""
    folded = text.casefold()
    if not any(word in folded for word in _SAYS_WORDS):
        return
    for match in _WALLET_WORDS.finditer(text):
        words = re.findall(r"[a-z]+", match["secret"].casefold())
        if len(_SMALL_WORDS.intersection(words)) < 2 and match["secret"] == match["secret"].casefold():
            yield match.span("secret")
