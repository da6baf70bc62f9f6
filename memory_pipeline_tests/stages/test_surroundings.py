"""The gate inside consolidation: with the talk around a proposal, and with what was recalled into its session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, Status, fold
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Evidence, Operation, Proposal, Verdict
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.domain.window import windows
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.consolidation.recalled_texts import recalled_into
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.index_messages import index_messages, message_key
from memory_pipeline.stages.operations.feedback import collect
from memory_pipeline.stages.publication.audit import no_secret_is_remembered
from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog
from memory_pipeline_tests.factories import NOON, message, proposal, residence
from memory_pipeline_tests.store import Store, WordEncoder

DAY = NOON.date()
USER = Scope("t", "u")
LATER = NOON + timedelta(days=3)


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return _context(tmp_path)


def _context(home: Path, days: int = 0) -> StageContext:
    now = datetime(2026, 7, 1, 2, tzinfo=UTC) + timedelta(days=days)
    context = StageContext(Settings.load(home=str(home)), f"run-{days}", now)
    context.encoder = WordEncoder()
    return context


def _put(ctx: StageContext, messages: Sequence[Message], proposals: Sequence[Proposal]) -> None:
    ctx.lake.append("messages", messages)
    for day in {p.day for p in proposals}:
        ctx.lake.replace("proposals", day, [p for p in proposals if p.day == day])


def _verdicts(ctx: StageContext) -> Mapping[str, str]:
    return {v.proposal_id: v.reason for v in ctx.lake.read("verdicts", Verdict)}


def _active(ctx: StageContext) -> list[str]:
    rows = ctx.lake.read("memory_versions", MemoryVersion)
    return sorted(m.content for m in fold(rows).values() if m.status is Status.ACTIVE)


def _says(text: str, at: datetime = NOON, **given: Any) -> Message:
    return message(text, at, **{"message_id": f"m{at:%d%H%M%S}", **given})


def _from(said: Message, content: str, quote: str | None = None, **given: Any) -> Proposal:
    more = {"session_id": said.session_id, "proposal_id": f"p-{content}-{said.message_id}", **given}
    return proposal(content, said.created_at, evidence=(Evidence(said.message_id, quote or said.content),), **more)


# -- the talk around


def test_the_talk_before_a_message_supports_what_it_means(ctx: StageContext) -> None:
    asked = _says("Do you mean the flat in Alfama or the one in Belém?", NOON, role=Role.ASSISTANT)
    told = _says("The first one, I live there.", NOON + timedelta(minutes=1))
    _put(ctx, [asked, told], [_from(told, "Lives in Alfama.")])
    consolidate(ctx, [DAY])
    assert _active(ctx) == ["Lives in Alfama."]


def test_what_nobody_said_is_rejected(ctx: StageContext) -> None:
    told = _says("I live by the river.")
    wrong = _from(told, "Lives in Alfama.")
    _put(ctx, [told], [wrong])
    consolidate(ctx, [DAY])
    assert _verdicts(ctx) == {wrong.proposal_id: "invented"}
    assert _active(ctx) == []


def test_what_is_said_after_the_window_supports_nothing(ctx: StageContext, tmp_path: Path) -> None:
    told = _says("I live by the river.")
    after = _says("My sister lives in Alfama.", NOON + timedelta(hours=3))
    wrong = _from(told, "Lives in Alfama.")
    (first, _), _ = windows([told, after], ctx.policy.window)
    ctx.lake.replace("windows", DAY, [first])
    _put(ctx, [told, after], [replace(wrong, window_id=first.window_id)])
    consolidate(ctx, [DAY])
    assert _verdicts(ctx) == {wrong.proposal_id: "invented"}


def test_the_same_message_id_in_two_sessions_is_two_messages(ctx: StageContext) -> None:
    here = _says("I live in Lisbon.", message_id="m-1", session_id="a")
    there = _says("What a nice day it is.", message_id="m-1", session_id="b")
    right = _from(here, "Lives in Lisbon.")
    wrong = _from(there, "Lives in Porto.", "I live in Porto")
    _put(ctx, [here, there], [right, wrong])
    consolidate(ctx, [DAY])
    assert _verdicts(ctx) == {right.proposal_id: "add", wrong.proposal_id: "grounding"}


# -- echoes


def _recall(
    ctx: StageContext, items: Sequence[tuple[str, str]], at: datetime, session: str | None = "s", scope: Scope = USER
) -> None:
    RecallLog(ctx.settings.path("recall")).read(
        ReadEvent(
            recall_id=f"rec-{at.isoformat()}",
            kind="context",
            scope=scope,
            query="?",
            session_id=session,
            profile="default",
            model="test",
            latency_ms=1.0,
            recalled_at=at,
            items=tuple((item, layer, 0.5) for item, layer in items),
        )
    )


def _remembered(ctx: StageContext) -> str:
    """A memory that can be recalled. Returns its id."""
    told = _says("I live in Lisbon.")
    _put(ctx, [told], [residence("Lisbon", evidence=(Evidence(told.message_id, told.content),))])
    consolidate(ctx, [DAY])
    (row,) = ctx.lake.read("memory_versions", MemoryVersion)
    return row.memory_id


def _say_back(ctx: StageContext, text: str, **given: Any) -> str:
    """The user writes something three days later, and the extractor reads the old fact out of it."""
    said = _says(text, LATER)
    stated = _from(said, "Lives in Lisbon.", attribute="residence", value="Lisbon", **given)
    _put(ctx, [said], [stated])
    consolidate(ctx, [LATER.date()])
    return _verdicts(ctx)[stated.proposal_id]


def test_our_own_recall_said_back_is_rejected(ctx: StageContext) -> None:
    _recall(ctx, [(_remembered(ctx), "semantic")], LATER - timedelta(minutes=1))
    assert _say_back(ctx, "Lives in Lisbon.") == "echo"


def test_the_same_words_without_a_recall_are_taken(ctx: StageContext) -> None:
    _remembered(ctx)
    assert _say_back(ctx, "Lives in Lisbon.") == "reinforce"


def test_a_fact_said_again_is_a_reinforcement(ctx: StageContext) -> None:
    _recall(ctx, [(_remembered(ctx), "semantic")], LATER - timedelta(minutes=1))
    assert _say_back(ctx, "I live in Lisbon, as I said.") == "reinforce"


@pytest.mark.parametrize(
    "given",
    [
        {"at": LATER + timedelta(minutes=1)},
        {"at": LATER - timedelta(minutes=1), "session": "another"},
        {"at": LATER - timedelta(minutes=1), "session": None},
        {"at": LATER - timedelta(minutes=1), "scope": Scope("t", "somebody")},
        {"at": LATER - timedelta(minutes=1), "scope": Scope("elsewhere", "u")},
    ],
)
def test_recalls_later_elsewhere_or_of_others_do_not_count(ctx: StageContext, given: Mapping[str, Any]) -> None:
    _recall(ctx, [(_remembered(ctx), "semantic")], **given)
    assert _say_back(ctx, "Lives in Lisbon.") == "reinforce"


def test_a_recall_counts_after_its_spool_is_gone(ctx: StageContext, tmp_path: Path) -> None:
    at = LATER - timedelta(minutes=1)
    _recall(ctx, [(_remembered(ctx), "semantic")], at)
    collect(ctx, [at.date()])
    for path in RecallLog(ctx.settings.path("recall")).files():
        Path(path).unlink()
    later = _context(tmp_path, 1)
    assert _say_back(later, "Lives in Lisbon.") == "echo"


def test_the_verdict_is_the_same_when_everything_is_done_again(ctx: StageContext, tmp_path: Path) -> None:
    _recall(ctx, [(_remembered(ctx), "semantic")], LATER - timedelta(minutes=1))
    _say_back(ctx, "Lives in Lisbon.")
    before = ctx.lake.read("verdicts", Verdict), ctx.lake.read("memory_versions", MemoryVersion)
    again = _context(tmp_path, 2)
    consolidate(again, [DAY, LATER.date()])
    assert (again.lake.read("verdicts", Verdict), again.lake.read("memory_versions", MemoryVersion)) == before


def test_a_nod_strengthens_what_is_remembered_and_brings_nothing_back(ctx: StageContext, tmp_path: Path) -> None:
    memory = _remembered(ctx)
    _recall(ctx, [(memory, "semantic")], LATER - timedelta(minutes=1))
    asked = _says("Do you still live in Lisbon?", LATER - timedelta(seconds=30), role=Role.ASSISTANT)
    ctx.lake.append("messages", [asked])
    assert _say_back(ctx, "Yes, right.") == "reinforce"
    # The same after the user had it forgotten: a nod to a stale prompt must not bring it back.
    forgetting = _says("Forget where I live, Lisbon I mean.", NOON + timedelta(days=1))
    forgotten = _from(forgetting, "Where they live, Lisbon.", operation=Operation.FORGET, value="Lisbon")
    _put(ctx, [forgetting], [forgotten])
    again = _context(tmp_path, 1)
    consolidate(again, [forgotten.day, LATER.date()])
    assert _active(again) == []
    assert "covered" in _verdicts(again).values()


def test_turns_and_summaries_are_resolved_too(ctx: StageContext) -> None:
    told = _says("I moved to Lisbon last week.")
    _put(ctx, [told], [])
    index_messages(ctx, [DAY])
    home = Store(Path(ctx.settings.home), user_id="u", tenant_id="t", encoder=ctx.encoder)
    summary = home.summary("Moved to Lisbon and likes it.", date(2026, 3, 9))
    _recall(ctx, [(message_key(told), "episodic"), (summary.summary_id, "narrative"), ("gone", "semantic")], LATER)
    found = recalled_into(ctx, [("t", "u", "s")], LATER.date(), {})
    texts = {(r.text, r.said) for r in found["t", "u", "s"]}
    assert texts == {("I moved to Lisbon last week.", True), ("Moved to Lisbon and likes it.", False)}


def test_a_memory_is_taken_as_it_read_when_it_was_recalled(ctx: StageContext) -> None:
    memory = _remembered(ctx)
    rows = {USER: ctx.lake.read("memory_versions", MemoryVersion)}
    _recall(ctx, [(memory, "semantic")], NOON - timedelta(days=1))
    assert recalled_into(ctx, [("t", "u", "s")], DAY, rows) == {("t", "u", "s"): []}


def test_without_recalls_nothing_is_read(ctx: StageContext, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("nothing was recalled, so nothing needs to be read")

    monkeypatch.setattr(type(ctx.lake), "sql", fail)
    assert recalled_into(ctx, [("t", "u", "s")], DAY, {}) == {}


def test_the_spools_are_read_once_for_all_users(ctx: StageContext, monkeypatch: pytest.MonkeyPatch) -> None:
    _recall(ctx, [("mem", "semantic")], NOON)
    reads = 0
    rows = RecallLog.rows

    def counted(log: RecallLog) -> Any:
        nonlocal reads
        reads += 1
        return rows(log)

    monkeypatch.setattr(RecallLog, "rows", counted)
    for _ in range(3):
        recalled_into(ctx, [("t", "u", "s")], DAY, {})
    assert reads == 1
    _recall(ctx, [("mem", "semantic")], NOON + timedelta(minutes=1))
    recalled_into(ctx, [("t", "u", "s")], DAY, {})
    assert reads == 2


# -- secrets


def test_a_secret_reaches_neither_ledger_nor_verdict(ctx: StageContext) -> None:
    said = _says("my card is 4242 4242 4242 4242, and I live in Lisbon")
    card = _from(said, "Has the card 4242 4242 4242 4242.")
    home = _from(said, "Lives in Lisbon.", value="Lisbon")
    _put(ctx, [said], [card, home])
    consolidate(ctx, [DAY])
    assert _verdicts(ctx) == {card.proposal_id: "secret", home.proposal_id: "add"}
    rows = ctx.lake.read("memory_versions", MemoryVersion)
    assert "4242" not in repr(rows)
    assert rows[0].evidence[0].quote == "my card is [withheld card], and I live in Lisbon"


def test_contact_data_is_remembered_above_the_default_ceiling(ctx: StageContext) -> None:
    said = _says("my email is ada@example.org")
    _put(ctx, [said], [_from(said, "Has the email address ada@example.org.")])
    consolidate(ctx, [DAY])
    (row,) = ctx.lake.read("memory_versions", MemoryVersion)
    assert row.content == "Has the email address ada@example.org."
    assert row.classification is Classification.RESTRICTED


def test_the_audit_sees_a_secret_that_got_in(ctx: StageContext) -> None:
    said = _says("I live in Lisbon")
    _put(ctx, [said], [_from(said, "Lives in Lisbon.")])
    consolidate(ctx, [DAY])
    assert no_secret_is_remembered(ctx, [DAY]).ok
    (row,) = ctx.lake.read("memory_versions", MemoryVersion)
    forged = replace(row, version_id="forged", entities=("card 4242 4242 4242 4242",))
    ctx.lake.append("memory_versions", [forged])
    found = no_secret_is_remembered(ctx, [DAY])
    assert not found.ok
    assert [e["version_id"] for e in found.examples] == ["forged"]
    assert "4242" not in repr(found)


def _classes(ctx: StageContext) -> dict[str, Classification]:
    return {m.content: m.classification for m in fold(ctx.lake.read("memory_versions", MemoryVersion)).values()}


def test_a_memory_has_the_strictest_class_of_the_messages_that_it_rests_on(tmp_path: Path) -> None:
    own = tmp_path / "policy.toml"
    own.write_text('[classification.domain]\nblog = "public"\n')
    context = StageContext(Settings.load(home=str(tmp_path), policy=own), "run", datetime(2026, 7, 1, 2, tzinfo=UTC))
    context.encoder = WordEncoder()
    said = [
        _says("I live in Lisbon."),
        _says("I have a dog called Max.", NOON + timedelta(minutes=1), domain="blog"),
        _says("I play the cello.", NOON + timedelta(minutes=2), metadata='{"classification": "confidential"}'),
    ]
    stated = [
        _from(said[0], "Lives in Lisbon."),
        _from(said[1], "Has a dog called Max."),
        _from(said[2], "Plays the cello."),
    ]
    _put(context, said, stated)
    consolidate(context, [DAY])
    assert _classes(context) == {
        "Lives in Lisbon.": Classification.INTERNAL,
        "Has a dog called Max.": Classification.PUBLIC,
        "Plays the cello.": Classification.CONFIDENTIAL,
    }
    again = _says("I have a dog called Max.", LATER, metadata='{"classification": "restricted"}')
    _put(context, [again], [_from(again, "Has a dog called Max.")])
    consolidate(context, [LATER.date()])
    assert _classes(context)["Has a dog called Max."] is Classification.RESTRICTED


def test_a_memory_belongs_where_its_messages_do(ctx: StageContext) -> None:
    """Its window may end with a turn of another domain."""
    said = _says("I play the cello.", domain="legal", agent_id="bot")
    _put(ctx, [said], [_from(said, "Plays the cello.", domain="home", agent_id="cook")])
    consolidate(ctx, [DAY])
    (memory,) = fold(ctx.lake.read("memory_versions", MemoryVersion)).values()
    assert (memory.domain, memory.agent_id) == ("legal", "bot")


def test_a_name_that_was_said_in_another_conversation_before_is_known(ctx: StageContext) -> None:
    before = replace(_says("My sister lives in Alfama.", NOON - timedelta(days=40)), session_id="earlier")
    other = replace(_says("I live in Alfama.", NOON - timedelta(days=40)), session_id="s2", user_id="mallory")
    told = _says("I live there now, too.")
    known = _from(told, "Lives in Alfama.")
    for said, reason in (([told, other], "invented"), ([before], "add")):
        _put(ctx, said, [known])
        consolidate(ctx, [DAY])
        assert _verdicts(ctx) == {known.proposal_id: reason}
