"""Values as JSON, and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memory_pipeline.domain.plain import parsed
from memory_pipeline.domain.reading.recall import Answer, Payload, RecalledItem, Signal
from memory_pipeline.sdk.results import Receipt, Say

ITEM = RecalledItem(
    id="mem_1",
    layer="semantic",
    type="profile_fact",
    content="Lives in Lisbon.",
    score=1.0,
    signals={"similarity": Signal(0.5, 2.0, 1.0)},
    surface="speak",
    status="active",
    observed_at=datetime(2026, 3, 2, 9, 15, tzinfo=UTC),
    age="now",
    session_id=None,
    evidence=("m-1", "m-2"),
    recall_id="rec_1",
)
PAYLOAD = Payload(
    ({"role": "user", "content": "Hi."},), {"rules": "x"}, ("mem_1",), 3, (), {"all": {"used": 3}}, "rec_1"
)


@pytest.mark.parametrize(
    "value",
    [ITEM, PAYLOAD, Answer("x", ("m-1",), True, {"recall_id": "r"}), Say(payload=PAYLOAD), Receipt(1, 0, 0)],
    ids=lambda value: type(value).__name__,
)
def test_there_and_back(value: RecalledItem) -> None:
    assert parsed(type(value), json.loads(json.dumps(value.to_dict()))) == value


def test_keys_of_a_newer_release_are_left_out() -> None:
    assert parsed(RecalledItem, {**ITEM.to_dict(), "mood": "fine"}) == ITEM


def test_what_is_something_else_is_told() -> None:
    with pytest.raises(ValueError, match="Receipt was expected, and known, quarantined is missing"):
        parsed(Receipt, {"taken": 1})
    with pytest.raises(ValueError, match="'many' is no int"):
        parsed(Receipt, {"taken": "many", "known": 0, "quarantined": 0})
    with pytest.raises(ValueError, match="Receipt was expected"):
        parsed(Receipt, ["taken"])
