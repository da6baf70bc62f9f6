from __future__ import annotations

import pytest

from memory_pipeline.domain.reading.wording import asks_for_time, asks_the_assistant, states_time


@pytest.mark.parametrize(
    "question",
    ["When did I move?", "what year was that", "In which month did we meet?", "How long have I lived here?"],
)
def test_asks_for_time(question: str) -> None:
    assert asks_for_time(question)


@pytest.mark.parametrize("question", ["Where do I live?", "What do I eat when I am sad?", "whenever", ""])
def test_asks_for_something_else(question: str) -> None:
    assert not asks_for_time(question)


@pytest.mark.parametrize(
    "text", ["I left yesterday.", "Two years ago", "on the 3rd", "in March 2024", "next Friday", "May 7", "since then"]
)
def test_states_time(text: str) -> None:
    assert states_time(text)


@pytest.mark.parametrize("text", ["I may go.", "He marched on.", "Room 20241", "a Sundae", "I lasted"])
def test_states_no_time(text: str) -> None:
    assert not states_time(text)


def test_asks_the_assistant() -> None:
    assert asks_the_assistant("What did you recommend?")
    assert asks_the_assistant("Your list of books?")
    assert not asks_the_assistant("What did the youngest say?")
