"""Lines as the world writes them: each is taken, known or put aside for a stated reason, and costs no other line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.landing_files import context, line, put_aside, readable_quarantine, stored


def text(**fields: Any) -> bytes:
    return json.dumps(line(**fields), ensure_ascii=False).encode("utf-8", "surrogatepass")


def with_key(key: str) -> bytes:
    return text().replace(b'"role"', key.encode() + b', "role"')


def without(name: str) -> bytes:
    return text(**{name: None})


REFUSED: list[tuple[bytes, str]] = [
    # not JSON, or more than JSON
    (b"hello", "not JSON"),
    (b"{", "not JSON"),
    (text()[:-1], "not JSON"),
    (text() + text(), "not JSON"),
    (text().replace(b'"user"', b"'user'"), "not JSON"),
    (text()[:-1] + b",}", "not JSON"),
    (b"// comment", "not JSON"),
    (b"\x00", "not JSON"),
    (text(content="raw\ttab").replace(b"\\t", b"\t"), "not JSON: Invalid control character"),
    (text().replace(b"Lisbon", b"Lis\x00bon"), "not JSON"),
    (with_key('"x": NaN'), "NaN is not a JSON value"),
    (with_key('"x": -Infinity'), "-Infinity is not a JSON value"),
    (with_key('"x": 1e999'), "too large"),
    (with_key('"x": ' + "9" * 5_000), "a number of 5000 digits is too large"),
    (with_key('"role": "user"'), "the key 'role' stands twice"),
    (with_key('"metadata": {"a": 1, "a": 2}'), "the key 'a' stands twice"),
    (with_key('"metadata": ' + '{"a":' * 100 + "1" + "}" * 100), "nested more than 64 deep"),
    (with_key('"x": ' + "[" * 100_000 + "]" * 100_000), "nested more than 64 deep"),
    # not an object
    (b"null", "must be a JSON object, not null"),
    (b"17", "must be a JSON object, not a number"),
    (b'"text"', "must be a JSON object, not text"),
    (b"true", "must be a JSON object, not a boolean"),
    (b"[" + text() + b"]", "must be a JSON object, not an array"),
    (b"{}", "role is missing"),
    # bytes
    (text().replace(b"Lisbon", b"Lis\xffbon"), "not UTF-8: byte 0xff"),
    (text(content="caf\u00e9").decode().encode("latin-1"), "not UTF-8"),
    (text().decode().encode("utf-16"), "not UTF-8"),
    (text(content="\ud800"), "not UTF-8"),
    (text().replace(b"Lisbon", b"\\ud800"), "lone surrogate"),
    (text().replace(b"Lisbon", b"\\udc00\\ud800"), "lone surrogate"),
    (text().replace(b"alice", b"\\ud800"), "user_id holds a control character or a lone surrogate"),
    (with_key('"metadata": {"a": "\\udfff"}'), "metadata: a lone surrogate"),
    (text(content="nul \x00"), "NUL"),
    (text(content="x" * 5_000_000), "the line is longer than 5,000,000 bytes"),
    # missing or of another type
    (without("user_id"), "user_id is missing, and no user was given"),
    (without("session_id"), "session_id is missing"),
    (without("role"), "role is missing"),
    (without("content"), "content is missing"),
    (without("created_at"), "created_at is missing"),
    (text(user_id=17), "user_id must be text, not a number"),
    (text(user_id=["alice"]), "user_id must be text, not an array"),
    (text(tenant_id=True), "tenant_id must be text, not a boolean"),
    (text(session_id={"id": 1}), "session_id must be text, not an object"),
    (text(message_id=1.5), "message_id must be text, not a number"),
    (text(content=["a"]), "content must be text, not an array"),
    (text(content={"text": "a"}), "content must be text, not an object"),
    (text(content=1), "content must be text, not a number"),
    (text(role=1), "role must be one of user, assistant, system, tool, not '1'"),
    (text(role=["user"]), "role must be one of"),
    (text(role="User"), "role must be one of user, assistant, system, tool, not 'User'"),
    (text(role="human"), "role must be one of"),
    (text(role=""), "role must be one of"),
    (text(speaker=3), "speaker must be text"),
    (text(agent_id=[]), "agent_id must be text"),
    (text(domain={}), "domain must be text"),
    (text(metadata=[]), "metadata must be an object, not an array"),
    (text(metadata="{}"), "metadata must be an object, not text"),
    (text(metadata={"timezone": 1}), "metadata.timezone must be text"),
    (text(metadata={"timezone": "Atlantis/Center"}), "metadata.timezone: no time zone called"),
    (text(metadata={"timezone": "../../etc/passwd"}), "metadata.timezone: no time zone called"),
    # identifiers
    (text(user_id=""), "user_id is empty"),
    (text(user_id=" \t"), "user_id is empty"),
    (text(tenant_id=""), "tenant_id is empty"),
    (text(session_id=""), "session_id is empty"),
    (text(message_id=""), "message_id is empty"),
    (text(user_id="al\nice"), "user_id holds a control character"),
    (text(session_id="s\x00"), "session_id holds a control character"),
    (text(message_id="\x7f"), "message_id holds a control character"),
    (text(tenant_id="a\x85b"), "tenant_id holds a control character"),
    (text(speaker="Al\x1bice"), "speaker holds a control character"),
    (text(user_id="u" * 513), "user_id is longer than 512 characters"),
    (text(message_id="m" * 100_000), "message_id is longer than 512 characters"),
    # content
    (text(content=""), "empty content"),
    (text(content=" \n\t\u2003"), "empty content"),
    # times
    (text(created_at=1_772_442_900), "created_at must be ISO 8601 text"),
    (text(created_at=""), "created_at is not an ISO 8601 time"),
    (text(created_at="yesterday"), "created_at is not an ISO 8601 time: 'yesterday'"),
    (text(created_at="2026-02-30T10:00:00"), "created_at is not an ISO 8601 time"),
    (text(created_at="2026-13-01T10:00:00"), "created_at is not an ISO 8601 time"),
    (text(created_at="2026-03-02T25:00:00"), "created_at is not an ISO 8601 time"),
    (text(created_at="2026-03-02T10:00:00+25:00"), "created_at is not an ISO 8601 time"),
    (text(created_at="02/03/2026 10:00"), "created_at is not an ISO 8601 time"),
    (text(created_at="0001-01-01T00:00:00+14:00"), "created_at is out of range"),
    (text(created_at="0001-01-01T00:00:00", metadata={"timezone": "Asia/Tokyo"}), "created_at is out of range"),
    (text(created_at="1970-01-01T00:00:00Z"), "before MEMORY_PIPELINE_START_DATE (2020-01-01)"),
    (text(created_at="2019-12-31T23:59:59Z"), "before MEMORY_PIPELINE_START_DATE"),
    (text(created_at="2026-03-22T12:00:01Z"), "in the future"),
    (text(created_at="9999-12-31T23:59:59Z"), "in the future"),
]

TAKEN = [
    text(content="plain"),
    b"  " + text(content="spaces around") + b"  \t",
    text(content="CRLF") + b"\r",
    json.dumps(line(content="escaped 🇵🇹 é \u2028")).encode(),
    text(content="RTL \u202e and joiners 👩‍👩‍👧 and \ufeff"),
    text(content="x" * 200_000),
    text(content="0"),
    text(content="null fields", tenant_id=None).replace(b'"role"', b'"tenant_id": null, "speaker": null, "role"'),
    text(content="empty labels", speaker="", agent_id="", domain=""),
    text(content="other scripts", user_id="アリス", session_id="会话-1", speaker="عليّ"),
    text(content="joiner in an id", user_id="क्\u200dष"),
    text(content="long id", message_id="m" * 512),
    text(content="braces " + "{[" * 500),
    text(content="deep enough", metadata={"a": [[[[[[1]]]]]]}),
    text(content="big number", metadata={"n": 10**900}),
    text(content="basic format", created_at="20260302T091500Z"),
    text(content="date alone", created_at="2026-03-02"),
    text(content="week date", created_at="2026-W10-1T08:00"),
    text(content="nanoseconds", created_at="2026-03-02T09:15:00.123456789+00:00"),
    text(content="almost two days ahead", created_at="2026-03-22T12:00:00Z"),
    text(content="the first day", created_at="2020-01-01T00:00:00Z"),
    text(content="unknown field", mood="sunny"),
    text(content='quote " backslash \\ slash / \u0001'),
    text(content="tool output", role="tool"),
    text(content="instruction", role="system"),
]
IGNORED = [b"", b"   ", b"\r", b"\t\r"]


def test_each_line_is_accounted_for(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    known = text(content="plain")
    file = tmp_path / "nasty.jsonl"
    rows = []
    for n, (bad, _) in enumerate(REFUSED):
        rows += [bad, TAKEN[n % len(TAKEN)] if n < len(TAKEN) else IGNORED[n % len(IGNORED)]]
    rows += [b"", known]
    file.write_bytes(b"\xef\xbb\xbf" + b"\n".join(rows))
    assert len(REFUSED) >= 60
    assert len(REFUSED) > len(TAKEN)

    report = ingest(ctx, [file])

    aside = {q.line: q.reason for q in put_aside(ctx)}
    for n, (bad, reason) in enumerate(REFUSED):
        assert reason in aside.get(2 * n + 1, "TAKEN"), bad[:200]
    assert (report.taken, report.known, report.quarantined) == (len(TAKEN), 1, len(REFUSED))
    assert len(aside) == len(REFUSED)
    expected = {json.loads(good)["content"] for good in TAKEN}
    assert {m.content for m in stored(ctx)} == expected


def test_every_fault_is_written_for_people_too(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    file = tmp_path / "nasty.jsonl"
    file.write_bytes(b"\n".join(bad for bad, _ in REFUSED))
    ingest(ctx, [file])
    entries = readable_quarantine(ctx, "nasty.jsonl")
    assert [e["line"] for e in entries] == list(range(1, len(REFUSED) + 1))
    assert {e["file"] for e in entries} == {str(file)}
    assert all(reason in e["reason"] for e, (_, reason) in zip(entries, REFUSED, strict=True))
    assert all(len(e["content"]) <= 2_000 for e in entries)
    assert entries[0]["content"] == "hello"


def test_a_last_line_without_an_end_counts(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    file = tmp_path / "a.jsonl"
    file.write_bytes(text(content="one") + b"\n" + text(content="two"))
    assert ingest(ctx, [file]).taken == 2


def test_a_line_of_exactly_the_limit_is_taken(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    file = tmp_path / "a.jsonl"
    full = text(content="x" * (5_000_000 - len(text(content=""))))
    file.write_bytes(full + b"\n" + full.replace(b"xx", b"xxx", 1) + b"\n" + text(content="after") + b"\n")
    assert len(full) == 5_000_000
    report = ingest(ctx, [file])
    assert (report.taken, report.quarantined) == (2, 1)
