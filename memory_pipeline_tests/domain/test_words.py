"""Where a word is found in a text, a part of its spellings stands in it: the cheap test never misses one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.text import content_words, ends_of, estimate_tokens, normalise, spellings

_PIECES = ("mother-in-law", "ladies", "twenty", "boss's", "flies", "y", "ies", "Straße", "ﬁsh", "in-law", "two’s", "20")


@given(st.lists(st.sampled_from(_PIECES) | st.text(alphabet="abyiesXß’'-20 ", max_size=8), max_size=6))
def test_spellings_stand_where_the_word_is_found(pieces: list[str]) -> None:
    text = " ".join(pieces)
    for word in content_words(text):
        assert any(part in normalise(text) for part in spellings(word))


def test_a_long_text_is_shown_by_its_beginning_and_its_end() -> None:
    text = f"Here are the options. {'Alpha beta gamma. ' * 80}Which of them is it?"
    shown = ends_of(text, 40)
    assert shown.startswith("Here are the options.") and shown.endswith("Which of them is it?")
    assert "…" in shown and estimate_tokens(shown) <= 41
    assert ends_of("Short.", 40) == "Short."
