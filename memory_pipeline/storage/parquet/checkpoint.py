"""The ledger without the versions in between: what is read of days long over, so that a night does not read them all.

Of each memory it holds the first row and the last, and every row of a memory of which more may be asked: one that was
touched by hand or derived, taken back, put into other words, or that rests on more than its last version names. So it
gives the same present state, and the same first day, words and evidence, as the whole ledger does. It holds the days
up to one that is well behind, in a file for each bucket of users; later days are read from the ledger itself, and so
is everything about a user whose older days have been added to since. It can be made again from the ledger at any time.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.buckets import bucket_of, by_bucket, enough
from memory_pipeline.storage.parquet.files import NOTES, day_of
from memory_pipeline.storage.parquet.lake import Lake, scopes_in, scopes_table

LEDGER = "memory_versions"
_NOTE = "checkpoint.json"
_FOLDER = f"{NOTES}/checkpoint"
_FORM = 1  # raised when what is kept of the ledger changes
_BEHIND = timedelta(days=14)  # a week is reflected on after it has ended; rows from its first day on are needed whole
_STEP = timedelta(days=7)
_EVIDENCE = 12  # as many messages as a version names at most; of a memory with more, the others name the rest
_KEPT = f"""
WITH rows AS (
    SELECT * FROM held ANTI JOIN reopened USING (tenant_id, user_id)
    UNION ALL BY NAME SELECT * FROM fresh ANTI JOIN reopened USING (tenant_id, user_id)
    UNION ALL BY NAME SELECT * FROM whole SEMI JOIN reopened USING (tenant_id, user_id)
),
told AS (SELECT *, hash(content, observed_at, subject, attribute, value, negated) AS said FROM rows),
marked AS (
    SELECT *,
        bool_and(asserted AND cause IN ('proposal', 'lifecycle', 'fading') AND change NOT IN ('forget', 'undo')
                 AND len(evidence) < {_EVIDENCE}) OVER memory
            AND min(said) OVER memory = max(said) OVER memory AS plain,
        row_number() OVER (memory ORDER BY version, recorded_at, version_id) AS since_first,
        row_number() OVER (memory ORDER BY version DESC, recorded_at DESC, version_id DESC) AS until_last
    FROM told WINDOW memory AS (PARTITION BY tenant_id, user_id, memory_id)
)
SELECT * EXCLUDE (said, plain, since_first, until_last) FROM marked
WHERE NOT plain OR since_first = 1 OR until_last = 1
"""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the note says.

    Attributes:
        through: last day that it holds.
        states: of the ledger's partitions when it was made (``Files.states``).
        files: of each of its days the names of the ledger's files that it holds.
        parts: path and rows of each bucket.
    """

    through: date
    states: Mapping[date, str]
    files: Mapping[date, frozenset[str]]
    buckets: int
    parts: Mapping[int, tuple[str, int]]

    def bucket(self, scope: Scope) -> int:
        """Where a user's rows are."""
        return bucket_of(scope, self.buckets)


@dataclass
class _Changes:
    """How the ledger's days up to the checkpoint's differ from it.

    Attributes:
        late: files that it does not hold.
        gone: some that it holds are not there any more: it is of no use.
    """

    late: list[str] = field(default_factory=list)
    gone: bool = False


def files_of(lake: Lake, scopes: Iterable[Scope] | None, since: date | None = None) -> list[str]:
    """The files whose rows stand for the ledger of some users.

    Args:
        scopes: users; None = all.
        since: day from which on every row is wanted; None: of no day.
    """
    held = load(lake)
    wanted = None if scopes is None else set(scopes)
    if held is None or (since is not None and since <= held.through):
        return lake.files(LEDGER)
    changes = _changes(lake, held)
    if changes.gone or (changes.late and (wanted is None or wanted & users_of(lake, changes.late))):
        return lake.files(LEDGER)
    places = held.parts.keys() if wanted is None else {held.bucket(s) for s in wanted} & held.parts.keys()
    parts = [lake.store.beside(held.parts[place][0]) for place in sorted(places)]
    return [*parts, *tail(lake, held)]


def beside(lake: Lake) -> tuple[Checkpoint, list[str]] | None:
    """The checkpoint, and the ledger's files that it does not hold; None where it cannot be used."""
    held = load(lake)
    if held is None:
        return None
    changes = _changes(lake, held)
    return None if changes.gone else (held, [*changes.late, *tail(lake, held)])


def tail(lake: Lake, held: Checkpoint) -> list[str]:
    """The ledger's files of the days after a checkpoint."""
    return lake.files(LEDGER, [day for day in lake.days(LEDGER) if day > held.through])


