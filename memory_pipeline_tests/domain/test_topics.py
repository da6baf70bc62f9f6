"""Topics of pleas: what speaks of them, and what only looks as if it did."""

from __future__ import annotations

import re

import pytest

from memory_pipeline.domain.consolidation.restatement import Statement
from memory_pipeline.domain.passage import source
from memory_pipeline.domain.reading.topic_wordings import topics
from memory_pipeline.domain.reading.topics import Topic, beside, speaks, touches


def one(value: str) -> Topic:
    (found,) = topics(value)
    return found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ex Tobias", "Tobias called."),
        ("ex Tobias", "Tobi’s bike is still here."),
        ("their ex Tobias", "I ran into my ex-boyfriend."),
        ("ex-husband", "My ex has half my records."),
        ("weight", "I weigh 92 kg."),
        ("my weight", "I want to be down to 80kg by May."),
        ("work", "My boss is on holiday."),
        ("work", "I was working late."),
        ("dad's death", "My father died in May."),
        ("old job at the bank", "The bank was dull."),
        ("being fired", "I was fired from Nokia in 2021."),
        ("bald head", "I am bald."),
        ("the clinic on Elm Street", "I have to be at the clinic at nine."),
        ("whole clinic thing", "Clinics make me nervous."),
        ("being scared of flying", "I’m afraid of planes."),
        ("learning Korean", "I learned some Korean."),
        ("the bar Molly's", "We went to Molly’s."),
        ("Tom and what he did", "Tom sold the car."),
        ("the thing with Tom", "Tom sold the car."),
        ("Dr. Stone", "I saw Dr. Stone today."),
        ("my age", "I am 44 years old."),
        ("Berlin", "I was in BERLIN."),
        ("skin", "My psoriasis is back."),
        ("money", "My salary was raised."),
        ("pregnancy", "I had a miscarriage in May."),
        ("how much I earn", "I make 58k a year now."),
        ("height", "The doctor measured me at 1.61 m."),
        ("Sam's fall", "Sam fell off the wall."),
        ("kids", "The ivf failed."),
    ],
)
def test_what_speaks_of_a_topic(value: str, text: str) -> None:
    topic = one(value)
    assert speaks(topic, text)
    assert re.search(topic.pattern, text, re.I)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("my age", "My garage is on stage two of the village."),
        ("my age", "My daughter is three years old."),
        ("weight", "My sister lost weight."),
        ("weight", "I do weight training."),
        ("work", "I work out every day."),
        ("dad's death", "My dad plays chess."),
        ("dad's death", "My aunt died."),
        ("old job at the bank", "My new job is fun."),
        ("being scared of flying", "I’m scared of spiders."),
        ("learning Korean", "I learn Italian."),
        ("ex Tobias", "An example of an extra exam."),
        ("Rob", "The robot was robbed."),
        ("fight with my sister", "My sister is a nurse."),
    ],
)
def test_what_does_not(value: str, text: str) -> None:
    assert not speaks(one(value), text)


@pytest.mark.parametrize("value", ["that", "thing", "everything", "", "work on weekends", "the whole story", "message"])
def test_what_names_nothing_or_not_always_is_no_topic(value: str) -> None:
    assert topics(value) == ()


def test_several_topics() -> None:
    assert [speaks(t, "no sports") for t in topics("politics, religion or sports")] == [False, False, True]
    assert [speaks(t, "my mother") for t in topics("my mom and my dad")] == [True, False]
    assert len(topics("the clinic in Graz and the operation")) == 2
    assert len(topics("fish and chips")) == 1


@pytest.mark.parametrize(
    "content",
    [
        "Does not want their divorce to be brought up.",
        "Never mention the divorce.",
        "User does not want to discuss their divorce.",
        "Wants the divorce to be forgotten.",
    ],
)
def test_a_topic_is_read_out_of_a_notice(content: str) -> None:
    (topic,) = topics(None, content)
    assert speaks(topic, "I got divorced.") and not speaks(topic, "I want to be brought a coffee.")


def test_memories_are_touched_in_words_and_slots() -> None:
    work = one("work")
    assert touches(work, "Is a paramedic.", subject="user", attribute="occupation", value="paramedic")
    assert not touches(work, "Sister works as a nurse.", subject="sister", attribute="occupation", value="nurse")
    assert touches(work, "Boss Carl is rude.", subject="boss carl")
    assert touches(one("therapy"), "Sees Dr. Stone.", subject="user", attribute="current_therapist", value="Dr. Stone")
    assert touches(one("brother Rob"), "Lives in Kiel.", subject="brother rob", attribute="residence", value="Kiel")
    assert not touches(one("Anna"), "Is called Anna.", subject="user", attribute="name", value="Anna")


def test_further_names() -> None:
    assert beside(one("bar"), "Loves the bar Molly's on Elm Street.") == {"molly"}
    assert beside(one("therapy"), "Has a therapist called Dr. Stone.") == {"dr stone"}
    assert beside(one("the clinic"), "My intake at the Lindenhof clinic was fine.") == {"lindenhof"}
    assert not beside(one("the clinic"), "The clinic, Monday at nine. Good clinic. A clinic in Graz.")
    assert not beside(one("work"), "I work Mondays, at the Ford works.")
    assert beside(one("work"), "Has a boss called Petra.") == {"petra"}
    called = one("therapy").called({"dr stone"})
    assert speaks(called, "Dr. Stone is away.") and not speaks(called, "A stone fell.")
    assert re.search(called.pattern, "Dr. Stone is away.", re.I)


def test_the_clause_that_a_memory_was_read_out_of() -> None:
    text = "Terry and I were married for nine years. I bake, and I sing."
    assert source("Was married for nine years.", text) == "Terry and I were married for nine years."
    assert source("Bakes.", text) == "I bake,"
    text = "I left my job at the bank in spring and opened a dance school for kids."
    assert source("Opened a dance school for kids.", text) == "opened a dance school for kids."


def test_statements_are_found_again() -> None:
    said = Statement.of("Lives in Berlin.", "Berlin")
    assert said.held("I live in Berlin now. It rains.") and not said.held("My aunt visits Berlin.")
    assert said.held("Berlin is lovely.", bare=True) and not said.held("It is lovely.", bare=True)
    assert re.search(said.pattern, "How is Berlin?", re.I)
    assert not Statement.of("Sings.", None)
