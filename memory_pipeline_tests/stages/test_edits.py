"""A message that comes again with another text: the newest counts everywhere, the old one is kept, nothing flips."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import IngestReport, ingest
from memory_pipeline.stages.plan.freshness import inputs, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.ledger import CURRENT
from memory_pipeline_tests.stages.landing_files import context, numbered, stored, write

DAY = date(2026, 3, 2)
LATER = datetime(2026, 3, 21, 12, tzinfo=UTC)


def take(home: Path, *lines: dict[str, Any], now: datetime = LATER) -> IngestReport:
    """A file with these lines, taken by a run of its own."""
    path = home.parent / f"{len(list(home.parent.glob('*.jsonl')))}.jsonl"
    return ingest(context(home, now), [write(path, lines)])


def says(n: int, text: str, **fields: Any) -> dict[str, Any]:
    return numbered(n, content=text, **fields)


def texts(ctx: StageContext) -> list[str]:
    return [m.content for m in stored(ctx)]


def revisions(ctx: StageContext) -> list[str]:
    return sorted({m.content for m in ctx.lake.read("message_revisions", Message)})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A talk of five turns, taken by an earlier run."""
    place = tmp_path / "home"
    lines = [says(0, "Hello there."), says(1, "I live in Oslo."), says(2, "I work as a nurse.")]
    ingest(context(place), [write(tmp_path / "first.jsonl", [*lines, numbered(3), numbered(4)])])
    return place


def test_the_newest_text_counts_at_the_old_place(home: Path) -> None:
    before = stored(context(home))[1]
    report = take(home, says(1, "I live in Rome.", created_at="2026-03-02T18:00:00Z", speaker="Alice"))
    assert (report.taken, report.known, report.edited) == (0, 0, 1)
    assert report.to_dict()["edited"] == report.to_dict()["files"][0]["edited"] == 1
    assert report.days == {DAY}
    ctx = context(home)
    assert texts(ctx)[:3] == ["Hello there.", "I live in Rome.", "I work as a nurse."]
    after = stored(ctx)[1]
    assert (after.created_at, after.ordinal, after.day) == (before.created_at, before.ordinal, before.day)
    assert (after.content_hash, after.speaker) == (content_hash("user", "I live in Rome."), "Alice")
    assert (after.recorded_at, before.recorded_at < LATER) == (LATER, True)
    assert ctx.lake.read("message_revisions", Message) == [before], "the old text is kept as it was"


def test_an_older_export_does_not_turn_it_back(home: Path) -> None:
    take(home, says(1, "I live in Rome."))
    report = take(home, says(0, "Hello there."), says(1, "I live in Oslo."), says(2, "I work as a nurse."))
    assert (report.taken, report.known, report.edited) == (0, 3, 0)
    assert take(home, says(1, "I live in Rome.")).known == 1
    assert texts(context(home))[1] == "I live in Rome."


def test_edits_follow_one_another(home: Path) -> None:
    report = take(home, says(1, "I live in Rome."), says(1, "I live in Bern."), says(1, "I live in Rome."))
    assert (report.edited, report.known) == (2, 1)
    take(home, says(1, "I live in Kyiv."), says(9, "New."), says(9, "New, and better."))
    ctx = context(home)
    assert texts(ctx) == [
        "Hello there.",
        "I live in Kyiv.",
        "I work as a nurse.",
        "Message number 3.",
        "Message number 4.",
        "New, and better.",
    ]
    assert revisions(ctx) == ["I live in Bern.", "I live in Oslo.", "I live in Rome.", "New."]
    assert take(home, *(says(1, f"I live in {city}.") for city in ("Oslo", "Rome", "Bern", "Kyiv"))).known == 4


def test_other_messages_of_the_day_and_other_scopes_stay(home: Path) -> None:
    take(home, says(1, "I live in Paris.", user_id="bob"), says(1, "Another day.", created_at="2026-03-09T09:00:00Z"))
    take(home, says(1, "I live in Rome."))
    found = {(m.user_id, m.day): m.content for m in stored(context(home)) if m.message_id == "m-1"}
    assert found == {
        ("alice", DAY): "I live in Rome.",
        ("bob", DAY): "I live in Paris.",
        ("alice", date(2026, 3, 9)): "Another day.",
    }


