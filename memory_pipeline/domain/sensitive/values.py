"""What a secret's value looks like, and what stands in its place without being one: placeholders, code, remarks."""

from __future__ import annotations

import re

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS

CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»", "„": "“"}
# A plain word after "password is" that says something about it, not the password itself.
_REMARKS = """
a an the my your our his her their its this that these those not no never always too very so really quite pretty in on
at under over with without for from by of stored saved kept written hidden required needed mandatory optional expired
wrong correct incorrect invalid valid missing empty weak strong safe unsafe secure insecure long short same different
unique complex simple easy hard good bad fine okay ok lost gone known unknown ready due important enough only also
just already still now here there what where when how why who something anything nothing somewhere someone
protected encrypted hashed salted visible public private secret personal sensitive confidential temporary default
reset changed rotated compromised leaked stolen shared sent back forgotten remembered
null none true false undefined string text str bytes bool boolean int integer number value field object any optional
varchar nvarchar char yes todo tbd self this request req res await async function return new required
"""
REMARKS = frozenset(_REMARKS.split())
_PLACEHOLDER = lazy(
    r"[<\[{(*_•&-].*|\.{2,}.*|…|x{3,}.*|\*+|\$\w+.*[\[(>].*|\$\w+\[?|\$?\{.*|%\w+%?|\\n.*|@\w+\W*"
    r"|(?:os|process|config|settings|env|request|req|res|self|this|params|props|body|data|form|user|event|ctx|app|"
    r"session|options|args|credentials|secrets?|vault|getenv|input)\b[.\[(].*"
    r"|(?:your|my|our|the|insert|replace|enter|some|put|add|paste|any|example|sample|dummy|fake|test)[_ -]?"
    r"(?:own[_ -]?)?(?:\w+[_-])*(?:here|key|secret|token|password|pass|value|api|id)\w*",
    re.I,
)
_CALL = lazy(r"[\w.]+[(\[].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z_]\w*(?:->|::)\w.*")
_PLAIN_NAME = lazy(r"[A-Za-z]+(?:_[A-Za-z]+)*")
_HUMPS = lazy(r"[a-z]+(?:[A-Z][a-z]+)+")
_ADDRESS = lazy(r"(?:https?://|www\.).*|[\w.]+@[\w.]+|\d+(?:st|nd|rd|th|s|k|%)?|v\d[\d.]*", re.I)


def placeholder(value: str) -> bool:
    """Whether a value only holds the place of a secret, or says where it comes from: a variable, "<your key>"."""
    return value.startswith("[withheld") or _PLACEHOLDER.fullmatch(value) is not None


def code(value: str) -> bool:
    """Whether an unquoted value is an expression of a program: a call, an attribute, a name of several words."""
    if _CALL.fullmatch(value):
        return True
    return _HUMPS.fullmatch(value) is not None or "_" in value and _PLAIN_NAME.fullmatch(value) is not None


def sentence(value: str) -> bool:
    """Whether what stands in quotation marks says something, as a label or a message does."""
    words = value.casefold().split()
    return len(words) > 4 and not STOPWORDS.isdisjoint(words)


def odd(value: str) -> bool:
    """Whether a value looks made up: a digit with letters or many digits, a symbol inside, capitals in the middle."""
    if re.fullmatch(r"[\d.,:/-]+", value):
        return re.fullmatch(r"\d{4,}", value) is not None
    if _ADDRESS.fullmatch(value):
        return False
    inside = value.strip(".,;:!?()*_")
    return bool(
        re.search(r"\d", inside)
        and re.search(r"[^\W\d_]", inside)
        or re.search(r"[^\w\s'’./,-]", inside)
        or re.search(r"[a-z][A-Z]", inside)
        or re.search(r"\w_\w", inside)
    )


def trimmed(text: str, start: int, end: int, quote: str) -> tuple[int, int]:
    """A value without the punctuation after it; all that stands in the quotation marks when there are any."""
    closing = text.find(CLOSING.get(quote, "\n"), start, start + 200) if quote else -1
    if closing > start:
        return start, closing
    while end > start + 1 and text[end - 1] in ".,;:!?)]}。、*":
        end -= 1
    return start, end
