"""Finding date phrases in a sentence: a matched phrase with its preposition, not yet tied to a day."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.words import MONTHS, NUMBERS, WEEKDAYS

# A holiday here has one day of the year and needs no calendar to find it.
HOLIDAYS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "new year's eve": (12, 31),
    "new year's day": (1, 1), "new year's": (1, 1), "valentine's day": (2, 14), "halloween": (10, 31),
    "st. patrick's day": (3, 17), "boxing day": (12, 26),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phrase:
    """A date phrase as it stands in a text.

    Attributes:
        start, end: its place, preposition included.
        text: the whole phrase.
        relation: how it is used: ``on`` (also in, at, this), ``by`` (also before), ``until``, ``since`` (also from).
        hit: the match, whose named groups say what kind of phrase it is.
        evening: the text speaks of what people do in the evening, so that "at 8" is no hour of the morning.
    """

    start: int
    end: int
    text: str
    relation: str
    hit: re.Match[str]
    evening: bool = False


_MONTH = "|".join(sorted((m for m in MONTHS if m != "may"), key=len, reverse=True)) + r"|(?-i:May)|may(?=\s\d)"
_WEEKDAY = (
    "|".join(sorted((w for w in WEEKDAYS if len(w) > 3), key=len, reverse=True)) + "|fri|tue|wed|thu|mon(?!\\s+ami)"
)
_NUMBER = r"(?:\d{1,3}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")"


def _count(group: str) -> str:
    return rf"(?P<{group}>(?:a\s+)?{_NUMBER})(?:\s+of)?(?:\s+or\s+(?:two|so|three))?(?:\s+short|\s+more)?"


_UNIT = r"(?:minute|hour|day|night|week|fortnight|weekend|month|quarter|year)s?"
_YEAR = r"(?:19|20)\d\d"
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_CLOCK = (
    r"(?:\d{1,2}(?::\d\d)?\s*(?:a\.?m\b\.?|p\.?m\b\.?)|\d{1,2}:\d\d|\d{1,2}\s+o'clock|noon|midnight|midday|"
    r"(?:half\s+past|quarter\s+(?:past|to))\s+(?:\d{1,2}|" + _HOUR + r"))"
    r"(?:\s+(?:in\s+the\s+(?:morning|afternoon|evening)|sharp))?"
)
# An hour without "o'clock" is one beside a day only: "tomorrow at 9", "at 5 on Friday".
_BARE_HOUR = (
    r"(?:1[0-2]|[1-9])(?:\s+in\s+the\s+(?:morning|afternoon|evening)|"
    r"(?=\s*(?:$|[,.;!?)])|\s+(?:and|but|so|with|for|to|because)\b))"
)
_HOUR_FIRST = r"(?:1[0-2]|[1-9])(?=,?\s+(?:tomorrow|today|tonight|(?:on|this|next)\s))"
_PART = r"(?:morning|afternoon|evening|night|noon|lunchtime)"
_SEASON = r"(?:spring|summer|fall|autumn|winter)"
_HOLIDAY = "|".join(re.escape(h) for h in sorted(HOLIDAYS, key=len, reverse=True))

_KINDS = rf"""
    (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})(?:[T\s](?P<iso_clock>\d{{2}}:\d{{2}})(?::\d{{2}})?)?
  | (?P<edge>end|beginning|start|middle|mid|early|late|close)(?:\s+of|-)?\s+
        (?P<edge_of>(?:(?:the|this|next|last)\s+)?(?:day|week|month|quarter|year)|business|{_MONTH}|{_YEAR})(?:\s+(?P<edge_year>{_YEAR}))?
  | (?P<short_edge>eod|eow|eom|eoy)
  | (?P<after>the\s+day\s+after\s+tomorrow|day\s+after\s+tomorrow) | (?P<before>(?:the\s+)?day\s+before\s+yesterday)
  | (?P<near>today|tonight|tomorrow|yesterday|last\s+night)(?:\s+(?P<near_part>{_PART}))?
  | (?P<this_part>(?:this|earlier\s+this)\s+(?:morning|afternoon|evening))
  | (?P<which>next|last|past|this|this\s+coming|this\s+past|coming|following)\s+
        (?P<what>{_WEEKDAY}|week|weekend|month|quarter|year|{_MONTH}|{_SEASON}|{_HOLIDAY}|semester|term)(?:\s+(?P<which_part>{_PART}))?
  | (?P<week_of>the\s+week\s+of\s+)?(?:(?:{_WEEKDAY}),?\s+)?(?:the\s+)?(?P<month>{_MONTH})\.?\s+(?:the\s+)?
        (?P<month_day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:)
        (?:\s*(?:-|–|to|until|through)\s*(?P<range_end>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:))?(?:,?\s+(?P<month_year>{_YEAR}))?
  | (?:(?:{_WEEKDAY}),?\s+)?(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+
        (?P<day_month>{_MONTH})\b\.?(?:,?\s+(?P<day_year>{_YEAR}))?
  | (?P<ago>{_count("ago_n")}\s+(?P<ago_unit>{_UNIT})\s+(?:ago|back|earlier))
  | (?P<ahead>{_count("ahead_n")}\s+(?P<ahead_unit>{_UNIT})\s+(?:from\s+now|from\s+today))
  | (?P<within>(?:with)?in\s+(?:the\s+next\s+)?{_count("in_n")}\s+(?P<in_unit>{_UNIT})(?:'s?\s+time)?)(?!\s+of\b)
  | (?P<past_span>(?:over|during|in)\s+the\s+(?:last|past)\s+{_count("span_n")}\s+(?P<span_unit>{_UNIT}))
  | (?P<only_month>(?P<bare_month>{_MONTH})\.?(?:,?\s+(?P<bare_month_year>{_YEAR}))?)
  | (?P<weekday>{_WEEKDAY})(?:\s+(?P<weekday_part>{_PART}))?
  | (?P<holiday>{_HOLIDAY})
  | (?P<ordinal>the\s+(?P<ordinal_day>\d{{1,2}})(?:st|nd|rd|th))
        (?!\s+\w+(?:\s+of|\s+time|\s+floor|\s+birthday|\s+anniversary|\s+century))
  | (?P<bare_year>{_YEAR})(?!\s*(?:%|\w+s\b|dollars|usd|eur|euros|people|km|miles|steps|calories))
  | (?P<numeric>\d{{1,2}}[/.]\d{{1,2}}[/.](?:\d{{4}}|\d{{2}}))
  | (?P<clock>{_CLOCK})
"""
_PREPOSITION = (
    r"(?P<preposition>(?:by|before|until|till|til|'til|up\s+to|through|since|starting(?:\s+(?:on|from|in))?|"
    r"beginning|from|due(?:\s+(?:on|by))?|"
    r"on|in|at|for|during|around|about|as\s+of|back\s+in|no\s+later\s+than|over|"
    r"effective)\s+(?:the\s+)?(?:around\s+|about\s+|approximately\s+)?)?"
)
_PHRASE = lazy(
    rf"(?<![\w'-])(?:(?P<first>at|@|around|by|before|no\s+later\s+than)\s+(?P<first_at>{_CLOCK}|{_HOUR_FIRST}),?\s+"
    rf"(?=(?:on\s+|in\s+|this\s+|next\s+)?(?:the\s+)?\w))?"
    rf"{_PREPOSITION}(?:{_KINDS})(?:,?\s+(?:at|@|around|by|"
    rf"from)\s+(?P<at>{_CLOCK}|{_BARE_HOUR}))?(?![\w])(?!'s\b|-\w)(?:\s+sharp\b)?",
    re.I | re.X,
)
# Looked for first: most sentences have no date word and cost one search.
_CUE = lazy(
    rf"\d|\b(?:to(?:day|night|morrow)|yesterday|{_WEEKDAY}|{_MONTH}|{_HOLIDAY}|next|last|past|this|coming|"
    rf"following|ago|"
    r"back|earlier|end|beginning|start|middle|mid|early|late|eod|eow|eom|eoy|from\s+now|in\s+(?:a|an|one|two|"
    r"three|four|five|six|"
    r"seven|eight|nine|ten)|within|noon|midnight|midday)\b",
    re.I,
)
# "Mondays, Wednesdays and Fridays", "Monday to Friday": a habit, no date.
_SERIES = lazy(
    rf"\b(?:{_WEEKDAY})s?(?:,| and| or| to|/| through|,? &)+ ?(?:on )?(?:{_WEEKDAY})s?\b|\b(?:{_WEEKDAY})s\b", re.I
)
_RELATIONS = {
    "by": "by", "before": "by", "no later than": "by", "due": "by", "due by": "by", "due on": "by",
    "until": "until", "till": "until", "til": "until", "'til": "until", "up to": "until", "through": "until",
    "since": "since", "starting": "since", "starting on": "since", "starting from": "since", "starting in": "since",
    "beginning": "since", "from": "since", "as of": "since", "effective": "since",
}  # fmt: skip
_EVENING = lazy(
    r"\b(?:dinner|supper|party|movie|film|concert|gig|drinks|theat(?:re|er)|opera|show|pub|date night)\b", re.I
)
# Phrases that are dates only behind a preposition, at the edge of a clause, or beside another date word.
_NEEDS_PLACE = ("weekday", "only_month", "bare_year", "ordinal", "holiday", "clock")


def find(text: str) -> list[Phrase]:
    """Date phrases of a text in plain spelling, left to right, each with the preposition before it."""
    if not _CUE.search(text) or _SERIES.search(text):
        return []
    found = []
    for hit in _PHRASE.finditer(text):
        preposition = " ".join((hit.group("preposition") or "").lower().split())
        preposition = preposition.removesuffix(" around").removesuffix(" about").removesuffix(" the").strip()
        if not preposition and any(hit.group(k) for k in _NEEDS_PLACE) and not _at_edge(text, hit):
            continue
        if hit.group("bare_year") and preposition not in {
            "in",
            "since",
            "from",
            "until",
            "till",
            "by",
            "back in",
            "during",
            "before",
            "through",
        }:
            continue
        if hit.group("clock") and preposition not in {"at", "by", "before", "until", "till", "around", "from"}:
            continue
        if preposition in {"about", "over"} and not (hit.group("past_span") or hit.group("ago") or hit.group("ahead")):
            preposition = ""
        if not preposition and not hit.group("near") and _modifies(text, hit):
            continue
        start = hit.start() if preposition or not hit.group("preposition") else hit.end("preposition")
        first = " ".join((hit.group("first") or "").lower().split())
        if first:
            start = hit.start()
        relation = _RELATIONS.get(first) or _RELATIONS.get(preposition, "on")
        evening = bool(hit.group("at") or hit.group("first_at")) and bool(_EVENING.search(text))
        found.append(Phrase(start, hit.end(), text[start : hit.end()], relation, hit, evening))
    return found


def _modifies(text: str, hit: re.Match[str]) -> bool:
    """Whether the phrase only describes a noun: "a November 10 course", "my Sunday class"."""
    if re.search(r"\b(?:every|each|most)\s*$", text[: hit.start()], re.I):
        return True
    before = (
        text[: hit.start("preposition") if hit.group("preposition") else hit.start()]
        .rstrip()
        .rpartition(" ")[2]
        .lower()
    )
    if before in {"a", "an"} and not hit.group("ago"):
        return True
    return before in {"my", "our", "his", "her", "their", "your"} and text[hit.end() : hit.end() + 2].strip().isalpha()


def _at_edge(text: str, hit: re.Match[str]) -> bool:
    before, after = text[: hit.start()].rstrip(), text[hit.end() :].lstrip()
    if hit.group("weekday"):
        return (
            not after
            or after[0] in ",.;!"
            or bool(hit.group("weekday_part") or hit.group("at") or hit.group("first_at"))
            or (not before and after[:1].isalpha())
        )
    if hit.group("holiday"):
        return not after or not before
    return not after and before.endswith(("is", "was", ",", "am", "are"))
