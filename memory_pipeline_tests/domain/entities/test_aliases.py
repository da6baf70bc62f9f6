"""Which names are one, and which must stay apart: a table, read both ways."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_pipeline.domain.entities import Statement
from memory_pipeline_tests.domain.entities.said import (
    BROTHER_MAX,
    CALL_ME,
    DOG_MAX,
    EMPLOYER,
    FRIEND_MAX,
    MAX_PLANCK,
    MAX_WEBER,
    NAME,
    NEW_YORK,
    NEW_YORK_CITY,
    SISTER_NORA,
    about,
    found,
    made,
    roster,
    says,
)

PATEL = says("Has a doctor called Dr. Patel.", "user", "friend", "Dr. Patel", names=["Dr. Patel"])
JONAS = says("Has a boyfriend called Jonas.", "user", "partner", "Jonas", names=["Jonas"])
YAMADA = says("山田太郎は兄です。", "山田太郎", "occupation", "baker", names=["山田太郎"])
ONE: list[tuple[str, Sequence[Statement], str, str]] = [
    ("case", about("Lisbon", "LISBON"), "Lisbon", "lisbon"),
    ("accents", about("Müller", "Muller"), "Müller", "muller"),
    ("composed and decomposed", about("Zo\u00eb", "Zoe\u0308"), "Zo\u00eb", "Zoe"),
    ("strokes", about("Łódź", "Lodz"), "Łódź", "Lodz"),
    ("sharp s", about("Weißensee", "Weissensee"), "Weißensee", "WEISSENSEE"),
    ("possessive", about("Max", "Max's"), "Max", "max’s"),
    ("possessive of a name in s", about("James"), "James", "James'"),
    ("Turkish ending", about("İstanbul", "Istanbul'da"), "İstanbul", "istanbul"),
    ("article", about("The Beatles", "Beatles"), "the Beatles", "beatles"),
    ("determiner", about("my Corolla", "Corolla"), "my Corolla", "Corolla"),
    ("hyphen", about("Anne-Marie", "Anne Marie"), "Anne-Marie", "anne marie"),
    ("dots", about("U.S.A.", "USA"), "U.S.A.", "USA"),
    ("full width", about("ＮＨＫ", "NHK"), "ＮＨＫ", "NHK"),
    ("first name", [MAX_WEBER, *about("Max")], "Max Weber", "Max"),
    ("first name, both known as people", [MAX_WEBER, FRIEND_MAX], "Max", "Max Weber"),
    ("title", [PATEL, *about("Patel")], "Dr. Patel", "Patel"),
    ("title spelt out", [PATEL, *about("Doctor Patel")], "Dr. Patel", "doctor patel"),
    ("title and full name", [PATEL, *about("Dr. Anita Patel")], "Dr. Patel", "Dr. Anita Patel"),
    ("title, full name with and without", [PATEL, *about("Dr. Anita Patel", "Anita Patel")], "Patel", "Anita Patel"),
    ("initials", [NEW_YORK_CITY, *about("NYC")], "NYC", "New York City"),
    ("initials of a name without City", [NEW_YORK, *about("NYC")], "NYC", "New York"),
    ("initials with dots", [NEW_YORK_CITY, *about("N.Y.C.")], "N.Y.C.", "nyc"),
    ("city", [NEW_YORK, NEW_YORK_CITY], "New York", "New York City"),
    ("initials without small words", about("Bank of America", "BA"), "BA", "Bank of America"),
    ("initials of a company", [EMPLOYER, *about("International Business Machines", "IBM")], "IBM", "ibm"),
    (
        "qualified place",
        [says("Lives in Berlin, Connecticut.", "user", "residence", "Berlin, Connecticut", names=["Berlin"])],
        "Berlin",
        "Berlin, Connecticut",
    ),
    ("relation and name", [BROTHER_MAX], "my brother", "Max"),
    (
        "relation as a subject",
        [SISTER_NORA, says("Sister lives in Lisbon.", "sister", "residence", "Lisbon")],
        "sister",
        "Nora",
    ),
    ("another word for it", [says("Has a mother called Ruth.", "user", "family", "Ruth")], "mom", "Ruth"),
    ("British spelling", [says("Mum is called Ruth.", "mum", "name", "Ruth")], "my mother", "Ruth"),
    ("wider word", [says("Has a daughter called Ellie.", "user", "family", "Ellie")], "my kid", "Ellie"),
    (
        "relation in front of the name",
        [says("Brother Dan lives in Oslo.", "brother", "residence", "Oslo", names=["Dan", "Oslo"])],
        "brother",
        "Dan",
    ),
    ("value holds both", [says("Brother Max plays chess.", "user", "family", "brother Max")], "brother", "Max"),
    ("relation in brackets", about("Max (my brother)"), "brother", "Max"),
    ("pet", [DOG_MAX], "my dog", "Max"),
    ("pet by its breed", [says("Has a beagle called Rex.", "user", "pet", "Rex")], "the puppy", "Rex"),
    ("partner", [JONAS], "boyfriend", "Jonas"),
    ("of whom it is said", [says("Max is their brother.", "Max", "relation_to_user", "brother")], "brother", "Max"),
    ("friend of the user in words", [says("Rui is the user's neighbour.", "Rui", None, None)], "my neighbor", "Rui"),
    (
        "nickname",
        [says("Calls the oven Sakura-san.", "user", "lore", "Sakura-san", names=["Sakura-san"])],
        "the oven",
        "Sakura-san",
    ),
    (
        "nickname of a test",
        [says("Calls test_refund_rounding Gary.", "user", "lore", "Gary", names=["Gary"])],
        "test_refund_rounding",
        "Gary",
    ),
    (
        "nickname as a slot",
        [MAX_WEBER, says("Max Weber goes by Maxi.", "Max Weber", "nickname", "Maxi")],
        "Maxi",
        "Max Weber",
    ),
    (
        "also known as",
        [says("Maximilian, also known as Maxl, is a baker.", "Maximilian", "occupation", "baker")],
        "Maxl",
        "Maximilian",
    ),
    ("Japanese honorific", about("田中さん", "田中"), "田中さん", "田中"),
    ("romanised honorific", about("Tanaka-san", "Tanaka"), "Tanaka-san", "Tanaka"),
    (
        "katakana first name",
        [says("マックス・ウェーバーは友達です。", "マックス・ウェーバー", "occupation", "baker"), *about("マックス")],
        "マックス",
        "マックス・ウェーバー",
    ),
    ("Arabic vowel signs", about("أَحْمَد", "أحمد"), "أَحْمَد", "احمد"),
    (
        "Arabic first name",
        [says("محمد علي طبيب.", "محمد علي", "occupation", "doctor"), *about("محمد")],
        "محمد",
        "محمد علي",
    ),
    ("Cyrillic", about("Алёна", "Алена"), "Алёна", "алена"),
    ("Devanagari", about("प्रिया", "प्रिया"), "प्रिया", "प्रिया"),
    ("Korean honorific", about("민수씨", "민수"), "민수씨", "민수"),
]
APART: list[tuple[str, Sequence[Statement], str, str]] = [
    ("brother and dog", [BROTHER_MAX, DOG_MAX], "my brother", "my dog"),
    ("brother and friend", [BROTHER_MAX, FRIEND_MAX], "my brother", "my friend"),
    ("two of a first name", [MAX_WEBER, MAX_PLANCK, *about("Max")], "Max Weber", "Max Planck"),
    ("a first name of two", [MAX_WEBER, MAX_PLANCK, *about("Max")], "Max", "Max Weber"),
    ("a dog is nobody's first name", [MAX_WEBER, DOG_MAX], "my dog", "Max Weber"),
    ("brother is no friend's first name", [BROTHER_MAX, MAX_WEBER], "my brother", "Max Weber"),
    (
        "a first word is no first name",
        about("Python", "Python Software Foundation"),
        "Python",
        "Python Software Foundation",
    ),
    ("Mr and Mrs", about("Mr. Smith", "Mrs. Smith", "Smith"), "Mr. Smith", "Mrs. Smith"),
    ("a surname of two titles", about("Mr. Smith", "Mrs. Smith", "Smith"), "Smith", "Mr. Smith"),
    ("titles of two doctors", [PATEL, *about("Dr. Anita Patel", "Dr. Ravi Patel")], "Dr. Patel", "Dr. Anita Patel"),
    ("a title is no proof of a surname", [PATEL, *about("Max Patel")], "Dr. Patel", "Max Patel"),
    ("initials of two", about("United Airlines", "Umbrella Academy", "UA"), "UA", "United Airlines"),
    (
        "initials of people",
        [says("Has a friend called John Doe.", "user", "friend", "John Doe"), *about("JD")],
        "JD",
        "John Doe",
    ),
    (
        "a country and its capital",
        [
            says("Has been to Mexico.", "user", "visited", "Mexico"),
            says("Lives in Mexico City.", "user", "residence", "Mexico City"),
        ],
        "Mexico",
        "Mexico City",
    ),
    (
        "two qualified places",
        about("Berlin, Connecticut", "Berlin, Germany", "Berlin"),
        "Berlin, Connecticut",
        "Berlin, Germany",
    ),
    (
        "two sisters",
        [says("Has two sisters called Nora and Ida.", "user", "family", "two sisters", names=["Nora", "Ida"])],
        "Nora",
        "Ida",
    ),
    ("likeness", about("Anna", "Anne", "Ana"), "Anna", "Anne"),
    ("spelling mistakes", about("Katherine", "Catherine"), "Katherine", "Catherine"),
    ("plus and sharp", about("C", "C++", "C#"), "C++", "C#"),
    ("kana with and without a mark", about("かき", "かぎ"), "かき", "かぎ"),
    ("katakana inside a longer word", about("スミ", "スミス"), "スミ", "スミス"),
    ("Devanagari signs", about("मीना", "मैना"), "मीना", "मैना"),
    ("Han of the same surname", [YAMADA, *about("山田花子")], "山田太郎", "山田花子"),
    (
        "wife of another",
        [
            says("Max's wife is called Eva.", "Max's wife", "name", "Eva"),
            says("Has a wife called Ida.", "user", "partner", "Ida"),
        ],
        "Eva",
        "Ida",
    ),
    (
        "his relation, not the user's",
        [says("Jonas has a brother called Ben.", "Jonas", "family", "Ben"), BROTHER_MAX],
        "Ben",
        "my brother",
    ),
    (
        "not called so",
        [
            says("Brother is not called Max.", "brother", "name", "Max", negated=True),
            says("Brother is called Mark.", "brother", "name", "Mark"),
            *about("Max"),
        ],
        "my brother",
        "Max",
    ),
    (
        "what was corrected",
        [
            says("Has a dog called Max.", "user", "pet", "Max", living=False),
            says("Has a dog called Rex.", "user", "pet", "Rex"),
        ],
        "my dog",
        "Max",
    ),
]


@pytest.mark.parametrize(("stated", "one", "other"), [c[1:] for c in ONE], ids=[c[0] for c in ONE])
def test_two_names_of_one(stated: Sequence[Statement], one: str, other: str) -> None:
    known = roster(stated)
    assert len(known.find(one)) == 1
    assert known.find(one) == known.find(other)
    assert known.find(f"What did I say about {one} last week?") == known.find(f"{other}?")


@pytest.mark.parametrize(("stated", "one", "other"), [c[1:] for c in APART], ids=[c[0] for c in APART])
def test_two_that_stay_apart(stated: Sequence[Statement], one: str, other: str) -> None:
    known = roster(stated)
    assert known.find(one)
    assert known.find(one).isdisjoint(known.find(other))


def test_both_are_found_where_either_may_be_meant() -> None:
    assert found([BROTHER_MAX, DOG_MAX], "Where is Max?") == ["Max", "Max"]
    assert found([MAX_WEBER, MAX_PLANCK, *about("Max")], "Max Weber") == ["Max Weber"]
    twins = says("Has two sisters called Nora and Ida.", "user", "family", "two sisters", names=["Nora", "Ida"])
    assert found([twins], "What do my sisters like?") == ["Ida", "Nora"]


def test_a_person_and_a_place_of_one_name() -> None:
    friend = says("Has a friend called Paris.", "user", "friend", "Paris")
    trip = says("Has been to Paris.", "user", "visited", "Paris", n=1)
    kinds = {e.kind: e.memory_ids for e in made([friend, trip])}
    assert kinds == {"person": (friend.memory_id,), "place": (trip.memory_id,)}
    assert found([friend, trip], "Paris") == ["Paris", "Paris"]


def test_a_name_that_may_be_either_of_two_is_a_thing_of_its_own() -> None:
    walk = says("Went for a walk with Max.", names=["Max"], n=20)
    entities = made([BROTHER_MAX, DOG_MAX, walk])
    assert [(e.name, e.kind, e.memory_ids) for e in entities if walk.memory_id in e.memory_ids] == [
        ("Max", "other", (walk.memory_id,))
    ]


def test_the_user_is_an_entity_with_every_name_told() -> None:
    (user,) = (e for e in made([NAME, CALL_ME, *about("Alice", "Lisbon")]) if e.name == "user")
    assert (user.kind, [a.name for a in user.aliases]) == ("person", ["Ali", "Alice"])
    assert user.memory_ids == tuple(
        s.memory_id for s in sorted([NAME, CALL_ME, about("Alice")[0]], key=lambda s: s.observed_at)
    )


def test_aliases_name_the_memory_that_they_are_read_from() -> None:
    nickname = says("Max Weber goes by Maxi.", "Max Weber", "nickname", "Maxi", n=11)
    (entity,) = made([MAX_WEBER, nickname, *about("Max")])
    assert entity.name == "Max Weber"
    assert {(a.name, a.reason, a.memory_id) for a in entity.aliases} == {
        ("Max", "first name", about("Max")[0].memory_id),
        ("Maxi", "stated", nickname.memory_id),
        ("friend", "relation", MAX_WEBER.memory_id),
    }


def test_two_of_one_name_and_kind_carry_who_they_are() -> None:
    names = {e.name: e.entity_id for e in made([BROTHER_MAX, FRIEND_MAX])}
    assert set(names) == {"Max (brother)", "Max (friend)"}
    assert len(set(names.values())) == 2
