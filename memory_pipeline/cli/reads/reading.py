"""Commands that read: search, context, ask, memories, entities, explain, sql, verdicts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_pipeline.cli.output import note, print_json, print_table, tell
from memory_pipeline.domain.scope import Scope

if TYPE_CHECKING:
    from memory_pipeline.retrieval.reader import MemoryReader

app = typer.Typer()
User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.", show_default=False)]
Tenant = Annotated[str, typer.Option("--tenant", "-t", help="The user's tenant.")]
Detail = Annotated[str, typer.Option(help="normal, or high: also what is stale or archived.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="At most so many rows.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _reader() -> MemoryReader:
    from memory_pipeline.retrieval.reader import MemoryReader

    return MemoryReader.open()


def _asked_reader() -> MemoryReader:
    """A reader for one request, whose text alone is encoded."""
    from memory_pipeline.inference.models import open_encoder
    from memory_pipeline.retrieval.reader import MemoryReader
    from memory_pipeline.settings import Settings

    settings = Settings.load()
    return MemoryReader(settings, encoder=open_encoder(settings, few=True))


def _time(text: str | None) -> date | datetime | None:
    """A day (then as it stood at its end) or a time, UTC unless it says otherwise."""
    if text is None:
        return None
    try:
        if len(text) == len("2026-03-10"):
            return date.fromisoformat(text)
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not an ISO 8601 date or time") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    user: User,
    tenant: Tenant = "default",
    k: Annotated[int, typer.Option("-k", "--limit", min=1, help="How many items.")] = 10,
    profile: Annotated[str, typer.Option(help="Ranking profile.")] = "default",
    layers: Annotated[str, typer.Option(help="Comma-separated: semantic, episodic, narrative.")] = "semantic,episodic",
    as_of: Annotated[str | None, typer.Option(help="As things stood at that date or time.")] = None,
    detail: Detail = "normal",
    explain: Annotated[bool, typer.Option(help="Show what the score is made of.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rank what is remembered for a query."""
    from memory_pipeline.cli.reads.users import suggest

    items = _asked_reader().search(
        query,
        user_id=user,
        tenant_id=tenant,
        k=k,
        profile=profile,
        layers=tuple(part.strip() for part in layers.split(",") if part.strip()),
        as_of=_time(as_of),
        detail=detail,
        explain=explain,
    )
    if not items:
        suggest(user, tenant)
    if as_json:
        print_json(items)
        return
    if not items:
        note(f"Nothing is remembered of {user} for that.")
        return
    print_table(
        "",
        ("id", "score", "type", "age", "content"),
        [(i.id, f"{i.score:.3f}", i.type, i.age, i.content) for i in items],
    )
    if explain:
        for item in items:
            strongest = sorted(item.signals.items(), key=lambda signal: -abs(signal[1].contribution))
            signals = ", ".join(
                f"{n} {s.value:.2f}×{s.weight:.2f}={s.contribution:.3f}" for n, s in strongest if s.contribution
            )
            note(f"{item.id}: {signals}")


@app.command()
def context(
    message: Annotated[str, typer.Argument(help="The user's message that the prompt is for.")],
    user: User,
    tenant: Tenant = "default",
    session: Annotated[str | None, typer.Option(help="The session it belongs to.")] = None,
    budget: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    layout: Annotated[str, typer.Option(help="memory, lessons or known-facts.")] = "memory",
    scope: Annotated[str, typer.Option(help="user, or conversation: what was said in the session alone.")] = "user",
    detail: Detail = "normal",
    as_json: AsJson = False,
) -> None:
    """The block of memory for a prompt."""
    from memory_pipeline.cli.reads.users import suggest

    block = _asked_reader().context(
        message,
        user_id=user,
        tenant_id=tenant,
        session_id=session,
        budget=budget,
        layout=layout,
        scope=scope,
        detail=detail,
    )
    if not block.item_ids:
        suggest(user, tenant)
    if as_json:
        print_json(block)
    else:
        print(block.text)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="A question about the user.")],
    user: User,
    tenant: Tenant = "default",
    detail: Detail = "normal",
    as_json: AsJson = False,
) -> None:
    """Answer from memory alone, with citations, or say that it is not known."""
    from memory_pipeline.cli.reads.users import suggest
    from memory_pipeline.retrieval.answers.answer import NOT_KNOWN

    answer = _asked_reader().ask(question, user_id=user, tenant_id=tenant, detail=detail)
    if answer.text == NOT_KNOWN:  # what comes nearest is told of a known user only
        suggest(user, tenant)
    if as_json:
        print_json({"text": answer.text, "citations": answer.citations, "known": answer.known})
        return
    tell(answer.text)
    if answer.citations:
        tell("from messages " + ", ".join(answer.citations), style="dim")


