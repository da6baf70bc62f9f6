"""Rates of what should not be, and when one is worth a look: above its limit, or far above what it was before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from memory_pipeline.domain.policy import RatePolicy


class Rate(StrEnum):
    """What is counted, and of what."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Rate:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    JUNK = "junk", "share of proposals that were too vague, short, unsure or trivial to keep"
    DUPLICATE = "duplicate", "share of proposals that said what is remembered already"
    ECHO = "echo", "share of proposals that gave back what had been recalled"
    SECRET = "secret", "share of proposals that held a secret"
    STALE = "stale", "share of the ledger's changes that were memories going stale"
    UNFIT = "unfit", "share of model calls whose reply did not fit"


@dataclass(frozen=True, slots=True)
class Count:
    """How many of how many."""

    part: int = 0
    whole: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.part + other.part, self.whole + other.whole)

    @property
    def share(self) -> float:
        return self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """A rate of some days beside that of the days before.

    Attributes:
        ok: neither above the limit nor far above what it was, or too few to tell.
    """

    now: Count
    before: Count
    limit: float
    ok: bool
    told: str


def total(by_day: Mapping[date, Count], days: Iterable[date]) -> Count:
    """The sum over some days: each proposal counts the same, however full its day was."""
    return sum((by_day[day] for day in days if day in by_day), Count())


def trend(rate: Rate, now: Count, before: Count, policy: RatePolicy) -> Trend:
    """Judge a rate."""
    limit = policy.limits[rate]
    enough, known = now.whole >= policy.least, before.whole >= policy.least
    above = enough and now.share > limit
    rising = enough and known and now.share > max(before.share * policy.rise, policy.floor)
    was = f", {before.share:.1%} before" if before.whole else ""
    why = f": above {limit:.0%}" if above else f": more than {policy.rise:g} times what it was" if rising else ""
    few = "" if enough else f"; fewer than {policy.least} tell nothing"
    told = f"{now.part} of {now.whole} ({now.share:.1%}){was}{why}{few}"
    return Trend(now, before, limit, not above and not rising, told)
