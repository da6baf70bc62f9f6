from __future__ import annotations

from dataclasses import replace

import pytest

from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.links import LinkKind, Remembered, denied, elaborates, ledger_links, reason, reasons
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import NOON, POLICY


def remembered(content: str, n: int = 0, **given: object) -> Remembered:
    made = Remembered(
        memory_id=f"mem_{n}",
        tenant_id="t",
        user_id="u",
        born=NOON.date(),
        type=MemoryType.PROFILE_FACT,
        status=Status.ACTIVE,
        content=content,
        subject="user",
        attribute=None,
        value=None,
        negated=False,
        entities=(),
        reinforcements=0,
        observed_at=NOON,
        referenced_at=NOON,
        derived_from=(),
        superseded_by=None,
    )
    return replace(made, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "given"),
    [
        ("Decided on paging, because the browser froze.", "the browser froze."),
        ("Moved because of the new job.", "the new job."),
        ("Late due to leaked connections.", "leaked connections."),
        ("The browser froze, so we page on the server.", "The browser froze"),
        ("Prices rose; therefore, margins fell.", "Prices rose"),
        ("Is so tired.", ""),
        ("Lives in Lisbon.", ""),
        ("Has played since 2019.", ""),
    ],
)
def test_the_reason_of_a_sentence(content: str, given: str) -> None:
    assert reason(content) == given


@pytest.mark.parametrize(
    ("more", "less", "expected"),
    [
        ("Plays the violin in a quartet.", "Plays the violin.", True),
        ("Plays the violin.", "Plays the violin in a quartet.", False),
        ("Plays the violin.", "Plays the violin!", False),
        ("Likes tea with milk.", "Tea.", False),
        ("Runs 10 km on Sundays.", "Runs 5 km.", False),
        ("Runs 5 km on Sundays.", "Runs on Sundays.", True),
        ("Does not play the violin in public.", "Plays the violin.", False),
    ],
)
def test_elaboration(more: str, less: str, expected: bool) -> None:
    assert elaborates(remembered(more), remembered(less)) is expected


def test_elaboration_is_of_one_subject() -> None:
    assert not elaborates(remembered("Brother plays the violin.", subject="brother"), remembered("Plays the violin."))


def test_statements_of_the_ledger() -> None:
    memories = [
        remembered("Lives in Berlin.", 0, status=Status.SUPERSEDED, superseded_by="mem_1"),
        remembered("Lives in Hamburg.", 1),
        remembered("Is a nurse.", 2, status=Status.CONTRADICTED, superseded_by="mem_1"),
        remembered("Moves a lot.", 3, derived_from=("mem_0", "mem_1", "mem_gone")),
        remembered("Ended by something that is gone.", 4, superseded_by="mem_gone"),
    ]
    assert {(t.source, t.target, t.kind) for t in ledger_links(memories)} == {
        (1, 0, LinkKind.SUPERSEDES),
        (1, 2, LinkKind.CONTRADICTS),
        (3, 0, LinkKind.CAUSED_BY),
        (3, 1, LinkKind.CAUSED_BY),
    }


def test_denials_are_found_by_slot_whatever_the_words() -> None:
    def taste(n: int, attribute: str, value: str, **given: object) -> Remembered:
        return remembered(f"Taste number {n}.", n, attribute=attribute, value=value, **given)

    memories = [
        taste(0, "likes", "black coffee"),
        taste(1, "dislikes", "coffee, black"),
        taste(2, "dislikes", "tea"),
        taste(3, "likes", "black coffee", subject="brother"),
        taste(4, "likes", "black coffee", negated=True),
        taste(5, "hobby", "black coffee"),
        taste(6, "likes", "黒いコーヒー"),
        taste(7, "dislikes", "黒いコーヒー"),
    ]
    found = [(t.source, t.target) for t in denied(memories, range(8))]
    assert found == [(1, 0), (4, 0), (7, 6)]
    assert [(t.source, t.target) for t in denied(memories, {7})] == [(7, 6)]


def test_a_reason_names_an_earlier_memory_with_half_of_the_words() -> None:
    memories = [
        remembered("The browser froze at 5k rows.", 0),
        remembered("The browser is new.", 1),
        remembered("Paging on the server, because the browser froze with many rows.", 2),
        remembered("The browser froze at many rows again.", 3),
        remembered("The browser froze at many rows every time.", 4, derived_from=("mem_0",)),
    ]
    found = [(t.source, t.target, t.kind) for t in reasons(memories, range(5), POLICY.links)]
    assert found == [(2, 0, LinkKind.CAUSED_BY)]
    (tie,) = reasons(memories, {2}, POLICY.links)
    assert tie.weight == 0.75
    assert list(reasons(memories, {3, 4}, POLICY.links)) == []
