"""Which entities a text names."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.entities import Roster
from memory_pipeline_tests.domain.entities.said import (
    BROTHER_MAX,
    DOG_MAX,
    MAX_PLANCK,
    MAX_WEBER,
    NAME,
    NEW_YORK_CITY,
    SISTER_NORA,
    about,
    found,
    made,
    roster,
    says,
)

EVA = says("Max's wife is called Eva.", "Max's wife", "name", "Eva", n=30)


class TestLongest:
    def test_the_longer_name_wins(self) -> None:
        assert found([MAX_WEBER, MAX_PLANCK, *about("Max")], "Max Weber and Nora") == ["Max Weber"]
        assert found(about("York", "New York City"), "in New York City") == ["New York City"]
        assert found(about("東京", "東京都"), "東京都に住む") == ["東京都"]

    def test_each_of_several(self) -> None:
        assert found([MAX_WEBER, SISTER_NORA, NEW_YORK_CITY], "Did Max and my sister go to NYC?") == [
            "Max Weber",
            "New York City",
            "Nora",
        ]


class TestCommonWords:
    @pytest.mark.parametrize("text", ["will it rain?", "Will it rain?", "I will go", "what will be"])
    def test_a_name_that_is_a_word_is_not_meant(self, text: str) -> None:
        assert found(about("Will"), text) == []

    @pytest.mark.parametrize("text", ["Where is Will?", "Will's birthday", "does Will ski"])
    def test_and_is_where_it_is_written_as_a_name(self, text: str) -> None:
        assert found(about("Will"), text) == ["Will"]

    def test_a_contraction_is_no_name(self) -> None:
        assert found(about("Don"), "I don't know") == []
        assert found(about("Don"), "Don'll know") == ["Don"]

    def test_a_country_is_no_pronoun(self) -> None:
        assert found(about("US"), "tell us more") == []
        assert found(about("US"), "in the US") == ["US"]


class TestDescriptions:
    @pytest.mark.parametrize("text", ["my brother", "brother", "What does our brother do?", "the user's brother"])
    def test_of_the_user(self, text: str) -> None:
        assert found([BROTHER_MAX], text) == ["Max"]

    @pytest.mark.parametrize("text", ["his brother", "her brother", "your brother", "Nora's brother", "James' brother"])
    def test_of_somebody_else(self, text: str) -> None:
        assert found([BROTHER_MAX], text) == []

    def test_are_no_names(self) -> None:
        known = roster([BROTHER_MAX])
        assert known.find("my brother", descriptions=False) == frozenset()
        assert known.find("Max", descriptions=False)

    def test_somebody_without_a_name(self) -> None:
        late = says("Late husband died.", "late husband", "life_status", "dead")
        assert found([late], "my late husband") == found([late], "my husband") == ["late husband"]


class TestForms:
    def test_that_no_memory_holds(self) -> None:
        assert found([NEW_YORK_CITY], "NYC") == found([NEW_YORK_CITY], "new york") == ["New York City"]
        assert found([MAX_WEBER], "Max") == ["Max Weber"]
        assert found(about("Dr. Patel"), "Patel") == ["Dr. Patel"]

    def test_only_where_one_can_be_meant(self) -> None:
        assert found([MAX_WEBER, MAX_PLANCK], "Max") == []
        assert found([MAX_WEBER, DOG_MAX], "Max") == ["Max"]

    def test_initials_spelt_out(self) -> None:
        assert found(about("NYC"), "New York City") == ["NYC"]
        assert found(about("NYC"), "not yet clear") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("田中", "昨日田中さんに会った"),
        ("東京", "東京へ行く"),
        ("サクラ", "サクラは元気"),
        ("林", "林さんは医者です"),
        ("กรุงเทพ", "ฉันอยู่กรุงเทพมาก"),
        ("서울", "서울에서 만나요"),
        ("القاهرة", "سافرت للقاهرة أمس"),
        ("أحمد", "قابلت أحمد"),
        ("محمد", "ذهبت لمحمد"),
        ("תל אביב", "גרתי בתל אביב"),
        ("प्रिया", "प्रिया कहाँ है?"),
        ("Zürich", "nach ZURICH"),
        ("Žofie", "kde je Zofie?"),
    ],
)
def test_scripts(name: str, text: str) -> None:
    assert found(about(name), text) == [name]


@pytest.mark.parametrize(("name", "text"), [("スミ", "スミス"), ("林", "森林"), ("علي", "عليه"), ("김민", "김민수")])
def test_inside_another_word(name: str, text: str) -> None:
    assert found(about(name), text) == []


def test_the_user_by_name() -> None:
    stated = [NAME, says("Alice is a nurse.", "Alice", "occupation", "nurse", n=20)]
    (user,) = made(stated)
    assert (user.name, len(user.memory_ids)) == ("user", 2)
    assert found(stated, "Where does Alice work?") == ["user"]


def test_a_third_person_is_somebody_else() -> None:
    known = roster([BROTHER_MAX, EVA])
    assert found([BROTHER_MAX, EVA], "Eva") == found([BROTHER_MAX, EVA], "Max's wife") != ["Max"]
    assert found([BROTHER_MAX, EVA], "my wife") == []
    assert known.resolve("nobody") == frozenset()


def test_nobody_is_known() -> None:
    assert Roster(()).find("Max and my brother in 東京") == frozenset()
    assert found(about("Max"), "") == []
