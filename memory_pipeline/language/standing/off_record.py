"""What a sentence asks not to be kept: itself, what stands around it, or what was said right before it."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.standing.tables import any_word, folded, row, words

_WORD = lazy(r"[^\W_]+(?:’[^\W_]+)*")
_TOLD = lazy(
    r"\W*(?:(?:and|but|so|oh|also|hey|remember|last \w+|yesterday|earlier|the other day) ,?)*"
    r"(?:(?:that|the|this|what|everything|all)(?: (?:whole )?(?:thing|business|stuff|bit|part|story))? (?:that )?)?"
    r"i (?:have |’ve )?(?:just |once |only )?(?:told you|mentioned|said|brought up|shared|let slip)"
    r"(?: (?:to|with) you)?"
    r"(?: (?:last \w+|yesterday|earlier|before|once|the other day|today))*(?: (?:about|of|that|regarding))*"
    r"(?: how (?:much|many|often|badly|bad))?(?: me(?= \w+ing\b))? "
)
_BEFORE_PLEA = lazy(
    r"[\s,;.–—-]*(?:\b(?:and|but|so|please|pls|actually|then|just|can you|could you)\b[\s,;–—-]*)*$", re.I
)
_ASIDE = lazy(r"(?<=\w)\s+(?:i|we)\s+(?:have|had|owe|got|do|did|am|was)\b.*$", re.I)
_IT = lazy(r"\b(?:forget|drop|scratch|delete) it\b")
UNSAID = "unsaid"
"""Why a sentence is off the record that pleads for itself, or that a later one takes back."""
_CLOSING = ",;:.(–—-…!?"


class Reach(StrEnum):
    """What a plea not to keep something is about."""

    SENTENCE = "sentence"  # "I auditioned for Bake Off, but forget I told you that"
    AROUND = "around"  # "This is off the record."
    BEFORE = "before"  # "Scratch that."


def off_record(sentence: str) -> Reach | None:
    """What a sentence asks not to be kept; None where it asks for nothing of the kind.

    Args:
        sentence: as :func:`folded` makes it.
    """
    said = row("off_record").search(sentence) or _asked(row("off_order"), sentence)
    if said is not None:
        return Reach.AROUND if _alone(sentence) else Reach.SENTENCE
    said = _asked(row("off_weak"), sentence)
    if said is not None:
        return Reach.BEFORE if _alone(sentence) else Reach.SENTENCE
    return None


def may_plead(text: str) -> bool:
    """Whether a text may hold such a plea; most hold none, and need not be taken apart."""
    low = folded(text)
    return any(row(name).search(low) for name in ("off_record", "off_order", "off_weak"))


def unsays(message: str) -> Reach | None:
    """What a message asks not to be kept of what was said before it, where it says nothing else: "Oops, forget I said
    that."; ``Reach.BEFORE`` where it may as well give up what it has asked for: "Forget that."."""
    sentence = folded(message).strip()
    reach = off_record(sentence)
    if reach is None or reach is Reach.SENTENCE or _ahead().search(sentence):
        return None
    return None if reach is Reach.BEFORE and _IT.search(sentence) else reach


def told_before(sentence: str) -> str:
    """What a plea is about that names what was told at another time: "What I told you about Lena, scratch that"; ""
    where it names nothing."""
    low = folded(sentence)
    said = row("off_record").search(low) or _asked(row("off_order"), low) or _asked(row("off_weak"), low)
    if said is None:
        return ""
    told = _TOLD.match(low[: said.start()])
    topic = sentence[told.end() : said.start()] if told is not None else ""
    return _ASIDE.sub("", _BEFORE_PLEA.sub("", topic)).strip()


@cache
def _ahead() -> re.Pattern[str]:
    """What speaks of what is yet to be said."""
    return lazy(r"\b(?:next|following|follows|comes|going to|about to|i’ll|will tell)\b|:\s*$")


def _asked(order: re.Pattern[str], sentence: str) -> re.Match[str] | None:
    """A request not to keep something, where a request may stand: "I don't keep that" asks for nothing."""
    for said in order.finditer(sentence):
        before = sentence[: said.start()]
        if not before.strip() or before.rstrip()[-1] in _CLOSING or _led().search(before):
            return said
    return None


@cache
def _led() -> re.Pattern[str]:
    return lazy(rf"(?:^|[\s,;:.(–—…!?-]){any_word('off_lead')}[,.…]*\s+$")


def _alone(sentence: str) -> bool:
    """Whether a sentence says nothing beside its pleas."""
    for name in ("off_record", "off_order", "off_weak"):
        sentence = row(name).sub(" ", sentence)
    return set(_WORD.findall(sentence)) <= words("off_idle")


__all__ = ["UNSAID", "Reach", "may_plead", "off_record", "told_before", "unsays"]
