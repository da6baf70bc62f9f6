"""Numbers of a derived statement: stated, counted, or an arithmetic consequence, rounded to what is shown."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_pipeline.domain.derived.derived_numbers import figures_in, underived
from memory_pipeline.domain.derived.faithfulness import unfaithful

MEMBERS = [
    "Batching cut the p95 from 14 ms to 5 ms.",
    "Batching brings the label service from 1900 to 571 qps.",
    "Batching costs €890 a month.",
]
AMOUNTS = st.integers(1, 9_999)


@pytest.mark.parametrize(
    "content",
    [
        "Latency fell to 5 ms.",
        "It is 2.8x faster.",  # 14 / 5
        "It is 3 times as fast.",  # 2.8, rounded to what is shown
        "It saves 9 ms.",
        "It takes 9.5 ms on average.",
        "It takes 70% of the load away.",  # (1900 - 571) / 1900
        "It takes 1,329 qps away.",
        "In 2 of 3 cases.",
        "In 67% of the cases.",
        "Three findings concern batching.",
        "It costs €890.",
        "It costs 890 euros.",
        "Batching helps.",
    ],
)
def test_what_follows(content: str) -> None:
    assert underived(content, MEMBERS) == []


@pytest.mark.parametrize(
    ("content", "foreign"),
    [
        ("It is 2.9x faster.", ["2.9"]),
        ("It is 2.80x and 2.85x faster.", ["2.85"]),
        ("In 4 of 5 cases.", ["4"]),
        ("It takes 71% of the load away.", ["71"]),
        ("Twelve findings concern batching.", ["12"]),
        ("It is 3% faster.", ["3"]),
        ("It saves 2 ms.", ["2"]),  # no count: milliseconds
        ("It saves 885 ms.", ["885"]),  # euros less milliseconds
        ("At 12:30 it slows down.", ["12:30"]),
    ],
)
def test_what_does_not_follow(content: str, foreign: list[str]) -> None:
    assert underived(content, MEMBERS) == foreign


def test_nothing_follows_from_nothing() -> None:
    assert underived("2 of 3.", []) == ["2", "3"]
    assert underived("Some.", []) == []


def test_a_range_shares_its_unit() -> None:
    assert [f.unit for f in figures_in("from 14 to 5 ms, 3 of 4, $2")] == ["ms", "ms", "", "", "$"]


@given(a=AMOUNTS, b=AMOUNTS, digits=st.integers(0, 3))
def test_a_ratio_follows_at_any_rounding(a: int, b: int, digits: int) -> None:
    members = [f"Before it took {a} ms.", f"Now it takes {b} ms."]
    assert underived(f"It is {a / b:.{digits}f}x of before.", members) == []
    assert underived(f"It takes {100 * b / a:.{digits}f}% of before.", members) == []


@given(a=AMOUNTS, b=AMOUNTS)
def test_sum_difference_and_mean_follow_in_their_unit(a: int, b: int) -> None:
    members = [f"It took {a} ms.", f"It took {b} ms."]
    for value in (a + b, abs(a - b), max(a, b), min(a, b)):
        assert underived(f"It took {value} ms.", members) == []
    assert underived(f"It took {(a + b) / 2:.1f} ms.", members) == []


@given(a=AMOUNTS, b=AMOUNTS, told=st.integers(1, 99_999))
def test_a_ratio_that_no_pair_has_is_foreign(a: int, b: int, told: int) -> None:
    shown = told / 100
    assume(all(abs(shown - r) > 0.006 for r in (a / b, b / a, a, b)))
    members = [f"It took {a} ms.", f"It took {b} ms."]
    assert underived(f"It is {shown:.2f}x of before.", members) == [f"{shown:.2f}"]


@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=4))
def test_any_text_is_taken(content: str, members: list[str]) -> None:
    assert isinstance(underived(content, members), list)
    assert unfaithful(content, members) is None or unfaithful(content, members)


@given(st.lists(st.text(max_size=60).filter(str.strip), min_size=1, max_size=4))
def test_what_a_member_says_follows_from_it(members: list[str]) -> None:
    assert underived(members[0], members) == []


class TestFaithfulness:
    def test_names_must_be_theirs(self) -> None:
        assert unfaithful("Runs with Max by the Elbe.", ["Ran with max.", "Walked along the Elbe."]) is None
        assert unfaithful("Runs with Nora.", ["Ran with Max."]) == "no member names nora"

    def test_nothing_is_denied_that_they_do_not_deny(self) -> None:
        assert unfaithful("Does not eat fish.", ["Eats fish."]) == "it denies something, and no member does"
        assert unfaithful("Does not eat fish.", ["Never eats fish.", "Eats meat."]) is None

    def test_what_all_deny_is_denied(self) -> None:
        assert unfaithful("Eats fish.", ["Never eats fish.", "Does not eat fish."]) is not None

    def test_an_empty_statement_says_nothing(self) -> None:
        assert unfaithful("  ", ["Eats fish."]) == "it says nothing"


def test_what_is_missing_is_denied_as_what_is_not_there() -> None:
    members = ["The lookups ran without a cache.", "The prices were not cached.", "The facets had no cache."]
    for content in ("The lookups are uncached.", "A missing cache slows the lookups.", "The lookups lack a cache."):
        assert unfaithful(content, members) is None
    assert unfaithful("The lookups are cached.", members) == "every member denies something, and it does not"
    assert unfaithful("The lookups are not cached.", ["A missing cache.", "Uncached prices."]) is None
    assert unfaithful("The lookups are not fast.", ["Fast lookups."]) == "it denies something, and no member does"
