"""What lies in the home and is none of its stores: nobody but its owner can say whether it goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_pipeline.data_rights import DataRights
from memory_pipeline.errors import ForeignFiles, QueryError
from memory_pipeline.stages.operations.erasure.erase import erase_named
from memory_pipeline.stages.operations.erasure.foreign_files import Handling
from memory_pipeline_tests.stages.erasure.home import ALICE, SISTERS, Home, said
from memory_pipeline_tests.stages.erasure.test_erase_user import LATER


@pytest.fixture
def exported(home: Home) -> Path:
    """The file that was ingested lies beside the stores."""
    path = home.path / "exports" / "alice-2026.jsonl"
    path.parent.mkdir()
    path.write_text("".join(f"{json.dumps(line)}\n" for line in said("alice")), encoding="utf-8")
    (home.path / "notes.txt").write_text("Nothing of anybody.", encoding="utf-8")
    return path


def test_nothing_is_erased_before_somebody_has_said_what_becomes_of_them(home: Home, exported: Path) -> None:
    before = home.rows("alice")
    with pytest.raises(
        ForeignFiles, match=r"exports/alice-2026\.jsonl holds .* --foreign-files delete .* keep"
    ) as told:
        erase_named(home.ctx(LATER), ALICE)
    assert told.value.files == ("exports/alice-2026.jsonl",)
    assert home.rows("alice") == before and exported.exists()
    with pytest.raises(QueryError, match="it is keep or delete"):
        DataRights(home.settings).erase(user_id="alice", foreign_files="burn")


def test_what_is_kept_is_named_in_the_certificate_without_the_user(home: Home, exported: Path) -> None:
    certificate = erase_named(home.ctx(LATER), ALICE, foreign=Handling.KEEP)
    (subject,) = certificate["subjects"]
    assert certificate["proof"]["foreign_files"] == [f"exports/{subject['pseudonym']}-2026.jsonl"]
    assert (certificate["proof"]["hits"], certificate["proof"]["rows_left"]) == (0, 0)
    assert exported.exists() and not any(home.rows("alice").values())


def test_what_is_deleted_is_gone_and_nothing_else(home: Home, exported: Path) -> None:
    certificate = erase_named(home.ctx(LATER), ALICE, foreign=Handling.DELETE)
    assert not exported.exists() and (home.path / "notes.txt").exists()
    assert certificate["done"]["foreign files"] == 1 and certificate["proof"]["foreign_files"] == []
    left = b"".join(p.read_bytes() for p in home.path.rglob("*") if p.is_file())
    assert SISTERS["alice"].encode() not in left


def test_the_user_s_name_goes_from_the_names_of_files_that_were_taken(home: Home) -> None:
    def names() -> list[str]:
        return sorted(Path(row["path"]).name for row in home.lake.sql("SELECT path FROM sources").to_pylist())

    assert "alice.jsonl" in names()
    certificate = erase_named(home.ctx(LATER), ALICE)
    (subject,) = certificate["subjects"]
    assert f"{subject['pseudonym']}.jsonl" in names() and "bob.jsonl" in names()
    assert not any("alice" in name for name in names())
    assert "salt lies beside them" in certificate["tombstones"]
