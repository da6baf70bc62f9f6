"""When a session's summary is due, and how texts are made to fit and kept silent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.derived.summary import covered, fitted, is_over, sentences, silenced
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline_tests.factories import POLICY

FIGURES = replace(POLICY.summary, session_shown_turns=6, rolling_user_turns=4, session_added=3, session_updated=2)
USER, OTHER = Role.USER, Role.ASSISTANT
NOTHING = (0, 0)


def _talk(turns: int, **changes: tuple[int, int]) -> tuple[list[Role], list[tuple[int, int]]]:
    """Turns of the user and of an assistant in turn; ``at_3=(1, 0)``: the third message added a fact."""
    roles = [OTHER if n % 2 else USER for n in range(turns)]
    return roles, [changes.get(f"at_{n}", NOTHING) for n in range(1, turns + 1)]


def test_a_session_that_a_prompt_shows_whole_needs_no_summary() -> None:
    assert covered(*_talk(6, at_1=(9, 9)), FIGURES, ended=True) == 0


def test_ten_user_turns_are_a_point_and_the_last_point_counts() -> None:
    assert covered(*_talk(7), FIGURES, ended=False) == 7, "the fourth user turn is the seventh message"
    assert covered(*_talk(14), FIGURES, ended=False) == 7
    assert covered(*_talk(15), FIGURES, ended=False) == 15


@pytest.mark.parametrize(
    ("changes", "point"),
    [
        ({"at_2": (2, 1)}, 7),  # neither three added nor two changed: the user turns are first
        ({"at_3": (2, 0), "at_5": (1, 0)}, 5),  # three added …
        ({"at_3": (0, 1), "at_4": (0, 1)}, 4),  # … or two changed (NM-23)
    ],
)
def test_accepted_proposals_are_a_point(changes: dict[str, tuple[int, int]], point: int) -> None:
    assert covered(*_talk(7, **changes), FIGURES, ended=False) == point


def test_what_was_counted_is_not_counted_again() -> None:
    # Four user turns at 7 reset the count of what was added; two more are not three.
    assert covered(*_talk(12, at_6=(2, 0), at_9=(2, 0)), FIGURES, ended=False) == 7


def test_a_session_that_has_ended_is_covered_whole() -> None:
    assert covered(*_talk(13), FIGURES, ended=False) == 7
    assert covered(*_talk(13), FIGURES, ended=True) == 13


@given(st.integers(0, 60), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=60, max_size=60))
def test_a_later_look_never_covers_less(turns: int, changes: list[tuple[int, int]]) -> None:
    roles, _ = _talk(60)
    before = covered(roles[:turns], changes[:turns], FIGURES, ended=False)
    after = covered(roles, changes, FIGURES, ended=False)
    assert before <= turns and before <= after


def test_a_period_is_over_with_its_last_day() -> None:
    week = Period(Grain.WEEK, date(2026, 3, 9))
    assert not is_over(week, datetime(2026, 3, 15, 23, 59, tzinfo=UTC))
    assert is_over(week, datetime(2026, 3, 16, tzinfo=UTC))


def test_a_text_is_cut_at_a_sentence() -> None:
    text = 'She moved to Lisbon. He said: "Stay!" Then they left. And so on, and so on, and so on.'
    assert fitted(text, 100) == text
    assert fitted(text, 15) == 'She moved to Lisbon. He said: "Stay!" Then they left.'
    assert fitted("彼女は引っ越した。彼は残った。", 9) == "彼女は引っ越した。"
    assert fitted("One sentence that is much too long for so little room.", 6) == "One sentence that…"


@given(st.text(max_size=300), st.integers(1, 60))
def test_a_fitted_text_fits_and_says_nothing_new(text: str, tokens: int) -> None:
    short = fitted(text, tokens)
    assert estimate_tokens(short) <= max(tokens, 1)
    assert text.strip().startswith(short.removesuffix("…").rstrip())


@given(st.text(max_size=200))
def test_sentences_lose_nothing_but_blanks_at_the_end(text: str) -> None:
    assert "".join(sentences(text)).rstrip() == text.rstrip()


def test_sentences_that_touch_what_is_left_unspoken_are_left_out() -> None:
    text = "Moved to Lisbon. Had a talk with the ex, Tom. Bought a bike."
    assert silenced(text, ["Does not want their ex Tom to be brought up."]) == "Moved to Lisbon. Bought a bike."
    assert silenced(text, []) == text


def test_small_words_of_another_language_silence_nothing() -> None:
    text = "Su hermano Mateo se ha mudado a Lima. Habló de la boda de su prima."
    hidden = ["No quiere que se hable de la boda de su prima."]
    assert silenced(text, hidden) == "Su hermano Mateo se ha mudado a Lima."
    moved = "Su hermano, que se ha mudado de casa, vive en Lima."
    assert silenced(moved, ["Que no se hable de su ex."]) == moved
