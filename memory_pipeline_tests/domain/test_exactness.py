"""Values that say more and less of one thing, and statements that name what they take the place of."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.consolidation.endings.replacement import given_up
from memory_pipeline.domain.consolidation.slots import Relation, Slot, relate, same_value
from memory_pipeline.domain.consolidation.specificity import date_of, lies_in, says_less, says_more


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("4 May 1988", (1988, 5, 4)),
        ("May 4th", (None, 5, 4)),
        ("the 4th of May", (None, 5, 4)),
        ("May 4th, 1988", (1988, 5, 4)),
        ("1988-05-04", (1988, 5, 4)),
        ("May 1988", (1988, 5, None)),
        ("1988", (1988, None, None)),
        ("a Friday", None),
    ],
)
def test_dates(value: str, date: tuple[int | None, ...] | None) -> None:
    assert date_of(value) == date


def test_a_birthday_is_the_same_as_far_as_it_is_told() -> None:
    assert same_value("4 May 1988", "May 4th")
    assert not same_value("4 May 1988", "5 May")
    assert says_less("birthday", "May 4th", "4 May 1988", "Birthday is May 4th.")
    assert says_more("birthday", "4 May 1988", "May 4th")


@pytest.mark.parametrize(
    ("place", "region", "inside"),
    [
        ("Berlin", "Germany", True),
        ("Kreuzberg, Berlin", "Germany", True),
        ("Berlin", "Spain", False),
        ("Leeds", "the UK", True),
        ("Graz", "Europe", True),
        ("Berlin", "Hamburg", False),
    ],
)
def test_places(place: str, region: str, inside: bool) -> None:
    assert lies_in(place, region) is inside


@pytest.mark.parametrize(
    ("new", "old", "content", "less"),
    [
        ("a bank", "Deutsche Bank", "Works at a bank.", True),
        ("a startup", "Siemens", "Works at a startup now.", False),
        ("Bosch", "Siemens", "Works at Bosch.", False),
        ("a bar", "a bank", "Works at a bar.", False),
    ],
)
def test_a_named_firm_says_more_than_a_kind_of_firm(new: str, old: str, content: str, less: bool) -> None:
    assert says_less("employer", new, old, content) is less


@pytest.mark.parametrize(
    ("content", "old"),
    [
        ("Uses SQLite now instead of Postgres.", ("Postgres",)),
        ("Switched from vim to helix.", ("vim",)),
        ("Switched to helix from vim.", ("vim",)),
        ("Migrated from MariaDB to DuckDB this week.", ("MariaDB",)),
        ("Replaced the Volvo with a Kia.", ("the Volvo",)),
        ("Drinks tea rather than coffee.", ("coffee",)),
        ("Moved from Boston to Chicago.", ("Boston",)),
        ("Uses SQLite.", ()),
    ],
)
def test_what_is_replaced(content: str, old: tuple[str, ...]) -> None:
    assert given_up(content) == old


@pytest.mark.parametrize(
    ("new", "old", "relation"),
    [
        (Slot("user", "dislikes", "instant coffee"), Slot("user", "likes", "coffee"), Relation.UNRELATED),
        (Slot("user", "likes", "iced coffee"), Slot("user", "dislikes", "coffee"), Relation.UNRELATED),
        (Slot("user", "drink", "coffee", True), Slot("user", "drink", "black coffee"), Relation.DENIED),
        (Slot("user", "drink", "instant coffee", True), Slot("user", "drink", "coffee"), Relation.SIBLING),
        (Slot("user", "answer_style", "no lists"), Slot("user", "answer_style", "short"), Relation.SIBLING),
        (Slot("user", "answer_style", "detailed"), Slot("user", "answer_style", "short"), Relation.CHANGED),
        (Slot("user", "rent", "1,240"), Slot("user", "rent", "1,180"), Relation.CHANGED),
        (Slot("studio", "members", "61 members"), Slot("studio", "members", "42 members"), Relation.CHANGED),
        (Slot("user", "family", "three kids"), Slot("user", "family", "two kids"), Relation.CHANGED),
        (Slot("user", "appointment", "5 May"), Slot("user", "appointment", "8 May"), Relation.SIBLING),
        (Slot("user", "nationality", "French"), Slot("user", "nationality", "Irish"), Relation.SIBLING),
    ],
)
def test_values_of_one_slot(new: Slot, old: Slot, relation: Relation) -> None:
    assert relate(new, old) is relation
