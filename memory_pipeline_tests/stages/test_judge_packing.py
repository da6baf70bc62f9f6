"""Cases of a user go into as few calls as their lines and their judgements leave room for."""

from __future__ import annotations

from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.hosted.limits import Limits
from memory_pipeline.inference.replies import JudgeReply
from memory_pipeline.stages.consolidation.judge import TASK
from memory_pipeline.stages.consolidation.judge_packing import Room, pack
from memory_pipeline_tests.factories import NOON, POLICY

SHARED = [f"Likes the walk along river number {n} on a quiet Sunday morning." for n in range(5)]


def line(memory: str, content: str) -> dict[str, Any]:
    return {"memory": memory, "type": "profile_fact", "status": "active", "content": content, "observed_at": "t"}


def request(n: int, user: str = "ann") -> ChatRequest[JudgeReply]:
    """A case with five neighbours, which all cases share."""
    candidate = {
        "candidate": "c1",
        "operation": "add",
        "type": "profile_fact",
        "content": f"Walks along river {n}.",
        "observed_at": f"t{n}",
        "suggested": None,
        "neighbours": [line(f"k{i}", text) for i, text in enumerate(SHARED, 1)],
    }
    inputs = {"timezone": "UTC", "candidates": [candidate], "open_loops": []}
    return ChatRequest(TASK, inputs, JudgeReply, Scope("default", user), NOON.date(), max_tokens=240)


def sizes(requests: list[ChatRequest[JudgeReply]], room: Room) -> list[int]:
    return [len(p.members) for p in pack(requests, room)]


def test_a_line_that_many_cases_have_in_view_counts_once() -> None:
    assert sizes([request(n) for n in range(60)], Room(prompt_tokens=2_500)) == [60]


def test_a_call_holds_no_more_cases_than_it_can_answer() -> None:
    found = pack([request(n) for n in range(60)], Room(reply_tokens=1_500))
    assert [len(p.members) for p in found] == [20, 20, 20]
    assert all(p.request.max_tokens <= 1_500 for p in found)


def test_a_call_with_its_reply_fits_the_context_of_the_server() -> None:
    room = Room.of(POLICY.window, Limits(context=4_096))
    assert max(sizes([request(n) for n in range(60)], room)) * 60 + 1_000 <= 4_096 * 0.8
    unknown = Room.of(POLICY.window, Limits())
    assert max(sizes([request(n) for n in range(400)], unknown)) * 60 + 1_000 <= 16_384 * 0.8


def test_two_users_are_never_in_one_call() -> None:
    assert sizes([request(1), request(2, "bob"), request(3)], Room()) == [2, 1]
