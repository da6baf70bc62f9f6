"""The command mcp: memory for an assistant that speaks the Model Context Protocol over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_pipeline.errors import SettingsError

app = typer.Typer()
_INSTALL = "the protocol is not installed: pip install 'memory-pipeline[mcp]'"


@app.command()
def mcp(
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="The only user it is about; each request names one if absent.")
    ] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="The tenant; the key's own, or default.")] = None,
    url: Annotated[
        str | None, typer.Option(help="A server to ask; MEMORY_PIPELINE_URL, else the home, if absent.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Its key; better given as MEMORY_PIPELINE_KEY.")] = None,
) -> None:
    """Serve memory over MCP on standard input and output, for assistants that start it themselves."""
    from memory_pipeline.sdk.memory import Memory
    from memory_pipeline.settings import Settings

    try:
        from memory_pipeline.serving.mcp.reach import one_memory
        from memory_pipeline.serving.mcp.server import build
    except ModuleNotFoundError as error:
        raise SettingsError(f"{_INSTALL} ({error})") from error
    settings = Settings.load()
    address = url or settings.url
    with Memory.connect(address, key) if address is not None else Memory.open(settings=settings) as memory:
        build(one_memory(memory, user, tenant)).run("stdio")
