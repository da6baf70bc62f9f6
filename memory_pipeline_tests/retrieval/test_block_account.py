"""What became of each thing that a message might have brought into its prompt."""

from __future__ import annotations

from datetime import timedelta

from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.retrieval.lists.block_account import Fate
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline_tests.store import NOW, Store


def test_each_candidate_stands_in_the_block_or_has_its_reason(reader: MemoryReader, home: Store) -> None:
    home.message("My dog Max likes the park.", message_id="m-1")
    home.memory("Dog Max likes the park.", evidence=("m-1",), at=NOW - timedelta(days=2))
    home.memory("Never mention the park accident.", type=MemoryType.BOUNDARY, surface=Surface.AVOID)
    home.memory("Max is late.")
    found = reader.explain_context("What does my dog Max like at the park?", **home.owner)
    block, items = found["block"], {item["content"]: item for item in found["items"]}
    dog = items["Dog Max likes the park."]
    assert dog["fate"] is Fate.SHOWN and dog["id"] in block.item_ids
    assert dog["content"] in block.sections[f"{dog['section'].upper()}:"]
    assert items["My dog Max likes the park."]["fate"] is Fate.TOLD, "its memory tells it"
    assert items["Max is late."]["fate"] is Fate.DISTANT and items["Max is late."]["section"] is None
    assert [s["contribution"] for s in dog["signals"]] == sorted(
        (s["contribution"] for s in dog["signals"]), reverse=True
    )
    scores = [item["score"] for item in found["items"]]
    assert scores == sorted(scores, reverse=True)


def test_what_finds_no_room_is_told(reader: MemoryReader, home: Store) -> None:
    for n in range(12):
        home.memory(f"Dog number {n} likes the park at the river very much.")
    found = reader.explain_context("Which dog likes the park at the river?", **home.owner, budget=90)
    fates = [item["fate"] for item in found["items"]]
    assert Fate.SHOWN in fates and Fate.ROOM in fates
    assert {item["id"] for item in found["items"] if item["fate"] is Fate.ROOM} <= set(found["block"].dropped)


def test_trying_leaves_no_record(reader: MemoryReader, home: Store) -> None:
    home.memory("Has a dog called Max.")
    reader.explain_context("What is my dog called?", **home.owner)
    kept = RecallLog(home.settings.path("recall"))
    assert [row for row in kept.rows() if row.user_id == home.user_id] == []
    reader.context("What is my dog called?", **home.owner)
    assert [row for row in kept.rows() if row.user_id == home.user_id] != []
