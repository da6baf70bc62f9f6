"""How drafts are made: certainty, weights, dates, corrections, quotes, repetitions, speakers, confirmations."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.extraction.extract import extract
from memory_pipeline_tests.inference.builtin.extraction.extracting import answered, drafts, kept, message, slot, window


@pytest.mark.parametrize(
    "hedged",
    ["I think I live in Berlin", "maybe I live in Berlin", "I probably live in Berlin", "I believe I live in Berlin"],
)
def test_hedges_lower_confidence(hedged: str) -> None:
    (plain,), (unsure,) = drafts("I live in Berlin"), drafts(hedged)
    assert unsure.content == plain.content
    assert unsure.confidence < plain.confidence - 0.1


def test_what_is_considered_is_less_certain_than_what_is_planned() -> None:
    (might,), (will,) = drafts("I might visit Rome in May"), drafts("I'm going to visit Rome in May")
    assert might.confidence < will.confidence
    assert might.salience < will.salience


@pytest.mark.parametrize(
    "content",
    [
        "My name is Ali",
        "my birthday is May 3",
        "I'm allergic to nuts",
        "I have asthma",
        "my wife is called Nora",
        "I have two kids",
    ],
)
def test_personal_facts_weigh_most(content: str) -> None:
    assert drafts(content)[0].importance >= 0.9  # NM-35


@pytest.mark.parametrize("content", ["I'm so tired today", "I'm exhausted", "I'm hungry right now"])
def test_transient_facts_weigh_little(content: str) -> None:
    assert [d.importance for d in drafts(content)] == [0.3]  # NM-35


def test_what_one_asks_to_remember_weighs_more() -> None:
    (asked,), (said,) = drafts("Please remember that I live in Graz"), drafts("I live in Graz")
    assert asked.content == said.content
    assert asked.salience > said.salience
    assert asked.importance > said.importance


@pytest.mark.parametrize(
    "content", ["I'm hungry right now", "I'm in the mood for tea today", "I feel like tea right now"]
)
def test_what_holds_for_the_moment_is_no_lasting_taste(content: str) -> None:
    assert all(d.type is not MemoryType.PREFERENCE for d in kept(drafts(content)))


CORRECTIONS = {
    "actually I work in design, not marketing": ["current_field=design"],
    "Actually, I live in Graz": ["residence=Graz"],
    "I don't live in Berlin anymore": ["residence=not Berlin"],
    "I moved from Berlin to Lisbon": ["residence=Lisbon"],
    "I no longer play tennis": ["hobby=not tennis"],
    "I'm not a nurse": ["occupation=not nurse"],
}


@pytest.mark.parametrize(("content", "expected"), CORRECTIONS.items(), ids=CORRECTIONS)
def test_correction(content: str, expected: list[str]) -> None:
    assert [slot(d) for d in drafts(content) if d.attribute] == expected


def test_a_correction_replaces() -> None:
    (told,) = drafts("actually I work in design, not marketing")
    assert told.operation is Operation.UPDATE


@pytest.mark.parametrize("content", ["I don't live in Germany, I live in Berlin", "I live in Berlin, not in Germany"])
def test_a_plain_denial_beside_the_statement_does_not_hide_it(content: str) -> None:
    (home,) = (d for d in drafts(content) if d.attribute == "residence" and not d.negated)
    assert home.value == "Berlin"
    assert all(d.value == "Germany" for d in drafts(content) if d.negated)


@pytest.mark.parametrize("content", ["I'm not a nurse", "I don't live in Germany"])
def test_a_plain_denial_contradicts_and_adds_nothing(content: str) -> None:
    assert [d.operation for d in drafts(content)] == [Operation.CONTRADICT]
    assert kept(drafts(content)) == []


def test_what_ended_is_told_as_ended() -> None:
    (told,) = drafts("I don't live in Berlin anymore")
    assert told.negated
    assert told.content == "No longer lives in Berlin."


def test_validity_is_dated() -> None:
    (until,) = drafts("I'm working remotely until end of April")
    assert (until.valid_from, until.valid_until) == (None, "2026-04-30")
    assert "remotely until" in until.content
    assert "April 2026" in until.content
    (since,) = drafts("I've been living in Lisbon since March 2025")
    assert since.valid_from == "2025-03-01"
    assert "Lisbon since March 2025" in since.content


def test_a_date_in_another_clause_is_not_this_one_s() -> None:
    home = next(d for d in drafts("I live in Berlin. My heating bill this winter is insane.") if d.attribute)
    assert (home.content, home.valid_until) == ("Lives in Berlin.", None)


def test_moving_dates_the_residence_and_tells_the_event() -> None:
    residence, event = kept(drafts("I moved to Lisbon in March 2024"))
    assert (residence.value, residence.valid_from) == ("Lisbon", "2024-03-01")
    assert (event.type, event.content) == (MemoryType.EPISODIC_EVENT, "Moved to Lisbon in March 2024.")


def test_dates_are_the_writers_own() -> None:
    late = message("I'll call mom tomorrow", created_at="2026-03-10T23:30:00+00:00")  # already the 11th in Berlin
    assert window(late)[0].due_at == "2026-03-12"


def test_quotes_stand_to_the_letter() -> None:
    content = "Oh, btw: I’m allergic to nuts 🥜 — and we’ve got a dog called Max!"
    found = kept(drafts(content))
    assert {("allergy", "nuts"), ("pet", "Max")} <= {(d.attribute, d.value) for d in found}
    assert all(d.evidence[0].quote in content for d in found)


def test_entities_are_names() -> None:
    (draft,) = kept(drafts("Yesterday I met Jane Doe in Café Montserrat"))
    assert draft.entities == ["Jane Doe", "Café Montserrat"]
    assert drafts("I love hiking")[0].entities == []


def test_repetitions_are_one_draft_with_all_their_evidence() -> None:
    (draft,) = window(message("I live in Berlin", "m1"), message("as I said, I live in Berlin", "m2"))
    assert [e.message for e in draft.evidence] == ["m1", "m2"]
    assert draft.confidence > drafts("I live in Berlin")[0].confidence


def test_another_value_of_the_slot_stays_a_draft_of_its_own() -> None:
    found = window(message("I live in Berlin", "m1"), message("I moved to Lisbon", "m2"))
    assert [d.value for d in found if d.attribute] == ["Berlin", "Lisbon"]


def test_context_is_read_and_never_extracted() -> None:
    found = window(message("I have a cat", "m1"), context=(message("I live in Berlin", "c1"),))
    assert [slot(d) for d in found] == ["pet=cat"]


def test_several_speakers_are_told_apart() -> None:
    found = window(
        message("I live in Graz", "m1", speaker="Caroline"),
        message("I'm a painter", "m2", speaker="Melanie"),
    )
    assert [(d.subject, d.attribute, d.value) for d in found] == [
        ("Caroline", "residence", "Graz"),
        ("Melanie", "occupation", "painter"),
    ]
    assert found[0].content == "Caroline lives in Graz."
    assert found[1].content.startswith("Melanie ")


def test_what_one_speaker_is_told_of_is_not_the_other_s() -> None:
    found = window(
        message("My brother Tom lives in Graz", "m1", speaker="Caroline"),
        message("My brother works as a nurse", "m2", speaker="Melanie"),
    )
    assert not any("Tom" in d.content for d in found if d.evidence[0].message == "m2")


def test_a_single_named_speaker_is_the_user() -> None:
    (draft,) = window(message("I live in Graz", speaker="Caroline"))
    assert (draft.subject, draft.content) == ("user", "Lives in Graz.")


CONFIRMED = [
    ("Do you live in Lisbon?", "Yes", ["residence=Lisbon"]),
    ("So you work at Figma, right?", "yep, exactly", ["employer=Figma"]),
    ("Do you still smoke?", "No, not anymore", ["smoking=not smoker"]),
    ("Are you vegetarian?", "I am", ["diet=vegetarian"]),
    ("Where do you live?", "Lisbon.", ["residence=Lisbon"]),
    ("What's your name?", "Ali", ["name=Ali"]),
    ("How old are you?", "34", ["age=34"]),
    ("Are you allergic to anything?", "peanuts and soy", ["allergy=peanuts", "allergy=soy"]),
    ("Would you like me to write it?", "Yes please", []),
    ("Do you want to hear more?", "yes", []),
    ("Do you have any questions?", "no", []),
    ("You live in Lisbon.", "Yes", []),
]


@pytest.mark.parametrize(("question", "reply", "expected"), CONFIRMED)
def test_short_answers_confirm_the_question(question: str, reply: str, expected: list[str]) -> None:
    found = answered(f"Nice to meet you! {question}", reply)
    assert [slot(d) for d in found] == expected
    assert all(d.evidence[0].quote and d.evidence[0].quote in reply for d in found)


def test_yes_i_do_confirms() -> None:
    found = answered("You do enjoy crime fiction, don't you?", "Yes, I do.")
    assert [slot(d) for d in found] == ["likes=crime fiction"]


def test_a_doubtful_yes_confirms_nothing_for_good() -> None:
    assert all(d.confidence < 0.8 for d in answered("Do you live in Rome?", "Yes, I think so, but not for long."))


def test_a_breakup_ends_the_relationship() -> None:
    (told,) = (d for d in drafts("I broke up with my boyfriend Tom") if d.attribute == "relationship_status")
    assert (told.operation, told.value) == (Operation.UPDATE, "single")
    assert "Tom" in told.content


def test_surfaces_follow_the_type() -> None:
    assert drafts("keep answers short")[0].surface is Surface.ADAPT
    assert drafts("I need to call mom by Friday")[0].surface is Surface.CONTINUE
    assert drafts("I live in Graz")[0].surface is Surface.SPEAK


def test_every_window_is_answered_by_its_id() -> None:
    windows = [
        {"window": "w1", "summary": "", "context": [], "messages": [message("I live in Graz")]},
        {"window": "w2", "summary": "", "context": [], "messages": [message("hello")]},
    ]
    reply = extract({"timezone": "Europe/Berlin", "windows": windows})
    assert [(w.window, len(w.proposals)) for w in reply.windows] == [("w1", 1), ("w2", 0)]