def load(lake: Lake) -> Checkpoint | None:
    """The checkpoint; None where there is none that can be used."""
    try:
        note = json.loads(lake.store.note(_NOTE))
        if note["form"] != _FORM:
            return None
        return Checkpoint(
            date.fromisoformat(note["through"]),
            {date.fromisoformat(day): state for day, state in note["states"].items()},
            {date.fromisoformat(day): frozenset(names) for day, names in note["files"].items()},
            note["buckets"],
            {int(n): (path, rows) for n, (path, rows) in note["parts"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def refresh(lake: Lake, today: date, kept: timedelta = timedelta(0)) -> int:
    """Bring the checkpoint up to the ledger, if it is time to. Returns how many of its files were written.

    New files come first, then the note that names them; those that it no longer names go the next time. Whoever reads
    meanwhile, or after a crash, finds a checkpoint that is whole. Only one process may do it at a time.

    Args:
        kept: how long whoever has read the note of before may take to read the files that it names.
    """
    held = load(lake)
    states = lake.store.states(LEDGER)
    changes = _changes(lake, held) if held else _Changes(gone=True)
    if held is None or changes.gone:
        held, changes = Checkpoint(date.min, {}, {}, 1, {}), _Changes()
    noted = lake.store.noted_at(_NOTE)
    if noted is None or abs(time.time() - noted) >= kept.total_seconds():
        lake.store.keep_only(_FOLDER, {path for path, _ in held.parts.values()})
    target = today - _BEHIND
    through = target if target - held.through >= _STEP else held.through
    paths: dict[date, list[str]] = {}
    for path in lake.files(LEDGER, [day for day in states if day <= through]):
        paths.setdefault(day_of(path), []).append(path)
    if not paths or (through == held.through and not changes.late):
        if any(held.states.get(day) != state for day, state in states.items() if day <= held.through):
            _keep(lake, replace(held, states={day: states[day] for day in paths}))
        return 0
    fresh = [path for day, inside in paths.items() if day > held.through for path in inside]
    parts, buckets = _remade(lake, held, fresh, changes.late, [p for inside in paths.values() for p in inside])
    _keep(
        lake,
        Checkpoint(
            through,
            {day: states[day] for day in paths},
            {day: frozenset(PurePosixPath(p).name for p in inside) for day, inside in paths.items()},
            buckets,
            parts,
        ),
    )
    return len(set(parts.values()) - set(held.parts.values()))


def _remade(
    lake: Lake, held: Checkpoint, fresh: Sequence[str], late: Sequence[str], whole: Sequence[str]
) -> tuple[dict[int, tuple[str, int]], int]:
    """The parts after some files were added to the ledger, and how many buckets they are of."""
    reopened = users_of(lake, late)
    touched = users_of(lake, fresh) | reopened
    buckets = enough(held.buckets, sum(rows for _, rows in held.parts.values()))
    again = {held.bucket(s) for s in touched} & held.parts.keys() if buckets == held.buckets else held.parts.keys()
    rows = lake.sql(
        _KEPT,
        files={
            "held": (LEDGER, [lake.store.beside(held.parts[place][0]) for place in sorted(again)]),
            "fresh": (LEDGER, fresh),
            "whole": (LEDGER, whole if reopened else []),
        },
        tables={"reopened": scopes_table(reopened)},
    )
    if not held.parts:
        buckets = enough(buckets, rows.num_rows)
    parts = {place: part for place, part in held.parts.items() if place not in again}
    for place, table in by_bucket(rows, buckets).items():
        data = lake.encoded(LEDGER, table)
        path = f"{_FOLDER}/{place:04}-{hashlib.sha256(data).hexdigest()[:24]}.parquet"
        lake.store.put(path, data)
        parts[place] = (path, table.num_rows)
    return parts, buckets


def _changes(lake: Lake, held: Checkpoint) -> _Changes:
    """Looks at the folders that have changed only."""
    states = lake.store.states(LEDGER)
    there = {day for day in states if day <= held.through}
    moved = [day for day in there if not states[day] or states[day] != held.states.get(day)]
    changes = _Changes(gone=any(names and day not in there for day, names in held.files.items()))
    found: dict[date, set[str]] = {day: set() for day in moved}
    for path in lake.files(LEDGER, moved):
        name, day = PurePosixPath(path).name, day_of(path)
        found[day].add(name)
        if name not in held.files.get(day, ()):
            changes.late.append(path)
    changes.gone |= any(held.files.get(day, frozenset()) - names for day, names in found.items())
    return changes


def users_of(lake: Lake, files: Sequence[str]) -> set[Scope]:
    """The users of whom some files hold rows of the ledger."""
    table = lake.sql("SELECT DISTINCT tenant_id, user_id FROM added", files={"added": (LEDGER, files)})
    return set(scopes_in(table))


def _keep(lake: Lake, checkpoint: Checkpoint) -> None:
    note: dict[str, Any] = {
        "form": _FORM,
        "through": checkpoint.through.isoformat(),
        "states": {day.isoformat(): state for day, state in checkpoint.states.items()},
        "files": {day.isoformat(): sorted(names) for day, names in checkpoint.files.items()},
        "buckets": checkpoint.buckets,
        "parts": {str(place): part for place, part in checkpoint.parts.items()},
    }
    lake.store.write_note(_NOTE, json.dumps(note, separators=(",", ":")).encode())
