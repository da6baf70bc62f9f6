"""Commands about time: lifecycle and maturity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import console, note, print_account, print_json, print_table, progress
from memory_pipeline.cli.reads.reading import AsJson, Limit, Tenant, User
from memory_pipeline.cli.runs.writing import Accept, accepted_audits, day_of

if TYPE_CHECKING:
    from memory_pipeline.domain.ledger.memory import MemoryVersion
    from memory_pipeline.settings import Settings

app = typer.Typer()
_BAR = 24  # characters of the longest bar


@app.command()
def lifecycle(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change; write nothing.")] = False,
    through: Annotated[
        str | None, typer.Option(help="Last day whose changes count; today when left out.", show_default=False)
    ] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="With --dry-run: only this user.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="With --dry-run: only this tenant.")] = None,
    accept: Accept = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Let time pass: what goes stale, is archived or closed by the policy table, with the reasons."""
    from memory_pipeline.domain.calendar import local_day
    from memory_pipeline.settings import Settings

    if not dry_run and (user is not None or tenant is not None):
        raise typer.BadParameter("time passes for everybody: --user and --tenant go with --dry-run")
    settings, accepted = Settings.load(), accepted_audits(accept)
    today = local_day(datetime.now(UTC), settings.timezone)
    day = day_of(through) or today
    if not dry_run and day > today:
        raise typer.BadParameter(f"{day} has not come yet: --dry-run says what would change by then")
    run_ids: Sequence[str] = ()
    with progress(not as_json) as tell:
        if dry_run:
            changes = _coming(settings, day, user, tenant, tell)
        else:
            run_ids, changes = _applied(settings, day, accepted, tell)
    if as_json:
        rows = [_shown(before, after) for before, after in changes[:limit]]
        print_json({"through": day, "dry_run": dry_run, "run_ids": list(run_ids), "transitions": rows})
        return
    if not changes:
        whose = "" if user is None else f" of {user}"
        note(f"Nothing{whose} is due by {day}: no memory changes.")
        return
    note(f"{len(changes)} changes by {day}" + (", none of them written" if dry_run else ""))
    print_table(
        "",
        ("day", "user", "memory", "type", "content", "status", "reason"),
        [
            (v.day, v.user_id, v.memory_id, v.type, v.content, f"{before} → {v.status}", v.reason)
            for before, v in changes[:limit]
        ],
    )


def _coming(
    settings: Settings, day: date, user: str | None, tenant: str | None, tell: Any
) -> list[tuple[str, MemoryVersion]]:
    """What would change, each with the status before."""
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.operations.age import transitions

    now = datetime.now(UTC)
    ctx = StageContext(settings, f"lifecycle-{now:%Y%m%dT%H%M%S%f}", now, tell)
    wanted = [v for v in transitions(ctx, day) if user in (None, v.user_id) and tenant in (None, v.tenant_id)]
    return _with_before(settings, wanted)


def _applied(
    settings: Settings, day: date, accepted: Sequence[str], tell: Any
) -> tuple[Sequence[str], list[tuple[str, MemoryVersion]]]:
    """Ids of the run and what it changed, each with the status before."""
    from memory_pipeline.domain.ledger.memory import MemoryVersion
    from memory_pipeline.orchestration.processes.stage_contexts import listen
    from memory_pipeline.orchestration.runs.materialise import sweep
    from memory_pipeline.storage.parquet.lake import Lake

    stop = listen(tell)
    try:
        report = sweep(settings, day, accepted)
    finally:
        stop()
    made = Lake(settings.path("lake")).read(
        "memory_versions",
        MemoryVersion,
        where="run_id IN (SELECT unnest($runs)) AND asserted",
        params={"runs": report.run_ids},
        order="day, tenant_id, user_id, memory_id, version",
    )
    return report.run_ids, _with_before(settings, made)


def _with_before(settings: Settings, versions: Sequence[MemoryVersion]) -> list[tuple[str, MemoryVersion]]:
    """Versions with the status that each one's memory had before it."""
    if not versions:
        return []
    from memory_pipeline.storage.parquet.lake import Lake

    table = Lake(settings.path("lake")).sql(
        "SELECT version_id, status FROM memory_versions WHERE version_id IN (SELECT unnest($ids))",
        {"ids": [v.previous_version_id for v in versions]},
    )
    known = dict(zip(table["version_id"].to_pylist(), table["status"].to_pylist(), strict=True))
    known |= {v.version_id: str(v.status) for v in versions}
    return [(known[v.previous_version_id or ""], v) for v in versions]


def _shown(before: str, version: MemoryVersion) -> dict[str, Any]:
    return {
        "day": version.day,
        "tenant_id": version.tenant_id,
        "user_id": version.user_id,
        "memory_id": version.memory_id,
        "type": version.type,
        "content": version.content,
        "from": before,
        "to": version.status,
        "change": version.change,
        "reason": version.reason,
    }


@app.command()
def maturity(user: User, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """How a user's memory grows beside the messages: by month, age, type and status."""
    from memory_pipeline.retrieval.reader import MemoryReader

    found = MemoryReader.open().maturity(user_id=user, tenant_id=tenant)
    if as_json:
        print_json(found)
        return
    if found["first"] is None:
        console().print(f"Nothing has been said by {user} yet.", markup=False)
        return
    print_maturity(user, found)


def print_maturity(user: str, found: Mapping[str, Any]) -> None:
    """The report of one user, with bars."""
    months = found["months"]
    bars = _bars(m["memories"] for m in months)
    print_account(
        f"{found['memories']} memories of {user} after {found['messages']} messages since {found['first']}",
        ("month", "messages", "so far", "memories", "per 100 messages", ""),
        [
            (m["month"], m["messages"], m["all_messages"], m["memories"], m["per_100_messages"], bar)
            for m, bar in zip(months, bars, strict=True)
        ],
        figures=(1, 2, 3, 4),
    )
    if found["growth"] is not None:
        pace = "slower than" if found["growth"] < 1 else "as fast as or faster than"
        text = f"memories ~ messages^{found['growth']:.2f}: they grow {pace} the messages"
        console().print(text, markup=False, style="dim")
    print_account(
        "Beside what is to be expected",
        ("moment", "day", "memories", "expected"),
        [(m["moment"], m["day"], m["memories"], _expected(m)) for m in found["milestones"]],
        figures=(2,),
    )
    for title in ("age", "type", "status"):
        counts: Mapping[str, int] = found[f"by_{title}"]
        if not counts:
            continue
        cells = zip(counts, counts.values(), _bars(counts.values()), strict=True)
        print_account("", (title, "memories", ""), list(cells), figures=(1,))


def _expected(milestone: Mapping[str, Any]) -> str:
    low, most = milestone["at_least"], milestone["at_most"]
    return f"{low} or more" if most is None else str(low) if low == most else f"{low} to {most}"


def _bars(counts: Iterable[int]) -> list[str]:
    numbers = list(counts)
    top = max([*numbers, 1])
    return ["█" * round(_BAR * n / top) or ("▏" if n else "") for n in numbers]
