"""One user's periods as members of a call; a period with the evidence of a finer one is that one (DL-29).

Where a user writes in several domains, each of them has its own part of a period: what is said in one is told to no
read of another (KN-31).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from memory_pipeline.domain.calendar import Period, periods
from memory_pipeline.domain.derived.summary import SummaryGrain
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.summaries.calendar_requests import Member
from memory_pipeline.stages.summaries.summary_evidence import Diary


@dataclass(frozen=True, slots=True)
class Part:
    """What of a user's period is told together.

    Attributes:
        whole: all of it: the user wrote in one domain, or in none.
        domain: else the one that it is of; None = what belongs to none.
    """

    whole: bool = True
    domain: str | None = None


WHOLE = Part()


class PeriodMembers:
    """What is to be asked about each user's days, weeks and months."""

    def __init__(self, ctx: StageContext, held: Mapping[Scope, Diary]) -> None:
        self._policy = ctx.policy.summary
        self._held = held
        self._made: dict[tuple[Scope, Period, Part], Member | None] = {}

    def of(self, period: Period) -> Iterator[tuple[Scope, Part, Member]]:
        """Everybody who wrote in a period, with what is to be asked about it, by domain where there are several."""
        for scope in self._held:
            for part in self._parts(scope, period):
                member = self._member(scope, period, part)
                if member is not None:
                    yield scope, part, member

    def _parts(self, scope: Scope, period: Period) -> list[Part]:
        domains = self._held[scope].domains(period.days())
        return [Part(False, domain) for domain in domains] if len(domains) > 1 else [WHOLE]

    def _diary(self, scope: Scope, part: Part) -> Diary:
        whole = self._held[scope]
        return whole if part.whole else whole.of_domain(part.domain)

    def _member(self, scope: Scope, period: Period, part: Part) -> Member | None:
        key = scope, period, part
        if key not in self._made:
            own = self._own(scope, period, part)
            self._made[key] = own and (self._finer(own, period, part) or own)
        return self._made[key]

    def _own(self, scope: Scope, period: Period, part: Part) -> Member | None:
        figures = self._policy
        tokens, read = figures.of(period.grain)
        evidence = self._diary(scope, part).evidence(period.days(), read)
        if evidence is None:
            return None
        last = period.end - timedelta(days=1)
        grain = SummaryGrain(period.grain)
        return Member(scope, grain, period.label, period.start, last, tokens, figures.message_tokens, evidence)

    def _finer(self, own: Member, period: Period, part: Part) -> Member | None:
        days = [day for day in self._diary(own.scope, part).days() if period.start <= day < period.end]
        for grain in period.grain.finer:
            inside = periods(grain, days)
            whole = len(inside) == 1 and period.start <= inside[0].start and inside[0].end <= period.end
            found = self._member(own.scope, inside[0], part) if whole else None
            if found is not None and found.evidence == own.evidence and found.tokens <= own.tokens:
                return found
        return None
