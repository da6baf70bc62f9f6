"""What a dense day costs: packs follow the replies that come back, and hardly a token is billed twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.hosted.limits import Limits
from memory_pipeline.stages.extraction.extract import ExtractReport, extract
from memory_pipeline.stages.extraction.packing import Capacity, Joint, grouped
from memory_pipeline.storage.parquet.schemas import Quarantined
from memory_pipeline_tests.factories import NOON, POLICY, message
from memory_pipeline_tests.protocol_engines import at_most, cut, llama_cpp, ollama, vllm
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, Step
from memory_pipeline_tests.stages.echoing import asked, context, draft, echo, proposed, windows_of
from memory_pipeline_tests.stages.test_packing import cut as cut_windows


def dense(sessions: int, turns: int, user: str = "ann") -> list[Message]:
    """Sessions in which every turn states a thing about its user."""
    return [
        message(
            f"On trip {s} I bought item {n} in town {n * s % 97}.",
            NOON + timedelta(days=s, minutes=n),
            user_id=user,
            session_id=f"{user}-{s:03}",
            message_id=f"{user}-{s}-{n}",
        )
        for s in range(sessions)
        for n in range(turns)
    ]


def played(
    path: Path, server: ProtocolServer, says: Callable[[Call], Any], messages: list[Message]
) -> tuple[ExtractReport, int, float]:
    """What extraction came to, how many calls it took, and what was billed for each token that was of use."""
    ctx = context(path)
    ctx.lake.append("messages", messages)
    billed: list[int] = []

    def answer(call: Call) -> Any:
        said = says(call)
        text = said.text or "" if isinstance(said, Step) else said if isinstance(said, str) else json.dumps(said)
        billed.append(estimate_tokens(text))
        return said

    server.answer("extract", answer)
    report = extract(ctx, ctx.lake.days("messages"))
    useful = sum(estimate_tokens(json.dumps(draft("m10", m.content))) for m in messages)
    assert len(proposed(ctx)) == len(messages) - report.failed.total()
    return report, len(asked(server)), sum(billed) / useful


@pytest.mark.parametrize("sessions", [12, 60, 150])
def test_hardly_a_token_is_billed_twice(tmp_path: Path, protocol_server: ProtocolServer, sessions: int) -> None:
    report, _, share = played(tmp_path, protocol_server, cut(echo), dense(sessions, 10))
    assert not report.failed and share <= 1.1


@pytest.mark.parametrize("output", [2_000, 4_096])
def test_a_model_that_writes_little_gets_smaller_packs(
    tmp_path: Path, protocol_server: ProtocolServer, output: int
) -> None:
    report, _, share = played(tmp_path, protocol_server, at_most(echo, output), dense(40, 6))
    assert not report.failed and share <= 1.35


@pytest.mark.parametrize("engine", [vllm, ollama, llama_cpp])
def test_a_small_context_loses_no_window(
    tmp_path: Path, protocol_server: ProtocolServer, engine: Callable[..., Callable[[Call], Any]]
) -> None:
    report, calls, _ = played(tmp_path, protocol_server, engine(echo, 8_192), dense(30, 6))
    assert not report.failed
    assert calls <= 30
    before = len(asked(protocol_server))
    ctx = context(tmp_path)
    ctx.lake.append("messages", dense(20, 6, "bob"))
    assert not extract(ctx, ctx.lake.days("messages")).failed
    refused = [c for c in asked(protocol_server)[before:] if c.prompt_tokens > 8_192]
    assert not refused, "what was learnt is kept"


def test_where_not_even_one_window_fits_the_reason_is_the_server_s(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    ctx = context(tmp_path)
    ctx.lake.append("messages", dense(3, 5))
    protocol_server.answer("extract", vllm(echo, 512))
    report = extract(ctx, ctx.lake.days("messages"))
    assert report.failed.total() == 3
    assert "maximum context length is 512 tokens" in report.why and "--max-model-len" in report.why
    assert len(asked(protocol_server)) <= 3


def test_a_bad_item_is_kept_to_look_at(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    def spoilt(call: Call) -> Any:
        said = echo(call)
        said["windows"][0]["proposals"][0]["operation"] = "delete"
        return said

    ctx = context(tmp_path)
    ctx.lake.append("messages", dense(2, 3))
    protocol_server.answer("extract", spoilt)
    assert not extract(ctx, ctx.lake.days("messages")).failed
    assert len(proposed(ctx)) == 5 and len(asked(protocol_server)) == 1
    (kept,) = ctx.lake.read("quarantined", Quarantined)
    assert "windows.0.proposals.0" in kept.reason and kept.line == 1 and "trip 0" in kept.content


def test_packs_follow_what_a_user_s_replies_have_taken(tmp_path: Path) -> None:
    _, todo = cut_windows(tmp_path, *dense(30, 10), *dense(30, 10, "bob"))
    capacity = Capacity(12_000, 16_000, share=0.5, shares={("t", "ann"): 8.0})
    packs = grouped(todo, POLICY, capacity)
    by_user = {u: [p for p in packs if p[0].window.user_id == u] for u in ("ann", "bob")}
    assert len(by_user["bob"]) == 1 and len(by_user["ann"]) > 3
    assert sum(map(len, packs)) == len(todo)


def test_the_room_of_a_call_follows_its_windows(tmp_path: Path) -> None:
    _, todo = cut_windows(tmp_path, *dense(30, 10))
    one, all_ = Joint(todo[:1], {}).pack.request, Joint(todo, {}).pack.request
    assert 1_000 < one.max_tokens < all_.max_tokens <= 16_000


def test_the_capacity_is_that_of_the_model() -> None:
    limits = Limits(context=8_192, output=4_096)
    capacity = Capacity.of(POLICY.window, limits, 1_500, 1.0, {})
    most = capacity.tokens(("default", "ann"))
    assert most * 2 + 1_500 < 8_192 and most < 4_096
    assert Capacity.of(POLICY.window, Limits(), 1_500, None, {}).tokens(("t", "u")) == POLICY.window.pack_tokens


def test_windows_of_says_what_the_dense_talk_asks(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    ctx = context(tmp_path)
    ctx.lake.append("messages", dense(1, 4))
    protocol_server.answer("extract", echo)
    extract(ctx, ctx.lake.days("messages"))
    (call,) = asked(protocol_server)
    assert sum(map(len, windows_of(call).values())) == 4
