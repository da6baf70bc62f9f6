"""Only the log holds a secret: no prompt, no proposal, no kept reply, no index and no summary does."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Classification
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.extraction.extract_requests import works
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.redaction import for_models, for_readers
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline.stages.summaries.summarize import summarize
from memory_pipeline.stages.summaries.summary_evidence import diaries
from memory_pipeline.storage.parquet.schemas import Reply
from memory_pipeline_tests.factories import NOON, POLICY, message
from memory_pipeline_tests.store import WordEncoder

DAY = NOON.date()
CARD = "4242 4242 4242 4242"
TALK = [
    ("u1", Role.USER, f"I live in Lisbon. My card is {CARD} and my email is ada@example.org."),
    ("a1", Role.ASSISTANT, f"You have pasted a card, {CARD}. The bank's number is +351 21 123 4567."),
    ("u2", Role.USER, "Thanks! I have a dog called Max, by the way."),
]


def _context(home: Path, policy: Path | None = None) -> StageContext:
    settings = Settings.load(home=str(home), **({"policy": policy} if policy else {}))
    context = StageContext(settings, "run-1", datetime(2026, 7, 1, tzinfo=UTC))
    context.encoder = WordEncoder()
    return context


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    context = _context(tmp_path)
    context.lake.append(
        "messages",
        [
            message(text, NOON + timedelta(minutes=n), message_id=name, role=role)
            for n, (name, role, text) in enumerate(TALK)
        ],
    )
    return context


def test_models_see_a_marker_for_what_is_rejected(ctx: StageContext) -> None:
    (work,) = works(ctx, [DAY])
    shown = json.dumps(work.request.inputs)
    assert CARD not in shown
    assert "[withheld card]" in shown
    assert "ada@example.org" in shown, "what is restricted is to be remembered, so it must be read"
    assert [m.message_id for m in work.messages] == ["u1", "a1", "u2"]


def test_nothing_that_is_made_of_a_message_holds_the_secret(ctx: StageContext) -> None:
    extract(ctx, [DAY])
    consolidate(ctx, [DAY])
    index_messages(ctx, [DAY])
    index_days(ctx, [DAY])
    summarize(ctx, [Period(Grain.DAY, DAY)])
    assert ctx.lake.read("proposals", Proposal)
    assert ctx.lake.read("replies", Reply) is not None
    for dataset in ("proposals", "windows", "verdicts", "memory_versions", "replies", "summaries"):
        assert "4242" not in repr(ctx.lake.sql(f"SELECT * FROM {dataset}").to_pylist()), dataset
    for table in ("messages", "memories"):
        assert "4242" not in repr(ctx.index.all(table, ["content"]).to_pylist()), table
    verbatim = ctx.lake.read("messages", Message)
    assert [m.content for m in verbatim] == [text for _, _, text in TALK], "the log stays as it was (NM-5)"


def test_the_index_withholds_contact_data_of_the_user_alone(ctx: StageContext) -> None:
    index_messages(ctx, [DAY])
    rows = {r["message_id"]: r for r in ctx.index.all("messages", ["message_id", "content", "previous"]).to_pylist()}
    assert rows["u1"]["content"] == "I live in Lisbon. My card is [withheld card] and my email is [withheld email]."
    assert rows["a1"]["content"] == "You have pasted a card, [withheld card]. The bank's number is +351 21 123 4567."
    assert rows["a1"]["previous"] == rows["u1"]["content"]
    assert rows["u2"]["content"] == TALK[2][2]


def test_a_changed_policy_reaches_what_is_indexed(ctx: StageContext, tmp_path: Path) -> None:
    assert index_messages(ctx, [DAY]).total() == 3
    assert index_messages(ctx, [DAY]).total() == 0
    own = tmp_path / "policy.toml"
    own.write_text('[gate.sensitive]\nphone = "reject"\n')
    again = _context(tmp_path, own)
    assert index_messages(again, [DAY]).total() == 2, "the turn, and the one that has it as its previous turn"
    contents = repr(again.index.all("messages", ["content", "previous"]).to_pylist())
    assert "+351" not in contents
    assert "[withheld phone]" in contents


def test_summaries_are_told_from_what_readers_may_see(ctx: StageContext) -> None:
    (diary,) = diaries(ctx, Bucket((DAY,))).values()
    evidence = diary.evidence([DAY], 1000)
    assert evidence is not None
    shown = repr([m.content for m in evidence.messages])
    assert "4242" not in shown and "ada@example.org" not in shown


def test_summaries_tell_no_restricted_memory(ctx: StageContext) -> None:
    from memory_pipeline_tests.factories import memory, proposal

    open_ = memory(proposal("Lives in Lisbon."))
    restricted = replace(
        memory(proposal("Has the email address ada@example.org.")), classification=Classification.RESTRICTED
    )
    ctx.lake.append("memory_versions", [open_, restricted])
    (diary,) = diaries(ctx, Bucket((DAY,))).values()
    evidence = diary.evidence([DAY], 1000)
    assert evidence is not None
    assert [m.content for m in evidence.memories] == ["Lives in Lisbon."]


def test_messages_without_anything_sensitive_are_the_very_same() -> None:
    plain = message("I have a dog called Max.")
    assert for_models([plain], POLICY.gate) == [plain]
    assert for_models([plain], POLICY.gate)[0] is plain
    assert for_readers([plain], POLICY.gate)[0] is plain


def test_a_masked_message_keeps_its_identity() -> None:
    said = message(f"My card is {CARD}.")
    (shown,) = for_models([said], POLICY.gate)
    assert replace(shown, content=said.content) == said
