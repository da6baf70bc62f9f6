"""What is worth remembering: substance, quality of work memories, lengths in any script."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.gate import GateInput, quality
from memory_pipeline.domain.gate.rules.substance import concrete, length, specific_words, surprise
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.factories import POLICY, proposal

DECISION, FINDING = MemoryType.DECISION, MemoryType.FINDING
CORRECTION, ESTIMATE = MemoryType.CORRECTION, MemoryType.ESTIMATE


@pytest.mark.parametrize(
    "content",
    [
        "Likes things.",
        "Had a good day.",
        "Is a person.",
        "Is happy today.",
        "Feels good.",
        "The user said hi.",
        "Wants to talk.",
        "Has a question about something.",
        "Enjoys life a lot.",
        "Is doing fine.",
        "Thinks that is really interesting.",
        "Likes to do stuff sometimes.",
        "Thanks the assistant.",
    ],
)
def test_what_holds_of_anybody_adds_nothing(content: str) -> None:
    found = surprise(GateInput(proposal(content), {}, POLICY.gate))
    assert found is not None
    assert (found.passed, found.figure, found.threshold) == (False, 0.0, 1.0)


@pytest.mark.parametrize(
    "content",
    [
        "Likes tea.",
        "Lives in Lisbon.",
        "Is 31 years old.",
        "Is called Max.",
        "Is vegetarian.",
        "Prefers short answers.",
        "Had a good day at the beach.",
        "Wants to call mom.",
        "Is married.",
        "Does not drink.",
        "Never wants emojis.",
        "住在里斯本",
        "Mag Tee.",
        "Любит чай.",
    ],
)
def test_one_specific_word_is_enough(content: str) -> None:
    assert specific_words(proposal(content)) >= POLICY.gate.min_specific_words


def test_the_subject_alone_says_nothing_of_it() -> None:
    assert specific_words(proposal("Nora is a person.", subject="Nora")) == 0
    assert specific_words(proposal("Nora is a potter.", subject="Nora")) == 1


def test_ending_something_needs_no_substance() -> None:
    assert surprise(GateInput(proposal("All of it.", operation=Operation.FORGET), {}, POLICY.gate)) is None


GOOD = [
    (DECISION, "Decided to use Postgres for the queue because Redis lost jobs."),
    (DECISION, "Going with pgbouncer instead of a larger pool."),
    (DECISION, "Keeps the monolith; services would cost two people."),
    (FINDING, "The rate card cache only hits 61% because weights are not normalised."),
    (FINDING, "12 pods times 20 connections is 240, and Postgres allows 200."),
    (FINDING, "With the fixture that resets the decimal context Gary passes 400 of 400."),
    (CORRECTION, "Root cause was the connection pool; avoid opening one per request."),
    (CORRECTION, "Next time for data backfills I multiply by 1.7."),
    (CORRECTION, "It was not the garbage collector but leaked connections."),
    (ESTIMATE, "The backfill takes about 3 days for 40 million rows."),
    (ESTIMATE, "Estimate: 2 weeks for whoever takes the invoices."),
    (DECISION, "Entschieden, dass wir Postgres statt Redis für die Jobs nehmen."),
]
BAD = [
    (FINDING, "Done."),
    (DECISION, "Fixed."),
    (FINDING, "The migration is done."),
    (CORRECTION, "All tests pass now."),
    (DECISION, "The deployment has been completed successfully."),
    (FINDING, "It works."),
    (ESTIMATE, "Is in progress."),
    (DECISION, "Had a meeting with the team."),
    (CORRECTION, "Looked at the logs again."),
]


@pytest.mark.parametrize(("kind", "content"), GOOD)
def test_substance_passes(kind: MemoryType, content: str) -> None:
    assert quality(proposal(content, type=kind), POLICY.gate) >= POLICY.gate.min_quality


@pytest.mark.parametrize(("kind", "content"), BAD)
def test_status_reports_do_not(kind: MemoryType, content: str) -> None:
    assert quality(proposal(content, type=kind), POLICY.gate) < POLICY.gate.min_quality


def test_the_parts_of_quality_add_up_as_the_table_says() -> None:
    parts = POLICY.gate.quality
    assert parts.length + parts.keywords + parts.reason + parts.concrete == pytest.approx(1.0)
    full = proposal("We use Postgres because Redis lost jobs.", type=DECISION)
    assert quality(full, POLICY.gate) == 1.0
    reasonless = proposal("We use Postgres for all of the queues.", type=DECISION)
    assert quality(reasonless, POLICY.gate) == 0.85
    short = proposal("Use Postgres here.", type=DECISION, entities=("Postgres",))
    assert quality(short, POLICY.gate) == 0.55
    long = proposal("We use Postgres for queues. " * 15, type=DECISION)
    assert quality(long, POLICY.gate) == 0.7


def test_a_keyword_is_a_word() -> None:
    houses = proposal("The house of the muse stands abroad.", type=DECISION)
    assert quality(houses, POLICY.gate) == 0.45


def test_a_concrete_subject_is_more_than_a_status() -> None:
    assert not concrete(proposal("The Redis migration is done.", type=FINDING, entities=("Redis",)))
    assert concrete(proposal("The Redis migration is done because the index fits.", type=FINDING))
    assert not concrete(proposal("It is good.", type=FINDING))


def test_lengths_are_measured_by_what_a_character_says() -> None:
    def passed(text: str) -> bool:
        return length(GateInput(proposal(text), {}, POLICY.gate)).passed

    assert passed("x" * POLICY.gate.min_length)
    assert not passed("x" * (POLICY.gate.min_length - 1))
    assert passed("住在里斯")
    assert not passed("住在")
    assert passed("x" * POLICY.gate.max_length)
    assert not passed("x" * (POLICY.gate.max_length + 1))


def test_words_enough_of_their_own_count_as_a_keyword() -> None:
    told = proposal("Redis cluster handover happens over three regional gateways.", type=DECISION)
    assert quality(told, POLICY.gate) >= POLICY.gate.min_quality
    estimate = proposal("The switch to Redis took 9 working days, close to the estimate.", type=MemoryType.FINDING)
    assert quality(estimate, POLICY.gate) >= POLICY.gate.min_quality
