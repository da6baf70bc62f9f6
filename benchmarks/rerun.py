"""Does the same input give the same output? The sample with the builtin models, byte for byte. Prints JSON.

    python -m benchmarks.rerun

* ``two_homes``: two fresh homes, a run each: standing versions, proposals, verdicts and summaries are compared.
* ``run_again``: a second run in the first home: must write no version.
* ``ledger_lost``: every third partition of the ledger is deleted; does a run notice and make it again?
* ``ledger_and_notes_lost``: with them the notes of what was made from what, so that everything counts as stale: a run
  must make the same versions again, from the proposals that are there.

Rows are compared in all fields but ``run_id`` and ``recorded_at``.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memory_pipeline.domain.ledger.memory import MemoryVersion, standing
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import DATASETS

_COMPARED = ("windows", "proposals", "verdicts", "memory_versions", "summaries", "links")
_OF_THE_RUN = frozenset({"run_id", "recorded_at"})
_EVERY = 3
Rows = dict[str, Counter[str]]


def rows(home: Path) -> Rows:
    """By dataset, every row as a text of all fields but the run's; of versions those that stand."""
    lake = Lake(str(home / "lake"))
    found = {}
    for name in _COMPARED:
        read: Iterable[Any] = lake.read(name, DATASETS[name].noun)
        if name == "memory_versions":
            read = standing([row for row in read if isinstance(row, MemoryVersion)])
        found[name] = Counter(_text(row) for row in read)
    return found


def _text(row: Any) -> str:
    return repr([(n, getattr(row, n)) for n in type(row).__dataclass_fields__ if n not in _OF_THE_RUN])


def difference(before: Rows, after: Rows) -> dict[str, Any]:
    """By dataset, rows before, and how many are gone or new; and whether all is the same."""
    found: dict[str, Any] = {
        name: {
            "rows": before[name].total(),
            "gone": (before[name] - after[name]).total(),
            "new": (after[name] - before[name]).total(),
        }
        for name in before
    }
    return {"identical": all(before[name] == after[name] for name in before), **found}


def fresh(home: Path) -> Settings:
    """A home with the sample in its inbox, after one run."""
    inbox = home / "inbox"
    inbox.mkdir(parents=True)
    for source in sorted(Path(shipped("data/sample")).glob("*.jsonl")):
        shutil.copy(source, inbox)
    settings = Settings.load(home=str(home), chat="builtin", encoder="builtin")
    run(settings)
    return settings


def ledger_rows(home: Path) -> int:
    """Rows of the ledger, withdrawals included."""
    return int(Lake(str(home / "lake")).sql("SELECT count(*) AS n FROM memory_versions")["n"][0].as_py())


def measure() -> dict[str, Any]:
    """All comparisons."""
    with tempfile.TemporaryDirectory() as place:
        cpu = time.process_time()
        first, second = Path(place) / "first", Path(place) / "second"
        settings = fresh(first)
        fresh(second)
        before = rows(first)
        found: dict[str, Any] = {
            "two_homes": difference(before, rows(second)),
            "digest": hashlib.sha256("\n".join(sorted(before["memory_versions"])).encode()).hexdigest()[:16],
        }
        held = ledger_rows(first)
        again = run(settings)
        found["run_again"] = {
            "ledger_rows_added": ledger_rows(first) - held,
            "stages": sorted(again.stages),
            **difference(before, rows(first)),
        }
        found["ledger_lost"] = _lost(settings, first, before, notes=False)
        found["ledger_and_notes_lost"] = _lost(settings, first, before, notes=True)
        found["cpu_s"] = round(time.process_time() - cpu, 1)
        return found


def _lost(settings: Settings, home: Path, before: Rows, *, notes: bool) -> dict[str, Any]:
    """Delete every third partition of the ledger and run."""
    partitions = sorted((home / "lake" / "memory_versions").iterdir())[::_EVERY]
    for partition in partitions:
        shutil.rmtree(partition)
    lost = (before["memory_versions"] - rows(home)["memory_versions"]).total()
    if notes:
        shutil.rmtree(home / "lake" / "made")
    run(settings)
    return {"partitions_deleted": len(partitions), "versions_deleted": lost, **difference(before, rows(home))}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
