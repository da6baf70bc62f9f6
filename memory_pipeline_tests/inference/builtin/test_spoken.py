"""The user's sentences as memories word them."""

from __future__ import annotations

import pytest

from memory_pipeline.inference.builtin.spoken import clauses, leading, worded


@pytest.mark.parametrize(
    ("quote", "text", "of_user"),
    [
        ("I live in Chicago with my girlfriend Lucy", "lives in Chicago with their girlfriend Lucy", True),
        ("I'm 34", "is 34", True),
        ("and we just bought a Tesla", "bought a Tesla just", True),
        ("btw I don't eat meat", "does not eat meat", True),
        ("I've lived here since May", "lived here since May", True),
        ("my rent is 900", "their rent is 900", True),
        ("moving to Ghent in March", "is moving to Ghent in March", True),
        ("My brother lives in Oslo.", "brother lives in Oslo.", False),
        ("Nell is 8", "Nell is 8", False),
    ],
)
def test_worded(quote: str, text: str, of_user: bool) -> None:
    assert worded(quote) == (text, of_user)


@pytest.mark.parametrize(
    ("quote", "parts"),
    [
        ("I moved to Hamburg in 2020 and now live in Munich", 2),
        ("My daughter Nell is 7 and goes to school", 2),
        ("we chose Kafka because we need replay", 1),
        ("I like tea and coffee, and cakes", 1),
    ],
)
def test_clauses(quote: str, parts: int) -> None:
    assert len(clauses(quote)) == parts


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Brother Max lives in Oslo.", {"brother", "max"}),
        ("Jonas works at night", {"jonas"}),
        ("The landlord said it is fine", {"landlord"}),
        ("Their mum lives in Bruges.", {"mother"}),
        ("Wants answers short.", set()),
        ("They have two kids.", set()),
        ("Plays the cello.", set()),
    ],
)
def test_whom_a_sentence_names_first(text: str, who: set[str]) -> None:
    assert leading(text) == who
