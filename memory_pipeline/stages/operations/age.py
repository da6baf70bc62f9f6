"""Time passes: the lifecycle policy's transitions up to a day, as versions with their reasons (DL-26)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import takewhile

from memory_pipeline.domain.calendar import Period
from memory_pipeline.domain.derived.summary import is_over
from memory_pipeline.domain.ledger.fading import NEVER, pass_time
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.ledger.transition import finish
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.holds import holds_in_force
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.clock import take_back_early
from memory_pipeline.stages.publication.audit_result import Audit
from memory_pipeline.stages.publication.publish import ledger_rows
from memory_pipeline.stages.publication.staged_publication import staged
from memory_pipeline.stages.publication.staging import clear

_USERS_AT_ONCE = 500


def transitions(ctx: StageContext, through: date, scopes: Sequence[Scope] | None = None) -> list[MemoryVersion]:
    """What the policy changes by the end of a local day; nothing is written (the dry run).

    Args:
        scopes: users to look at; None = all.
    """
    from memory_pipeline.storage.queries.ageing import ageing, reads_of

    memories = ageing(ctx.lake, through, ctx.policy, scopes)
    reads = reads_of(ctx.lake, memories)
    held = holds_in_force(ctx, {memory.scope for memory in memories})
    found = [
        finish(version, ctx.policy, ctx.run_id, ctx.now)
        for memory in memories
        for version in takewhile(
            _outside(held.get(memory.scope, {})),
            pass_time(memory, through, ctx.policy, reads.get(memory.memory_id, NEVER)),
        )
    ]
    return sorted(found, key=lambda v: (v.day, v.tenant_id, v.user_id, v.memory_id, v.version))


def _outside(held: Container[date]) -> Callable[[MemoryVersion], bool]:
    return lambda version: version.day not in held


@dataclass
class AgeReport:
    """What time has changed.

    Attributes:
        changes: by the day on which they took effect.
        audits: what every audit found before anything was published.
    """

    changes: dict[date, Counter[str]] = field(default_factory=dict)
    audits: tuple[Audit, ...] = ()

    def add(self, versions: Iterable[MemoryVersion]) -> None:
        """Count versions that were published."""
        for version in versions:
            self.changes.setdefault(version.day, Counter())[f"{version.type} → {version.status}"] += 1

    def rows(self) -> dict[date, int]:
        """How many versions were written, by day."""
        return {day: found.total() for day, found in self.changes.items()}


def age(ctx: StageContext, days: Sequence[date]) -> AgeReport:
    """Apply the policy up to the last of some days.

    Raises:
        AuditFailed: what was staged breaks a rule; nothing of it was published.
    """
    report = AgeReport()
    if days:
        take_back_early(ctx)
    scopes = sorted({v.scope for v in transitions(ctx, max(days))}) if days else []

    with staged(ctx, "lifecycle", scopes, at_once=_USERS_AT_ONCE) as publication:
        while publication.users:
            aged = {}
            for batch in publication.batches("ageing"):
                aged[batch] = transitions(ctx, max(days), batch.users)
                batch.put("memory_versions", ledger_rows(ctx, aged[batch], []))
            for batch, published in publication.publish():
                report.add(version for version in aged[batch] if version.scope in published.users)
    report.audits = publication.audits
    if scopes:
        clear(ctx, "lifecycle", None)
    return report


def let_time_pass(ctx: StageContext, weeks: Iterable[Period]) -> tuple[Audit, ...]:
    """Apply the policy up to the end of the weeks that are over, so that what looks back on them finds the same state
    whether it runs right after them or years later. Returns what the audits found.

    Raises:
        AuditFailed: see :func:`age`.
    """
    return age(ctx, [week.end - timedelta(days=1) for week in weeks if is_over(week, ctx.now)]).audits
