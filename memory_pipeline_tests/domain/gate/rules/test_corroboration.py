"""A quote may stand in its message and the content say something else: what it says must have been said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.gate import GateInput, wants_session
from memory_pipeline.domain.gate.rules.corroboration import invented, unsupported
from memory_pipeline.domain.gate.texts.numerals import forms, numbers_of, spelled
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import Evidence, Finding, MemoryType
from memory_pipeline_tests.factories import NOON, POLICY, message, proposal


def _input(content: str, said: str, talk: Sequence[str] = (), **given: Any) -> GateInput:
    cited = message(said, message_id="cited")
    session = [message(text, NOON - timedelta(minutes=9 - n), message_id=f"s{n}") for n, text in enumerate(talk)]
    stated = proposal(content, evidence=(Evidence("cited", said[:20]),), **given)
    return GateInput(stated, {"cited": cited}, POLICY.gate, session=[*session, cited] if talk else ())


def _passes(finding: Finding | None) -> bool:
    return finding is None or finding.passed


SAID = [
    ("Lives in Lisbon.", "I live in Lisbon."),
    ("Lives in Lisbon.", "Moved to LISBON last week"),
    ("Speaks Portuguese.", "I grew up in Portugal and speak the language, Portuguese"),
    ("Is learning Portuguese.", "I'm learning the language of Portugal."),
    ("Visited New York City.", "I was in NYC in May"),
    ("Works for the BBC.", "I work at the British Broadcasting Corporation"),
    ("Watches Grey's Anatomy.", "Greys Anatomy is my comfort show"),
    ("Has 3 children.", "We have three kids"),
    ("Has 25 employees.", "There are twenty-five of us"),
    ("Earns 1,200 euros.", "I make 1200 euros"),
    ("Earns $15,000.", "I make 15k"),
    ("Wants to save 2 million.", "I want to save 2m"),
    ("Paid 1.5 million.", "It cost one and a half million, 1.5m to be exact"),
    ("Trains 2 times a week.", "I train twice a week"),
    ("Runs 12 km.", "A dozen km, that is 12,0 or so"),
    ("Was third in the race, in place 3.", "I came third!"),
    ("Has a call at 19:00.", "Call me at 7pm"),
    ("Has a call at 19:30.", "let's talk tomorrow evening"),
    ("Flew to Oslo on 2026-03-09.", "Flew to Oslo yesterday."),
    ("Flew to Oslo on 9 March 2026.", "Flew to Oslo yesterday."),
    ("Flew to Oslo on March 9, 2026.", "Flew to Oslo yesterday."),
    ("Moved to Oslo in 2022.", "I moved to Oslo four years ago"),
    ("Moves to Oslo in April.", "I'm moving to Oslo next month"),
    ("Has a dentist's appointment on Friday.", "Dentist in three days"),
    ("Moved to Oslo in March 2026.", "I have moved to Oslo"),
    ("Has been on the team since Q1 2026.", "I joined the team this quarter"),
    ("May visit Anna.", "I may visit Anna"),
    ("Is a fan of José.", "Jose is my hero"),
    ("Lives in Munich.", "Ich wohne in München und mag die Stadt sehr"),  # another language than the content's
    ("Wohnt in Lissabon.", "I live in Lisbon and I like it"),
    ("リスボンに住んでいる。", "I live in Lisbon"),
    ("住在里斯本。", "我住在里斯本"),
    ("Likes iOS and macOS.", "I like iOS, macOS and such"),
    ("Uses GPT-5 at work.", "We use GPT-5"),
    ("Ranks CO2 first.", "CO2 is what I rank first"),
]  # fmt: skip

INVENTED = [
    ("Lives in Berlin.", "I live in Lisbon."),
    ("Lives in Lisbon with Anna.", "I live in Lisbon."),
    ("Runs 10 km a day.", "I run 5 km a day."),
    ("Has 4 children.", "I have three children."),
    ("Earns $15,000.", "I earn well."),
    ("Has worked at Google for 7 years.", "I work at Google."),
    ("Is getting married on 14 September 2027.", "We are getting married!"),
    ("Takes 50 mg of Prozac.", "I take an antidepressant."),
    ("Weighs 82.5 kg.", "I weigh 82 kg."),
    ("Wohnt in Hamburg.", "Ich wohne in Berlin und mag die Stadt."),
    ("Has a cat called Tom.", "I have a cat."),
]  # fmt: skip


@pytest.mark.parametrize(("content", "said"), SAID)
def test_what_was_said_in_another_form_is_not_invented(content: str, said: str) -> None:
    finding = invented(_input(content, said))
    assert _passes(finding), finding


@pytest.mark.parametrize(("content", "said"), INVENTED)
def test_names_numbers_and_dates_that_nobody_said_are_invented(content: str, said: str) -> None:
    finding = invented(_input(content, said))
    assert finding is not None
    assert not finding.passed
    assert finding.figure is not None and finding.figure < 1


def test_entities_and_values_count_as_well() -> None:
    assert not _passes(invented(_input("Lives by the sea.", "I live by the sea.", value="Lisbon")))
    assert not _passes(invented(_input("Lives by the sea.", "I live by the sea.", entities=("Lisbon",))))
    assert _passes(invented(_input("Lives by the sea.", "I live by the sea.", entities=("sea",), value="by the sea")))


def test_anybody_in_the_conversation_may_have_said_it() -> None:
    alone = _input("Lives in Lisbon.", "Yes, that one.")
    assert wants_session(alone)
    asked = _input("Lives in Lisbon.", "Yes, that one.", ["Hello there", "Do you live in Lisbon or in Porto?"])
    assert _passes(invented(asked))
    assert _passes(unsupported(asked))


def test_the_speaker_is_known_by_name() -> None:
    said = replace(message("I paint lakes.", message_id="cited"), speaker="Melanie")
    stated = proposal("Wants to hear that Melanie paints lakes.", evidence=(Evidence("cited", "I paint lakes"),))
    assert _passes(invented(GateInput(stated, {"cited": said}, POLICY.gate)))


def test_a_content_about_something_else_is_unsupported() -> None:
    talk = ["How was the weekend?", "We went hiking in the rain and had soup."]
    found = unsupported(_input("Collects antique clocks made of brass.", "I live in Lisbon and like it.", talk))
    assert found is not None
    assert (found.passed, found.figure, found.threshold) == (False, 0.0, POLICY.gate.min_known_words)
    other = "Enjoys hiking holidays whatever the weather is."
    assert _passes(unsupported(_input(other, "Hiking was great, whatever the weather.", talk)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Is vegetarian.", "I eat no meat"),
        ("Is a software engineer.", "I code for a living"),
        ("Sammelt alte Uhren aus Messing.", "I collect antique brass clocks and I like them"),
    ],
)
def test_short_contents_and_other_languages_are_not_judged_by_their_words(content: str, said: str) -> None:
    assert unsupported(_input(content, said)) is None


def test_memories_made_of_memories_are_judged_by_their_names_alone() -> None:
    messages = {f"m{n}": message(text, message_id=f"m{n}") for n, text in enumerate(["I ran with Max", "Ran in Oslo"])}
    evidence = (Evidence("m0", "I ran with Max"),)

    def found(content: str) -> Finding | None:
        stated = proposal(content, type=MemoryType.PATTERN, evidence=evidence)
        return invented(GateInput(stated, messages, POLICY.gate))

    assert _passes(found("Ran on 7 days, also in Oslo."))
    assert not _passes(found("Ran on 7 days, also in Bergen."))


def test_without_any_message_nothing_is_said_of_support() -> None:
    given = GateInput(proposal(), {}, POLICY.gate)
    assert invented(given) is None
    assert unsupported(given) is None


def test_the_assistants_turns_are_part_of_the_conversation() -> None:
    asked = message("Do you mean Porto?", NOON - timedelta(minutes=1), message_id="q", role=Role.ASSISTANT)
    cited = message("Exactly.", message_id="cited")
    stated = proposal("Lives in Porto.", evidence=(Evidence("cited", "Exactly."),))
    assert _passes(invented(GateInput(stated, {"cited": cited}, POLICY.gate, session=[asked, cited])))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("twelve hundred", "1200"),
        ("two hundred and five", "205"),
        ("three thousand four hundred", "3400"),
        ("ninety-nine", "99"),
        ("a couple of", "2"),
        ("half an hour", "30"),
        ("one million two hundred thousand", "1200000"),
    ],
)
def test_numbers_in_words(text: str, number: str) -> None:
    assert number in set(spelled(text.split()))


@given(st.integers(0, 10**9))
def test_a_number_is_known_in_all_its_forms(n: int) -> None:
    assert forms(f"{n:,}") & numbers_of(f"it was {n}")
    assert forms(str(n)) & numbers_of(f"it was {n:,}")
    assert forms(f"{n}.0") & numbers_of(str(n))
    assert not forms(str(n)) & numbers_of(str(n + 1))


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_content_can_be_held_against_any_message(content: str, said: str) -> None:
    given = _input(content, said)
    assert isinstance(_passes(invented(given)) and _passes(unsupported(given)), bool)


@given(st.text(alphabet=st.characters(categories=["L", "N", "Z", "P"]), min_size=1, max_size=80))
def test_what_repeats_its_message_is_never_invented(text: str) -> None:
    assert _passes(invented(_input(text, text)))
    assert _passes(unsupported(_input(text, text)))
