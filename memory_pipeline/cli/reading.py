"""Commands that read: search, context, ask, memories, explain, sql, costs, verdicts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import console, print_json, print_table

if TYPE_CHECKING:
    from memory_pipeline.retrieval.reader import MemoryReader

app = typer.Typer()
User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.", show_default=False)]
Tenant = Annotated[str, typer.Option("--tenant", "-t", help="The user's tenant.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _reader() -> MemoryReader:
    from memory_pipeline.retrieval.reader import MemoryReader

    return MemoryReader.open()


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
    k: Annotated[int, typer.Option("-k", help="How many items.")] = 10,
    profile: Annotated[str, typer.Option(help="Ranking profile.")] = "default",
    layers: Annotated[str, typer.Option(help="Comma-separated: semantic, episodic, narrative.")] = "semantic,episodic",
    as_of: Annotated[str | None, typer.Option(help="As things stood at that date or time.")] = None,
    explain: Annotated[bool, typer.Option(help="Show what the score is made of.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rank what is remembered for a query."""
    items = _reader().search(
        query,
        user_id=user,
        tenant_id=tenant,
        k=k,
        profile=profile,
        layers=tuple(part.strip() for part in layers.split(",") if part.strip()),
        as_of=_time(as_of),
        explain=explain,
    )
    if as_json:
        print_json(items)
        return
    if not items:
        console().print(f"Nothing is remembered of {user} for that.", markup=False)
        return
    print_table(
        "",
        ("score", "layer", "type", "age", "content"),
        [(f"{i.score:.3f}", i.layer, i.type, i.age, i.content) for i in items],
    )
    if explain:
        for item in items:
            signals = ", ".join(
                f"{n} {s.value:.2f}×{s.weight:.2f}={s.contribution:.3f}" for n, s in item.signals.items()
            )
            console().print(f"{item.id}: {signals}", markup=False)


@app.command()
def context(
    message: Annotated[str, typer.Argument(help="The user's message that the prompt is for.")],
    user: User,
    tenant: Tenant = "default",
    session: Annotated[str | None, typer.Option(help="The session it belongs to.")] = None,
    budget: Annotated[int | None, typer.Option(help="Tokens at most.")] = None,
    layout: Annotated[str, typer.Option(help="memory, lessons or known-facts.")] = "memory",
    as_json: AsJson = False,
) -> None:
    """The block of memory for a prompt."""
    block = _reader().context(message, user_id=user, tenant_id=tenant, session_id=session, budget=budget, layout=layout)
    if as_json:
        print_json(block)
    else:
        print(block.text)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="A question about the user.")],
    user: User,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Answer from memory alone, with citations, or say that it is not known."""
    answer = _reader().ask(question, user_id=user, tenant_id=tenant)
    if as_json:
        print_json({"text": answer.text, "citations": answer.citations, "known": answer.known})
        return
    console().print(answer.text, markup=False)
    if answer.citations:
        console().print("from messages " + ", ".join(answer.citations), markup=False, style="dim")


@app.command()
def memories(
    user: User,
    tenant: Tenant = "default",
    status: Annotated[str | None, typer.Option(help="Only this status.")] = None,
    type: Annotated[str | None, typer.Option(help="Only this type.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what is remembered of a user; all states unless one is named."""
    rows = _reader().memories(user_id=user, tenant_id=tenant, status=status, type=type)
    if as_json:
        print_json(rows)
        return
    print_table(
        f"{len(rows)} memories of {user}",
        ("id", "type", "status", "observed", "content"),
        [(r["memory_id"], r["type"], r["status"], f"{r['observed_at']:%Y-%m-%d}", r["content"]) for r in rows],
    )


@app.command()
def explain(
    memory_id: Annotated[str, typer.Argument(help="Id of a memory.")],
    user: Annotated[str | None, typer.Option("--user", "-u", help="Its user; found by the id when left out.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Its tenant; likewise.")] = None,
    as_json: AsJson = False,
) -> None:
    """Where a memory came from: versions, verdict, proposal, window, messages with the quoted words."""
    from memory_pipeline.cli.owner import owner_of

    reader = _reader()
    scope = owner_of(memory_id, user, tenant)
    found = reader.explain(memory_id, user_id=scope.user_id, tenant_id=scope.tenant_id)
    if as_json:
        print_json(found)
        return
    _print_explanation(found)


def _print_explanation(found: dict[str, Any]) -> None:
    memory = found["memory"]
    console().print(f"{memory['content']}", markup=False, style="bold")
    console().print(f"{memory['memory_id']}  {memory['type']}, {memory['status']}", markup=False)
    print_table(
        "\nVersions",
        ("version", "change", "reason", "day", "status", "run"),
        [(v["version"], v["change"], v["reason"], v["day"], v["status"], v["run_id"][:8]) for v in found["versions"]],
    )
    verdict = found["verdict"]
    if verdict:
        print_table(
            f"\nGate: {verdict['outcome']} ({verdict['reason']})",
            ("rule", "passed", "figure", "threshold", "detail"),
            [(f["code"], f["passed"], f["figure"], f["threshold"], f["detail"]) for f in verdict["findings"]],
        )
    for message in found["messages"]:
        console().print(
            f"\n{message['created_at']}  {message['role']}  {message['message_id']}", markup=False, style="dim"
        )
        console().print(message["content"], markup=False)
        if message.get("quote"):
            console().print(f"quoted: “{message['quote']}”", markup=False, style="green")
    console().print(
        f"\nprompt {found['prompt_hash']}, model {found['model']}, run {found['run_id']}", markup=False, style="dim"
    )


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="DuckDB SQL over the lake's views.")], as_json: AsJson = False
) -> None:
    """Read-only SQL over the lake: messages, proposals, verdicts, memory_versions, memories, summaries, costs, …"""
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.console import query as run_query

    table = run_query(Settings.load(), query)
    if as_json:
        print_json(table.to_pylist())
    else:
        print_table("", table.column_names, [tuple(row.values()) for row in table.to_pylist()])


@app.command()
def verdicts(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Only this tenant.")] = None,
    as_json: AsJson = False,
) -> None:
    """What the gate and consolidation said of the proposals, by reason."""
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.lake import Lake

    rows = (
        Lake(Settings.load().path("lake"))
        .sql(
            "SELECT outcome, reason, count(*) AS proposals FROM verdicts "
            "WHERE ($user IS NULL OR user_id = $user) AND ($tenant IS NULL OR tenant_id = $tenant) "
            "GROUP BY ALL ORDER BY proposals DESC, reason",
            {"user": user, "tenant": tenant},
        )
        .to_pylist()
    )
    if as_json:
        print_json(rows)
    else:
        print_table("", ("verdict", "reason", "proposals"), [tuple(r.values()) for r in rows])
