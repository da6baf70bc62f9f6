from __future__ import annotations

import pytest

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.retrieval.prompt.passages import passage
from memory_pipeline.retrieval.scores.keywords import query_terms

FILLER = "The weather was as it always is here. "
LONG = FILLER * 30 + "My hedgehog is called Bruno. He eats mealworms. " + FILLER * 30


def test_a_short_text_stays_whole() -> None:
    assert passage("I moved.", query_terms("anything"), 60) == "I moved."


def test_the_sentence_that_answers_is_shown() -> None:
    found = passage(LONG, query_terms("what is my hedgehog called"), 30)
    assert "My hedgehog is called Bruno. He eats mealworms." in found
    assert found.startswith("… ")
    assert found.endswith(" …")


def test_without_a_shared_word_it_is_the_beginning() -> None:
    assert passage("First. " + FILLER * 40, query_terms("zebra"), 20).startswith("First.")


@pytest.mark.parametrize("text", [LONG, "word " * 4000, "x" * 9000, "日本語の文章。" * 500, "\n\n\n" + "a\n" * 3000])
@pytest.mark.parametrize("tokens", [10, 60])
def test_it_is_never_much_larger_than_asked_for(text: str, tokens: int) -> None:
    found = passage(text, query_terms("hedgehog 日本"), tokens)
    assert found.strip("… ")
    assert estimate_tokens(found) <= tokens + 2  # the marks of what was left out
