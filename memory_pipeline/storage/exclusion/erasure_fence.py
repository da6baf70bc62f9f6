"""A fence round what is being erased: a run that began before an erasure does not write the user back.

Every file that a lake makes appears while its writer holds the fence's lock together with other writers; an erasure
holds it alone while it rewrites a partition. So neither loses rows of the other, and no row slips past.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import pyarrow as pa

from memory_pipeline.domain.erasure import pseudonym
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.storage.exclusion.locks import shared_lock
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.files import Files
from memory_pipeline.storage.parquet.schemas import DATASETS

FENCES = "fences"
_LOCK = ".fence"
_KEPT_APART = frozenset({"messages", "message_revisions"})  # tombstones tell which of these were erased
_READS = "recalls"
_LEFT_OUT = frozenset({"replies", "vectors", _READS})  # nothing follows from a row that is missing here
_MONEY = "costs"


def fence_name(at: datetime, pseudonym: str = "", *, whole: bool = False) -> str:
    """Name of a fence; names come in the order of time."""
    return f"{int(at.timestamp() * 1e6):020}-{'whole' if whole else 'partly'}-{pseudonym}"


@dataclass(frozen=True, slots=True)
class _Post:
    began_us: int
    whole: bool


class Fence:
    """The fences of one home, as a process sees them that began to read at some moment.

    Args:
        lake: path or URI of the lake, beside that of the erasures; None = nothing is erased of what is written.
    """

    def __init__(self, lake: str | None) -> None:
        self._lake = lake
        self._since_us = 0
        self.renew()

    @cached_property
    def _erasures(self) -> Files:
        """Where the erasures are: beside the lake."""
        return Files(f"{(self._lake or '').rpartition('/')[0]}/erasures")

    def renew(self) -> None:
        """What is written from now on comes from what is read from now on."""
        self._since_us = time.time_ns() // 1000

    @property
    def crossed(self) -> bool:
        """Whether an erasure has begun since."""
        return bool(self._posts())

    @contextmanager
    def writing(self, dataset: str, rows: Any) -> Iterator[Any]:
        """Let rows (of a dataset's noun, or a table) be written; yields those that may.

        Raises:
            StorageError: some belong to a user of whom something was erased meanwhile.
        """
        with self._lock(shared=True):
            posts = self._posts()
            yield self._allowed(dataset, rows, posts) if posts else rows

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Keep every writer out while a partition is read and written anew."""
        with self._lock(shared=False):
            yield

    def _lock(self, *, shared: bool) -> AbstractContextManager[None]:
        return nullcontext() if self._lake is None else shared_lock(f"{self._lake}/{_LOCK}", shared=shared)

    def _posts(self) -> dict[str, _Post]:
        """What was begun since, by pseudonym."""
        if self._lake is None:
            return {}
        # Read on every write: a look at a local folder takes no longer than that.
        if self._erasures.local:
            try:
                names = os.listdir(f"{self._erasures.base}/{FENCES}")
            except FileNotFoundError:
                return {}
        else:
            names = self._erasures.names(FENCES)
        found = {}
        for name in sorted(names):
            began, _, rest = name.partition("-")
            if began.isdigit() and int(began) > self._since_us:
                extent, _, pseudonym = rest.partition("-")
                found[pseudonym] = _Post(int(began), extent == "whole")
        return found

    def _allowed(self, dataset: str, rows: Any, posts: Mapping[str, _Post]) -> Any:
        if dataset in _KEPT_APART or not len(rows):
            return rows
        if isinstance(rows, pa.Table):
            if not {"tenant_id", "user_id"} <= set(rows.schema.names):
                return rows
            owners = [tuple(row.values()) for row in rows.select(["tenant_id", "user_id"]).to_pylist()]
        elif hasattr(rows[0], "user_id"):
            owners = [(row.tenant_id, row.user_id) for row in rows]
        else:
            return rows
        names = self._names(set(owners))
        touched = [posts.get(names[owner]) for owner in owners]
        if not any(touched):
            return rows
        partly = dataset == _READS and any(post is not None and not post.whole for post in touched)
        if partly or dataset not in (*_LEFT_OUT, _MONEY):
            raise StorageError(
                "something of a user was erased while this was going on: what had been read before is not written; "
                "run it again"
            )
        listed = from_table(rows, DATASETS[dataset].noun) if isinstance(rows, pa.Table) else rows
        if dataset == _MONEY:
            return [
                replace(row, user_id=names[owner]) if post and post.whole else row
                for row, owner, post in zip(listed, owners, touched, strict=True)
            ]
        return [row for row, post in zip(listed, touched, strict=True) if post is None or _later(row, post)]

    def _names(self, owners: set[tuple[str, str]]) -> dict[tuple[str, str], str]:
        salt = self._erasures.content("salt")
        return {o: pseudonym(salt, Scope(*o)) if all(o) else "" for o in owners}


def _later(row: Any, post: _Post) -> bool:
    """Whether a read was made after the erasure began."""
    at = getattr(row, "recalled_at", None)
    return at is not None and at > datetime.fromtimestamp(post.began_us / 1e6, UTC)
