"""How drafts are made: certainty, weights, dates, corrections, quotes, repetitions, speakers, confirmations."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.extract import extract
from memory_pipeline_tests.inference.builtin.extraction import answered, brief, briefs, drafts, message, window


@pytest.mark.parametrize(
    "hedged",
    ["I think I live in Berlin", "maybe I live in Berlin", "I probably live in Berlin", "I guess I live in Berlin"],
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


@pytest.mark.parametrize("content", ["I'm so tired today", "I hate everything right now"])
def test_transient_facts_weigh_little(content: str) -> None:
    assert drafts(content)[0].importance == 0.3  # NM-35


def test_what_one_asks_to_remember_weighs_more() -> None:
    (asked,), (said,) = drafts("Please remember that I live in Graz"), drafts("I live in Graz")
    assert asked.content == said.content
    assert asked.salience > said.salience
    assert asked.importance > said.importance


@pytest.mark.parametrize("content", ["I'm vegan right now", "today I love jazz", "I like tea right now"])
def test_what_holds_for_the_moment_is_no_lasting_taste(content: str) -> None:
    assert all(d.type is not MemoryType.PREFERENCE for d in drafts(content))


CORRECTIONS = {
    "actually I work in design, not marketing": ["update profile_fact current_field=design"],
    "Actually, I live in Graz": ["update profile_fact residence=Graz"],
    "I don't live in Berlin anymore": ["contradict profile_fact residence=not Berlin"],
    "I don't live in Germany, I live in Berlin, Connecticut": [
        "contradict profile_fact residence=not Germany",
        "profile_fact residence=Berlin, Connecticut",
    ],
    "I'm not vegan but vegetarian": ["contradict profile_fact diet=not vegan", "update profile_fact diet=vegetarian"],
    "I moved from Berlin to Lisbon": ["update profile_fact residence=Lisbon"],
    "I no longer play tennis": ["contradict profile_fact hobby=not tennis"],
    "I'm not a nurse": ["contradict profile_fact occupation=not nurse"],
}


@pytest.mark.parametrize(("content", "expected"), CORRECTIONS.items(), ids=CORRECTIONS)
def test_correction(content: str, expected: list[str]) -> None:
    found = [b for b in briefs(content) if "episodic_event" not in b]
    assert found == expected


def test_validity_is_dated() -> None:
    (until,) = drafts("I'm working remotely until end of April")
    assert (until.valid_from, until.valid_until) == (None, "2026-04-30")
    assert until.content == "Works remotely until 30 April 2026."
    (quarter,) = drafts("this quarter I'm on the pricing team")
    assert (quarter.valid_from, quarter.valid_until) == ("2026-01-01", "2026-03-31")
    (since,) = drafts("I've been living in Lisbon since March 2025")
    assert since.valid_from == "2025-03-01"


def test_moving_dates_the_residence_and_tells_the_event() -> None:
    residence, event = drafts("I moved to Lisbon in March 2024")
    assert (residence.content, residence.valid_from) == ("Lives in Lisbon.", "2024-03-01")
    assert (event.type, event.content) == (MemoryType.EPISODIC_EVENT, "Moved to Lisbon in March 2024.")


def test_dates_are_the_writers_own() -> None:
    late = message("I'll call mom tomorrow", created_at="2026-03-10T23:30:00+00:00")  # already the 11th in Berlin
    assert window(late)[0].due_at == "2026-03-12"


def test_quotes_stand_to_the_letter() -> None:
    content = "Oh, btw: I’m allergic to nuts 🥜 — and we’ve got a dog named Max!"
    found = drafts(content)
    assert [d.content for d in found] == ["Is allergic to nuts.", "Has a dog called Max."]
    assert [d.evidence[0].quote for d in found] == ["I’m allergic to nuts", "we’ve got a dog named Max"]
    assert all(d.evidence[0].quote in content for d in found)


def test_entities_are_names() -> None:
    (draft,) = drafts("Yesterday I met Jane Doe in Café Montserrat")
    assert draft.entities == ["Jane Doe", "Café Montserrat"]
    assert drafts("I love hiking")[0].entities == []


def test_repetitions_are_one_draft_with_all_their_evidence() -> None:
    (draft,) = window(message("I live in Berlin", "m1"), message("as I said, I live in Berlin", "m2"))
    assert [e.message for e in draft.evidence] == ["m1", "m2"]
    assert draft.confidence > drafts("I live in Berlin")[0].confidence


def test_another_value_of_the_slot_stays_a_draft_of_its_own() -> None:
    found = window(message("I live in Berlin", "m1"), message("I moved to Lisbon", "m2"))
    assert [d.value for d in found] == ["Berlin", "Lisbon"]


def test_context_is_read_and_never_extracted() -> None:
    found = window(message("I have a cat named Tom", "m1"), context=(message("I live in Berlin", "c1"),))
    assert [brief(d) for d in found] == ["profile_fact pet=Tom"]


def test_several_speakers_are_told_apart() -> None:
    found = window(
        message("I live in Graz", "m1", speaker="Caroline"),
        message("I'm a painter", "m2", speaker="Melanie"),
    )
    assert [(d.subject, d.content) for d in found] == [
        ("Caroline", "Caroline lives in Graz."),
        ("Melanie", "Melanie is a painter."),
    ]


def test_a_single_named_speaker_is_the_user() -> None:
    (draft,) = window(message("I live in Graz", speaker="Caroline"))
    assert (draft.subject, draft.content) == ("user", "Lives in Graz.")


CONFIRMED = [
    ("Do you live in Lisbon?", "Yes", ["profile_fact residence=Lisbon"]),
    ("So you work at Figma, right?", "yep, exactly", ["profile_fact employer=Figma"]),
    ("Do you still smoke?", "No, not anymore", ["profile_fact smoking=not smoker"]),
    ("Are you vegetarian?", "I am", ["profile_fact diet=vegetarian"]),
    ("Where do you live?", "Lisbon.", ["profile_fact residence=Lisbon"]),
    ("What's your name?", "Ali", ["profile_fact name=Ali"]),
    ("How old are you?", "34", ["profile_fact age=34"]),
    ("Are you allergic to anything?", "peanuts and soy", ["profile_fact allergy=peanuts", "profile_fact allergy=soy"]),
    ("What's your favorite color?", "green", ["preference favorite_color=green"]),
    ("Would you like me to write it?", "Yes please", []),
    ("Do you want to hear more?", "yes", []),
    ("Do you have any questions?", "no", []),
    ("You live in Lisbon.", "Yes", []),
]


@pytest.mark.parametrize(("question", "reply", "expected"), CONFIRMED)
def test_short_answers_confirm_the_question(question: str, reply: str, expected: list[str]) -> None:
    found = answered(f"Nice to meet you! {question}", reply)
    assert [brief(d) for d in found] == expected
    assert all(d.evidence[0].quote == reply for d in found)


def test_surfaces_follow_the_type() -> None:
    assert drafts("keep answers short")[0].surface is Surface.ADAPT
    assert drafts("I need to call mom by Friday")[0].surface is Surface.CONTINUE
    assert drafts("I live in Graz")[0].surface is Surface.SPEAK


def test_an_event_and_the_loop_it_may_close_are_two_drafts() -> None:
    found = drafts("I submitted my application yesterday")
    assert [d.operation for d in found] == [Operation.ADD, Operation.CLOSE_OPEN_LOOP]


def test_every_window_is_answered_by_its_id() -> None:
    windows = [
        {"window": "w1", "summary": "", "context": [], "messages": [message("I live in Graz")]},
        {"window": "w2", "summary": "", "context": [], "messages": [message("hello")]},
    ]
    reply = extract({"timezone": "Europe/Berlin", "windows": windows})
    assert [(w.window, len(w.proposals)) for w in reply.windows] == [("w1", 1), ("w2", 0)]
