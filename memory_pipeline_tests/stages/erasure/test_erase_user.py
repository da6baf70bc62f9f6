from __future__ import annotations

import json
import os
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from memory_pipeline.domain.erasure import Target
from memory_pipeline.errors import NotFound
from memory_pipeline.stages.operations.erasure.erase import erase_named, survey
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.logs.block_files import BlockFiles
from memory_pipeline.storage.parquet.layouts.by_user import files_of, refresh, rows_of
from memory_pipeline.storage.queries.costs import spending
from memory_pipeline_tests.stages.erasure.home import ALICE, BOB, NOW, SISTERS, Home, said

LATER = NOW + timedelta(hours=1)


def everything(home: Home) -> dict[str, bytes]:
    return {str(p.relative_to(home.path)): p.read_bytes() for p in home.path.rglob("*") if p.is_file()}


def test_nothing_of_an_erased_user_is_left_and_nobody_else_changes(home: Home) -> None:
    assert home.rows("alice")["vectors"]
    others, spent = home.rows("bob"), spending(home.lake, "day")[1]
    reader = home.reader()
    assert reader.search("glass blower", user_id="alice")

    certificate = erase_named(home.ctx(LATER), ALICE)

    proof = certificate["proof"]
    assert (proof["hits"], proof["rows_left"], proof["undecoded"]) == (0, 0, [])
    assert proof["traces"] > 50
    assert certificate["removed"]["messages"] == 7
    assert certificate["removed"]["inbox messages"] == 9
    assert certificate["removed"]["quarantined"] == 2
    assert not any(home.rows("alice").values())
    assert home.rows("bob") == others
    assert reader.search("glass blower", user_id="alice") == []
    assert reader.search("glass blower", user_id="bob")
    assert SISTERS["alice"].encode() not in b"".join(everything(home).values())
    assert b"alice" not in (home.path / "inbox" / "both.jsonl").read_bytes()
    assert len((home.path / "inbox" / "both.jsonl").read_bytes().splitlines()) == 1
    assert not (home.path / "inbox" / "alice.jsonl").exists()
    assert home.stale(LATER) == {}, "what was up to date stays so"
    after = spending(home.lake, "day")[1]
    assert after == spent, "the money was spent all the same"
    assert [row["user_id"] for row in spending(home.lake, "user")[0] if row["user_id"] != "bob"] == [
        certificate["subjects"][0]["pseudonym"]
    ]
    kept = json.dumps(Erasures(home.settings).certificates(ALICE))
    assert certificate["erasure_id"] in kept
    assert not any(word in kept for word in ("alice", "glass", "Lisbon"))


def test_what_is_laid_out_by_user_is_erased_too(home: Home) -> None:
    for folder in (home.path / "lake" / "links").iterdir():  # as if they had been made an hour ago
        then = folder.stat().st_mtime - 3600
        os.utime(folder, (then, then))
    refresh(home.lake, "links", loose=0)
    owners = {row["user_id"] for path in files_of(home.lake, "links") for row in pq.read_table(path).to_pylist()}
    assert owners == {"alice", "bob"}

    certificate = erase_named(home.ctx(LATER), ALICE)

    assert (certificate["proof"]["hits"], certificate["proof"]["rows_left"]) == (0, 0)
    assert not rows_of(home.lake, "links", [ALICE]).num_rows
    assert rows_of(home.lake, "links", [BOB]).num_rows == len(home.rows("bob")["links"]) > 0


def test_the_blocks_that_sessions_began_with_go_too(home: Home) -> None:
    reader = home.reader()
    for user in ("alice", "bob"):
        reader.context("What do you know about me?", user_id=user, session_id="s", stable=True)
    blocks = BlockFiles(home.settings.path("recall"))
    assert blocks.count([ALICE]) == blocks.count([BOB]) == 1
    assert survey(home.ctx(LATER), [Target(ALICE)])["kept prompt blocks"] == 1
    erase_named(home.ctx(LATER), ALICE)
    assert (blocks.count([ALICE]), blocks.count([BOB])) == (0, 1)


def test_what_is_sent_again_stays_out_until_its_tombstones_are_forgotten(home: Home) -> None:
    erase_named(home.ctx(LATER), ALICE)
    again = [{**line, "session_id": "another"} if n % 2 else line for n, line in enumerate(said("alice"))]
    new = {**said("alice")[0], "message_id": "m9", "content": "I have come back.", "created_at": "2026-03-20T09:00:00Z"}

    report = home.take([*again, new], LATER)
    assert (report.taken, report.erased) == (1, 6)
    assert Erasures(home.settings).exhume(ALICE) > 6
    assert home.take(again, LATER).taken == 6


def test_a_survey_counts_and_changes_nothing(home: Home) -> None:
    before = everything(home)
    counts = survey(home.ctx(LATER), [Target(ALICE)])
    assert counts["messages"] == 7
    assert counts["reads in spools"] == 2
    after = everything(home)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert not {n for n in changed if not n.startswith(("erasures/salt", "lake/.notes/", "lake/.locks/"))}


def test_there_is_nothing_to_erase_of_a_stranger(home: Home) -> None:
    from memory_pipeline.domain.scope import Scope

    with pytest.raises(NotFound, match="nothing of this user") as stranger:
        erase_named(home.ctx(LATER), Scope("default", "nobody"))
    assert (stranger.value.tenant_id, stranger.value.user_id) == ("default", "nobody")
    with pytest.raises(NotFound, match="no message of that id") as unknown:
        erase_named(home.ctx(LATER), ALICE, message_id="m99")
    assert (unknown.value.message_id, unknown.value.user_id) == ("m99", "alice")
