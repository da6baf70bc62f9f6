"""What the wording of a question asks for: a time, or the assistant's own words. English."""

from __future__ import annotations

import re

from memory_pipeline.domain.patterns import lazy

_MONTHS = "january|february|march|april|june|july|august|september|october|november|december"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PERIOD = "day|night|week|month|year|weekend|summer|winter|spring|fall|autumn|morning|afternoon|evening"
_TIME_ASKED = lazy(
    r"^(?:(?:and|so|but) )?(?:when|since when|how long|how many (?:days|weeks|months|years)"
    r"|(?:in |on |at )?(?:what|which) (?:date|day|weekday|week|month|year|time))\b",
    re.IGNORECASE,
)
_TIME_STATED = lazy(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|{_MONTHS}|may \d|{_DAYS}"
    rf"|(?:last|this|next|past) (?:{_PERIOD}|{_DAYS})s?|(?:19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_ASSISTANT_ASKED = lazy(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)


def asks_for_time(question: str) -> bool:
    """Whether a question asks when something was, or for how long: "When did I move?"."""
    return _TIME_ASKED.search(question) is not None


def states_time(text: str) -> bool:
    """Whether a text names a day, a month, a year, or says how long ago."""
    return _TIME_STATED.search(text) is not None


def asks_the_assistant(question: str) -> bool:
    """Whether a question is about what the assistant itself said: "What did you recommend?"."""
    return _ASSISTANT_ASKED.search(question) is not None
