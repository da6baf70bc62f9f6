"""What is still to be done, and what has changed, as people say it without saying so."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.inference.builtin.extraction.extracting import brief, briefs, drafts, kept

TO_DO = {  # NOW is Tuesday, 10 March 2026
    "I told Fraser he'd have two dozen of my seedlings off me.": ("two dozen of their seedlings", None),
    "The publisher gets the whole draft from me on 23 March.": ("whole draft", "2026-03-23"),
    "The invoice to Boston, still not sent.": ("invoice to Boston", None),
    "The doctor says the six-week shots need booking.": ("shots", None),
    "My foreman wants my first aid card redone.": ("first aid card", None),
    "Also PE kit for Nia by Friday.": ("PE kit", "2026-03-13"),
    "Things I owe the man: a menu draft, a price list.": ("menu draft", None),
    "Need to: 1) cancel the mooring 2) ring the dentist": ("mooring", None),
    "We need two cooks before we open on 17 March.": ("two cooks", "2026-03-17"),
    "I must write a letter to the landlord.": ("letter", None),
    "Still need a venue for the party.": ("venue", None),
}
NOTHING_TO_DO = [
    "I told Anna she has a lovely house.",
    "I told her she'd get a cold.",
    "My sister gets all her clothes from me.",
    "I need a recipe by tomorrow.",
    "I need three ideas by Friday.",
    "Still need an answer.",
    "I still need you.",
    "My sister wants the kitchen done.",
]
DONE = {
    "Shots: booked.": "The shots is booked.",
    "The vet was rung.": "The vet was rung.",
    "The form is done as of five minutes ago.": "The form is done.",
    "Panel's swapped, 200 amp.": "Panel is swapped, 200 amp.",
    "The fish guy is no longer an issue either.": "The fish guy is sorted.",
    "Biscuit's booked in with the vet.": "Biscuit is booked in with the vet.",
}
CHANGED = {
    "Jonas lives in Aarhus now.": "profile_fact Jonas.residence=Aarhus",
    "Lotte is a nurse these days.": "profile_fact Lotte.occupation=nurse",
    "Pieter passed his exams, he's a train driver now.": "profile_fact Pieter.occupation=train driver",
    "I've been living at my sister's in Derby.": "profile_fact residence=Derby",
    "Finally got my own place, a little terrace in Belper.": "profile_fact residence=Belper",
    "They made half the team redundant, me included.": "profile_fact employer=not ",
    "GP bumped me to 30 of the citalopram.": "update profile_fact medication=30",
    "Physio told me to lay off the ibuprofen so I've stopped that.": "profile_fact medication=not ibuprofen",
    "Tunde proposed on the beach.": "update profile_fact partner=Tunde",
    "I report to Rolf now.": "profile_fact current_boss=Rolf",
    "They've put me on days, Thursday till Saturday.": "update profile_fact current_shifts=days",
    "Got a raise, 3,400 now.": "update profile_fact current_salary=3,400",
    "Day rate is 240 as of this month.": "profile_fact current_day_rate=240",
    "Scales said 86 this morning!": "profile_fact weight=86",
    "Upped the flashcards to 25 a day.": "update profile_fact do=25 flashcards",
    "Moved everything over to Obsidian.": "update preference tool=Obsidian",
    "So Jonty dumped me.": "update profile_fact relationship_status=single",
    "I'm a member at PureGym.": "profile_fact membership=PureGym",
    "Doctor swapped my gliclazide for Ozempic.": "update profile_fact medication=Ozempic",
    "Cut down to one coffee a day.": "update profile_fact have=one coffee a day",
    "My thesis is now due on 28 March.": "update open_loop plan=thesis",
    "Don't need the CPAP any more since the summer.": "profile_fact health=not CPAP",
}
NOT_CHANGED = [
    "Don't use emojis any more.",
    "Off work since Monday.",
    "We're in Marseille for the weekend now.",
    "I moved my dad to Leeds.",
    "My neighbour dumped his rubbish.",
]


@pytest.mark.parametrize(("content", "expected"), TO_DO.items(), ids=TO_DO)
def test_what_is_owed_or_missing_is_still_to_be_done(content: str, expected: tuple[str, str | None]) -> None:
    told, due = expected
    loops = [d for d in kept(drafts(content)) if d.type is MemoryType.OPEN_LOOP]
    assert [d for d in loops if told in d.content and (d.due_at or "")[:10] == (due or "")], loops


@pytest.mark.parametrize("content", NOTHING_TO_DO)
def test_what_only_sounds_alike_is_no_plan(content: str) -> None:
    assert not [d for d in kept(drafts(content)) if d.type is MemoryType.OPEN_LOOP]


@pytest.mark.parametrize(("content", "expected"), DONE.items(), ids=DONE)
def test_a_note_of_something_done_may_close_what_is_open(content: str, expected: str) -> None:
    closing = [d.content for d in drafts(content) if d.operation is Operation.CLOSE_OPEN_LOOP]
    assert expected in closing


@pytest.mark.parametrize(("content", "expected"), CHANGED.items(), ids=CHANGED)
def test_a_change_told_in_passing_has_its_slot(content: str, expected: str) -> None:
    assert expected in [brief(d) for d in drafts(content)]


@pytest.mark.parametrize("content", NOT_CHANGED)
def test_what_is_no_change_of_the_users_has_no_slot(content: str) -> None:
    slots = {d.attribute for d in kept(drafts(content)) if d.subject == "user"}
    assert not slots & {"residence", "relationship_status", "tool", "preferred_cloud", "use", "employer"}


def test_a_name_told_in_a_sentence_is_the_persons_in_the_rest_of_it() -> None:
    assert "profile_fact daughter freya.age=7" in [brief(d) for d in drafts("My daughter is called Freya and she's 7.")]


def test_letters_with_accents_end_no_word() -> None:
    assert "profile_fact residence=Medellín" in [brief(d) for d in drafts("Iván n I live in Medellín.")]


def test_what_is_still_to_be_done_is_not_to_be_found() -> None:
    assert [d.content for d in kept(drafts("I still need to call mom."))] == ["Needs to call mom."]


def test_what_is_joined_to_a_wish_is_no_more_than_one() -> None:
    assert briefs("I'd love to hike in Patagonia and explore the glacier.") == ["open_loop Wants to hike in Patagonia."]
    (found,) = [d for d in drafts("I want to learn Italian and move to Rome next year.") if "Rome" in d.content]
    assert (found.type, found.content) == (MemoryType.OPEN_LOOP, "Wants to move to Rome in 2027.")
    assert not [d for d in drafts("I wanted to make room and make the flat feel new.") if d.content.startswith("Makes")]
    assert any(d.content == "Hates emojis." for d in drafts("I'd like short answers and hate emojis."))


def test_a_caption_in_brackets_is_not_the_writers_but_what_speaks_of_them_is() -> None:
    assert not [
        d for d in drafts("He loves it! [shares an image: a photo of a turtle in a tank]") if "photo" in d.content
    ]
    assert briefs("[I'm allergic to nuts]") == ["profile_fact allergy=nuts"]
