"""Landing files into the log: what is stored, what is known, what the report says."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.message import Message, Role, derive_message_id
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import IngestError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.messages.landing import intake
from memory_pipeline.stages.messages.landing.places import Places
from memory_pipeline_tests.stages.landing_files import NOW, context, line, numbered, put_aside, stored, write


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return context(tmp_path / "home")


def test_a_message_is_stored_as_it_was_written(ctx: StageContext, tmp_path: Path) -> None:
    given = {
        "tenant_id": "acme",
        "user_id": "alice",
        "session_id": "s-1",
        "message_id": "m-17",
        "role": "user",
        "speaker": "Alice",
        "content": "  I moved to Lisboa 🇵🇹\nlast week. ",
        "created_at": "2026-03-02T09:15:00.123456+01:00",
        "agent_id": "planner",
        "domain": "travel",
        "metadata": {"z": 1, "a": ["é", {"deep": None}]},
        "client": "web",
    }
    file = write(tmp_path / "chat.jsonl", [given])
    ingest(ctx, [file])
    assert stored(ctx) == [
        Message(
            tenant_id="acme",
            user_id="alice",
            session_id="s-1",
            message_id="m-17",
            role=Role.USER,
            speaker="Alice",
            content="  I moved to Lisboa 🇵🇹\nlast week. ",
            created_at=datetime(2026, 3, 2, 8, 15, 0, 123456, tzinfo=UTC),
            day=date(2026, 3, 2),
            timezone="UTC",
            ordinal=0,
            content_hash=content_hash("user", "  I moved to Lisboa 🇵🇹\nlast week. "),
            agent_id="planner",
            domain="travel",
            metadata='{"a":["é",{"deep":null}],"client":"web","z":1}',
            source="chat.jsonl",
            recorded_at=NOW,
        )
    ]


def test_the_required_fields_are_enough(ctx: StageContext, tmp_path: Path) -> None:
    ingest(ctx, [write(tmp_path / "a.jsonl", [line()])])
    (message,) = stored(ctx)
    at = datetime(2026, 3, 2, 9, 15, tzinfo=UTC)
    assert message.tenant_id == "default"
    assert (message.speaker, message.agent_id, message.domain, message.metadata) == (None, None, None, "{}")
    assert message.message_id == derive_message_id("default", "alice", "s-1", "user", at, message.content, 0)


def test_arguments_fill_in_and_do_not_override(ctx: StageContext, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [line(user_id=None), line(user_id="bob", tenant_id="acme")])
    report = ingest(ctx, [file], tenant="globex", user="carol")
    assert report.users == {Scope("globex", "carol"), Scope("acme", "bob")}
    assert {(m.tenant_id, m.user_id) for m in stored(ctx)} == {("globex", "carol"), ("acme", "bob")}


def test_the_report(ctx: StageContext, tmp_path: Path) -> None:
    good = write(tmp_path / "in" / "a.jsonl", [numbered(1), numbered(2, created_at="2026-03-04T00:00:00Z")])
    bad = write(tmp_path / "in" / "b.jsonl", [numbered(1), numbered(3, role="bot")])
    report = ingest(ctx, [good, bad])
    assert report.to_dict() == {
        "taken": 2,
        "known": 1,
        "edited": 0,
        "quarantined": 1,
        "languages": {"en": 2},
        "files": [
            {"path": str(good), "taken": 2, "known": 0, "edited": 0, "quarantined": 0},
            {"path": str(bad), "taken": 0, "known": 1, "edited": 0, "quarantined": 1},
        ],
    }
    assert report.days == {date(2026, 3, 2), date(2026, 3, 4)}
    assert report.users == {Scope("default", "alice")}
    json.dumps(report.to_dict())


def test_folders_are_read_recursively_in_order_without_hidden_files(ctx: StageContext, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for n, name in enumerate(("b.jsonl", "a/z.jsonl", ".hidden.jsonl", ".git/x.jsonl")):
        write(folder / name, [numbered(n)])
    report = ingest(ctx, [folder, folder / "b.jsonl"])
    assert [file.path for file in report.files] == [str(folder / "a/z.jsonl"), str(folder / "b.jsonl")]
    assert {m.source for m in stored(ctx)} == {"a/z.jsonl", "b.jsonl"}


@pytest.mark.parametrize("name", ["chat.jsonl.gz", "chat.jsonl"])
def test_gzip_is_recognised_by_its_content(ctx: StageContext, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(b"".join(json.dumps(numbered(n)).encode() + b"\n" for n in range(5))))
    assert ingest(ctx, [file]).taken == 5


def test_a_gzip_that_breaks_off_gives_what_is_there(ctx: StageContext, tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(json.dumps(numbered(n)).encode() + b"\n" for n in range(500)), compresslevel=0)
    file = tmp_path / "chat.jsonl.gz"
    file.write_bytes(whole[: len(whole) // 2])
    report = ingest(ctx, [file])
    assert 100 < report.taken < 500
    assert report.quarantined == 1


def test_the_same_file_twice_adds_nothing(ctx: StageContext, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [*map(numbered, range(50)), *(line(content=f"No id {n}.") for n in range(50))])
    first = ingest(ctx, [file])
    before = stored(ctx)
    second = ingest(ctx, [file])
    assert (first.taken, first.known) == (100, 0)
    assert (second.taken, second.known) == (0, 100)
    assert stored(ctx) == before
    assert second.days == first.days


def test_an_overlapping_export_adds_only_what_is_new(ctx: StageContext, tmp_path: Path) -> None:
    ingest(ctx, [write(tmp_path / "a.jsonl", map(numbered, range(60)))])
    report = ingest(ctx, [write(tmp_path / "b.jsonl", map(numbered, range(40, 100)))])
    assert (report.taken, report.known) == (40, 20)
    assert [m.message_id for m in stored(ctx)] == [f"m-{n}" for n in range(100)]


def test_an_export_that_overlaps_itself_is_taken_once(ctx: StageContext, tmp_path: Path) -> None:
    without_ids = [numbered(n, message_id=None) for n in range(30)]
    report = ingest(ctx, [write(tmp_path / "a.jsonl", [*without_ids, *without_ids[10:]])])
    assert (report.taken, report.known) == (30, 20)


def test_overlap_is_found_across_batches(ctx: StageContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "BATCH_MESSAGES", 7)
    lines = [numbered(n) for n in range(40)]
    report = ingest(ctx, [write(tmp_path / "a.jsonl", [*lines, *lines[5:25]])])
    assert (report.taken, report.known) == (40, 20)


def test_large_messages_end_a_batch_early(ctx: StageContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "BATCH_CHARACTERS", 1_000)
    done: list[int] = []
    ctx.progress = lambda label, bytes_done, total: done.append(bytes_done)
    file = write(tmp_path / "a.jsonl", [numbered(n, content="x" * 600) for n in range(6)])
    assert ingest(ctx, [file]).taken == 6
    assert len(done) == 3 + 1


def test_equal_messages_at_one_time_are_told_apart_by_their_place(ctx: StageContext, tmp_path: Path) -> None:
    lines = [line(content="ok"), line(content="ok"), line(content="ok", role="assistant"), line(content="more")]
    file = write(tmp_path / "a.jsonl", lines)
    assert ingest(ctx, [file]).taken == 4
    messages = stored(ctx)
    assert [(m.ordinal, m.role, m.content) for m in messages] == [
        (0, "user", "ok"),
        (1, "user", "ok"),
        (2, "assistant", "ok"),
        (3, "user", "more"),
    ]
    assert len({m.message_id for m in messages}) == 4
    assert ingest(ctx, [file]).known == 4


def test_places_start_again_when_the_session_goes_on() -> None:
    places = Places()
    first, later = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)
    a, b = ("t", "u", "a"), ("t", "u", "b")
    assert [places.take(a, first, "x"), places.take(b, first, "x"), places.take(a, first, "x")] == [
        (0, 0),
        (0, 0),
        (1, 1),
    ]
    assert places.take(a, first, "y") == (2, 0)
    assert places.take(a, later, "y") == (0, 0)
    assert places.take(a, first, "x") == (0, 0)


def test_places_hold_a_bounded_number_of_sessions() -> None:
    places = Places(held=10)
    at = datetime(2026, 3, 2, tzinfo=UTC)
    for n in range(100):
        places.take(("t", "u", str(n)), at, "x")
    assert len(places._runs) == 10
    assert places.take(("t", "u", "99"), at, "x") == (1, 1)


def test_the_same_id_is_another_message_in_another_scope(ctx: StageContext, tmp_path: Path) -> None:
    same = {"message_id": "1", "content": "Hello there."}
    lines = [
        line(**same),
        line(**same, tenant_id="acme"),
        line(**same, user_id="bob"),
        line(**same, session_id="s-2"),
        line(**same | {"content": "Another day."}, created_at="2026-03-03T09:00:00Z"),
    ]
    assert ingest(ctx, [write(tmp_path / "a.jsonl", lines)]).taken == 5


def test_late_and_shuffled_messages_end_up_as_if_in_order(tmp_path: Path) -> None:
    lines = [numbered(n, created_at=f"2026-03-{1 + n % 9:02}T10:{n:02}:00Z") for n in range(40)]
    ordered, shuffled = context(tmp_path / "one"), context(tmp_path / "two")
    ingest(ordered, [write(tmp_path / "a.jsonl", lines)])
    for n, part in enumerate((lines[30:], lines[:10], lines[20:30][::-1], lines[10:20])):
        ingest(shuffled, [write(tmp_path / f"a{n}.jsonl", part)])
    assert [m.message_id for m in stored(shuffled)] == [m.message_id for m in stored(ordered)]
    assert [m.day for m in stored(shuffled)] == [m.day for m in stored(ordered)]


def test_progress_counts_bytes_to_the_end(ctx: StageContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "BATCH_MESSAGES", 10)
    seen: list[tuple[str, int, int | None]] = []
    ctx.progress = lambda label, done, total: seen.append((label, done, total))
    files = [write(tmp_path / f"{n}.jsonl", [numbered(m, session_id=f"s{n}") for m in range(35)]) for n in range(2)]
    ingest(ctx, files)
    size = sum(file.stat().st_size for file in files)
    done = [d for _, d, _ in seen]
    assert {(label, total) for label, _, total in seen} == {("ingest", size)}
    assert done == sorted(done)
    assert done[-1] == size
    assert len(set(done)) > 4


def test_an_empty_file_holds_nothing(ctx: StageContext, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"")
    counts = {"taken": 0, "known": 0, "edited": 0, "quarantined": 0}
    assert ingest(ctx, [file]).to_dict()["files"] == [{"path": str(file), **counts}]


def test_a_missing_path_is_an_error_before_anything_is_taken(ctx: StageContext, tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=r"no such file or folder: .*missing"):
        ingest(ctx, [write(tmp_path / "a.jsonl", [line()]), tmp_path / "missing"])
    assert stored(ctx) == []


def test_an_unknown_format_is_an_error_that_names_the_known_ones(ctx: StageContext, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("Remember the milk.\n")
    with pytest.raises(IngestError, match=r"notes\.txt: of no known format: .*; known are jsonl, .*parquet"):
        ingest(ctx, [write(tmp_path / "a.jsonl", [line()]), notes])
    assert stored(ctx) == []


def test_a_file_in_a_folder_that_cannot_be_read_stops_no_other(ctx: StageContext, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write(folder / "a.jsonl", [numbered(1)])
    (folder / "b.json").write_bytes(b"")
    (folder / "c.json").write_text(json.dumps([line(message_id="c")], indent=1)[:-1])
    (folder / "d" / "photo.jpg").parent.mkdir()
    (folder / "d" / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    write(folder / "e.jsonl", [numbered(2)])
    report = ingest(ctx, [folder])
    assert [m.message_id for m in stored(ctx)] == ["m-1", "m-2", "c"]
    reasons = {file.path: file.reason for file in report.unreadable}
    assert list(reasons) == [str(folder / name) for name in ("b.json", "c.json", "d/photo.jpg")]
    assert [str(reason).split(": ")[:3] for reason in reasons.values()] == [
        [
            "b.json",
            "of no known format",
            "the file is empty; known are jsonl, openai, chatgpt, claude, locomo, longmemeval, csv, parquet",
        ],
        ["c.json", "only its beginning could be read", "it is cut off in the middle"],
        [
            "d/photo.jpg",
            "of no known format",
            "it is a JPEG picture; known are jsonl, openai, chatgpt, claude, locomo, longmemeval, csv, parquet",
        ],
    ]
    assert report.to_dict()["files"][1]["reason"] == reasons[str(folder / "b.json")]
    assert {row.reason for row in put_aside(ctx)} == set(reasons.values())


def test_damage_inside_of_a_named_file_is_an_error_after_the_others(ctx: StageContext, tmp_path: Path) -> None:
    broken = tmp_path / "a.json"
    broken.write_text(json.dumps([line(message_id="a")], indent=1)[:-1])
    with pytest.raises(IngestError, match=r"a\.json: only its beginning could be read"):
        ingest(ctx, [broken, write(tmp_path / "b.jsonl", [line(message_id="b")])])
    assert {m.message_id for m in stored(ctx)} == {"a", "b"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"format": "xml"}, "no format called 'xml'; known are auto, jsonl"),
        ({"timezone": "Mars/Base"}, "no time zone called 'Mars/Base'"),
        ({"tenant": ""}, "tenant is empty"),
        ({"user": "a\nb"}, "user holds a control character"),
        ({"user": "u" * 513}, "user is longer than 512"),
    ],
)
def test_malformed_arguments(ctx: StageContext, tmp_path: Path, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(IngestError, match=message):
        ingest(ctx, [write(tmp_path / "a.jsonl", [line()])], **arguments)
