"""Temporary files of processes that were killed: written in part, never renamed, of no use to anybody."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.parquet.files import PARTIAL

_SUFFIX = ".tmp"


def remove_unfinished(settings: Settings, grace: timedelta, under: str = "") -> int:
    """Remove temporary files that nobody has written to for some time. Returns how many.

    On object storage there are none: an object that was not written whole does not exist.

    Args:
        grace: longer than anybody takes to write one file.
        under: beginning of the paths that are looked at; all by default.

    Raises:
        StorageError: one cannot be removed.
    """
    removed = 0
    for path in unfinished(settings, grace):
        if not path.startswith(under):
            continue
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue  # whoever was writing it has finished
        except OSError as error:
            raise StorageError(f"cannot remove {path}: {error}", path=str(path)) from error
        removed += 1
    return removed


def unfinished(settings: Settings, grace: timedelta) -> list[str]:
    """What :func:`remove_unfinished` would remove, in order."""
    found = []
    for path in _unfinished(settings):
        with suppress(FileNotFoundError):
            # A clock that was put back makes what is old look as if it came from the future.
            if abs(time.time() - os.stat(path).st_mtime) >= grace.total_seconds():
                found.append(path)
    return sorted(found)


def _unfinished(settings: Settings) -> Iterator[str]:
    if settings.remote:
        return
    for place in (
        os.path.join("lake", PARTIAL),
        os.path.join("erasures", PARTIAL),
        PARTIAL,
        "recall",
        "batches",
        "quarantine",
    ):
        for folder, _, names in os.walk(settings.path(place)):
            yield from (os.path.join(folder, name) for name in names if name.endswith(_SUFFIX))
