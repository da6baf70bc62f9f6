"""A wrong expectation fails: each field of an expected memory is held against what is there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, Status
from memory_pipeline.domain.proposal import Evidence
from memory_pipeline.evaluation.fixture import Fixture, Remembered
from memory_pipeline.evaluation.fixture_match import closest, faults, has_word, match
from memory_pipeline_tests import factories

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def fixture(*expected: dict[str, Any], may: tuple[dict[str, Any], ...] = ()) -> Fixture:
    chat = {"id": "s1", "at": AT, "turns": [{"user": "I love green tea."}, {"user": "I live in Rome."}]}
    given = {"name": "f", "kind": "k", "tags": ["DL-32"], "about": "a", "today": AT, "chats": [chat]}
    return Fixture.model_validate({**given, "remembers": expected, "may": may})


def memory(content: str, number: int = 1, **given: Any) -> MemoryVersion:
    plain = {
        "tenant_id": "fixtures",
        "user_id": "f.user",
        "memory_id": f"mem_{number}",
        "evidence": (Evidence(f"f/s1.{number}", content),),
    }
    return replace(factories.memory(factories.proposal(content, AT)), **{**plain, **given})


TEA = memory("Loves green tea.", attribute="likes", value="green tea", due_at=AT + timedelta(days=1), reinforcements=1)
FITTING = {"words": ["tea"], "from": "s1.1", "attribute": "likes", "value": "tea", "status": "active", "reinforced": 1}
WRONG = {
    "words": {"words": ["tea", "black"]},
    "half a word": {"words": ["gree"]},
    "without": {"without": ["green"]},
    "from": {"from": "s1.2"},
    "type": {"type": "boundary"},
    "status": {"status": "archived"},
    "attribute": {"attribute": "dislikes"},
    "value": {"value": "coffee"},
    "subject": {"subject": "Anna"},
    "surface": {"surface": "avoid"},
    "due": {"due": "2026-03-04"},
    "until": {"until": "2026-03-03"},
    "denies": {"denies": True},
    "pinned": {"pinned": True},
    "reinforced": {"reinforced": 2},
    "never_reinforced": {"never_reinforced": True},
    "classification": {"classification": "confidential"},
    "owner": {"user": "somebody-else"},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_one_wrong_field_is_enough(change: dict[str, Any]) -> None:
    story = fixture(FITTING)
    assert faults(story, story.remembers[0], TEA, [Status.ACTIVE]) == []
    wrong = Remembered.model_validate({**FITTING, **change})
    assert len(faults(story, wrong, TEA, wrong.status)) == 1


def test_a_memory_fulfils_one_expectation() -> None:
    story = fixture({"words": ["tea"]}, {"words": ["tea"]})
    found = match(story, {TEA.scope: [TEA]})
    assert len(found.expected) == 1
    assert found.unexpected == ()


def test_a_second_memory_of_a_fact_is_unexpected() -> None:
    twin = memory("Loves green tea.", 2)
    found = match(fixture({"words": ["tea"]}), {TEA.scope: [TEA, twin]})
    assert len(found.unexpected) == 1


def test_the_assignment_fulfils_the_most() -> None:
    """The looser expectation comes first and gives way to the stricter one."""
    black = memory("Loves black tea.", 2)
    found = match(fixture({"words": ["tea"]}, {"words": ["green"]}), {TEA.scope: [TEA, black]})
    assert {n: m.memory_id for n, m in found.expected.items()} == {0: "mem_2", 1: "mem_1"}


def test_what_is_permitted_is_neither_expected_nor_unexpected() -> None:
    home = memory("Lives in Rome.", 2)
    found = match(fixture({"words": ["tea"]}, may=({"words": ["rome"]},)), {TEA.scope: [TEA, home]})
    assert (len(found.expected), len(found.allowed), found.unexpected) == (1, 2, ())


def test_an_ended_memory_fulfils_only_what_asks_for_it() -> None:
    ended = replace(TEA, status=Status.ARCHIVED)
    assert match(fixture({"words": ["tea"]}), {TEA.scope: [ended]}).expected == {}
    assert match(fixture({"words": ["tea"], "status": "archived"}), {TEA.scope: [ended]}).expected


def test_the_report_names_what_differs() -> None:
    story = fixture({"words": ["tea"], "type": "boundary"})
    assert "differs in type" in closest(story, story.remembers[0], {TEA.scope: [TEA]})
    assert closest(story, story.remembers[0], {}) == "nothing is remembered of this user"


@pytest.mark.parametrize(
    ("text", "word", "there"),
    [
        ("Uses emojis.", "emoji*", True),
        ("Uses emojis.", "emoji", False),
        ("Noor's tea", "noor", True),
        ("Weighs 88 kg.", "8", False),
        ("来月京都に引っ越します", "京都", True),
        ("Broke up with Paula.", "broke up", True),
    ],
)
def test_words(text: str, word: str, there: bool) -> None:
    assert has_word(text, word) is there
