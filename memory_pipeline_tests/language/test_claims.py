"""What contents and quotes claim, as the gate compares it."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.gate.texts.claims import USER, Claim, Force, Voice
from memory_pipeline.language.claims import claimed, quoted


def claim_of(text: str, verb: str) -> Claim:
    found = [c for c in quoted(text, text).claims if c.verb == verb]
    assert found, (text, quoted(text, text))
    return found[0]


@pytest.mark.parametrize(
    ("content", "subject", "verb", "sign", "force"),
    [
        ("Lives in Spain.", USER, "live", 1, Force.FACT),
        ("Is not allergic to peanuts.", USER, "be", -1, Force.FACT),
        ("No longer eats meat.", USER, "eat", -1, Force.FACT),
        ("Hates coriander.", USER, "hate", -1, Force.FACT),
        ("Might move to Spain.", USER, "move", 1, Force.POSSIBLE),
        ("Plans to move to Spain.", USER, "move", 1, Force.PLAN),
        ("Wants to learn Japanese.", USER, "learn", 1, Force.WISH),
        ("Has to call the dentist.", USER, "call", 1, Force.DUTY),
        ("Partner works at Siemens.", "partner", "work", 1, Force.FACT),
        ("Brother Max lives in Berlin.", "brother max", "live", 1, Force.FACT),
    ],
)
def test_a_content_without_a_subject_is_about_the_user(
    content: str, subject: str, verb: str, sign: int, force: Force
) -> None:
    found = claimed(content).claims[0]
    assert (found.subject, found.verb, found.sign, found.force) == (subject, verb, sign, force)


@pytest.mark.parametrize(
    ("said", "verb", "force"),
    [
        ("I live in Oslo.", "live", Force.FACT),
        ("If I lived in Oslo I'd ski every day.", "live", Force.SUPPOSED),
        ("Do I live in Oslo?", "live", Force.ASKED),
        ("I'm not sure whether I live in the right city.", "live", Force.SUPPOSED),
        ("I hope I live to see it.", "live", Force.WISH),
        ("I'll live in Oslo from May.", "live", Force.PROMISE),
        ("I'm trying to learn the saxophone.", "learn", Force.ATTEMPT),
        ("I had to move last year.", "move", Force.FACT),
        ("I moved house last week - cool, huh?", "move", Force.FACT),
        ("Since I live in Oslo, what should I wear?", "live", Force.FACT),
    ],
)
def test_the_force_of_a_clause(said: str, verb: str, force: Force) -> None:
    assert claim_of(said, verb).force is force


@pytest.mark.parametrize(
    ("said", "verb", "sign"),
    [
        ("I eat meat.", "eat", 1),
        ("I don't eat meat.", "eat", -1),
        ("i dont eat meat", "eat", -1),
        ("I've stopped eating meat.", "eat", -1),
        ("I can't stand meat.", "stand", -1),
        ("I have no siblings.", "have", -1),
        ("I don't think I eat enough meat.", "eat", 0),
        ("I can't live without meat.", "live", 0),
    ],
)
def test_the_sign_of_a_clause(said: str, verb: str, sign: int) -> None:
    assert claim_of(said, verb).sign == sign


@pytest.mark.parametrize(
    ("said", "verb", "subject", "kind"),
    [
        ("My sister Ana lives in Oslo.", "live", "sister ana", "person"),
        ("My mum lives in Oslo.", "live", "mother", "person"),
        ("My dog Rex sleeps all day.", "sleep", "dog rex", "pet"),
        ("We live in Oslo.", "live", USER, "user"),
        ("My car needs new tyres.", "need", "car", "possession"),
    ],
)
def test_who_a_clause_is_about(said: str, verb: str, subject: str, kind: str) -> None:
    found = claim_of(said, verb)
    assert (found.subject, found.kind) == (subject, kind)


def test_names_come_with_their_kinds() -> None:
    text = "I work with Anna Schmidt at Microsoft in Berlin."
    assert dict(quoted(text, text).names) == {
        "Anna Schmidt": "person",
        "Microsoft": "organisation",
        "Berlin": "place",
    }


def test_what_is_counted_keeps_its_number() -> None:
    assert set(claim_of("I have two cats and 3 dogs.", "have").counts) == {("cat", "2"), ("dog", "3")}


@pytest.mark.parametrize(
    ("said", "quote", "voice"),
    [
        ("I live in Oslo.", "I live in Oslo", Voice.OWN),
        ("Translate this: I live in Madrid.", "I live in Madrid", Voice.FOREIGN),
        ("Off the record, don't save this: I'm in debt.", "I'm in debt", Voice.UNRECORDED),
        ("Forget what I told you about Helen. Different thing: I moved to Oslo.", "I moved to Oslo", Voice.OWN),
    ],
)
def test_whose_words_a_quote_is(said: str, quote: str, voice: Voice) -> None:
    assert quoted(said, quote).voice is voice


def test_a_part_that_is_played_began_in_an_earlier_turn() -> None:
    before = (("user", "Let's do a role play: you are the barista and I am the customer."),)
    played = quoted("I'm a pilot and I live in Rome.", "I live in Rome", before)
    assert played.voice is Voice.FOREIGN and played.first_person


def test_the_sentence_around_a_quote_is_read() -> None:
    found = quoted("It rains. My brother works at Siemens and lives in Bonn. Bye!", "lives in Bonn").claims
    assert [(c.subject, c.verb) for c in found] == [("brother", "work"), ("brother", "live")]


@pytest.mark.parametrize("text", ["", " ", "?!", "…", "12", "x" * 5000, "the the the", "\n\n"])
def test_anything_can_be_read(text: str) -> None:
    assert claimed(text).text.strip() in text.strip() or text
    assert quoted(text, text).claims is not None
