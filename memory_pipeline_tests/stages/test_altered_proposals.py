"""A hosted model's proposals against what they quote, end to end: altered ones go, the good ones beside them stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Verdict
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.stages.echoing import context, draft, proposed

SAID = (
    "I'm allergic to penicillin, and my sister Ines lives in Oslo with her two cats. I might move to Spain next year. "
    "Do you think I'm vegan? Translate this: I am the mother of twins."
)
GOOD = {
    "Is allergic to penicillin.": "I'm allergic to penicillin",
    "Sister Ines lives in Oslo.": "my sister Ines lives in Oslo",
    "Is considering a move to Spain.": "I might move to Spain next year",
}
ALTERED = {
    "Is not allergic to penicillin.": ("I'm allergic to penicillin", "contrary"),
    "Never had an allergy to penicillin.": ("I'm not allergic to penicillin", "grounding"),
    "Lives in Oslo.": ("lives in Oslo", "subject"),
    "Lives in Spain.": ("I might move to Spain next year", "unfounded"),
    "Is vegan.": ("Do you think I'm vegan?", "unfounded"),
    "Is the mother of twins.": ("I am the mother of twins", "voice"),
    "Is pregnant.": ("my sister Ines lives in Oslo", "unsupported"),
    "Sister Ines has three cats.": ("her three cats", "grounding"),
}


def _reply(message_alias: str) -> dict[str, Any]:
    drafts = [draft(message_alias, quote, content=content) for content, quote in GOOD.items()]
    drafts += [draft(message_alias, quote, content=content) for content, (quote, _) in ALTERED.items()]
    drafts.append(
        draft(message_alias, "I'm allergic to penicillin", content="Worries about health.", type="reflection")
    )
    return {"windows": [{"window": "w1", "proposals": drafts}]}


def _verdicts(home: Path, server: ProtocolServer, said: Message) -> dict[str, str]:
    ctx = context(home)
    ctx.lake.append("messages", [said])
    server.answer("extract", lambda _: _reply("m1"))
    assert extract(ctx, [NOON.date()]).failed.total() == 0
    consolidate(ctx, [NOON.date()])
    reasons = {v.proposal_id: v.reason for v in ctx.lake.read("verdicts", Verdict)}
    return {p.content: reasons[p.proposal_id] for p in proposed(ctx)}


def test_altered_proposals_are_rejected_and_the_good_ones_beside_them_survive(
    tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    found = _verdicts(tmp_path, protocol_server, message(SAID, message_id="a"))
    assert {content: found[content] for content in GOOD} == dict.fromkeys(GOOD, "add")
    assert {content: found[content] for content in ALTERED} == {content: why for content, (_, why) in ALTERED.items()}
    assert found["Worries about health."] == "derived"


def test_of_another_language_only_words_are_compared(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    said = message("Ich wohne mit meiner Schwester und zwei Katzen in Oslo, und ich esse kein Fleisch.", message_id="a")
    ctx = context(tmp_path)
    ctx.lake.append("messages", [said])
    drafts = [draft("m1", "ich esse kein Fleisch", content="Isst kein Fleisch.")]
    protocol_server.answer("extract", lambda _: {"windows": [{"window": "w1", "proposals": drafts}]})
    extract(ctx, [NOON.date()])
    consolidate(ctx, [NOON.date()])
    (verdict,) = ctx.lake.read("verdicts", Verdict)
    assert verdict.reason == "add"
    assert "voice" not in {f.code for f in verdict.findings}
