"""What a sentence, or a later turn, asks not to be kept."""

from __future__ import annotations

import pytest

from memory_pipeline.language.standing import Standing, Turn, recorded, spans, unsaid

IN_ONE_BREATH = [
    "I auditioned for a baking show, but pls forget I told you that",
    "we're trying for a baby, keep that off the record",
    "I got a tattoo of an octopus, please don't save that",
    "I make 52k, don't write that down",
    "My sister is pregnant but that stays between us",
    "We're moving to Oslo in May, actually forget that",
    "I have a crush on my colleague, and delete that please",
    "My dad is in prison, but I'd rather you didn't remember that",
    "I took out a loan, no need to keep a record of that",
    "I started smoking again so scratch that from your notes",
    "I cheated on the exam, this is not for your memory",
    "I had an operation in 2019, you don't need to remember this",
    "I voted for the mayor, but keep it to yourself",
    "I failed my test twice, but that's not something to remember",
    "They diagnosed me with gout but forget it, I shouldn't have told you",
    "I once shoplifted a camera - wipe that, will you?",
    "I'm on Tinder again (please don't keep that) and I bought a bike",
    "Don't note this down, but Max wets the bed.",
]

TOLD = [
    "I don't keep that at home, my brother does",
    "I'll never forget that day, I met my wife Ida in Rome",
    "I can't remember that name, my doctor is called Stone",
    "I don't want to keep this job, I hate it",
    "Don't take it personally, I'm vegan now",
    "Please don't put that in the next mail, Bob hates it",
    "Remember, between us there are four kids and two dogs",
    "My wife's name is Ida, forget my old phone number",
    "I moved to Bonn; never forget that",
    "I had to delete it because the disk was full",
]


def standings(message: str) -> set[Standing]:
    return {span.standing for span in spans(message)}


@pytest.mark.parametrize("sentence", IN_ONE_BREATH)
def test_a_plea_within_a_sentence_is_about_that_sentence_alone(sentence: str) -> None:
    assert standings(sentence) == {Standing.OFF_RECORD}
    around = f"I live in Leeds. {sentence}. I have two cats."
    found = {around[s.start : s.end]: s.standing for s in spans(around)}
    assert found["I live in Leeds."] is found["I have two cats."] is Standing.OWN


@pytest.mark.parametrize("sentence", TOLD)
def test_what_only_sounds_like_a_plea_is_told(sentence: str) -> None:
    assert Standing.OFF_RECORD not in standings(sentence)


def test_a_short_plea_takes_back_the_statement_before_it_and_no_request() -> None:
    pleaded, asked = "I live in Leeds. I fancy Ben. Delete that please.", "I can't eat nuts. Find a cake. Nah forget it"
    found = [pleaded[s.start : s.end] for s in spans(pleaded) if s.standing is Standing.OFF_RECORD]
    assert found == ["I fancy Ben.", "Delete that please."]
    assert [s.standing for s in spans(asked)] == [Standing.OWN, Standing.REQUEST, Standing.OFF_RECORD]


def test_a_plea_before_a_colon_is_about_what_follows() -> None:
    for lead in ("This stays between us, don't save it", "Off the record"):
        assert standings(f"{lead}: I take pills. I see a doctor.") == {Standing.OFF_RECORD}


def said(*turns: str) -> list[Turn]:
    """Turns of the user and of the assistant by turns."""
    return [Turn("assistant" if n % 2 else "user", content) for n, content in enumerate(turns)]


@pytest.mark.parametrize("plea", ["Oops, forget I said that.", "Actually, please don't remember that.", "Scratch that"])
def test_a_later_turn_takes_back_the_one_before_it_with_its_answer(plea: str) -> None:
    turns = said("I live in Kent.", "Nice.", "My cousin stole a car.", "Did she?", plea, "Of course.")
    assert unsaid(turns) == {2, 3, 5}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Find me a flat in Leeds, I work there. Is that possible?", "Forget that."),
        ("I live in Kent.", "Ah forget it, I'll call them."),
        ("I live in Kent.", "Don't save what I tell you next."),
        ("I live in Kent.", "Don't save that I own a boat."),
    ],
)
def test_a_later_turn_takes_nothing_back_where_it_means_something_else(first: str, second: str) -> None:
    assert 0 not in unsaid(said(first, "Sure.", second))


def test_an_assistants_answer_to_what_is_off_the_record_is_so_too() -> None:
    turns = said("I'm trying for a baby, keep that off the record.", "A baby!", "I have a cat.", "A cat!")
    assert unsaid(turns) == {1}


def test_a_turn_without_what_is_not_to_be_kept() -> None:
    assert recorded("I have a cat. I fancy Ben, don't save that. I like tea.") == "I have a cat.  I like tea."
    assert recorded("I have a cat.") == "I have a cat."
