"""Clauses: who does what, when, whether it is denied, asked for, wished or only supposed."""

from __future__ import annotations

import pytest

from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import Clause, Cue, Mood, Tense, clauses


def read(text: str) -> list[Clause]:
    (sentence,) = parser().parse([text])[0]
    return clauses(sentence)


def _text(clause: Clause, what: str) -> str | None:
    token = clause.subject if what == "subject" else clause.object()
    return None if token is None else token.text


WHO_DOES_WHAT = {  # sentence: (subject, verb, object)
    "I've really been living in Lisbon.": ("I", "live", None),
    "I live in Lisbon.": ("I", "live", None),
    "I no longer eat meat.": ("I", "eat", "meat"),
    "I used to work at Google.": ("I", "work", None),
    "I'm going to call mom.": ("I", "call", "mom"),
    "I'd love to learn Spanish.": ("I", "learn", "Spanish"),
    "I've got to go.": ("I", "go", None),
    "I've got two cats.": ("I", "get", "cats"),
    "I stopped drinking coffee.": ("I", "drink", "coffee"),
    "my older brother works in Graz.": ("brother", "work", None),
    "Jane Doe lives in Oslo.": ("Doe", "live", None),
    "I broke up with Tom.": ("I", "break up", None),
    "I was diagnosed with asthma.": ("I", "diagnose", None),
    "My car is a Tesla.": ("car", "be", "Tesla"),
    "I'm thinking about moving to Spain.": ("I", "move", None),
    "I got fired.": ("I", "fire", None),
}


@pytest.mark.parametrize(("text", "expected"), WHO_DOES_WHAT.items(), ids=WHO_DOES_WHAT)
def test_who_does_what(text: str, expected: tuple[str, str, str | None]) -> None:
    main = read(text)[0]
    assert (_text(main, "subject"), main.verb, _text(main, "object")) == expected


CUES = {
    "I need to call my sister.": Cue.DUTY,
    "I have to call my sister.": Cue.DUTY,
    "I should see a doctor.": Cue.DUTY,
    "I want to learn Spanish.": Cue.WISH,
    "I'd like to learn Spanish.": Cue.WISH,
    "I'm going to call mom.": Cue.PLAN,
    "I'm planning to visit Rome.": Cue.PLAN,
    "I'll call mom.": Cue.PLAN,
    "I promised to send Anna the slides.": Cue.PROMISE,
    "I tried to fix the sink.": Cue.ATTEMPT,
    "I'm thinking about moving to Spain.": Cue.CONSIDERED,
    "I started running.": Cue.BEGUN,
    "I stopped drinking coffee.": Cue.CEASED,
    "I used to work at Google.": Cue.FORMER,
    "I can speak French.": Cue.ABLE,
    "I might move to Spain.": Cue.POSSIBLE,
    "I live in Rome.": Cue.NONE,
    "I like to paint.": Cue.NONE,
    "I'm going to Rome.": Cue.NONE,
}


@pytest.mark.parametrize(("text", "cue"), CUES.items(), ids=CUES)
def test_what_the_governing_verb_makes_of_it(text: str, cue: Cue) -> None:
    assert read(text)[0].cue is cue


DENIED = {  # sentence: (negated, ceased)
    "I live in Berlin.": (False, False),
    "I don't live in Berlin.": (True, False),
    "I don't live in Berlin anymore.": (True, True),
    "I no longer eat meat.": (True, True),
    "I stopped drinking coffee.": (True, True),
    "I have never been to Japan.": (True, False),
    "I can't eat gluten.": (True, False),
    "I'm not a nurse.": (True, False),
    "I decided not to go.": (True, False),
    "I have no time.": (False, False),  # it is the noun that is denied
}


@pytest.mark.parametrize(("text", "expected"), DENIED.items(), ids=DENIED)
def test_denials_and_endings(text: str, expected: tuple[bool, bool]) -> None:
    main = read(text)[0]
    assert (main.negated, main.ceased) == expected


MOODS = {
    "I live in Rome.": Mood.STATEMENT,
    "Do you live in Graz?": Mood.QUESTION,
    "I live in Rome, right?": Mood.QUESTION,
    "Call me Ali.": Mood.REQUEST,
    "Don't bring up my ex.": Mood.REQUEST,
    "Please keep answers short.": Mood.REQUEST,
    "I'd be happy in Rome.": Mood.SUPPOSITION,
    "If I lived in Rome I'd be happy.": Mood.SUPPOSITION,
    "I'd love to live in Rome.": Mood.STATEMENT,
}


@pytest.mark.parametrize(("text", "mood"), MOODS.items(), ids=MOODS)
def test_mood(text: str, mood: Mood) -> None:
    assert read(text)[0].mood is mood


FORMS = {  # sentence: (tense, perfect, progressive, passive)
    "I live in Rome.": (Tense.PRESENT, False, False, False),
    "I lived in Rome.": (Tense.PAST, False, False, False),
    "I've lived in Rome.": (Tense.PRESENT, True, False, False),
    "I've been living in Rome.": (Tense.PRESENT, True, True, False),
    "I'm moving to Rome.": (Tense.PRESENT, False, True, False),
    "I'll move to Rome.": (Tense.FUTURE, False, False, False),
    "I'm going to call mom.": (Tense.FUTURE, False, True, False),
    "I was born in 1990.": (Tense.PAST, False, False, True),
    "I got fired.": (Tense.PAST, False, False, True),
    "I didn't go.": (Tense.PAST, False, False, False),
    "I quit my job.": (Tense.PAST, False, False, False),
}


@pytest.mark.parametrize(("text", "expected"), FORMS.items(), ids=FORMS)
def test_tense_and_form(text: str, expected: tuple[Tense, bool, bool, bool]) -> None:
    main = read(text)[0]
    assert (main.tense, main.perfect, main.progressive, main.passive) == expected


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("I moved to Lisbon and my wife works there.", ["move", "work"]),
        ("I live in Berlin because my wife works there.", ["live", "work"]),
        ("I have a sister who lives in Oslo.", ["have", "live"]),
        ("I want to move to Lisbon.", ["move"]),
        ("When I was young I lived in Rome.", ["live"]),
    ],
)
def test_each_clause_speaks_for_itself(text: str, verbs: list[str]) -> None:
    assert [c.verb for c in read(text)] == verbs


def test_a_joined_verb_carries_its_subject() -> None:
    first, second = read("My brother bakes bread and sells cakes.")
    assert (first.carried, second.carried) == (False, True)
    assert second.subject is not None
    assert second.subject.text == "brother"


def test_links_tell_how_a_clause_hangs_on_another() -> None:
    assert [c.link for c in read("I live in Berlin because my wife works there.")] == ["", "because"]
    assert [c.link for c in read("I have a sister who lives in Oslo.")] == ["", "who"]


@pytest.mark.parametrize("text", ["I think I live in Berlin.", "Maybe I live in Berlin.", "I guess we live in Berlin."])
def test_hedges_make_a_clause_less_certain(text: str) -> None:
    (main,) = read(text)
    assert main.verb == "live"
    assert main.certainty < 1.0


def test_what_somebody_says_of_themselves_is_about_them() -> None:
    (said,) = read("My sister said she is moving to Rome.")
    assert said.verb == "move"
    assert said.subject is not None
    assert said.subject.text == "sister"
    assert said.certainty < 1.0


def test_the_noun_behind_a_preposition() -> None:
    main = read("I work at Siemens with my brother.")[0]
    found = {p: main.after(p) for p in ("at", "with", "for")}
    assert {p: t.text if t else None for p, t in found.items()} == {"at": "Siemens", "with": "brother", "for": None}
