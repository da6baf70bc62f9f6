"""The patterns of a user's weeks, made while the days after an earlier one are replayed.

A pattern may change what was decided after it, and with that what later patterns rest on. Week by week within one
replay both come to an end at once, where a replay for each change would go through the same days again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion
from memory_pipeline.inference.replies import PatternReply
from memory_pipeline.stages.insight.pattern_groups import Group, UserPatterns


class PatternWeeks:
    """What a replay asks for at the ends of weeks (``consolidation.user_state.WeekEnds``).

    Args:
        user: after a walk.
        first: the day from which on is replayed.
        answer: what is said of a group; None where nothing is, or nothing is known yet: then no pattern is made of it,
            and the next walk finds it.
    """

    def __init__(self, user: UserPatterns, first: date, answer: Callable[[Group], PatternReply | None]) -> None:
        self._user = user
        self._first = first
        self._answer = answer
        self._weeks = {week.end - timedelta(days=1): week for week in user.weeks if week.end > first}
        self._starts = {week.start for week in self._weeks.values()}

    @property
    def days(self) -> frozenset[date]:
        """The last day of each week."""
        return frozenset(self._weeks)

    def begin(self) -> None:
        """Go back to the first day."""
        self._user.go_to(self._first)

    def remakes(self, row: MemoryVersion) -> bool:
        """Whether a row of the ledger is what an earlier run made of one of the weeks."""
        return row.cause is Cause.PATTERN and period_of(Grain.WEEK, row.day).start in self._starts

    def made(self, day: date, state: Mapping[str, MemoryVersion]) -> list[MemoryVersion]:
        """The versions that patterns come to at the end of a week's last day.

        Args:
            state: the replayed memories by id; those that had ended before the first day may be missing.
        """
        return self._user.follow(self._weeks[day], state, self._answer)
