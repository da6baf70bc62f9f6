from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.erasure import Erasure, Reached, Reason, Target
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.erasing.traces import Traces
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts import checkpoint
from memory_pipeline.storage.queries.costs import entry
from memory_pipeline_tests.factories import NOON, memory, message, proposal, residence

ALICE, BOB = Scope("t", "alice"), Scope("t", "bob")


def begun(settings: Settings, scope: Scope, messages: tuple[tuple[str, str], ...] | None = None) -> Erasures:
    kept = Erasures(settings)
    target = (Target(scope, messages), Reached())
    nothing = Traces(kept.salt)
    kept.open(Erasure(f"ers_{scope.user_id}", Reason.REQUEST, NOON, (target,), "p"), nothing, nothing)
    return kept


def test_what_was_read_before_an_erasure_is_not_written_after_it(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path))
    lake = Lake(settings.path("lake"))
    late = proposal(tenant_id="t", user_id="alice")
    kept = begun(settings, ALICE)

    with pytest.raises(StorageError, match="run it again"):
        lake.replace("proposals", late.day, [late])
    lake.replace("proposals", late.day, [proposal(tenant_id="t", user_id="bob")])
    lake.append("costs", [entry(ALICE, None, "extract", "m", "r", NOON, usd=1.0)])
    assert lake.sql("SELECT user_id, usd FROM costs").to_pylist() == [{"user_id": kept.pseudonym(ALICE), "usd": 1.0}]
    assert lake.fence.crossed

    lake.fence.renew()
    lake.replace("proposals", late.day, [late])
    assert lake.sql("SELECT user_id FROM proposals")["user_id"].to_pylist() == ["alice"]


def test_what_is_laid_out_by_user_is_not_noted_after_an_erasure(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path))
    lake = Lake(settings.path("lake"))
    lake.append(checkpoint.LEDGER, [memory(residence("Lisbon", NOON, user_id="alice"))])
    begun(settings, ALICE)
    later = NOON.date() + timedelta(days=60)
    checkpoint.refresh(lake, later)
    assert checkpoint.load(lake) is None
    lake.fence.renew()
    checkpoint.refresh(lake, later)
    assert checkpoint.load(lake) is not None


def test_nobody_writes_while_a_partition_is_rewritten(tmp_path: Path) -> None:
    first, second = Lake(str(tmp_path / "lake")), Lake(str(tmp_path / "lake"))
    writer = threading.Thread(target=lambda: second.append("messages", [message()]))
    with first.fence.rewriting():
        writer.start()
        writer.join(0.2)
        assert writer.is_alive()
        assert first.files("messages") == []
    writer.join(10)
    assert len(first.files("messages")) == 1


def test_tombstones_know_a_message_by_its_id_by_its_time_and_by_a_long_text(tmp_path: Path) -> None:
    kept = Erasures(Settings(home=str(tmp_path)))
    gone = message("I have moved to Porto, and Wilhelmina helped.", user_id="alice", session_id="s", message_id="m")
    kept.bury(ALICE, [gone])
    later = NOON + timedelta(days=3)
    same_id = message("Edited.", later, user_id="alice", session_id="s", message_id="m")
    same_time = message(gone.content, user_id="alice", session_id="other", message_id="n")
    same_text = message(gone.content, later, user_id="alice", session_id="s", message_id="n")
    others = message(gone.content, user_id="bob", session_id="s", message_id="m")
    new = message("I have moved to Braga.", later, user_id="alice", session_id="s", message_id="n")
    assert kept.living([gone, same_id, same_time, same_text, others, new]) == [others, new]
    assert kept.exhume(ALICE) == 3
    assert kept.living([gone]) == [gone]


def test_an_erasure_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path))
    kept = begun(settings, BOB, (("s", "m"),))
    (pending,) = Erasures(settings).pending()
    assert pending.partly[BOB][0].messages == (("s", "m"),)
    assert kept.drop_fences(datetime.now(UTC) - timedelta(days=1)) == 0
    assert kept.drop_fences(datetime.now(UTC) + timedelta(days=1)) == 1
    kept.close(pending.erasure_id, {"subjects": [{"pseudonym": kept.pseudonym(BOB)}]})
    assert list(kept.pending()) == []
    assert len(kept.certificates(BOB)) == 1
    assert kept.certificates(ALICE) == []
