"""The Model Context Protocol with its own client: over stdio, on a home and on a server, and at ``/mcp``."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from memory_pipeline import MemoryCurator
from memory_pipeline.serving.app import create_app
from memory_pipeline.serving.keys import Right
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.access_log import AccessLog
from memory_pipeline_tests.serving.running import key_for, until

TOOLS = {
    "add_messages",
    "search_memories",
    "get_context",
    "ask_memory",
    "list_memories",
    "remember",
    "update_memory",
    "forget_memory",
    "explain_memory",
    "get_profile",
}
UNRULY = "My motto is ```carpe diem``` <b>now</b>\n=== RULES ==="


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mcp") / "home"
    with MemoryCurator.open(str(made)) as curator:
        curator.remember("I live in Lisbon.", user_id="ann", tenant_id="acme")
        curator.remember(UNRULY, user_id="ann", tenant_id="acme", type="preference")
        curator.remember("I live in Bonn.", user_id="bob", tenant_id="acme")
    return made


@pytest.fixture(scope="module")
def url(home: Path) -> Iterator[str]:
    """A server in a thread of this process."""
    key_for(home, "acme")
    app = create_app(Settings.load(home=str(home)), work=False)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until(lambda: server.started, what="the server")
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@asynccontextmanager
async def over_http(url: str, key: str | None, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def over_stdio(home: Path, *options: str, **env: str) -> Client:
    """An assistant's own process."""
    given = {"MEMORY_PIPELINE_HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[2]), **env}
    command = ["-m", "memory_pipeline.cli", "mcp", *options]
    return Client(StdioServerParameters(command=sys.executable, args=command, env=given))


async def told(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    """What a tool returns; the text says the same as the structure."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    assert result.structured_content == json.loads(result.content[0].text)
    return result.structured_content


async def refused(client: Client, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error
    return str(result.content[0].text)


async def everything(client: Client) -> None:
    """What an assistant of ann's can do."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools.keys() == TOOLS and all(tool.output_schema and tool.description for tool in tools.values())
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert {name for name, hint in hints.items() if hint and hint.read_only_hint} == {
        name for name in TOOLS if name.startswith(("get", "search", "ask", "list", "explain"))
    }
    destructive = {name for name, hint in hints.items() if hint and hint.destructive_hint}
    assert destructive == {"update_memory", "forget_memory"}

    found = await told(client, "search_memories", query="Where do I live?", k=3)
    assert any(item["content"] == "I live in Lisbon." for item in found["items"])
    assert "Lisbon" in (await told(client, "get_context", message="What is there to see where I live?"))["text"]
    answer = await told(client, "ask_memory", question="Where do I live?")
    assert answer["known"] and "Lisbon" in answer["text"] and answer["citations"]
    listed = await told(client, "list_memories")
    assert listed["total"] == 2 and "Bonn" not in json.dumps(listed)
    motto = next(item["content"] for item in listed["items"] if "motto" in item["content"])
    assert not any(mark in motto for mark in ("```", "<b>", "\n", "===")), "one line that structures nothing"
    assert (await told(client, "list_memories", limit=1, offset=1))["items"] == listed["items"][1:]

    made = await told(client, "remember", content="I play the harp.", due_at="2031-05-01")
    memory_id = made["memory_id"]
    changed = await told(client, "update_memory", memory_id=memory_id, content="I play the lute.")
    assert (changed["memory_id"], changed["change"]) == (memory_id, "edit")
    explained = await told(client, "explain_memory", memory_id=memory_id)
    assert [version["change"] for version in explained["versions"]] == ["add", "edit"]
    assert (await told(client, "forget_memory", memory_id=memory_id))["status"] == "archived"
    turns = [{"role": "user", "content": "I keep two goats.", "message_id": "m-1"}]
    given = {"messages": turns, "session_id": f"mcp-{memory_id}"}
    assert (await told(client, "add_messages", **given))["taken"] == 1
    assert (await told(client, "add_messages", **given))["known"] == 1
    block = await told(client, "get_context", message="What do my animals eat?", session_id=given["session_id"])
    assert "goats" in block["text"]

    assert "no memory 'mem_none'" in await refused(client, "explain_memory", memory_id="mem_none")
    assert "less than or equal to 50" in await refused(client, "search_memories", query="x", k=51)

    assert "Lisbon" in (await told(client, "get_profile"))["text"]
    profile = await client.read_resource("memory://users/ann/profile")
    assert "Lisbon" in profile.contents[0].text and profile.contents[0].mime_type == "text/plain"
    timeline = await client.read_resource("memory://users/ann/timeline")
    (today,) = json.loads(timeline.contents[0].text)
    assert any(change["content"] == "I live in Lisbon." for change in today["changes"])
    prompt = await client.get_prompt("with_memory", {"message": "What is there to see where I live?"})
    text = prompt.messages[0].content.text
    assert "Lisbon" in text and text.endswith("What is there to see where I live?")
    assert "Lisbon" in (await client.get_prompt("what_you_know")).messages[0].content.text


def test_over_stdio_on_a_home(home: Path) -> None:
    async def talk() -> None:
        async with over_stdio(home, "--user", "ann", "--tenant", "acme") as client:
            await everything(client)

    asyncio.run(talk())


@pytest.mark.parametrize("mode", ["auto", "legacy"])  # this year's protocol, and the one that assistants begin with
def test_over_http(home: Path, url: str, mode: str) -> None:
    async def talk() -> None:
        async with over_http(url, key_for(home, "acme", "ann"), mode) as client:
            await everything(client)

    asyncio.run(talk())


def test_over_stdio_on_a_server(home: Path, url: str) -> None:
    async def talk() -> None:
        key = key_for(home, "acme", "ann")
        async with over_stdio(home.parent / "none", "--user", "ann", "--url", url, MEMORY_PIPELINE_KEY=key) as client:
            assert "Lisbon" in (await told(client, "get_profile"))["text"]
            assert "another user" in await refused(client, "get_profile", user_id="bob")

    asyncio.run(talk())
    assert not (home.parent / "none").exists()


Talk = Callable[[Client], Awaitable[None]]


def http_talk(url: str, key: str | None, talk: Talk) -> None:
    async def run() -> None:
        async with over_http(url, key) as client:
            await talk(client)

    asyncio.run(run())


def test_a_key_of_one_user_reaches_no_other(home: Path, url: str) -> None:
    with MemoryCurator.open(str(home)) as curator:
        of_ann = curator.remember("I have a tandem.", user_id="ann", tenant_id="acme").memory_id
    given: dict[str, dict[str, Any]] = {
        "add_messages": {"messages": [{"role": "user", "content": "I live in Rome."}], "session_id": "s"},
        "search_memories": {"query": "tandem"},
        "get_context": {"message": "tandem"},
        "ask_memory": {"question": "Do I have a tandem?"},
        "list_memories": {},
        "remember": {"content": "I live in Rome."},
        "update_memory": {"memory_id": of_ann, "content": "I live in Rome."},
        "forget_memory": {"memory_id": of_ann},
        "explain_memory": {"memory_id": of_ann},
        "get_profile": {},
    }
    assert given.keys() == TOOLS

    async def bob(client: Client) -> None:
        for tool, arguments in given.items():
            assert "another user" in await refused(client, tool, **arguments, user_id="ann"), tool
            if "memory_id" in arguments:
                assert "no memory" in await refused(client, tool, **arguments), tool
        assert "tandem" not in json.dumps(await told(client, "search_memories", query="tandem"))
        for resource in ("profile", "timeline"):
            with pytest.raises(MCPError, match="another user"):
                await client.read_resource(f"memory://users/ann/{resource}")
        with pytest.raises(MCPError):
            await client.get_prompt("with_memory", {"message": "tandem", "user_id": "ann"})

    http_talk(url, key_for(home, "acme", "bob"), bob)


def test_a_tool_needs_the_scope_of_its_route(home: Path, url: str) -> None:
    async def reader(client: Client) -> None:
        assert (await told(client, "list_memories", user_id="bob"))["total"] == 1
        for tool, given in (("remember", {"content": "I live in Rome."}), ("forget_memory", {"memory_id": "mem_1"})):
            assert "scope write" in await refused(client, tool, **given, user_id="bob")
        assert "user_id is missing" in await refused(client, "list_memories")

    key = key_for(home, "acme", rights=(Right.READ,))
    http_talk(url, key, reader)
    entries = AccessLog(Settings.load(home=str(home))).entries()
    assert ("/v1/memories", "bob", 200) in {
        (entry["route"], entry["user_id"], entry["status"]) for entry in entries if entry["key_id"] == key.split("_")[1]
    }


def test_nobody_is_let_in_without_a_key(home: Path, url: str) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for key in (None, "mp_0_0", key_for(home, "acme", rights=(Right.WRITE,))):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = httpx2.post(f"{url}/mcp", json=ping, headers={**headers, "Accept": "application/json"})
        assert answer.status_code in (401, 403) and "tools" not in answer.text
