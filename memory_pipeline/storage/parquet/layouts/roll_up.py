"""A day's small files become one once the day is closed; what they say stays as it is.

The new file names those in whose place it stands, and appears by one rename: from then on :class:`Files` lists it and
not them, so nobody reads a row twice or misses one. They are removed when whoever listed them before has had time to
read them. A file that is written again under a name that was rolled up says nothing new, and stays unlisted.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import PurePosixPath

from memory_pipeline.storage.parquet.files import ROLLED, replaced_by
from memory_pipeline.storage.parquet.lake import Lake

APPENDED = (
    "memory_versions",
    "made",
    "replies",
    "vectors",
    "costs",
    "quarantined",
    "message_revisions",
    "message_classes",
    "sources",
    "audits",
    "messages",
)
"""Datasets that grow file by file; partitions of the others are replaced whole, and hold one."""


def roll_up(lake: Lake, dataset: str, days: Iterable[date]) -> int:
    """Make one file of each day's files. Returns how many were written.

    Nobody may amend files of these partitions meanwhile; appending is no matter.
    """
    written = 0
    for day in sorted(set(days)):
        paths = lake.files(dataset, [day])
        if len(paths) < 2:
            continue
        names = {PurePosixPath(p).name for p in paths}.union(*(replaced_by(lake.store.fs, p) for p in paths))
        rows = lake.sql("SELECT * FROM rolled", files={"rolled": (dataset, paths)})
        data = lake.encoded(dataset, rows, {ROLLED: "\n".join(sorted(names))})
        digest = hashlib.sha256(data).hexdigest()[:24]
        lake.store.put(f"{dataset}/day={day.isoformat()}/{ROLLED}-{digest}.parquet", data)
        written += 1
    return written


def sweep(lake: Lake, dataset: str, days: Iterable[date], grace: timedelta) -> int:
    """Remove the files of some days that have been rolled up for some time. Returns how many."""
    removed = 0
    before = time.time() - grace.total_seconds()
    for day in sorted(set(days)):
        infos = {info.path: info for info in lake.store.infos(dataset, [day])}
        shown = set(lake.files(dataset, [day]))
        rolled = [info for path, info in infos.items() if path in shown and info.base_name.startswith(ROLLED)]
        if rolled and all(info.mtime.timestamp() <= before for info in rolled):
            for path in infos.keys() - shown:
                lake.store.remove(path)
                removed += 1
    return removed
