"""What ``ask`` costs: in the ledger whatever comes of it, and under the day's limit like every other call."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.errors import BudgetExceeded, ReplyError
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.storage.queries.costs import spending
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import says
from memory_pipeline_tests.store import NOW, Store


def _reader(home: Store, **settings: Any) -> MemoryReader:
    hosted = Settings(home=str(home.home), chat="openai", chat_retries=0, **settings)
    return MemoryReader(
        hosted, encoder=home.encoder, clock=lambda: NOW, chat=lambda: OpenAIChat(hosted, Prompts.open(hosted))
    )


def test_a_reply_that_does_not_fit_is_paid_for_all_the_same(own_home: Store, protocol_server: ProtocolServer) -> None:
    own_home.memory("Lives in Lisbon.")
    protocol_server.script(says("no JSON"), says("no JSON"))
    with pytest.raises(ReplyError):
        _reader(own_home).ask("lives in Lisbon", **own_home.owner)
    (row,) = spending(own_home.lake, "stage")[0]
    assert (row["stage"], row["calls"]) == ("answer", 2) and row["usd"] > 0
    assert row["prompt_tokens"] == sum(call.prompt_tokens for call in protocol_server.calls)


def test_the_budget_holds_for_answers(own_home: Store, protocol_server: ProtocolServer) -> None:
    own_home.memory("Lives in Lisbon.")
    protocol_server.answer("answer", {"text": "In Lisbon.", "citations": ["i1"], "known": True})
    with pytest.raises(BudgetExceeded):
        _reader(own_home, budget_usd_per_day=0.0).ask("lives in Lisbon", **own_home.owner)
    assert protocol_server.calls == []
    dear: dict[str, Any] = {"budget_usd_per_day": 0.61, "chat_output_usd": 1000.0}  # 600 tokens at most: 0.6 USD
    assert _reader(own_home, **dear).ask("lives in Lisbon", **own_home.owner).known
    spent = spending(own_home.lake, "day")[1]["usd"]
    assert spent > 0.01, "so little that another call would fit, if it were as cheap"
    with pytest.raises(BudgetExceeded, match=rf"{spent:.4f} of 0\.61 USD, and the next call may take 0\.60"):
        _reader(own_home, **dear).ask("lives in Lisbon", **own_home.owner)
    assert len(protocol_server.calls) == 1
