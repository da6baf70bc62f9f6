"""Who is there, and what whoever asks for somebody unknown may have meant."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Annotated

import typer

from memory_pipeline.cli.output import note, print_json, print_table
from memory_pipeline.cli.reads.reading import AsJson, Limit

app = typer.Typer()
_NOBODY = "Nobody is known yet in this home: memory-pipeline ingest PATH, or name another one with --home"


@app.command()
def users(
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Only this tenant.")] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List the users, with how much is known of each."""
    from memory_pipeline.retrieval.users import everybody
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

    lake = Lake(Settings.load().path("lake"))
    found = everybody(lake, tenant)
    rows = found[:limit]
    if as_json:
        print_json(rows)
        return
    if not rows:
        others = sorted({r["tenant_id"] for r in everybody(lake)}) if tenant is not None else []
        note(f"Tenant {tenant} has nobody; there are {', '.join(others)}" if others else _NOBODY)
        return
    print_table(
        "",
        ("tenant", "user", "messages", "sessions", "memories", "first message", "last message"),
        [
            (
                r["tenant_id"],
                r["user_id"],
                r["messages"],
                r["sessions"],
                r["memories"],
                *(f"{at:%Y-%m-%d}" if (at := r[name]) else "" for name in ("first_message_at", "last_message_at")),
            )
            for r in rows
        ],
        figures=(2, 3, 4),
    )
    if found[len(rows) :]:
        note(f"… and {len(found) - len(rows):,} more")


def suggest(user: str, tenant: str) -> None:
    """Where a user is unknown: say on standard error who may be meant. Of a known one nothing is said."""
    from memory_pipeline.domain.scope import Scope
    from memory_pipeline.retrieval.users import everybody
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.logs.working_files import WorkingMemory
    from memory_pipeline.storage.parquet.lake import Lake

    settings = Settings.load()
    known = [(row["tenant_id"], row["user_id"]) for row in everybody(Lake(settings.path("lake")))]
    talking = any(WorkingMemory(settings).of(Scope(tenant, user), datetime.now(UTC)))
    if (tenant, user) not in known and not talking:
        print(f"memory-pipeline: {who_is_meant(user, tenant, known)}", file=sys.stderr)


def who_is_meant(user: str, tenant: str, known: list[tuple[str, str]]) -> str:
    """What to say of a user whom a tenant does not have.

    Args:
        known: tenant and user of everybody.
    """
    if not known:
        return _NOBODY[0].lower() + _NOBODY[1:]
    unknown = f"tenant {tenant} has no user {user}"
    elsewhere = sorted({t for t, u in known if u == user})
    if elsewhere:
        return f"{unknown}; did you mean tenant {' or '.join(elsewhere)} (--tenant)?"
    near = get_close_matches(user, sorted({u for t, u in known if t == tenant}), n=3)
    if near:
        return f"{unknown}; did you mean {' or '.join(near)}?"
    near = get_close_matches(user, sorted({u for _, u in known}), n=1)
    if near:
        where = sorted({t for t, u in known if u == near[0]})
        return f"{unknown}; did you mean {near[0]} of tenant {' or '.join(where)} (--tenant)?"
    return f"{unknown}; `memory-pipeline users` lists those who are there"
