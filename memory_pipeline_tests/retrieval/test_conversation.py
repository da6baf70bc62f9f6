"""What of a running conversation a prompt shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.text import estimate_tokens, truncate
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.prompt.session.conversation import Turn, checked_turns, said, shown, turn_tokens


def turns(count: int, words: int = 5) -> list[Turn]:
    return [{"role": "assistant" if n % 2 else "user", "content": f"turn {n} " + "word " * words} for n in range(count)]


def told(left_out: Sequence[Turn], tokens: int) -> str:
    return truncate(f"{len(left_out)} turns about words", tokens)


def show(history: Sequence[Turn], limit: int) -> tuple[list[int], str, int]:
    found = shown(history, limit, most=20, verbatim=4, summary_tokens=50, summarise=told)
    return [history.index(turn) for turn in found.turns], found.summary, found.left_out


def test_a_short_conversation_is_shown_whole() -> None:
    assert show(turns(6), 2000) == ([0, 1, 2, 3, 4, 5], "", 0)


def test_no_conversation() -> None:
    assert show([], 2000) == ([], "", 0)


def test_the_first_turn_and_the_last_twenty_are_kept_and_the_rest_is_summarised() -> None:
    kept, summary, left_out = show(turns(40), 2000)
    assert kept == [0, *range(20, 40)]
    assert (summary, left_out) == ("19 turns about words", 19)


def test_what_does_not_fit_is_summarised_and_the_last_four_stay() -> None:
    history = turns(30, words=50)
    kept, summary, left_out = show(history, 6 * turn_tokens(history[0]))
    assert kept == [0, 26, 27, 28, 29]
    assert summary and left_out == 25


def test_when_there_is_room_for_nothing_else_the_last_turns_stay() -> None:
    history = turns(10, words=50)
    kept, _, _ = show(history, 2 * turn_tokens(history[-1]))
    assert kept == [8, 9]


def test_a_turn_that_is_too_large_is_left_out() -> None:
    history = [*turns(3), {"role": "user", "content": "x" * 100_000}]
    kept, summary, left_out = show(history, 500)
    assert kept == [0]
    assert summary and left_out == 3


def test_the_answer_of_a_tool_is_not_shown_without_its_call() -> None:
    call: Turn = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "look"}}]}
    answer: Turn = {"role": "tool", "tool_call_id": "c1", "content": "found " * 60}
    history = [*turns(8, words=60), call, answer, {"role": "assistant", "content": "Found it."}]
    for limit in range(10, 1200, 10):
        kept, _, _ = show(history, limit)
        assert (9 in kept) <= (8 in kept), limit


def test_turns_are_passed_on_as_they_came() -> None:
    history: list[Turn] = [{"role": "user", "name": "ann", "content": [{"type": "text", "text": "hello"}]}]
    found = shown(checked_turns(history), 100, most=20, verbatim=4, summary_tokens=50, summarise=told)
    assert found.turns == tuple(history)
    assert said(history[0]) == "hello"


@pytest.mark.parametrize("bad", ["hello", {"role": "bot", "content": "x"}, {"role": "user", "content": 3}])
def test_what_is_no_message_is_refused(bad: object) -> None:
    with pytest.raises(QueryError, match=r"history\[1\]"):
        checked_turns([{"role": "user", "content": "x"}, bad])


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.integers(0, 400)), max_size=40),
    st.integers(0, 1500),
)
def test_the_limit_holds_and_the_order_stays(shape: list[tuple[str, int]], limit: int) -> None:
    history = [{"role": role, "content": f"{n} {'x' * size}"} for n, (role, size) in enumerate(shape)]
    found = shown(history, limit, most=20, verbatim=4, summary_tokens=50, summarise=told)
    places = [history.index(turn) for turn in found.turns]
    assert places == sorted(places)
    assert found.left_out == len(history) - len(places)
    size = sum(map(turn_tokens, found.turns)) + (estimate_tokens(found.summary) if found.summary else 0)
    assert size == found.tokens <= limit
    assert len(places) <= 21
