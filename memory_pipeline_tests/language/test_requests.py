"""What a request names by its words: kinds of everyday requests, greetings, the past, the assistant's own words."""

from __future__ import annotations

import pytest

from memory_pipeline.language.requests import GREETING, asks, examples, kinds, named_kinds, needed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Any good recipes?", {"food"}),
        ("two DISHES, please", {"food"}),
        ("an aspirin and a hotel", {"health", "travel"}),
        ("my to-dos", {"tasks"}),
        ("What do we still need to renew?", {"tasks"}),
        ("what’s on my plate in May?", {"tasks"}),
        ("Plan my next two weeks", {"tasks"}),
        ("a few words about me", {"self"}),
        ("what is the capital of Peru?", set()),
        ("", set()),
        ("🎉", set()),
    ],
)
def test_a_kind_is_named_by_a_word_in_any_inflection(text: str, named: set[str]) -> None:
    assert named_kinds(text) == named


@pytest.mark.parametrize("text", ["hi", "Hello there!", "good morning, how are you?", "thanks, bye"])
def test_a_message_of_greeting_words_alone_is_a_greeting(text: str) -> None:
    assert named_kinds(text) == {GREETING}


@pytest.mark.parametrize("text", ["Hi, what should I cook?", "hello, Python is slow"])
def test_a_request_behind_a_greeting_is_no_greeting(text: str) -> None:
    assert GREETING not in named_kinds(text)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("past", "Where did I live before?"),
        ("past", "Do I still smoke?"),
        ("past", "my old job"),
        ("assistant", "Which hotel did you suggest?"),
        ("assistant", "What was your idea?"),
        ("assistant", "the book that you've recommended, you recommended one"),
        ("theme", "How have I been?"),
        ("theme", "What’s new?"),
        ("theme", "What's new?"),
        ("question", "And where do I live?"),
        ("question", "Can you remind me?"),
        ("advice", "What should I wear?"),
        ("advice", "Any tips?"),
        ("wish", "Hey, please draft a letter"),
        ("wish", "I need a name for a boat"),
        ("wish", "Would blue be better?"),
    ],
)
def test_what_is_asked_for_is_read_from_words(row: str, text: str) -> None:
    assert asks(row, text)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("past", "Where do I live?"),
        ("assistant", "Which hotel do you like?"),
        ("assistant", "I told you so."),
        ("theme", "Where do I live?"),
        ("question", "Book a table where we ate."),
        ("advice", "Where do I live?"),
        ("wish", "I went out today."),
        ("wish", "My plan worked."),
    ],
)
def test_what_is_not_asked_for_is_not_read_into_it(row: str, text: str) -> None:
    assert not asks(row, text)


def test_needs_stand_in_the_order_of_the_table() -> None:
    assert [kind.name for kind in needed({"travel", "food"})] == ["food", "travel"]


def test_each_example_belongs_to_a_kind() -> None:
    texts, names = examples()
    assert len(texts) == len(names) == len(set(texts))
    assert set(names) == set(kinds())
