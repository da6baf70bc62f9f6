"""The table of reasons knows every code that a verdict can have."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.consolidation.supersession import Action
from memory_pipeline.domain.gate import RULES, GateInput, examine
from memory_pipeline.domain.gate import RecalledText as _Recalled
from memory_pipeline.domain.gate.texts.claims import Reading
from memory_pipeline.domain.proposal import Evidence, MemoryType
from memory_pipeline.domain.reasons import Reason, meaning
from memory_pipeline_tests.factories import NOON, POLICY, message, proposal


def test_every_rule_of_the_gate_has_its_line() -> None:
    said = message("We use Postgres because of its queues.", message_id="m")
    stated = proposal(
        "Uses Postgres because of its queues.", type=MemoryType.DECISION, evidence=(Evidence("m", said.content),)
    )
    recalled = (_Recalled("Uses Redis.", NOON),)
    content = Reading((), stated.content)
    quotes = (Reading((), said.content),)
    given = GateInput(
        stated, {"m": said}, POLICY.gate, recalled=recalled, extracted=True, hosted=True, content=content, quotes=quotes
    )
    codes = [f.code for f in examine(given)]
    assert len(codes) == len(set(codes)) == len(RULES)
    assert set(codes) <= set(Reason)


def test_every_action_of_consolidation_has_its_line() -> None:
    assert {str(action) for action in Action} <= set(Reason)
    assert {"covered", "no_target"} <= set(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_a_line_is_short_and_says_something(reason: Reason) -> None:
    assert meaning(reason) == meaning(str(reason.value)) == reason.meaning
    assert 10 < len(reason.meaning) < 90


def test_an_unknown_code_has_no_meaning() -> None:
    assert meaning("sunspots") == ""
