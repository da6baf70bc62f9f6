"""A user's past is kept in memory while the ledger stands still, and is what the ledger says at every moment."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store.history import memories_at
from memory_pipeline.retrieval.store.past_rows import PastRows
from memory_pipeline_tests.store import Store

JANUARY = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def _lived(home: Store) -> list[MemoryVersion]:
    """Memories that were changed, forgotten, put right and withdrawn since."""
    tent, tea, cat, dog = (
        home.memory(text, at=JANUARY + n * DAY)
        for n, text in enumerate(("Lives in a tent.", "Likes tea.", "Has a cat.", "Has a dog."))
    )
    home.change(tent, Change.SUPERSEDE, JANUARY + 10 * DAY, status=Status.SUPERSEDED)
    home.change(tea, Change.EDIT, JANUARY + 11 * DAY, content="Likes green tea.")
    home.change(cat, Change.FORGET, JANUARY + 12 * DAY, status=Status.ARCHIVED)
    merged = home.change(dog, Change.MERGE, JANUARY + 13 * DAY, content="Has an old dog.")
    home.lake.append("memory_versions", [replace(merged, asserted=False, recorded_at=JANUARY + 14 * DAY)])
    return [tent, tea, cat, dog]


def _settle(home: Store) -> None:
    """As if nobody had written for a minute."""
    for folder in Path(home.lake.store.base, "memory_versions").iterdir():
        stat = folder.stat()
        os.utime(folder, ns=(stat.st_atime_ns, stat.st_mtime_ns - 60 * 10**9))


@pytest.fixture
def past(own_home: Store) -> PastRows:
    searched = own_home.reader()._engine.searcher.sources
    return PastRows(searched._lake, searched._index, searched._encoder, searched._policy.retrieval)


def _scope(home: Store) -> Scope:
    return Scope(home.owner.get("tenant_id", "default"), home.owner["user_id"])


def test_every_moment_is_what_the_ledger_says(own_home: Store, past: PastRows) -> None:
    _lived(own_home)
    scope = _scope(own_home)
    for n in range(-1, 16):
        moment = JANUARY + n * DAY
        kept = past.at(scope, moment)
        read = memories_at(past._lake, past._index, past._encoder, past._policy, scope, moment, None)
        assert kept.table.to_pylist() == read.table.to_pylist()
        assert (kept.vectors == read.vectors).all()


def test_what_is_kept_is_used_until_somebody_writes(own_home: Store, past: PastRows) -> None:
    _lived(own_home)
    scope, moment = _scope(own_home), JANUARY + 5 * DAY
    assert past.at(scope, moment) is not past.at(scope, moment), "another write might look the same"
    _settle(own_home)
    rows = past.at(scope, moment)
    assert past.at(scope, moment + timedelta(hours=1)) is rows
    own_home.memory("Lives in a house.", at=JANUARY)
    _settle(own_home)
    assert "Lives in a house." in past.at(scope, moment).values("content")
