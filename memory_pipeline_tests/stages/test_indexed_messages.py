"""Turns on their way into the index: whose words each sentence is, as far as the same day and session tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.classification import Classifier
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.index_messages import index_messages, indexed_messages
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.vectors.index_rows import IndexedMessage
from memory_pipeline_tests import factories
from memory_pipeline_tests.factories import NOON
from memory_pipeline_tests.store import Store, WordEncoder, WordTokenEncoder

POLICY = Settings.load().policies.retrieval
CLASSES = Classifier(Settings.load().policies.classification)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)

ANNOUNCES = "I will send you a letter to translate."
PLAYS = "Let's do a role play: you are a dragon and I am a knight."
TEXT = "I live in Camelot and I own a castle."


def turn(content: str, n: int = 0, **given: Any) -> Message:
    return factories.message(content, NOON + n * MINUTE, **{"message_id": f"m-{n}", **given})


def standings(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Of each turn's sentences."""
    return {
        row.content: [span.standing for span in row.spans] for row, _ in indexed_messages(messages, POLICY, CLASSES)
    }


def test_each_sentence_of_a_turn_has_its_place_and_standing() -> None:
    ((row, day),) = indexed_messages([turn("I live in Rome. Where is Porto?")], POLICY, CLASSES)
    assert [row.content[s.start : s.end].rstrip(".?") for s in row.spans] == ["I live in Rome", "Where is Porto"]
    assert [s.standing for s in row.spans] == ["own", "question"]
    assert all(s.why for s in row.spans[1:])
    assert day == NOON.date()


def test_an_assistants_turn_is_read_as_one() -> None:
    said = "You live in Rome. Rome is old."
    assert standings([turn(said, role=Role.ASSISTANT)])[said] == ["claim", "reply"]
    assert standings([turn(said, role=Role.ASSISTANT, speaker="assistant")])[said] == ["claim", "reply"]


def test_turns_of_tools_and_systems_are_not_indexed() -> None:
    made = [turn("a", 0, role=Role.SYSTEM), turn("b", 1, role=Role.TOOL), turn("c", 2)]
    assert list(standings(made)) == ["c"]


@pytest.mark.parametrize("announcement", [ANNOUNCES, PLAYS])
def test_the_turn_before_tells_whose_words_follow(announcement: str) -> None:
    reply = turn("Sure, go ahead.", 1, role=Role.ASSISTANT)
    assert standings([turn(announcement), reply, turn(TEXT, 2)])[TEXT] == ["foreign"]
    assert standings([turn(TEXT, 2)])[TEXT] == ["own"]
    assert standings([turn(TEXT, 2), reply, turn(announcement)])[TEXT] == ["foreign"], "in whatever order they come"


@pytest.mark.parametrize("other", [{"session_id": "a"}, {"user_id": "a"}, {"tenant_id": "a"}])
def test_what_is_said_elsewhere_tells_nothing(other: dict[str, str]) -> None:
    assert standings([turn(ANNOUNCES, **other), turn(TEXT, 1)])[TEXT] == ["own"]


def test_a_days_standings_follow_from_the_messages_of_that_day() -> None:
    today = [turn(TEXT, 1), turn("And the castle is cold.", 2)]
    yesterday = [replace(turn(ANNOUNCES), created_at=NOON - DAY, day=NOON.date() - DAY, message_id="m-y")]
    assert {**standings([*yesterday, *today]), ANNOUNCES: []} == {**standings(today), ANNOUNCES: []}


def test_people_who_talk_to_each_other_announce_no_texts_and_play_no_parts() -> None:
    named = {"role": Role.ASSISTANT, "speaker": "Melanie"}
    found = standings([turn(PLAYS, speaker="Ben"), turn("I sold my boat.", 1, **named), turn(TEXT, 2, speaker="Ben")])
    assert found[TEXT] == ["own"]
    assert found["I sold my boat."] == ["own"], "whoever has the assistant's place is a person too"


def test_what_is_indexed_with_other_standings_is_written_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, _ = store.messages([("I own a cello.", {}), ("I own a cat.", {})])
    ctx = StageContext(store.settings, "run-1", NOON)
    ctx.encoder = WordEncoder()
    assert index_messages(ctx, [first.day]).total() == 1, "the second turn, whose previous turn is indexed now"
    assert index_messages(ctx, [first.day]).total() == 0
    ((row, _), *_) = indexed_messages([first], POLICY, CLASSES)
    older = replace(row, spans=(replace(row.spans[0], standing="foreign"),))
    store.index.upsert("messages", to_table([older], IndexedMessage), store.encoder.encode([older.content]))
    ctx = StageContext(store.settings, "run-2", NOON)
    ctx.encoder = WordEncoder()
    assert index_messages(ctx, [first.day]).total() == 1
    there = ctx.index.lookup("messages", [row.message_key], ["spans"]).to_pylist()
    assert [span["standing"] for span in there[0]["spans"]] == ["own"]


def test_turns_of_a_release_without_tokens_get_theirs(tmp_path: Path) -> None:
    encoder = WordTokenEncoder()
    store = Store(tmp_path, encoder)
    first, second = store.messages([("cello", {}), ("", {"previous": "cello"})])
    ctx = StageContext(store.settings, "run-1", NOON)
    ctx.encoder = encoder
    assert index_messages(ctx, [first.day]).total() == 0, "a turn without a word lacks none"
    older = [row for row, _ in indexed_messages([first, second], POLICY, CLASSES)]
    store.index.upsert("messages", to_table(older, IndexedMessage), encoder.encode([row.content for row in older]))
    assert index_messages(ctx, [first.day]).total() == 2
    assert index_messages(ctx, [first.day]).total() == 0
    there = ctx.index.all("messages", ["content", "tokens"]).to_pylist()
    assert {row["content"]: row["tokens"] for row in there} == {"cello": encoder.token("cello"), "": b""}
