"""What an everyday request needs though it shares no word with it: allergies for a recipe, open threads for a list."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
RELEVANT, SILENT, THREADS = "RELEVANT FOR THIS TURN:", "USE SILENTLY:", "THREADS TO CONTINUE:"
BACKGROUND, AVOID = "BACKGROUND:", "DO NOT SURFACE UNLESS USER DOES:"

LOOP = {"type": MemoryType.OPEN_LOOP, "surface": Surface.CONTINUE}
HARM = ["Is allergic to penicillin.", "Takes warfarin every day.", "Eats vegan."]
PROFILE = ["Uses Postgres.", "Is called Ada.", "Works as a nurse.", "Plays the viola."]


def fact(content: str, attribute: str | None = None, **given: Any) -> tuple[str, dict[str, Any]]:
    return content, {"subject": "user", "attribute": attribute, **given}


@pytest.fixture(scope="module")
def ada(everyone: Store) -> Store:
    """Somebody of whom much is known, and of a friend."""
    home = everyone.of("ada")
    home.memories(
        [
            *map(fact, HARM, ["allergy", "medication", "diet"]),
            *map(fact, PROFILE, ["preferred_database", "name", "occupation", "hobby"]),
            fact("Ben is allergic to nuts.", "allergy", subject="Ben"),
            fact("Ben works as a baker.", "occupation", subject="Ben"),
            fact("Wants to return the drill to Ben.", due_at=NOW + 2 * DAY, **LOOP),
            fact("Wants to learn Greek.", **LOOP),
            fact("Is allergic to wasps.", "allergy", status=Status.SUPERSEDED),
        ]
    )
    home.summary("A week of rehearsals.", date(2026, 3, 8))
    return home


def lines(reader: MemoryReader, home: Store, message: str, **given: Any) -> dict[str, list[str]]:
    """By section, what the block says, without notes of dates."""
    block = reader.context(message, **home.owner, **given)
    return {
        title: [line.removeprefix("- ").partition(" (")[0] for line in text.splitlines()]
        for title, text in block.sections.items()
    }


@pytest.mark.parametrize(
    "message",
    ["Which sauce goes with pasta?", "Which beer is brewed here?", "Is ibuprofen safe?", "Is climbing hard?"]
    + ["Is a night train comfortable?", "Suggest museums for Sunday", "Do you see it?"],
)
def test_what_could_hurt_comes_wherever_it_may_matter_or_nobody_can_tell(
    ada: Store, reader: MemoryReader, message: str
) -> None:
    assert set(HARM) <= {*lines(reader, ada, message)[SILENT]}


def test_a_question_of_fact_about_something_else_does_without_it(ada: Store, reader: MemoryReader) -> None:
    found = lines(reader, ada, "Which database does our server have?")
    assert found[RELEVANT] == ["Uses Postgres."]
    assert SILENT not in found


def test_what_could_hurt_others_comes_where_one_cooks_for_them(ada: Store, reader: MemoryReader) -> None:
    assert "Ben is allergic to nuts." in lines(reader, ada, "What should I cook tonight?")[RELEVANT]
    assert "Ben is allergic to nuts." not in reader.context("Can I take ibuprofen?", **ada.owner).text


def test_what_no_longer_hurts_is_not_in(ada: Store, reader: MemoryReader) -> None:
    assert "wasps" not in reader.context("What should I cook tonight?", **ada.owner).text


@pytest.mark.parametrize("message", ["hi", "Good morning, how are you?", "thanks, bye!"])
def test_a_greeting_brings_the_name_and_what_is_due_and_nothing_else(
    ada: Store, reader: MemoryReader, message: str
) -> None:
    found = lines(reader, ada, message)
    assert found == {SILENT: ["Is called Ada."], THREADS: ["Wants to return the drill to Ben."]}


def test_a_name_stands_silently_behind_greetings_only(ada: Store, reader: MemoryReader) -> None:
    assert "Is called Ada." not in reader.context("Can I take ibuprofen?", **ada.owner).text


@pytest.mark.parametrize("message", ["What's left to do?", "Any errands?"])
def test_who_asks_for_tasks_gets_open_threads_without_a_date_too(
    ada: Store, reader: MemoryReader, message: str
) -> None:
    assert lines(reader, ada, message)[THREADS] == ["Wants to return the drill to Ben.", "Wants to learn Greek."]
    assert lines(reader, ada, "Is ibuprofen safe?")[THREADS] == ["Wants to return the drill to Ben."]


def test_who_asks_what_is_known_of_them_gets_the_profile_and_nobody_elses(ada: Store, reader: MemoryReader) -> None:
    found = lines(reader, ada, "What do you know about me?")
    assert {*HARM, *PROFILE} == {*found[RELEVANT]}
    assert "baker" not in str(found)


def test_what_others_suffer_from_is_no_matter_of_dinner(home: Store, reader: MemoryReader) -> None:
    home.memories([fact("Ben is to have knee surgery.", "health", subject="Ben"), fact("Eats vegan.", "diet")])
    text = reader.context("What should I cook tonight?", **home.owner).text
    assert "vegan" in text and "surgery" not in text


def test_a_present_needs_what_is_known_of_others(ada: Store, reader: MemoryReader) -> None:
    assert "Ben works as a baker." in lines(reader, ada, "Which gift is right?")[RELEVANT]


def test_lately_reaches_a_month_back(home: Store, reader: MemoryReader) -> None:
    event = {"type": MemoryType.EPISODIC_EVENT}
    home.memories(
        [
            ("Won a chess tournament.", {**event, "at": NOW - 20 * DAY}),
            ("Broke an arm.", {**event, "at": NOW - 60 * DAY}),
        ]
    )
    text = reader.context("What have I been up to lately?", **home.owner).text
    assert "chess" in text
    assert "arm" not in text


def test_a_kind_brings_no_more_than_the_policy_allows_beside_what_could_hurt(home: Store, reader: MemoryReader) -> None:
    home.memories([fact(f"Eats dish number {n}.", "eats") for n in range(12)])
    home.memories([fact(f"Is allergic to thing {n}.", "allergy") for n in range(12)])
    home.memories([fact(f"Ben is allergic to thing {n}.", "allergy", subject="Ben") for n in range(12)])
    found = lines(reader, home, "What should I cook tonight?")
    assert sum("dish" in line for line in found[RELEVANT]) == 8
    assert sum("Ben" in line for line in found[RELEVANT]) == 12
    assert sum("allergic" in line for line in found[SILENT]) == 12


def test_turns_that_say_what_a_kind_needs_are_quoted_by_those_sentences(home: Store, reader: MemoryReader) -> None:
    home.messages([("My sister, I think, is a vegetarian. She lives in Ulm.", {}), ("I have a red car.", {})])
    found = lines(reader, home, "What should I cook tonight?")[RELEVANT]
    assert found == ["user: “My sister, I think, is a vegetarian. She lives in Ulm.”"]


@pytest.mark.parametrize(
    "said",
    [
        "No bananas, my mouth goes itchy.",
        "What goes into my lunchbox when bananas make my mouth itchy?",
        "Sono intollerante al banana.",
    ],
)
def test_what_could_hurt_is_quoted_where_no_memory_says_it_in_full(
    home: Store, reader: MemoryReader, said: str
) -> None:
    turn = home.message(f"The rent is due. {said}")
    home.memory("Mouth goes itchy.", subject="user", evidence=[turn.message_id])
    block = reader.context("What should I cook tonight?", **home.owner).text
    assert said in block and "rent" not in block
    assert said not in reader.context("hello", **home.owner).text
    home.memory(said, subject="user", attribute="allergy", value="bananas", evidence=[turn.message_id])
    assert f"“{said}”" not in reader.context("What should I cook tonight?", **home.owner).text


def test_a_memory_says_what_could_hurt_by_its_words_too(home: Store, reader: MemoryReader) -> None:
    home.memory("Latex gives them welts up to the elbow.", subject="user")
    home.memory("Latex gives the nurse welts up to the elbow.", subject="nurse")
    block = reader.context("Can you blow up some balloons?", **home.owner)
    assert block.sections == {"USE SILENTLY:": "- Latex gives them welts up to the elbow."}
    assert "welts" not in reader.context("hello", **home.owner).text


def test_turns_behind_what_nobody_may_bring_up_are_not_quoted_for_a_kind(home: Store, reader: MemoryReader) -> None:
    turn = home.message("My sister, I think, is a vegetarian.")
    home.memory("Does not want to talk about the sister.", surface=Surface.AVOID, evidence=[turn.message_id])
    assert RELEVANT not in lines(reader, home, "What should I cook tonight?")


def test_summaries_come_where_time_or_theme_is_asked_for(ada: Store, reader: MemoryReader) -> None:
    assert lines(reader, ada, "How have rehearsals been lately?")[BACKGROUND] == ["A week of rehearsals."]
    assert lines(reader, ada, "What about rehearsals on March 8?")[BACKGROUND] == ["A week of rehearsals."]
    assert BACKGROUND not in lines(reader, ada, "What do rehearsals need?")


class TestAWish:
    """Who wants something done, or advice, gets what is known of them at large, for silent use."""

    WISHES = ("Suggest museums for Sunday", "Write a post about rain", "How should I furnish the hall?")

    @pytest.mark.parametrize("message", WISHES)
    def test_brings_what_is_known_of_the_user(self, ada: Store, reader: MemoryReader, message: str) -> None:
        found = lines(reader, ada, message)
        silent = {line for title in (RELEVANT, SILENT) for line in found.get(title, [])}
        assert {"Uses Postgres.", "Works as a nurse.", "Plays the viola."} <= silent
        assert "Wants to learn Greek." in found[THREADS]  # what is left to do goes where such things go

    @pytest.mark.parametrize("message", WISHES)
    def test_brings_neither_names_nor_what_others_are_or_what_no_longer_holds(
        self, ada: Store, reader: MemoryReader, message: str
    ) -> None:
        text = reader.context(message, **ada.owner).text
        assert not any(word in text for word in ("Is called Ada.", "baker", "wasps"))

    @pytest.mark.parametrize("message", ["Which database does our server have?", "hi", "I went out today."])
    def test_is_no_question_of_fact_greeting_or_statement(self, ada: Store, reader: MemoryReader, message: str) -> None:
        assert "viola" not in reader.context(message, **ada.owner).text

    def test_brings_no_more_than_the_policy_allows_and_the_weightiest_of_equals(
        self, home: Store, reader: MemoryReader
    ) -> None:
        home.memories([fact(f"Owns thing number {n}.", "possession", importance=n / 20) for n in range(12)])
        found = lines(reader, home, "Write a poem about rain")
        assert found == {SILENT: [f"Owns thing number {n}." for n in range(11, 5, -1)]}

    def test_never_brings_what_is_not_to_be_brought_up(self, home: Store, reader: MemoryReader) -> None:
        home.memory("Weighs 92 kg.", subject="user", surface=Surface.AVOID)
        assert lines(reader, home, "Write a poem about rain") == {AVOID: ["Weighs 92 kg."]}
