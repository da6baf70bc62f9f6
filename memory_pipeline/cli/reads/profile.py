"""The command that shows who a user is in a few lines."""

from __future__ import annotations

import typer

from memory_pipeline.cli.output import console, print_json
from memory_pipeline.cli.reads.reading import AsJson, Tenant, User

app = typer.Typer()


@app.command()
def profile(user: User, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Who a user is in a few lines: stands in every prompt, and stays the same until something in it changes."""
    from memory_pipeline.retrieval.reader import MemoryReader

    found = MemoryReader.open().profile(user_id=user, tenant_id=tenant)
    if as_json:
        print_json(found)
    elif found.text:
        print(found.text)
    else:
        console().print(f"Nothing lasting is remembered of {user}.", markup=False)
