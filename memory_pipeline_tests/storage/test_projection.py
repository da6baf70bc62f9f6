from __future__ import annotations

from dataclasses import fields

import pytest

from memory_pipeline.domain.proposal import Evidence
from memory_pipeline.storage.vectors.index import IndexedMemory
from memory_pipeline.storage.vectors.projection import indexed_memory, spoken
from memory_pipeline_tests import factories


def test_a_version_keeps_every_field_and_its_message_ids_once() -> None:
    evidence = (Evidence("m-2", "a"), Evidence("m-1", "b"), Evidence("m-2", "c"))
    version = factories.memory(factories.residence("Lisbon"), evidence=evidence)
    row = indexed_memory(version)
    assert row.evidence == ("m-2", "m-1")
    for field in fields(IndexedMemory):
        if field.name != "evidence":
            assert getattr(row, field.name) == getattr(version, field.name)


@pytest.mark.parametrize(
    ("speaker", "text"),
    [("Caroline", "Caroline: Hi"), (None, "Hi"), ("", "Hi"), ("User", "Hi"), ("assistant", "Hi")],
)
def test_a_turn_carries_its_speaker_when_that_is_a_name(speaker: str | None, text: str) -> None:
    assert spoken(speaker, "Hi") == text
