"""The ledger without the versions in between: what is read of days long over, so that a night does not read them all.

Of each memory it holds the first row and the last, and every row of a memory of which more may be asked: one that was
touched by hand or derived, taken back, put into other words, or that rests on more than its last version names. So it
gives the same present state, and the same first day, words and evidence, as the whole ledger does. It holds the days
up to one that is well behind, in a file for each bucket of users; later days are read from the ledger itself, and so
is everything about a user whose older days have been added to since. It can be made again from the ledger at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.files import day_of
from memory_pipeline.storage.parquet.lake import Lake, scopes_in, scopes_table
from memory_pipeline.storage.parquet.layouts.bucket_files import Bucketed, BucketFiles

LEDGER = "memory_versions"
_NAME = "checkpoint"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(Bucketed):
    """What the note says.

    Attributes:
        through: last day that it holds.
        files: of each of its days the names of the ledger's files that it holds.
    """

    through: date = date.min
    files: Mapping[date, frozenset[str]] = field(default_factory=dict)

    @staticmethod
    def of_note(note: Mapping[str, Any]) -> Checkpoint:
        """The checkpoint that :meth:`to_note` has written."""
        files = {date.fromisoformat(day): frozenset(names) for day, names in note["files"].items()}
        return Checkpoint(**Bucketed.fields_of(note), through=date.fromisoformat(note["through"]), files=files)

    def to_note(self) -> dict[str, Any]:
        return {
            **Bucketed.to_note(self),
            "through": self.through.isoformat(),
            "files": {day.isoformat(): sorted(names) for day, names in self.files.items()},
        }


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
    parts = _files(lake).paths(held, None if wanted is None else {held.bucket(s) for s in wanted})
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
    return _files(lake).read(Checkpoint.of_note)


def refresh(lake: Lake, today: date, kept: timedelta = timedelta(0)) -> int:
    """Bring the checkpoint up to the ledger, if it is time to. Returns how many of its files were written.

    Args:
        kept: see :meth:`BucketFiles.sweep`.
    """
    held, store = load(lake), _files(lake)
    states = lake.store.states(LEDGER)
    changes = _changes(lake, held) if held else _Changes(gone=True)
    if held is None or changes.gone:
        held, changes = Checkpoint(), _Changes()
    store.sweep(held, kept)
    target = today - _BEHIND
    through = target if target - held.through >= _STEP else held.through
    paths: dict[date, list[str]] = {}
    for path in lake.files(LEDGER, [day for day in states if day <= through]):
        paths.setdefault(day_of(path), []).append(path)
    if not paths or (through == held.through and not changes.late):
        if any(held.states.get(day) != state for day, state in states.items() if day <= held.through):
            store.write(replace(held, states={day: states[day] for day in paths}))
        return 0
    fresh = [path for day, inside in paths.items() if day > held.through for path in inside]
    whole = [path for inside in paths.values() for path in inside]
    buckets, parts = _remade(store, held, fresh, changes.late, whole)
    store.write(
        Checkpoint(
            through=through,
            states={day: states[day] for day in paths},
            files={day: frozenset(PurePosixPath(p).name for p in inside) for day, inside in paths.items()},
            buckets=buckets,
            parts=parts,
        )
    )
    return len(set(parts.values()) - set(held.parts.values()))


def _remade(
    store: BucketFiles, held: Checkpoint, fresh: Sequence[str], late: Sequence[str], whole: Sequence[str]
) -> tuple[int, dict[int, tuple[str, int]]]:
    """How many buckets there are, and their parts, after some files were added to the ledger."""
    reopened = users_of(store.lake, late)

    def select(files: Sequence[str]) -> pa.Table:
        return store.lake.sql(
            _KEPT,
            files={"held": (LEDGER, files), "fresh": (LEDGER, fresh), "whole": (LEDGER, whole if reopened else [])},
            tables={"reopened": scopes_table(reopened)},
        )

    return store.remade(held, users_of(store.lake, fresh) | reopened, select)


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


def _files(lake: Lake) -> BucketFiles:
    return BucketFiles(lake, LEDGER, _NAME, _FORM)
