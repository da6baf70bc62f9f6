from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.cursor import align

TURNS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


def new(held: str, sent: str) -> str:
    """The turns of a history that are not held; the letters are turns."""
    found = align(list(held), list(sent))
    return "".join(turn for turn, place in zip(sent, found.places, strict=True) if place is None)


def test_a_whole_history_brings_what_follows() -> None:
    assert new("abc", "abcde") == "de"
    assert new("abc", "abc") == ""
    assert new("", "abc") == "abc"


def test_the_last_turns_of_a_history_bring_what_follows() -> None:
    assert new("abcdef", "efgh") == "gh"
    assert new("abcdef", "fg") == "g"


def test_a_turn_that_is_said_again_after_the_end_is_new() -> None:
    assert new("akbkc", "kck") == "k"
    assert align(list("akbkc"), list("kck")).tail == 2


def test_a_summary_in_the_place_of_old_turns_is_new_and_so_is_what_follows() -> None:
    found = align(list("abcdef"), list("Sefgh"))
    assert found.places == (None, 4, 5, None, None)
    assert (found.tail, found.head) == (3, 0)


def test_a_summary_that_is_sent_again_is_known() -> None:
    assert new("abcdefSgh", "Sefgh") == ""
    assert new("abcdefSgh", "Sefghx") == "x"


def test_one_turn_alone_is_known_by_the_last_one_only() -> None:
    assert new("ab", "b") == ""
    assert new("ab", "a") == "a"


def test_turns_from_before_the_first_held_one_are_told_apart() -> None:
    found = align(list("cde"), list("abcdef"))
    assert (found.head, found.tail) == (2, 5)


def test_an_older_history_brings_nothing() -> None:
    assert new("abcdef", "abc") == ""
    assert new("abcdef", "bcd") == ""


def test_without_an_overlap_all_is_new() -> None:
    assert new("abc", "xyz") == "xyz"


def test_one_equal_turn_in_the_middle_proves_nothing() -> None:
    assert new("abkcd", "kxy") == "kxy"


@given(TURNS, TURNS)
def test_a_history_that_has_grown_brings_exactly_its_new_end(held: list[str], more: list[str]) -> None:
    found = align(held, [*held, *more])
    assert found.places == (*range(len(held)), *(None for _ in more))


@given(TURNS, TURNS)
def test_turns_are_laid_on_equal_turns_each_once(held: list[str], sent: list[str]) -> None:
    found = align(held, sent)
    places = [(n, place) for n, place in enumerate(found.places) if place is not None]
    assert all(held[place] == sent[n] for n, place in places)
    assert len({place for _, place in places}) == len(places)
    if found.tail is not None:
        assert all(place is None for place in found.places[found.tail :])
