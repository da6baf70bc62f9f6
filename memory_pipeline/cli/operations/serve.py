"""Commands of the server: serve, keys; and add, a turn from the command line."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import console, note, print_json, print_table
from memory_pipeline.cli.reads.reading import AsJson, Limit, Tenant, User
from memory_pipeline.cli.root import Group
from memory_pipeline.errors import SettingsError

if TYPE_CHECKING:
    from memory_pipeline.serving.keys import Key, Keys

app = typer.Typer()
keys = typer.Typer(cls=Group, help="Keys of the server.", no_args_is_help=True)
_INSTALL = "the server is not installed: pip install 'memory-pipeline[serve]'"


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at.", min=1, max=65535)] = 8300,
) -> None:
    """Serve memory over HTTP; without keys to this machine alone."""
    from memory_pipeline.settings import Settings

    try:
        from memory_pipeline.serving import run
        from memory_pipeline.serving.keys import Keys
    except ModuleNotFoundError as error:
        raise SettingsError(f"{_INSTALL} ({error})") from error
    settings = Settings.load()
    if run.refusal(settings, host) is None:
        whom = "whoever has a key" if Keys(settings) else "this machine alone, since there are no keys"
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{port}"
        print(f"serving {whom} at {address} (description at /docs)", file=sys.stderr)
        print(f"the memory panel is at {address}/panel", file=sys.stderr, flush=True)
    run.serve(settings, host, port)


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="What was said; - reads it from standard input.")],
    user: User,
    session: Annotated[str, typer.Option("--session", "-s", help="The session it was said in.")],
    tenant: Tenant = "default",
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "user",
    as_json: AsJson = False,
) -> None:
    """Add a turn: in the session's prompts at once, and a memory with the next run or in seconds beside a server."""
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.messages.working_memory import receive
    from memory_pipeline.storage.logs.working_files import WorkingMemory

    now, settings = datetime.now(UTC), Settings.load()
    row = {
        "tenant_id": tenant,
        "user_id": user,
        "session_id": session,
        "role": role,
        "content": sys.stdin.read() if text == "-" else text,
        "created_at": now.isoformat(),
    }
    received = receive(StageContext(settings, f"add-{now:%Y%m%dT%H%M%S%f}", now), WorkingMemory(settings), [row])
    if as_json:
        print_json(received.to_dict())
    if received.faults:
        print(f"memory-pipeline: not taken: {received.faults[0].reason}", file=sys.stderr)
        raise typer.Exit(1)
    if not as_json:
        console().print(f"taken into session {session} of {user}", markup=False)


Lifetime = Annotated[str | None, typer.Option("--expires", help="After how long, like 90d or 12h; never if absent.")]


@keys.command()
def create(
    tenant: Annotated[str, typer.Option("--tenant", "-t", help="The only tenant it may name.")] = "default",
    user: Annotated[str | None, typer.Option("--user", "-u", help="The only user it may name; any if absent.")] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="read, write, erase, admin; read and write if absent.")
    ] = None,
    expires: Lifetime = None,
    label: Annotated[str, typer.Option(help="What you call it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a key. It is shown once: only a hash of it is kept."""
    from memory_pipeline.serving.keys import Right

    try:
        rights = [Right(name) for name in scope or ("read", "write")]
    except ValueError as error:
        raise typer.BadParameter(f"--scope: {error}; there are {', '.join(Right)}") from error
    lifetime = None if expires is None else _span(expires)
    made, text = _keys().create((tenant, user), rights, datetime.now(UTC), lifetime=lifetime, label=label)
    _show_new(made, text, as_json)


@keys.command("list")
def list_(limit: Limit = None, as_json: AsJson = False) -> None:
    """List the keys, without their secrets."""
    now, found = datetime.now(UTC), _keys().all()[:limit]
    if as_json:
        print_json([_told(key, now) for key in found])
        return
    columns = ("id", "tenant", "user", "scopes", "made", "expires", "label")
    rows = [
        (
            key.key_id,
            key.tenant_id,
            key.user_id or "any",
            " ".join(key.scopes),
            f"{key.created_at:%Y-%m-%d}",
            "never"
            if key.expires_at is None
            else f"{key.expires_at:%Y-%m-%d %H:%M}" + (" (over)" * (not key.holds(now))),
            key.label,
        )
        for key in found
    ]
    if rows:
        print_table("", columns, rows)
    else:
        note("There are no keys: a server answers this machine alone.")


@keys.command()
def revoke(key_id: Annotated[str, typer.Argument(help="Id of a key.")]) -> None:
    """Take a key out of use at once."""
    gone = _keys().revoke(key_id)
    console().print(f"key {gone.key_id} of tenant {gone.tenant_id} is revoked", markup=False)


@keys.command()
def rotate(
    key_id: Annotated[str, typer.Argument(help="Id of a key.")],
    overlap: Annotated[str, typer.Option(help="How long the old one still holds, like 24h.")] = "24h",
    as_json: AsJson = False,
) -> None:
    """Make a key in the place of another one; both hold during the overlap."""
    made, text = _keys().rotate(key_id, datetime.now(UTC), _span(overlap))
    _show_new(made, text, as_json)


def _keys() -> Keys:
    from memory_pipeline.serving.keys import Keys
    from memory_pipeline.settings import Settings

    return Keys(Settings.load())


def _span(text: str) -> timedelta:
    units = {"d": "days", "h": "hours", "m": "minutes"}
    if not (text[:-1].isdecimal() and text[-1:] in units):
        raise typer.BadParameter(f"{text!r} is no span of time like 90d, 12h or 30m")
    return timedelta(**{units[text[-1]]: int(text[:-1])})


def _told(key: Key, now: datetime) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "tenant_id": key.tenant_id,
        "user_id": key.user_id,
        "scopes": list(key.scopes),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "holds": key.holds(now),
        "label": key.label,
    }


def _show_new(made: Key, text: str, as_json: bool) -> None:
    if as_json:
        print_json({**_told(made, made.created_at), "key": text})
        return
    print(text)
    whom = f"user {made.user_id} of tenant {made.tenant_id}" if made.user_id else f"tenant {made.tenant_id}"
    print(f"for {whom} ({' '.join(made.scopes)}); it is not shown again", file=sys.stderr)
