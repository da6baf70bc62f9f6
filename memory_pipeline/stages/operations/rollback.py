"""Rolling back what runs did to memories: holds that put the touched days of the touched users back (``hold``).

Nothing else is written here. The holds are an input of the stages like any other: the days that they name become
stale, and the next run over them withdraws what the runs asserted, asserts again what they withdrew, and re-makes what
rests on it. So it survives a crash at any moment, every replay keeps to it, and a rollback can be rolled back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.ledger.hold import CAUSES, Hold, hold_id, standing_holds, told_in
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.ledger.rollback import Later, Reversal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import RollbackError
from memory_pipeline.stages.consolidation.holds import code_in_force, hold_rows, windows_of
from memory_pipeline.stages.context import StageContext

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Rollback:
    """A rollback that can be made.

    Attributes:
        runs: what it rolls back.
        holds: what is to be written for it.
        withdrawn, asserted: how many versions stop standing, and stand again.
        kept: memories that a run brought and that stay because the user has taken them up by hand.
    """

    runs: tuple[str, ...]
    holds: tuple[Hold, ...]
    withdrawn: int = 0
    asserted: int = 0
    kept: tuple[MemoryVersion, ...] = ()

    @property
    def days(self) -> list[date]:
        """The days that are put back; of weeks the first day."""
        return sorted({hold.day for hold in self.holds})


def prepare(ctx: StageContext, runs: Sequence[str], reason: str = "") -> Rollback:
    """What rolling back some runs comes to; nothing is written.

    Args:
        runs: ids of Dagster runs, which are rolled back as one; or the id of one rollback, which is undone.

    Raises:
        RollbackError: a run is unknown, changed no memory, was rolled back already or was the user's own hand; or what
            it made was made anew since; the message says what to do.
    """
    wanted = tuple(dict.fromkeys(runs))
    holds = hold_rows(ctx)
    rollbacks = {row.rollback_id for row in holds} & set(wanted)
    if rollbacks:
        if len(wanted) > 1:
            named = sorted(rollbacks)[0]
            raise RollbackError("a rollback is undone by itself: name it alone", run_id=named, rollback_id=named)
        return _undoing(ctx, wanted, holds, reason)
    done = {run: hold.rollback_id for hold in standing_holds(holds) for run in hold.runs}
    for run in wanted:
        if run in done:
            raise RollbackError(
                f"run {run} is rolled back already; `memory-pipeline rollback {done[run]}` undoes that",
                run_id=run,
                rollback_id=done[run],
            )
        _require_known(ctx, run)
    return _back(ctx, wanted, reason)


def write(ctx: StageContext, rollback: Rollback) -> None:
    """Put the holds on record: the days that they name are stale from then on."""
    ctx.lake.append("holds", rollback.holds)


def _undoing(ctx: StageContext, runs: tuple[str, ...], holds: Sequence[Hold], reason: str) -> Rollback:
    own = [hold for hold in standing_holds(holds) if hold.rollback_id == runs[0]]
    if not own:
        raise RollbackError(f"rollback {runs[0]} is undone already", run_id=runs[0], rollback_id=runs[0])
    tick = timedelta(microseconds=1)
    return Rollback(
        runs,
        tuple(
            replace(
                hold,
                asserted=False,
                reason=reason,
                run_id=ctx.run_id,
                recorded_at=max(ctx.now, hold.recorded_at + tick),
            )
            for hold in own
        ),
    )


def _require_known(ctx: StageContext, run: str) -> None:
    params = {"run": run}
    found = ctx.lake.sql("SELECT count(*) AS n FROM memory_versions WHERE run_id = $run", params)["n"][0].as_py()
    if found:
        return
    other = ctx.lake.sql(
        "SELECT (SELECT count(*) FROM made WHERE run_id = $run) "
        "+ (SELECT count(*) FROM costs WHERE run_id = $run) AS n",
        params,
    )["n"][0].as_py()
    told = "changed no memory: there is nothing to roll back" if other else "is not known"
    raise RollbackError(f"run {run} {told}; `memory-pipeline runs` lists the runs and what they changed", run_id=run)


def _back(ctx: StageContext, runs: tuple[str, ...], reason: str) -> Rollback:
    from memory_pipeline.storage.parquet.lake import scopes_in
    from memory_pipeline.storage.queries.ledger import versions_of

    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id FROM memory_versions WHERE run_id IN (SELECT unnest($runs)) ORDER BY ALL",
        {"runs": list(runs)},
    )
    users = scopes_in(table)
    rows: dict[Scope, list[MemoryVersion]] = defaultdict(list)
    for row in versions_of(ctx.lake, users):
        rows[row.scope].append(row)
    reversals = {user: Reversal(rows[user], runs) for user in users}
    _require_possible(runs, reversals)
    days = _days_of(ctx, runs, reversals)
    _require_fresh(ctx, {day for span in days.values() for day in span})
    return Rollback(
        runs,
        (*_held_days(ctx, runs, reversals, days, reason), *_held_weeks(ctx, runs, reversals, days, reason)),
        sum(len(r.withdrawn) for r in reversals.values()),
        sum(len(r.asserted) for r in reversals.values()),
        tuple(act for r in reversals.values() for act in r.kept_by_hand()),
    )


def _require_possible(runs: Sequence[str], reversals: dict[Scope, Reversal]) -> None:
    if any(r.by_hand for r in reversals.values()):
        raise RollbackError(
            f"{', '.join(runs)} was done by the user's own hand; take it back with `memory-pipeline edit`, `forget` "
            "or `undo`",
            runs=tuple(runs),
        )
    later = [(user, found) for user, r in reversals.items() for found in r.changed_since()]
    if later:
        raise RollbackError(
            "; ".join(dict.fromkeys(_told(user, found) for user, found in later[:_SHOWN])),
            runs=tuple(runs),
            later_runs=tuple(dict.fromkeys(found.run_id for _, found in later if not found.acts)),
            memory_ids=tuple(dict.fromkeys(act.memory_id for _, found in later for act in found.acts)),
        )
    hollow = [act for r in reversals.values() for act in r.hollow()]
    if hollow:
        shown = "; ".join(f"{act.memory_id} ({act.reason})" for act in hollow[:_SHOWN])
        raise RollbackError(
            f"what the user did by hand since would be left without anything to rest on: {shown}; "
            "forget these memories first, or keep the run",
            runs=tuple(runs),
            memory_ids=tuple(dict.fromkeys(act.memory_id for act in hollow)),
        )


def _told(user: Scope, later: Later) -> str:
    if later.acts:
        act = later.acts[0]
        return (
            f"what the user {user.user_id} did by hand since rests on it and could not be kept: {act.memory_id} "
            f"({act.reason})"
        )
    return (
        f"{later.day} of user {user.user_id} was made anew since, by run {later.run_id}; roll that back first, or name "
        "both"
    )


def _days_of(ctx: StageContext, runs: Sequence[str], reversals: dict[Scope, Reversal]) -> dict[Scope, set[date]]:
    """The days to put back: those that the runs changed, and those that they found to be as they were."""
    table = ctx.lake.sql(
        "SELECT DISTINCT day FROM made WHERE stage = 'memories' AND run_id IN (SELECT unnest($runs))",
        {"runs": list(runs)},
    )
    covered = set(table["day"].to_pylist())
    said = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id, day FROM proposals", days={"proposals": covered}
    ).to_pylist()
    proposed: dict[Scope, set[date]] = defaultdict(set)
    for row in said:
        proposed[Scope(row["tenant_id"], row["user_id"])].add(row["day"])
    return {
        user: (r.days | (covered & (r.active_days | proposed[user]))) if r.days else set()
        for user, r in reversals.items()
    }


def _require_fresh(ctx: StageContext, days: set[date]) -> None:
    from memory_pipeline.stages.plan.freshness import stale
    from memory_pipeline.stages.plan.registry import BY_NAME

    for name in ("proposals", "memories"):
        waiting = sorted(days.intersection(stale(ctx, BY_NAME[name])))
        if waiting:
            raise RollbackError(
                f"{len(waiting)} of the days are stale, {waiting[0]} first: messages, prompts, models or policy have "
                "changed since. `memory-pipeline run` makes them anew by what is in force now, and `memory-pipeline "
                "diff` shows what would come of it",
                stage=name,
                stale_days=tuple(waiting),
            )


def _held_days(
    ctx: StageContext,
    runs: tuple[str, ...],
    reversals: dict[Scope, Reversal],
    days: dict[Scope, set[date]],
    reason: str,
) -> list[Hold]:
    windows = windows_of(ctx, reversals, {day for span in days.values() for day in span})
    return [
        _hold(
            ctx,
            "memories",
            user,
            day,
            runs,
            reversal.stood({day}, CAUSES["memories"]),
            windows.get((user, day), frozenset()),
            reason,
        )
        for user, reversal in reversals.items()
        for day in sorted(days[user])
    ]


def _held_weeks(
    ctx: StageContext,
    runs: tuple[str, ...],
    reversals: dict[Scope, Reversal],
    days: dict[Scope, set[date]],
    reason: str,
) -> list[Hold]:
    """Weeks of which the runs changed nothing but patterns or reflections; others are made from what is put back."""
    found = []
    for user, reversal in reversals.items():
        now = reversal.now_standing()
        for stage, start in sorted(reversal.weeks):
            week = Period(Grain.WEEK, start)
            inside = set(week.days())
            if inside.isdisjoint(days[user]):
                stood = reversal.stood(inside, CAUSES[stage])
                found.append(_hold(ctx, stage, user, start, runs, stood, told_in(week, now), reason))
    return found


def _hold(
    ctx: StageContext,
    stage: str,
    user: Scope,
    day: date,
    runs: tuple[str, ...],
    versions: Sequence[str],
    inputs: frozenset[str],
    reason: str,
) -> Hold:
    return Hold(
        hold_id=hold_id(ctx.run_id, stage, user, day),
        rollback_id=ctx.run_id,
        stage=stage,
        tenant_id=user.tenant_id,
        user_id=user.user_id,
        day=day,
        runs=runs,
        versions=tuple(versions),
        inputs=tuple(sorted(inputs)),
        code=code_in_force(ctx, stage),
        reason=reason,
        asserted=True,
        run_id=ctx.run_id,
        recorded_at=ctx.now,
    )