@app.command()
def memories(
    user: User,
    tenant: Tenant = "default",
    status: Annotated[str | None, typer.Option(help="Only this status.")] = None,
    type: Annotated[str | None, typer.Option(help="Only this type.")] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List what is remembered of a user; all states unless one is named."""
    from memory_pipeline.cli.reads.users import suggest

    found = _reader().memories(user_id=user, tenant_id=tenant, status=status, type=type)
    if not found:
        suggest(user, tenant)
    rows = found[:limit]
    if as_json:
        print_json(rows)
        return
    print_table(
        f"{_of(len(rows), len(found))} memories of {user}",
        ("id", "type", "status", "observed", "content"),
        [(r["memory_id"], r["type"], r["status"], f"{r['observed_at']:%Y-%m-%d}", r["content"]) for r in rows],
    )


@app.command()
def entities(
    user: User,
    tenant: Tenant = "default",
    kind: Annotated[str | None, typer.Option(help="Only this kind, like person or place.")] = None,
    as_of: Annotated[str | None, typer.Option(help="As things stood at that date or time.")] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List who and what a user's memories are about, with the names they go by."""
    from memory_pipeline.cli.reads.users import suggest

    found = _reader().entities(user_id=user, tenant_id=tenant, kind=kind, as_of=_time(as_of))
    if not found:
        suggest(user, tenant)
    rows = found[:limit]
    if as_json:
        print_json(rows)
        return
    print_table(
        f"{_of(len(rows), len(found))} entities of {user}",
        ("name", "kind", "also", "memories", "last mentioned"),
        [
            (
                r["name"],
                r["kind"],
                ", ".join(a["name"] for a in r["aliases"]),
                len(r["memory_ids"]),
                f"{r['last_seen']:%Y-%m-%d}",
            )
            for r in rows
        ],
    )


def _of(shown: int, found: int) -> str:
    return str(found) if shown == found else f"{shown} of {found}"


@app.command()
def explain(
    memory_id: Annotated[str | None, typer.Argument(help="Id of a memory, or its beginning.")] = None,
    message: Annotated[str | None, typer.Option(help="Id of a message: why its sentences are shown or not.")] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Its user; found by the id when left out.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Its tenant; likewise.")] = None,
    as_json: AsJson = False,
) -> None:
    """Where a memory came from, down to the sentence: versions, verdict, proposal, window, messages, model, cost; or,
    of a message, whose words each sentence is and why prompts quote it or not."""
    from memory_pipeline.cli.owner import memory_named, message_named
    from memory_pipeline.cli.reads.explanation import print_explanation, print_turns

    if (memory_id is None) == (message is None):
        raise typer.BadParameter("name either a memory or, with --message, a message")
    reader = _reader()
    if message is not None:
        if user is None:
            raise typer.BadParameter("a message is looked up for a user: add --user")
        scope = Scope(tenant or "default", user)
        message = message_named(message, scope.user_id, scope.tenant_id)
        turns = reader.explain_message(message, user_id=scope.user_id, tenant_id=scope.tenant_id)
        print_json(turns) if as_json else print_turns(turns)
        return
    assert memory_id is not None
    scope, memory_id = memory_named(memory_id, user, tenant)
    found = reader.explain(memory_id, user_id=scope.user_id, tenant_id=scope.tenant_id)
    if as_json:
        print_json(found)
        return
    print_explanation(found)


@app.command()
def sql(
    query: Annotated[str | None, typer.Argument(help="DuckDB SQL over the lake's views.", show_default=False)] = None,
    views: Annotated[bool, typer.Option("--views", help="List the views with their columns instead.")] = False,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Read-only SQL over the lake: messages, proposals, verdicts, memory_versions, memories, summaries, costs, …"""
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.queries import console as lake
    from memory_pipeline.storage.queries.plain_values import plain_rows

    if views == (query is not None):
        raise typer.BadParameter("give a query, or --views")
    if query is None:
        there = lake.views(Settings.load())
        if as_json:
            print_json([{"view": view, "columns": columns} for view, columns in there.items()])
        else:
            print_table("", ("view", "columns"), [(view, ", ".join(columns)) for view, columns in there.items()])
        return
    table = lake.query(Settings.load(), query).slice(0, limit)
    if as_json:
        print_json(plain_rows(table))
    else:
        print_table("", table.column_names, [tuple(row.values()) for row in plain_rows(table)])


@app.command()
def verdicts(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Only this tenant.")] = None,
    reason: Annotated[str | None, typer.Option(help="List the proposals with this reason.")] = None,
    day: Annotated[str | None, typer.Option(help="Only this day, like 2026-03-10.")] = None,
    first: Annotated[str | None, typer.Option("--from", help="First day.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day, included.")] = None,
    examples: Annotated[int, typer.Option(min=0, help="Examples of each reason.")] = 2,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """What the gate and consolidation said of the proposals: how many by reason, or which have one reason."""
    from memory_pipeline.retrieval.lists.verdicts import VerdictFilter, by_reason, of_reason
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

    if day is not None and (first is not None or last is not None):
        raise typer.BadParameter("--day stands alone; a span is given with --from and --to")
    settings = Settings.load()
    lake, policy = Lake(settings.path("lake")), settings.policies.gate
    wanted = VerdictFilter(user, tenant, _day(day or first), _day(day or last))
    if reason is None:
        rows = by_reason(lake, wanted, policy, examples)[:limit]
        columns = ("verdict", "reason", "proposals", "share", "meaning", "examples")
        cells = [
            (r["outcome"], r["reason"], r["proposals"], f"{r['share']:.1%}", r["meaning"], "\n".join(r["examples"]))
            for r in rows
        ]
    else:
        rows = of_reason(lake, reason, wanted, policy)[:limit]
        columns = ("day", "user", "type", "content", "why", "quoted")
        cells = [(r["day"], r["user_id"], r["type"], r["content"], r["why"], "\n".join(r["quotes"])) for r in rows]
    if as_json:
        print_json(rows)
    else:
        print_table("", columns, cells)


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a day like 2026-03-10") from error
