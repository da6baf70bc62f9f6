"""Commands of the user's own hand: remember, edit, forget, pin, unpin, suppress, classify, undo."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_pipeline.cli.output import console, print_json
from memory_pipeline.cli.owner import item_named, memory_named
from memory_pipeline.cli.reads.reading import AsJson, Tenant, User

if TYPE_CHECKING:
    from memory_pipeline.curator import MemoryCurator
    from memory_pipeline.domain.ledger.memory import MemoryVersion

app = typer.Typer()
Id = Annotated[str, typer.Argument(help="Id of a memory, or its beginning.", show_default=False)]
Owner = Annotated[str | None, typer.Option("--user", "-u", help="Its user; found by the id when left out.")]
OwnersTenant = Annotated[str | None, typer.Option("--tenant", "-t", help="Its tenant.")]


def _curator() -> MemoryCurator:
    from memory_pipeline.curator import MemoryCurator

    return MemoryCurator.open()


def _show(version: MemoryVersion, as_json: bool) -> None:
    """One line that says what holds now."""
    if as_json:
        from memory_pipeline.retrieval.lists.listing import record

        print_json(record(version))
        return
    marks = [str(version.status), str(version.type)]
    marks += ["pinned"] if version.pinned else []
    marks += ["never brought up"] if version.surface == "avoid" else []
    console().print(f"{version.reason}: {version.content}  [{version.memory_id}; {', '.join(marks)}]", markup=False)


def _due(text: str | None) -> date | datetime | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text) if len(text) == len("2026-03-10") else datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not an ISO 8601 date or time") from error


@app.command()
def remember(
    text: Annotated[str, typer.Argument(help="One sentence.", show_default=False)],
    user: User,
    tenant: Tenant = "default",
    type: Annotated[str | None, typer.Option(help="profile_fact, preference, open_loop, …")] = None,
    subject: Annotated[str | None, typer.Option(help="Whom or what it is about.")] = None,
    attribute: Annotated[str | None, typer.Option(help="Which attribute of the subject it states.")] = None,
    value: Annotated[str | None, typer.Option(help="The attribute's value.")] = None,
    due: Annotated[str | None, typer.Option(help="Date or time by which an open loop is due.")] = None,
    surface: Annotated[str | None, typer.Option(help="speak, adapt, avoid, continue or fact_check.")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Keep it in every prompt.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remember a fact; effective at once."""
    made = _curator().remember(
        text,
        user_id=user,
        tenant_id=tenant,
        type=type,
        subject=subject,
        attribute=attribute,
        value=value,
        due_at=_due(due),
        surface=surface,
        pinned=pin,
    )
    _show(made, as_json)


@app.command()
def edit(
    memory_id: Id,
    text: Annotated[str, typer.Argument(help="What it says from now on.", show_default=False)],
    user: Owner = None,
    tenant: OwnersTenant = None,
    as_json: AsJson = False,
) -> None:
    """Put a memory in other words; what it said before is never shown again."""
    owner, memory_id = memory_named(memory_id, user, tenant)
    _show(_curator().edit(memory_id, text, user_id=owner.user_id, tenant_id=owner.tenant_id), as_json)


@app.command()
def forget(memory_id: Id, user: Owner = None, tenant: OwnersTenant = None, as_json: AsJson = False) -> None:
    """Never show a memory again, nor what was said of it."""
    owner, memory_id = memory_named(memory_id, user, tenant)
    _show(_curator().forget(memory_id, user_id=owner.user_id, tenant_id=owner.tenant_id), as_json)


@app.command()
def pin(memory_id: Id, user: Owner = None, tenant: OwnersTenant = None, as_json: AsJson = False) -> None:
    """Keep a memory in every prompt, and out of time's reach."""
    owner, memory_id = memory_named(memory_id, user, tenant)
    _show(_curator().pin(memory_id, user_id=owner.user_id, tenant_id=owner.tenant_id), as_json)


@app.command()
def unpin(memory_id: Id, user: Owner = None, tenant: OwnersTenant = None, as_json: AsJson = False) -> None:
    """Treat a memory like any other again."""
    owner, memory_id = memory_named(memory_id, user, tenant)
    _show(_curator().unpin(memory_id, user_id=owner.user_id, tenant_id=owner.tenant_id), as_json)


@app.command()
def suppress(memory_id: Id, user: Owner = None, tenant: OwnersTenant = None, as_json: AsJson = False) -> None:
    """Keep a memory in mind, and never bring it up."""
    owner, memory_id = memory_named(memory_id, user, tenant)
    _show(_curator().suppress(memory_id, user_id=owner.user_id, tenant_id=owner.tenant_id), as_json)


@app.command()
def classify(
    what: Annotated[
        list[str], typer.Argument(help="Id of a memory or a message, and the class; with --domain the class alone.")
    ],
    user: Owner = None,
    tenant: OwnersTenant = None,
    domain: Annotated[str | None, typer.Option(help="All that the user has said in it, and will say.")] = None,
    session: Annotated[str | None, typer.Option(help="Of a message whose id several sessions have.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give a memory, a message or a domain a class: public, internal, restricted or confidential."""
    if len(what) != (2 if domain is None else 1):
        raise typer.BadParameter("name an id and a class, or --domain and a class")
    name, curator = what[-1], _curator()
    if domain is not None:
        if user is None:
            raise typer.BadParameter("--domain needs --user: a domain belongs to its user")
        _show_class(curator.classify_domain(domain, name, user_id=user, tenant_id=tenant or "default"), name, as_json)
        return
    owner, item_id, is_memory = item_named(what[0], user, tenant)
    scope = {"user_id": owner.user_id, "tenant_id": owner.tenant_id}
    if is_memory:
        _show(curator.classify(item_id, name, **scope), as_json)
    else:
        _show_class(curator.classify_message(item_id, name, **scope, session_id=session), name, as_json)


def _show_class(messages: int, name: str, as_json: bool) -> None:
    if as_json:
        print_json({"messages": messages, "classification": name})
    else:
        console().print(f"{messages} {'message is' if messages == 1 else 'messages are'} {name}")


@app.command()
def undo(
    memory_id: Annotated[
        str | None,
        typer.Argument(help="Id of a memory, or its beginning; without it, what the user did last is undone."),
    ] = None,
    user: Owner = None,
    tenant: OwnersTenant = None,
    as_json: AsJson = False,
) -> None:
    """Take back your last act, or your last one on a memory; or overrule what last merged a statement into that memory
    or ended it."""
    if memory_id is None:
        if user is None:
            raise typer.BadParameter("name a memory, or with --user whose last act is to be undone")
        _show(_curator().undo(user_id=user, tenant_id=tenant or "default"), as_json)
        return
    owner, memory_id = memory_named(memory_id, user, tenant)
    _show(_curator().undo(memory_id, user_id=owner.user_id, tenant_id=owner.tenant_id), as_json)
