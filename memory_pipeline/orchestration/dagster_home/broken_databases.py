"""Dagster's SQLite files that cannot be read: the history of runs, none of what is remembered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from memory_pipeline.orchestration.dagster_home.instance import folder
from memory_pipeline.settings import Settings

ADVICE = (
    "`memory-pipeline doctor --repair` puts them aside, and with them what the history of runs says; nothing that is "
    "remembered stands in them"
)
_ASIDE = ".broken-"


def broken(settings: Settings) -> list[Path]:
    """The files of Dagster's storage that SQLite cannot read as databases, or finds inconsistent."""
    return sorted(path for path in folder(settings).rglob("*.db") if not _sound(path))


def put_aside(settings: Settings, now: datetime) -> list[Path]:
    """Rename such files, so that new ones are made in their place. Returns what they were called."""
    found = broken(settings)
    for path in found:
        for part in (path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm", "-journal"))):
            if part.exists():
                part.rename(part.with_name(f"{part.name}{_ASIDE}{now:%Y%m%dT%H%M%S}"))
    return found


def _sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            ((answer,),) = database.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.DatabaseError as error:
        return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
    return bool(answer == "ok")
