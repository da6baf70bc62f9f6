"""From working memory into the log and into memories, each turn once; and out of everything again."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.curator import MemoryCurator
from memory_pipeline.errors import IngestError, StorageError
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages import working_memory as stage
from memory_pipeline.stages.messages.ingest import take_inbox
from memory_pipeline.stages.messages.working_memory import due, flush, receive, take_all
from memory_pipeline.storage.logs.access_log import Access, AccessLog
from memory_pipeline.storage.logs.working_files import Waiting, WorkingMemory
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.store import WordEncoder

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = date(2026, 3, 10)


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.settings = Settings.load(home=str(path))
        self.working = WorkingMemory(self.settings)
        self.lake = Lake(self.settings.path("lake"))
        self.reader = MemoryReader(self.settings, encoder=WordEncoder(), clock=lambda: NOW)
        self.curator = MemoryCurator(self.settings, encoder=WordEncoder(), clock=lambda: NOW)

    def ctx(self, later: timedelta = timedelta()) -> StageContext:
        ctx = StageContext(self.settings, f"run-{later}", NOW + later)
        ctx.encoder = WordEncoder()
        return ctx

    def say(self, n: int, content: str, **more: Any) -> stage.BatchReceipt:
        row = {
            "user_id": "ann",
            "session_id": "s",
            "message_id": f"m-{n}",
            "role": "user",
            "content": content,
            "created_at": (NOW - timedelta(hours=1) + timedelta(minutes=n)).isoformat(),
        }
        return receive(self.ctx(), self.working, [{**row, **more}])

    def logged(self) -> list[str]:
        ids: list[str] = self.lake.sql("SELECT message_id FROM messages ORDER BY ALL")["message_id"].to_pylist()
        return ids

    def known(self) -> list[str]:
        return [m["content"] for m in self.reader.memories(user_id="ann", status="active")]

    def holding(self, text: bytes) -> list[str]:
        paths = (p for p in self.path.rglob("*") if p.is_file())
        return [str(p.relative_to(self.path)) for p in paths if text in p.read_bytes()]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_a_session_that_rests_becomes_memories(home: Home) -> None:
    home.say(1, "I live in Oslo.")
    assert flush(home.ctx(), home.working).sessions == 0, "it has only just been said"
    done = flush(home.ctx(timedelta(seconds=5)), home.working)
    assert (done.sessions, done.taken, done.known, done.days) == (1, 1, 0, {DAY})
    assert set(done.made) == {"message_vectors", "proposals", "memories", "memory_vectors"}
    assert home.known() == ["Lives in Oslo."]
    again = flush(home.ctx(timedelta(seconds=9)), home.working, every=True)
    assert (again.taken, again.made) == (0, {}), "twice is as good as once"
    home.say(2, "I own a boat.")
    flush(home.ctx(timedelta(seconds=20)), home.working)
    assert home.known() == ["Lives in Oslo.", "Owns a boat."]
    block = home.reader.context("And now?", user_id="ann", session_id="s")
    assert "SAID IN THIS SESSION:" not in block.sections, "it is in memories"


def test_an_ended_session_does_not_wait(home: Home) -> None:
    from memory_pipeline.domain.scope import Scope

    home.say(1, "I live in Oslo.")
    home.working.end(Scope("default", "ann"), "s")
    assert flush(home.ctx(), home.working).taken == 1


def test_who_is_due() -> None:
    policy = Settings.load().policies.working

    def waiting(quiet: float, oldest: float, ended: bool = False) -> Waiting:
        return Waiting("n", (), 0, 0, quiet, oldest, ended)

    assert due([waiting(2, 2)], policy, hosted=False) and not due([waiting(2, 2)], policy, hosted=True)
    assert due([waiting(300, 300)], policy, hosted=True) and due([waiting(0, 0, True)], policy, hosted=True)
    assert due([waiting(0, 1800)], policy, hosted=True) and not due([waiting(0, 1799)], policy, hosted=True)


def test_killed_between_the_log_and_the_note_it_is_taken_again_and_known(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.say(1, "I live in Oslo.")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(WorkingMemory, "taken", killed)
        with pytest.raises(KeyboardInterrupt):
            flush(home.ctx(timedelta(seconds=5)), home.working)
    assert home.logged() == ["m-1"]
    done = flush(home.ctx(timedelta(seconds=9)), home.working, every=True)
    assert (done.taken, done.known) == (0, 1)
    assert home.logged() == ["m-1"] and home.known() == ["Lives in Oslo."]


def test_killed_before_the_memories_they_are_made_by_whoever_begins(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.say(1, "I live in Oslo.")
    with monkeypatch.context() as patched:
        patched.setattr(stage, "_make", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            flush(home.ctx(timedelta(seconds=5)), home.working)
    assert home.known() == []
    flush(home.ctx(timedelta(seconds=9)), home.working, every=True)
    assert home.known() == ["Lives in Oslo."]


def test_bad_rows_go_into_quarantine_with_their_reason(home: Home) -> None:
    good = {"user_id": "ann", "session_id": "s", "role": "user", "content": "Hi.", "created_at": NOW.isoformat()}
    rows = [good, {**good, "content": ""}, {**good, "role": "robot"}, {k: v for k, v in good.items() if k != "user_id"}]
    found = receive(home.ctx(), home.working, rows).to_dict()
    assert (found["taken"], found["known"], found["quarantined"]) == (1, 0, 3)
    assert [(f["index"], f["reason"].split(",")[0]) for f in found["faults"]] == [
        (1, "empty content"),
        (2, "role must be one of user"),
        (3, "user_id is missing"),
    ]
    aside = home.lake.sql("SELECT reason, content FROM quarantined ORDER BY line")
    assert aside.num_rows == 3 and json.loads(aside["content"][1].as_py())["role"] == "robot"
    receive(home.ctx(), home.working, rows)
    assert home.lake.sql("SELECT * FROM quarantined").num_rows == 3, "the same rows again are put aside once"
    with pytest.raises(IngestError, match="Nowhere"):
        receive(home.ctx(), home.working, [good], timezone="Nowhere/City")


def test_runs_take_what_waits(home: Home) -> None:
    home.say(1, "I live in Oslo.")
    take_inbox(home.ctx())
    assert home.logged() == ["m-1"] and home.working.count_waiting() == 0
    assert take_all(home.ctx()).taken == 0


def test_turns_of_one_moment_keep_their_order_in_the_log(home: Home) -> None:
    for n, text in enumerate(("First.", "Second.", "Third.")):
        home.say(9 - n, text, created_at=NOW.isoformat())
    take_all(home.ctx())
    ordered = home.lake.sql("SELECT content FROM messages ORDER BY created_at, ordinal")["content"].to_pylist()
    assert ordered == ["First.", "Second.", "Third."]


def test_an_erasure_reaches_what_was_only_just_said(home: Home) -> None:
    home.say(1, "I collect zoetropes.")
    home.say(2, "My cat is called Ptah.")
    home.say(3, "I play the cembalo.", session_id="t")
    home.say(4, "I own a Lada.", user_id="bob")
    assert home.curator.erasable(user_id="ann", message_id="m-1")["turns of sessions under way"] == 1
    home.curator.erase(user_id="ann", message_id="m-1")
    assert home.holding(b"zoetropes") == [] and home.holding(b"Ptah")
    again = home.say(1, "I collect zoetropes.").to_dict()
    assert (again["taken"], again["erased"]) == (0, 1), "what was erased stays out when it is sent again"
    assert home.holding(b"zoetropes") == []
    home.curator.erase(user_id="ann", session_id="t")
    assert home.holding(b"cembalo") == []
    home.say(5, "I breed axolotls.", session_id="u")
    home.curator.erase(user_id="ann", session_id="u")
    assert home.holding(b"axolotls") == [], "although the log has not got it"
    home.curator.erase(user_id="ann")
    assert home.holding(b"Ptah") == home.holding(b"zoetropes") == [] and home.holding(b"Lada")


def test_an_erasure_takes_the_name_out_of_the_access_log(home: Home) -> None:
    log = AccessLog(home.settings)
    for user in ("ann-mary", "bob"):
        log.write(Access(NOW, "k", "default", user, "POST", "/v1/search", None, 200, 1.0))
    home.say(1, "I live in Oslo.", user_id="ann-mary")
    home.curator.erase(user_id="ann-mary")
    assert home.holding(b"ann-mary") == []
    first, second = log.entries()
    assert first["user_id"].startswith("erased-") and second["user_id"] == "bob"


def test_a_disk_that_refuses_is_told(home: Home) -> None:
    (home.path / "working").mkdir(parents=True)
    (home.path / "working" / ".locks").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be used"):
        home.say(1, "I live in Oslo.")


def test_a_turn_from_the_command_line(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(home.path))
    run = CliRunner().invoke
    made = run(app, ["add", "I live in Oslo.", "--user", "ann", "--session", "s", "--json"])
    assert json.loads(made.stdout)["taken"] == 1
    assert "taken into session s" in run(app, ["add", "-", "-u", "ann", "-s", "s"], input="I own a boat.").stdout
    wrong = run(app, ["add", " ", "-u", "ann", "-s", "s"])
    assert wrong.exit_code == 1 and "empty content" in wrong.stderr
    take_all(home.ctx())
    assert len(home.logged()) == 2
