"""What is over when somebody tells of an ending, and what goes on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_pipeline.domain.consolidation.endings.ended_relations import ended, open_to_end
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline_tests.factories import NOON, memory, proposal

LATER = NOON + timedelta(days=20)
# name: content, attribute, value, subject
KNOWN: dict[str, tuple[str, str | None, str | None, str]] = {
    "siemens": ("Works at Siemens.", "employer", "Siemens", "user"),
    "nurse": ("Works as a nurse.", "occupation", "nurse", "user"),
    "married": ("Is married to Tom.", "partner", "Tom", "user"),
    "partner": ("Has a partner called Tom.", "partner", "Tom", "user"),
    "rex": ("Has a dog called Rex.", "pet", "Rex", "user"),
    "labrador": ("Dog Rex is a labrador.", None, None, "dog rex"),
    "pickle": ("Has a cat called Pickle.", "pet", "Pickle", "user"),
    "honda": ("Drives a Honda.", "drive", "Honda", "user"),
    "volvo": ("Drives an old Volvo V70.", "possession", "Volvo V70", "user"),
    "smokes": ("Smokes a pack a day.", "smoking", "yes", "user"),
    "smoker": ("Is a smoker.", "smoking", "smoker", "user"),
    "coffee": ("Drinks coffee every morning.", "drink", "coffee", "user"),
    "likes": ("Likes coffee.", "likes", "coffee", "user"),
    "duckdb": ("Uses DuckDB.", "use", "DuckDB", "user"),
    "vegan": ("Is vegan.", "diet", "vegan", "user"),
    "pain": ("Has bad back pain.", "health", "back pain", "user"),
    "gym": ("Goes to the gym twice a week.", None, None, "user"),
    "delhi": ("Lives in Delhi.", "residence", "Delhi", "user"),
    "bike": ("Has a bike.", "possession", "bike", "user"),
    "tennis": ("Plays tennis.", "play", "tennis", "user"),
    "korean": ("Is learning Korean.", "learning", "Korean", "user"),
    "max_works": ("Brother Max works at Siemens.", "employer", "Siemens", "brother max"),
    "max_lives": ("Brother Max lives in Berlin.", "residence", "Berlin", "brother max"),
}
TOLD = [  # told, of whom, what it ends
    ("Quit their job at Siemens.", "user", "siemens"),
    ("Last day at Siemens was Friday.", "user", "siemens"),
    ("Left Siemens.", "user", "siemens"),
    ("Resigned from Siemens.", "user", "siemens"),
    ("Was laid off.", "user", "siemens"),
    ("Got fired last week.", "user", "siemens"),
    ("Lost their job.", "user", "siemens"),
    ("Was made redundant.", "user", "siemens"),
    ("No longer works at Siemens.", "user", "siemens"),
    ("Retired.", "user", "siemens"),
    ("Was laid off from Meta.", "user", ""),
    ("Left Bosch.", "user", ""),
    ("Might leave Siemens.", "user", ""),
    ("Is thinking about quitting their job.", "user", ""),
    ("Split up with Tom.", "user", "married partner"),
    ("Broke up with Tom.", "user", "married partner"),
    ("Got divorced.", "user", "married partner"),
    ("Split up with Ben.", "user", ""),
    ("Dog Rex died.", "user", "rex labrador"),
    ("Rex died yesterday.", "user", "rex labrador"),
    ("Rex passed away.", "dog rex", "rex labrador"),
    ("Pickle was put to sleep.", "user", "pickle"),
    ("Sold the Honda.", "user", "honda"),
    ("Sold the Honda and bought a Tesla.", "user", "honda"),
    ("Traded in their Volvo.", "user", "volvo"),
    ("Sold the bike.", "user", "bike"),
    ("Sold the house.", "user", ""),
    ("Gave up smoking.", "user", "smokes smoker"),
    ("No longer smokes.", "user", "smokes smoker"),
    ("Stopped drinking coffee.", "user", "coffee"),
    ("No longer drinks coffee.", "user", "coffee"),
    ("No longer likes coffee.", "user", "likes"),
    ("Does not like instant coffee.", "user", ""),
    ("Stopped using DuckDB.", "user", "duckdb"),
    ("No longer uses DuckDB.", "user", "duckdb"),
    ("Quit being vegan.", "user", "vegan"),
    ("Back pain is completely gone.", "user", "pain"),
    ("Cancelled the gym.", "user", "gym"),
    ("No longer lives in Delhi.", "user", "delhi"),
    ("Moved out of Delhi.", "user", "delhi"),
    ("Stopped playing tennis.", "user", "tennis"),
    ("Does not play tennis on Mondays.", "user", ""),
    ("No longer learning Korean.", "user", "korean"),
    ("Does not drink coffee.", "user", "coffee"),
    ("Is not vegan.", "user", "vegan"),
    ("Is not in Delhi this week.", "user", ""),
    ("Is not at Siemens today.", "user", ""),
    ("Does not have time for tennis.", "user", ""),
    ("Stopped drinking coffee in the evening.", "user", ""),
    ("Left Delhi this morning.", "user", ""),
    ("Dropped their bike.", "user", ""),
    ("Brother Max quit Siemens.", "brother max", "max_works"),
    ("Brother quit Siemens.", "brother", "max_works"),
    ("Brother Max no longer lives in Berlin.", "brother max", "max_lives"),
]


def _known() -> dict[str, MemoryVersion]:
    return {
        name: memory(proposal(content, NOON + timedelta(minutes=n), attribute=attribute, value=value, subject=subject))
        for n, (name, (content, attribute, value, subject)) in enumerate(KNOWN.items())
    }


@pytest.mark.parametrize(("told", "subject", "over"), TOLD, ids=[t for t, _, _ in TOLD])
def test_ends(told: str, subject: str, over: str) -> None:
    known = _known()
    found = ended(proposal(told, LATER, subject=subject), list(known.values()))
    assert {name for name, m in known.items() if m in found} == set(over.split())


def test_an_ending_from_before_the_fact_was_told_ends_nothing() -> None:
    known = memory(proposal("Works at Siemens.", NOON, attribute="employer", value="Siemens"))
    long_ago = proposal("Left Siemens.", LATER, valid_from=NOON - timedelta(days=900))
    late = proposal("Left Siemens.", NOON - timedelta(days=1))
    assert ended(long_ago, [known]) == ended(late, [known]) == []


def test_what_is_told_by_the_month_ends_what_was_told_within_it() -> None:
    known = memory(proposal("Plays guitar.", NOON, attribute="hobby", value="guitar"))
    last_month = proposal("Left guitar.", LATER, valid_from=NOON - timedelta(days=25))
    assert ended(last_month, [known]) == [known]


def test_what_somebody_elses_things_do_ends_nothing_of_the_users() -> None:
    known = memory(proposal("Works at Siemens.", NOON, attribute="employer", value="Siemens"))
    assert ended(proposal("Their contract with Siemens ran out.", LATER), [known]) == [known]
    assert ended(proposal("Brother's contract with Siemens ran out.", LATER), [known]) == []


def test_of_two_employers_an_unnamed_one_is_not_guessed() -> None:
    two = [
        memory(proposal(f"Works at {name}.", NOON, attribute="employer", value=name)) for name in ("Siemens", "a bar")
    ]
    assert ended(proposal("Was laid off.", LATER), two) == []


@pytest.mark.parametrize(
    ("told", "over"),
    [
        ("No longer takes blood pressure tablet.", "Takes amlodipine 5 mg."),
        ("Stopped taking the thyroid pill.", "Takes levothyroxine 75 mcg."),
        ("Is off the water tablets.", "Takes furosemide 20 mg."),
    ],
)
def test_a_medicine_is_known_by_what_it_is_for(told: str, over: str) -> None:
    taken = [
        memory(proposal(content, NOON, attribute="medication", value=content.split()[1]))
        for content in ("Takes amlodipine 5 mg.", "Takes levothyroxine 75 mcg.", "Takes furosemide 20 mg.")
    ]
    assert [m.content for m in ended(proposal(told, LATER), taken)] == [over]
    assert ended(proposal("Is no longer under pressure.", LATER), taken) == []


def test_what_is_only_named_after_a_thing_is_not_likely_the_thing() -> None:
    known = memory(proposal("Pays for Netflix.", NOON, attribute="pay", value="for Netflix"))
    assert not open_to_end(proposal("Cancelled their Netflix evening with the girls.", LATER), [known], named=True)
    assert open_to_end(proposal("Cancelled the streaming.", LATER), [known], named=True) == [known]
