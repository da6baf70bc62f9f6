"""Tying date phrases to the calendar of the person who wrote them.

Phrases of the table are resolved by hand; only numeric forms and other leftovers go to dateparser, which is slow to
load and guesses. A date that does not exist ("February 30") resolves to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo

from memory_pipeline.language.times.clock import clock_of
from memory_pipeline.language.times.days import Direction
from memory_pipeline.language.times.phrases import Phrase, find
from memory_pipeline.language.times.spans import span

_SEASON_NAMES = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}


@dataclass(frozen=True, slots=True)
class When:
    """A resolved phrase: local days from ``start`` to ``end``, both included.

    Attributes:
        grain: ``day``, ``days``, ``week``, ``weekend``, ``month``, ``quarter``, ``season``, ``year``.
        at: the moment, with the zone's offset on that day, where a time of day was said.
        relation: see :class:`Phrase`.
        dated: the year was said or follows from the phrase (a birthday has none).
    """

    start: date
    end: date
    grain: str
    at: datetime | None
    relation: str
    dated: bool = True

    @property
    def first(self) -> str:
        """ISO 8601 of its beginning: a time with offset, or a bare day."""
        return self.at.isoformat() if self.at else self.start.isoformat()

    @property
    def last(self) -> str:
        """ISO 8601 of its end: a time with offset, or a bare day."""
        return self.at.isoformat() if self.at else self.end.isoformat()

    def __str__(self) -> str:
        """As it reads in a memory: "on 10 March 2026", "by 13 March 2026", "in the week of 9 March 2026"."""
        day = f"{self.start.day} {self.start:%B %Y}"
        if self.relation in {"by", "until"}:
            clock = f" {self.at:%H:%M}" if self.at else ""
            return f"{self.relation} {self.end.day} {self.end:%B %Y}{clock}"
        said = {
            "day": f"on {day}",
            "days": f"from {self.start.day} to {self.end.day} {self.end:%B %Y}",
            "week": f"in the week of {day}",
            "weekend": f"on the weekend of {day}",
            "month": f"in {self.start:%B %Y}",
            "quarter": f"in Q{(self.start.month + 2) // 3} {self.start:%Y}",
            "season": f"in {_SEASON_NAMES.get(self.start.month, 'the season')} {self.start:%Y}",
            "year": f"in {self.start:%Y}",
        }[self.grain]
        if self.relation == "since":
            said = "since " + said.partition(" ")[2]
        return f"{said} at {self.at:%H:%M}" if self.at else said


def local(day: date, clock: time, zone: tzinfo) -> datetime:
    """A wall-clock time of a zone with the offset it has that day; a time that a clock change skips moves on by it."""
    at = datetime.combine(day, clock, zone)
    return at.astimezone(UTC).astimezone(zone)


def dates(text: str, now: datetime, zone: tzinfo, direction: Direction) -> list[When]:
    """The resolved date phrases of a text (see :func:`resolve`)."""
    return [when for phrase in find(text) if (when := resolve(phrase, now, zone, direction))]


def resolve(phrase: Phrase, now: datetime, zone: tzinfo, direction: Direction) -> When | None:
    """What a phrase means when it is said at a local time.

    Args:
        now: when it was said, with its offset.
        direction: where to look when the phrase leaves it open: "on Friday" of a plan is the next, of a story the last.

    Returns:
        None for days that do not exist and phrases that cannot be read.
    """
    today = now.astimezone(zone).date()
    if phrase.relation in {"by", "until"}:
        direction = "future"
    try:
        found = span(phrase, today, now.astimezone(zone), direction)
    except (ValueError, OverflowError):
        return None
    if found is None:
        return None
    start, end, grain, clock = found
    group = phrase.hit.group
    said = clock_of(group("at") or group("first_at") or "", clock, evening=phrase.evening) or clock
    dated = bool(
        not (group("month") or group("day") or group("only_month") or group("ordinal"))
        or group("month_year") or group("day_year") or group("bare_month_year")
    )  # fmt: skip
    return When(
        start, end, grain, local(start, said, zone) if said and grain == "day" else None, phrase.relation, dated
    )
