"""The adapters in the frameworks that they are for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, TypedDict

import pytest
from agents import Agent as OpenAIAgent
from agents import Model, ModelResponse, RunConfig, Runner, Usage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph_store import MemoryStore
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llamaindex_memory import UserMemory as LlamaIndexMemory
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from openai_agents_session import MemorySession, instructions
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.messages import TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_memory import UserMemory as PydanticMemory

from memory_pipeline import Memory

CAKE = "Suggest a cake."
REPLY = "A sponge cake, without nuts."


def turns(memory: Memory, user: str, session: str) -> list[tuple[str, str]]:
    """What memory holds of a session."""
    return [
        (m["role"], m["content"]) for m in memory.payload("And now?", user_id=user, session_id=session).messages[1:-1]
    ]


def test_each_is_short() -> None:
    lines = {path.name: len(path.read_text().splitlines()) for path in Path(__file__).parent.glob("*_*.py")}
    assert max(count for name, count in lines.items() if not name.startswith("test_")) <= 100


class State(TypedDict):
    said: str
    found: list[str]


def test_langgraph(memory: Memory, user: str) -> None:
    def recall(state: State, runtime: Runtime[Any]) -> dict[str, list[str]]:
        assert runtime.store is not None
        runtime.store.put(("memories", user), "drink", {"content": "I like green tea."})
        items = runtime.store.search(("memories", user), query=state["said"])
        return {"found": [item.value["content"] for item in items]}

    builder = StateGraph(State)
    builder.add_node("recall", recall)
    builder.add_edge(START, "recall")
    builder.add_edge("recall", END)
    store = MemoryStore(memory)
    graph = builder.compile(store=store)
    assert "I am allergic to hazelnuts." in graph.invoke({"said": "What am I allergic to?", "found": []})["found"]

    place = ("memories", user)
    assert (item := store.get(place, "drink")) and item.value["content"] == "I like green tea."
    store.put(place, "drink", {"content": "I like black tea."})
    assert len(store.search(place)) == 2 and store.get(place, "drink").value["content"] == "I like black tea."
    (found,) = store.search(place, query="tea", filter={"type": "preference"})
    assert found.score and store.get(place, found.key).value == found.value
    store.delete(place, "drink")
    assert store.get(place, "drink") is None
    assert place in store.list_namespaces()
    assert asyncio.run(store.aget(("memories", "nobody"), "drink")) is None
    with pytest.raises(ValueError, match="sentence"):
        store.put(place, "drink", {"colour": "green"})


def test_llamaindex(memory: Memory, user: str) -> None:
    own = LlamaIndexMemory.from_defaults(memory=memory, user_id=user, session_id="s")
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=own)
    engine.chat(CAKE)
    seen = own.get(CAKE)
    assert "hazelnuts" in seen[0].content and [m.role.value for m in seen] == ["system", "user", "assistant"]
    assert turns(memory, user, "s")[0] == ("user", CAKE)
    again = LlamaIndexMemory.of(memory, user, "s")
    assert [m.content for m in again.get_all()] == [m.content for m in own.get_all()]
    again.put(ChatMessage(role="tool", content="7"))
    assert len(turns(memory, user, "s")) == 2, "what tools say is not said by anybody"
    again.reset()
    assert again.get_all() == []


class Parrot(Model):
    """A model that says the same, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str | None, Any]] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        self.asked.append((system_instructions, input))
        text = ResponseOutputText(text=REPLY, type="output_text", annotations=[])
        said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("these tests do not stream")


def test_openai_agents(memory: Memory, user: str) -> None:
    parrot = Parrot()
    agent = OpenAIAgent(name="Helper", instructions=instructions(memory, user, "Be brief."), model=parrot)
    quiet = RunConfig(tracing_disabled=True)

    async def talk() -> None:
        session = MemorySession(memory, "s", user)
        await Runner.run(agent, CAKE, session=session, run_config=quiet)
        await Runner.run(agent, "Another one?", session=MemorySession(memory, "s", user), run_config=quiet)
        assert len(await session.get_items()) == 2 and len(await session.get_items(limit=1)) == 1
        assert (await session.pop_item())["role"] == "assistant"
        await session.clear_session()
        assert await session.get_items() == []
        await memory.aclose()

    asyncio.run(talk())
    assert parrot.asked[0][0].startswith("Be brief.") and "hazelnuts" in parrot.asked[0][0]
    assert [item["content"] for item in parrot.asked[1][1]] == [CAKE, REPLY, "Another one?"]
    assert turns(memory, user, "s")[:2] == [("user", CAKE), ("assistant", REPLY)]


def test_pydantic_ai(memory: Memory, user: str) -> None:
    seen: list[str] = []

    def parrot(messages: list[Any], info: AgentInfo) -> PydanticResponse:
        seen.append(info.instructions or "")
        assert {tool.name for tool in info.function_tools} == {"search_memories", "remember"}
        if len(messages) == 1:
            return PydanticResponse([ToolCallPart("search_memories", {"query": "allergic"})])
        assert "hazelnuts" in str(messages[-1].parts[0].content)
        return PydanticResponse([TextPart(REPLY)])

    agent = PydanticAgent(FunctionModel(parrot), capabilities=[PydanticMemory(memory, user, "s")])

    async def talk() -> None:
        assert (await agent.run(CAKE)).output == REPLY
        await memory.aclose()

    asyncio.run(talk())
    assert "hazelnuts" in seen[0]
    assert turns(memory, user, "s") == [("user", CAKE), ("assistant", REPLY)]
