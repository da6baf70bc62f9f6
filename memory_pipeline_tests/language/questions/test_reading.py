"""What questions ask for, in many wordings."""

from __future__ import annotations

import pytest

from memory_pipeline.language.questions import Wants, Whose, in_english, read, tables

WORDINGS = [
    ("Where do I live?", Wants.PLACE, "residence"),
    ("which town am I living in right now", Wants.PLACE, "residence"),
    ("hey, can you remind me where I live?", Wants.PLACE, "residence"),
    ("what's my job title?", Wants.THING, "occupation"),
    ("what do I do for a living", Wants.THING, "occupation"),
    ("who do I work for?", Wants.PLACE, "employer"),
    ("how old am I?", Wants.AGE, "age"),
    ("when's my birthday?", Wants.TIME, "birthday"),
    ("which year was I born in?", Wants.TIME, "birthday"),
    ("what are my allergies?", Wants.THING, "allergy"),
    ("which meds am I on?", Wants.THING, "medication"),
    ("who am I seeing?", Wants.PERSON, "partner"),
    ("how much rent do I pay?", Wants.NUMBER, "current_rent"),
    ("how much is my rent?", Wants.NUMBER, "current_rent"),
    ("what's my favourite colour?", Wants.THING, "favorite_color"),
    ("which editor do I use?", Wants.THING, "preferred_editor"),
    ("what's my blood type?", Wants.THING, "current_blood_type"),
    ("what languages do I speak?", Wants.THING, "language"),
    ("what's my name?", Wants.NAME, "name"),
    ("do you know what my name is?", Wants.NAME, "name"),
]


@pytest.mark.parametrize(("question", "wants", "attribute"), WORDINGS)
def test_wordings(question: str, wants: Wants, attribute: str) -> None:
    asked = read(question)
    assert asked.whose is Whose.USER
    assert asked.wants is wants
    assert attribute in asked.attributes


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("where does my brother live?", {"brother"}),
        ("what's my mum's name?", {"mother"}),
        ("how old is my sister Anna?", {"sister", "anna"}),
        ("what does my sister's husband do?", {"sister", "husband"}),
        ("does Nora have asthma?", {"nora"}),
        ("where does nora work?", {"nora"}),
        ("who is Bart?", {"bart"}),
        ("what breed is my dog?", {"dog"}),
    ],
)
def test_somebody_else(question: str, who: set[str]) -> None:
    asked = read(question)
    assert asked.whose is Whose.OTHER
    assert asked.who == who


@pytest.mark.parametrize(
    ("question", "whose"),
    [
        ("who has asthma?", Whose.ASKED),
        ("which of my kids has coeliac disease?", Whose.ASKED),
        ("who is my boss?", Whose.OTHER),
        ("who did I vote for?", Whose.USER),
        ("when does my lease end?", Whose.USER),
        ("what was my previous employer?", Whose.USER),
        ("where are Lou and I flying?", Whose.USER),
        ("how many members does the studio have?", Whose.ANY),
        ("what is new in here?", Whose.ANY),
    ],
)
def test_whom_a_question_is_about(question: str, whose: Whose) -> None:
    assert read(question).whose is whose


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("why did we choose Kafka?", Wants.REASON),
        ("how long did the migration take?", Wants.DURATION),
        ("until when do I have to renew my passport?", Wants.TIME),
        ("do I smoke?", Wants.YES_NO),
        ("who waters my plants?", Wants.PERSON),
        ("what did you suggest for dessert?", Wants.SAID),
        ("what was your advice on the sauna?", Wants.SAID),
        ("who am I?", Wants.SUMMARY),
        ("What do you know about me?", Wants.SUMMARY),
        ("what do you know about my diet?", Wants.TOPIC),
        ("what did I tell you about Lotte?", Wants.TOPIC),
    ],
)
def test_kinds(question: str, wants: Wants) -> None:
    assert read(question).wants is wants


@pytest.mark.parametrize(
    ("question", "declared"),
    [
        ("do I still live in Delhi?", "lives in Delhi"),
        ("am I allergic to nuts?", "is allergic to nuts"),
        ("have I ever been to Japan?", "has been to Japan"),
        ("does my sister have kids?", "has kids"),
        ("do you remember whether I smoke?", "smoke"),
        ("where do I live?", ""),
    ],
)
def test_yes_or_no_as_a_statement(question: str, declared: str) -> None:
    assert read(question).declared == declared


def test_times() -> None:
    before = read("where did I live before Lisbon?")
    assert (before.past, before.excepted) == (True, "Lisbon")
    assert before.attributes[0] == "former_residence"
    assert read("what was my old job?").past
    assert not read("what's my last name?").past
    assert not read("what is my ex-wife's name?").past
    assert read("am I still vegan?").still
    assert read("did I call the roofer?").happened
    assert not read("do I have to call the roofer?").happened


def test_lists() -> None:
    assert read("what do I still have to do?").types == {"open_loop"}
    assert read("what are my plans?").all
    assert read("how many brothers do I have?").relation == "brothers"
    assert read("what are my kids' names?").named


def test_only_the_question_of_a_text_counts() -> None:
    assert read("I am hungry. What am I allergic to? Thanks!").attributes == ("allergy",)
    assert read("my blood type?").attributes == read("what is my blood type?").attributes


@pytest.mark.parametrize("question", ["", "?", "...", "my", "how", "who's", "is", "'s '", "X's X"])
def test_anything_can_be_asked(question: str) -> None:
    read(question)


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("Where do I live?", True),
        ("am I allergic to nuts?", True),
        ("Onde moro?", False),
        ("我住在哪里？", False),
        ("Wie heißt meine Schwester eigentlich?", False),
    ],
)
def test_languages(question: str, english: bool) -> None:
    assert in_english(question) is english


@pytest.mark.parametrize("question", ["Do I have a brother?", "hey, how old am I?", "tell me what the dog eats"])
def test_what_begins_in_english_is_not_looked_at_by_the_model(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_pipeline.language.identify._identifier", None)
    assert in_english(question)


def test_rows_about_people_are_passed_over_only_where_none_of_their_words_stands() -> None:
    about = [row for row in tables.rows() if row.people]
    assert len(about) >= 5
    asked = {word: f"how many {word} do X have" for word in ("brother", "brothers", "mother-in-law", "cat", "goldfish")}
    asked["kettles"] = "how many kettles do X have"
    for word, question in asked.items():
        fits = any(row.ask.search(question) for row in about)
        assert tables.names_people(question) == fits == (word != "kettles"), word
