"""One user's periods as members of a call; a period with the evidence of a finer one is that one (DL-29)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from memory_pipeline.domain.calendar import Grain, Period, periods
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.summary import SummaryGrain
from memory_pipeline.stages.calendar_requests import Member
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.evidence import Diary

_FINER = {Grain.DAY: (), Grain.WEEK: (Grain.DAY,), Grain.MONTH: (Grain.DAY, Grain.WEEK)}


class PeriodMembers:
    """What is to be asked about each user's days, weeks and months."""

    def __init__(self, ctx: StageContext, held: Mapping[Scope, Diary]) -> None:
        self._policy = ctx.policy.summary
        self._held = held
        self._made: dict[tuple[Scope, Period], Member | None] = {}

    def of(self, period: Period) -> Iterator[tuple[Scope, Member]]:
        """Everybody who wrote in a period, with what is to be asked about it."""
        for scope in self._held:
            member = self._member(scope, period)
            if member is not None:
                yield scope, member

    def _member(self, scope: Scope, period: Period) -> Member | None:
        key = scope, period
        if key not in self._made:
            own = self._own(scope, period)
            self._made[key] = own and (self._finer(own, period) or own)
        return self._made[key]

    def _own(self, scope: Scope, period: Period) -> Member | None:
        figures = self._policy
        tokens, read = {
            Grain.DAY: (figures.day_tokens, figures.day_input_tokens),
            Grain.WEEK: (figures.week_tokens, figures.week_input_tokens),
            Grain.MONTH: (figures.month_tokens, figures.month_input_tokens),
        }[period.grain]
        evidence = self._held[scope].evidence(period.days(), read)
        if evidence is None:
            return None
        last = period.end - timedelta(days=1)
        grain = SummaryGrain(period.grain)
        return Member(scope, grain, period.label, period.start, last, tokens, figures.message_tokens, evidence)

    def _finer(self, own: Member, period: Period) -> Member | None:
        days = [day for day in self._held[own.scope].days() if period.start <= day < period.end]
        for grain in _FINER[period.grain]:
            parts = periods(grain, days)
            whole = len(parts) == 1 and period.start <= parts[0].start and parts[0].end <= period.end
            found = self._member(own.scope, parts[0]) if whole else None
            if found is not None and found.evidence == own.evidence and found.tokens <= own.tokens:
                return found
        return None
