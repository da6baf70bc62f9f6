"""Open loops: what may end one, and when one is followed up.

What ends one is an act of the same person, since the plan was stated, that was carried through (DL-7). These guards
look at what was said and when, and hold whatever a judge says; which loop is meant is the judge's matter.
"""

from __future__ import annotations

import re
from datetime import datetime

from memory_pipeline.domain.calendar import age, local_day, zone
from memory_pipeline.domain.consolidation.plans.fulfilment import by_others
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.text import normalise

_FAR_DAYS = 14  # a due date further off is told in weeks and months
_RECURRING = lazy(
    r"\b(?:every|each|daily|weekly|monthly|yearly|annually|nightly|once an?|twice an?|times an?|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends)\b",
    re.I,
)
_PARTIAL = lazy(
    r"\b(?:half|halfway|part|parts|most|some|almost|nearly|partly|partially|mostly|two thirds|"
    r"(?:a|one) (?:third|quarter|bit|little)|the first|first (?:draft|half|part)|\d+ ?(?:%|percent)|"
    r"(?<!all )\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|a few|several) (?:out )?of)\b",
    re.I,
)
_ATTEMPT = lazy(
    r"^(?:the user )?(?:has |have |had )?(?:tried|attempted|failed|forgot(?:ten)?|started|began|begun|missed|planned|"
    r"promised|wanted|intended|decided|postponed|delayed|reminded|considered|asked|stopped)\b",
    re.I,
)


def may_end(proposal: Proposal, loop: MemoryVersion) -> bool:
    """Whether a statement can tell that an open loop is over.

    An act on a day before the plan was stated, of somebody else, half done, or only tried ends nothing; nor does doing
    once what is to be done again and again. That something is given up (``negated``) ends all of these. Of what others
    do only that counts which the plan was to bring about: the plumber came, Greta has her money.
    """
    if loop.observed_at > proposal.observed_at or _before(proposal, loop):
        return False
    if proposal.subject and loop.subject and normalise(proposal.subject) != normalise(loop.subject):
        return by_others(proposal.content, loop.content, proposal.subject)
    return proposal.negated or _carried_through(proposal.content, loop.content)


def _before(proposal: Proposal, loop: MemoryVersion) -> bool:
    """Whether it happened on an earlier day than the one on which the plan was stated."""
    at = proposal.valid_from
    zone = loop.timezone
    return at is not None and local_day(at, zone) < local_day(loop.observed_at, zone)


def _carried_through(said: str, loop: str) -> bool:
    if _ATTEMPT.match(said) or _RECURRING.search(loop):
        return False
    return not _PARTIAL.search(said) or bool(_PARTIAL.search(loop))


def due_soon(due_at: datetime, at: datetime, timezone: str, within_days: int) -> bool:
    """Whether a due date is near enough to follow it up: within so many local days, or over."""
    return (local_day(due_at, timezone) - local_day(at, timezone)).days <= within_days


def over(due_at: datetime, referenced_at: datetime, at: datetime, timezone: str, grace: int) -> bool:
    """Whether the days of grace are over, as the lifecycle counts them, although it has not run yet (DL-26)."""
    waits = max(due_at, referenced_at)  # stated after its due date, it counts as due when stated
    return (local_day(at, timezone) - local_day(waits, timezone)).days > grace


def due_note(due_at: datetime, at: datetime, timezone: str) -> str:
    """ "due 2026-05-01 09:00, tomorrow": the user's calendar and clock; no time where only the day was said."""
    local, days = due_at.astimezone(zone(timezone)), (local_day(due_at, timezone) - local_day(at, timezone)).days
    clock = "" if (local.hour, local.minute, local.second) == (23, 59, 59) else f" {local:%H:%M}"
    near = {0: "today" if due_at >= at else "earlier today", 1: "tomorrow", -1: "yesterday"}.get(days)
    if near is None:
        near = f"{-days} days overdue" if days < 0 else f"in {days} days" if days < _FAR_DAYS else age(due_at, at)
    return f"due {local:%Y-%m-%d}{clock}, {near}"