@pytest.mark.parametrize("fails_at", ["amend", "append"])
def test_a_run_that_dies_in_between_is_simply_run_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: str
) -> None:
    """The old text is written first, then the edited message, then new ones; after each of them the process dies."""
    lines = [says(1, "I live in Rome."), says(9, "New."), says(9, "New, and better.")]
    original = getattr(Lake, fails_at)

    def dying(lake: Lake, dataset: str, rows: Sequence[Any], *rest: Any) -> Any:
        if dataset == "messages":
            raise KeyboardInterrupt
        return original(lake, dataset, rows, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(Lake, fails_at, dying)
        with pytest.raises(KeyboardInterrupt):
            take(home, *lines)
    take(home, *lines)
    ctx = context(home)
    assert texts(ctx)[1] == "I live in Rome." and texts(ctx)[-1] == "New, and better." and len(texts(ctx)) == 6
    assert revisions(ctx) == ["I live in Oslo.", "New."]


def test_only_the_days_that_see_it_are_stale(home: Path) -> None:
    """Its own day, and the later days on which the session goes on; not another session, nor what is too far off."""
    take(
        home,
        *(says(n, f"Turn {n}.", created_at=f"2026-03-{day:02}T09:00:00Z") for n, day in ((20, 4), (21, 12))),
        says(22, "Elsewhere.", created_at="2026-03-05T09:00:00Z", session_id="s-2"),
    )
    names = ("proposals", "message_vectors", "daily_summaries")
    ctx = context(home)
    for name in names:
        wanted = inputs(ctx, BY_NAME[name])
        record(ctx, BY_NAME[name], wanted, list(wanted), {})
        assert stale(ctx, BY_NAME[name]) == []
    take(home, says(1, "I live in Rome."))
    ctx = context(home)
    assert [stale(ctx, BY_NAME[name]) for name in names] == [[DAY, date(2026, 3, 4)], [DAY], [DAY]]


def _remembered(ctx: StageContext) -> list[str]:
    return sorted(v.content for v in from_table(ctx.lake.sql(CURRENT), MemoryVersion))


def _run(home: Path, now: datetime = LATER) -> StageContext:
    ctx = context(home, now)
    extract(ctx, [DAY])
    consolidate(ctx, [DAY])
    index_messages(ctx, [DAY])
    return ctx


def test_memories_and_index_follow(home: Path) -> None:
    ctx = _run(home, datetime(2026, 3, 20, 13, tzinfo=UTC))
    assert _remembered(ctx) == ["Lives in Oslo.", "Works as a nurse."]
    take(home, says(1, "I live in Rome."))
    ctx = _run(home)
    assert _remembered(ctx) == ["Lives in Rome.", "Works as a nurse."], "what rested on the old text alone is withdrawn"
    (rome,) = [v for v in from_table(ctx.lake.sql(CURRENT), MemoryVersion) if "Rome" in v.content]
    assert (rome.version, rome.evidence[0].quote) == (1, "I live in Rome.")
    table = ctx.index.all("messages", ["content", "previous", "created_at"]).sort_by("created_at")
    assert table["content"].to_pylist() == texts(ctx)
    assert table["previous"].to_pylist() == ["", *texts(ctx)[:-1]]


def test_only_what_changed_is_indexed_again(home: Path) -> None:
    _run(home)
    take(home, says(1, "I live in Rome."))
    ctx = context(home)
    assert index_messages(ctx, [DAY]).total() == 2, "the turn itself, and the one that follows it"
    assert index_messages(context(home), [DAY]).total() == 0


def test_an_edited_window_is_asked_again_and_no_other(home: Path) -> None:
    take(home, says(30, "I have a dog.", created_at="2026-03-02T20:00:00Z"), says(31, "Hi.", session_id="s-2"))
    extract(context(home), [DAY])
    take(home, says(30, "I have a cat.", created_at="2026-03-02T20:00:00Z"))
    ctx = context(home)
    extract(ctx, [DAY])
    assert (ctx.replies.calls, ctx.replies.hits) == (1, 2)
