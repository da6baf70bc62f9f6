"""The benchmarks run on a handful of data, and their scorers can tell right from wrong."""

from __future__ import annotations

import json
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as command_line
from benchmarks import bad_input, fact_consolidation, halumem, isolation, model_calls, pairs, rerun
from benchmarks.homes import open_home, take
from benchmarks.pair_outcomes import Pair, conversations, statements
from benchmarks.plausible_answers import lines
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline_tests.factories import memory, residence
from memory_pipeline_tests.store import WordEncoder

FACTS = [
    "Chanel was founded by Coco Chanel.",
    "The capital of Germany is Berlin.",
    "Chanel was founded by Andy Warhol.",
]


def _side(city: str, said: str) -> dict[str, Any]:
    slot = {"subject": "user", "attribute": "residence", "value": city, "negated": False, "valid_from": None}
    return {"text": f"Lives in {city}.", "said": said, "operation": "add", **slot}


@pytest.fixture
def two_pairs() -> list[Pair]:
    berlin = _side("Berlin", "I live in Berlin.")
    return [
        Pair("p1", "residence", "same", "profile_fact", berlin, {**berlin, "text": "Is based in Berlin."}),
        Pair("p2", "residence", "same", "profile_fact", berlin, _side("Oslo", "I live in Oslo now.")),
    ]


@pytest.mark.parametrize("module", [*command_line.QUICK.values(), *command_line.THOROUGH.values()])
def test_every_benchmark_has_a_measure(module: str) -> None:
    assert callable(import_module(f"benchmarks.{module}").measure)


@pytest.mark.parametrize("file", [pairs.OWN, pairs.HELD_OUT])
def test_own_pairs_are_whole(file: Path) -> None:
    rows = pairs.own_pairs(file=file)
    assert len({r.id for r in rows}) == len(rows)
    assert {r.label for r in rows} == {"same", "detail", "changed", "denied", "distinct"}
    assert all(side["said"] and side["attribute"] for r in rows for side, _ in r.sides)


def test_pairs_go_through_consolidation(two_pairs: list[Pair]) -> None:
    same, moved = statements(two_pairs, slots=True)
    assert (same.action, moved.action) == ("reinforce", "supersede")
    found = pairs.report([same, moved])
    assert (found["duplicates_caught_pct"], found["right_action_pct"]) == (100.0, 50.0)


def test_pairs_go_through_extraction(two_pairs: list[Pair]) -> None:
    same, moved = conversations(two_pairs)
    assert (same.action, moved.action) == ("reinforce", "supersede")
    assert moved.left == ["Lives in Oslo."]


def test_fact_consolidation_tells_order() -> None:
    facts = [fact_consolidation.read(text, n) for n, text in enumerate(FACTS)]
    assert [(a.value, b.value) for a, b in fact_consolidation.conflicts(facts)] == [("coco chanel", "andy warhol")]
    right, _ = fact_consolidation.score(facts, fact_consolidation.told(facts, 1, 2))
    backwards, failed = fact_consolidation.score(facts, fact_consolidation.told(facts[::-1], 1, 2))
    assert (right["right_pct"], backwards["right_pct"]) == (100.0, 0.0)
    assert failed[0].startswith("later not active: Chanel")


def test_halumem_matches_what_is_said_and_not_its_opposite() -> None:
    sushi = memory(residence("Lisbon"), content="Likes fresh sushi.")
    remembered = halumem.Remembered([sushi], WordEncoder(), frozenset())
    assert remembered.match("Sarah Garcia Foods I like to eat: Fresh sushi").holds
    assert not remembered.match("Sarah Garcia Foods I dislike: Fresh sushi").holds
    assert not remembered.match("Sarah Garcia Foods I like to eat: Gourmet burgers").holds


def test_plausible_answers_read_the_prompts(tmp_path: Path) -> None:
    line = {"user_id": "u", "session_id": "s", "role": "user", "speaker": "Ann", "created_at": "2026-03-10T09:15:00Z"}
    with model_calls.model() as server:
        ctx = open_home(str(tmp_path), chat="openai", chat_model="counted")
        take(ctx, [{**line, "content": "I live in Lisbon."}, {**line, "role": "assistant", "content": "I see."}])
        extract(ctx, ctx.lake.days("messages"))
        (made,) = ctx.lake.read("proposals", Proposal)
        assert (made.content, made.evidence[0].quote) == ("Lives in Lisbon.", "I live in Lisbon.")
        assert server.counts["extract"] == 1
    (said,) = lines('m7 | 2026-03-10T09:15:00+00:00 | assistant "Bo" | "Yes \\"so\\"."')
    assert (said["role"], said["speaker"], said["content"]) == ("assistant", "Bo", 'Yes "so".')


def test_homes_are_compared_by_all_but_the_run() -> None:
    one: MemoryVersion = memory(residence("Lisbon"))
    later = memory(residence("Lisbon"), confidence=0.1)
    assert model_calls.compared({"versions": {"a": _shown(one)}}, {"versions": {"a": _shown(one)}})["identical"]
    assert not model_calls.compared({"versions": {"a": _shown(one)}}, {"versions": {"a": _shown(later)}})["identical"]
    lost = rerun.difference({"links": Counter(["x", "y"])}, {"links": Counter(["y", "z"])})
    assert lost == {"identical": False, "links": {"rows": 2, "gone": 1, "new": 1}}


def _shown(version: MemoryVersion) -> dict[str, str]:
    return {"confidence": repr(version.confidence)}


def test_the_development_data_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATASETS", raising=False)
    said = [module.measure() for module in (fact_consolidation, halumem, model_calls)]
    assert all("DATASETS is not set" in json.dumps(text) for text in said)


def test_bad_input_is_accounted_for_line_by_line() -> None:
    found = bad_input.measure(files=60, lines=60, seed=3)
    unaccounted = ("of these without a word", "bad lines not accounted for", "taken at the second time")
    assert [found[name] for name in unaccounted] == [0, 0, 0]
    assert found["quarantined"] > 60 and found["taken"] == found["messages in the log"] > 0


def test_equal_texts_of_many_owners_stay_apart() -> None:
    found = isolation.measure(tenants=3, users=12, queries=60)
    assert found["foreign"] == 0
    assert found["rows"] > 60 and found["shared by others of the tenant"] > 0
