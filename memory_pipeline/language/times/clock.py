"""Times of day as people say them: "5pm", "17:30", "half past three", "noon"."""

from __future__ import annotations

import re
from datetime import time

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.words import NUMBERS
from memory_pipeline.language.times.words import PARTS as _PARTS

PARTS = {name: time.fromisoformat(moment) for name, moment in _PARTS.items()}
_HALF_DAY = lazy(r"(?:(?:half past|quarter (?:past|to)) )?(?:\d{1,2}|[a-z]+)(?: o'clock)?(?: sharp)?", re.I)
_LAST_SMALL_HOUR = 6


def clock_of(text: str, part: time | None, *, evening: bool = False) -> time | None:
    """The same of a time beside a day, where an hour that may be either half of the day is read as people mean it.

    With a part of the day it lies in that; without one, 1 to 6 are hours of the afternoon, and 7 to 11 of the morning
    unless the text speaks of an evening.

    Args:
        part: a time in the part of the day that was said ("tonight").
    """
    at = clock_time(text)
    if at is None or not 1 <= at.hour < 12 or not _HALF_DAY.fullmatch(" ".join(text.split())):
        return at
    later = part.hour >= 12 if part else evening or at.hour <= _LAST_SMALL_HOUR
    return at.replace(hour=at.hour + 12) if later else at


def clock_time(text: str) -> time | None:
    """ "5pm", "17:30", "half past three" or "noon" as a time; None for anything else."""
    text = " ".join(text.lower().replace(".", "").split())
    past = re.match(r"(half past|quarter past|quarter to) (\w+)(.*)", text)
    if past:
        whole = clock_time(f"{NUMBERS.get(past.group(2), past.group(2))}{past.group(3)}")
        minutes = {"half past": 30, "quarter past": 15, "quarter to": 45}[past.group(1)]
        back = past.group(1) == "quarter to"
        return whole.replace(hour=(whole.hour - back) % 24, minute=minutes) if whole else None
    named = {"noon": time(12), "midday": time(12), "midnight": time(0)}.get(text.strip())
    if named is not None:
        return named
    hit = re.match(r"(\d{1,2})(?::(\d\d))?\s*(am|pm|o'clock)?(?:\s+in the (morning|afternoon|evening))?", text)
    if not hit:
        return None
    hour, minute = int(hit.group(1)), int(hit.group(2) or 0)
    half = hit.group(3) if hit.group(3) in {"am", "pm"} else {"morning": "am", None: ""}.get(hit.group(4), "pm")
    if half and not 1 <= hour <= 12:
        half = ""
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    return time(hour, minute) if hour < 24 and minute < 60 else None
