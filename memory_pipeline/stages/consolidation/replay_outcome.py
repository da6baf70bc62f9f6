"""What replays of users come to, as rows to be written: verdicts, and rows of the ledger."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.replay import Replay
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.audit_result import Audit
from memory_pipeline.stages.publication.one_writer import VERDICTS, alone
from memory_pipeline.stages.publication.publish import ledger_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.lake import Lake

_DAYS_AT_ONCE = 31  # whose verdicts are read together
Covered = Mapping[date, AbstractSet[Scope]]


@dataclass(frozen=True)
class Outcome:
    """Rows to be written for some users.

    Attributes:
        versions: rows of the ledger, withdrawals included.
        verdicts: those of the days covered.
        covered: days whose verdicts these replace, with the users that it is done for.
        failed: days on which the judge's reply did not fit.
    """

    versions: pa.Table
    verdicts: pa.Table
    covered: Covered
    failed: AbstractSet[date]

    def only(self, lake: Lake, users: Collection[Scope]) -> Outcome:
        """The rows of some of the users."""
        covered = {day: kept for day, scopes in self.covered.items() if (kept := scopes & set(users))}
        versions, verdicts = (_of(lake, rows, users) for rows in (self.versions, self.verdicts))
        return Outcome(versions, verdicts, covered, self.failed)


def outcome_of(ctx: StageContext, replays: Sequence[Replay], acts: Sequence[MemoryVersion] = ()) -> Outcome:
    """What some settled replays come to.

    Args:
        acts: of the users' hands that are replayed for the first time: the ledger does not hold them yet; or rows that
            withdraw such acts.
    """
    from memory_pipeline.storage.parquet.arrow_rows import to_table

    covered: dict[date, set[Scope]] = defaultdict(set)
    for replay in replays:
        for day in replay.covered:
            covered[day].add(replay.history.scope)
    users = {r.history.scope for r in replays}
    new = {act.version_id: act for act in acts if act.scope in users}
    moved = {v.version_id for r in replays for v in r.withdrawn}
    asserted = [v for r in replays for v in r.asserted] + [
        act for i, act in new.items() if act.asserted and i not in moved
    ]
    withdrawn = [v for r in replays for v in r.withdrawn if v.version_id not in new]
    withdrawn += [act for act in new.values() if not act.asserted]
    verdicts = [v for r in replays for made in r.verdicts.values() for v in made]
    versions = to_table(ledger_rows(ctx, asserted, withdrawn), MemoryVersion)
    return Outcome(versions, to_table(verdicts, Verdict), covered, {day for r in replays for day in r.failed})


def replace_verdicts(ctx: StageContext, made: Outcome) -> None:
    """Put verdicts in the place of those that the users had on the days covered; other users' stay."""
    with alone(ctx.settings, VERDICTS):
        covered = sorted(made.covered)
        for start in range(0, len(covered), _DAYS_AT_ONCE):
            _replace_verdicts(ctx, made, covered[start : start + _DAYS_AT_ONCE])


def _replace_verdicts(ctx: StageContext, made: Outcome, days: Sequence[date]) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    from memory_pipeline.storage.parquet.schemas import DATASETS

    dataset = DATASETS["verdicts"]
    order = [(name, "ascending") for name in dataset.key]
    there = ctx.lake.columns("verdicts", ctx.lake.files("verdicts", days), dataset.schema.names)
    for day in days:
        held = there.filter(pc.equal(there["day"], day)).cast(dataset.schema)
        own = made.verdicts.filter(pc.equal(made.verdicts["day"], day)).select(dataset.schema.names)
        users = {(scope.tenant_id, scope.user_id) for scope in made.covered[day]}
        owners = zip(held["tenant_id"].to_pylist(), held["user_id"].to_pylist(), strict=True)
        others = held.filter(pa.array([owner not in users for owner in owners], pa.bool_()))
        rows = pa.concat_tables([others, own.cast(dataset.schema)]).sort_by(order)
        if rows != held.sort_by(order):
            ctx.lake.replace("verdicts", day, rows)


def _of(lake: Lake, rows: pa.Table, users: Collection[Scope]) -> pa.Table:
    from memory_pipeline.storage.parquet.lake import scopes_table

    kept = lake.sql(
        "SELECT r.* FROM rows_of_all r SEMI JOIN users USING (tenant_id, user_id)",
        tables={"rows_of_all": rows, "users": scopes_table(users)},
    )
    return kept.select(rows.schema.names).cast(rows.schema)


@dataclass
class ConsolidateReport:
    """What consolidation did.

    Attributes:
        verdicts: by day and (outcome, reason).
        changes: versions written, by day and change.
        withdrawn: versions withdrawn because what they rested on changed.
        replayed: partitions after the requested days that late input made anew.
        memory_ids: memories that got or lost a version.
        failed: days on which the judge's reply did not fit: what holds there is the cautious decision, and the next
            run asks again.
        audits: what every audit found before anything was published.
    """

    verdicts: dict[date, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    changes: dict[date, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    withdrawn: Counter[date] = field(default_factory=Counter)
    replayed: set[date] = field(default_factory=set)
    memory_ids: set[str] = field(default_factory=set)
    failed: set[date] = field(default_factory=set)
    audits: tuple[Audit, ...] = ()

    def add(self, made: Outcome, last: date) -> None:
        """Count what was written.

        Args:
            last: of the requested days.
        """
        for row in made.verdicts.group_by(["day", "outcome", "reason"]).aggregate([([], "count_all")]).to_pylist():
            self.verdicts[row["day"]][row["outcome"], row["reason"]] += row["count_all"]
        for row in made.versions.group_by(["day", "change", "asserted"]).aggregate([([], "count_all")]).to_pylist():
            if row["asserted"]:
                self.changes[row["day"]][row["change"]] += row["count_all"]
            else:
                self.withdrawn[row["day"]] += row["count_all"]
        self.memory_ids.update(made.versions["memory_id"].to_pylist())
        self.replayed |= {day for day in made.covered if day > last}
        self.failed |= made.failed
