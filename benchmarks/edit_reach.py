"""How far does the edit of one message reach? Events, rows and model calls, counted after the fact. Prints a table.

    python -m benchmarks.edit_reach

The sample, and the sample once more eight weeks later, through the real run; then one message comes again with another
text, and the run is made again. For each asset the partitions that Dagster recorded as made, the rows that differ from
before by user, and the model calls.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from memory_pipeline.inference.models import open_encoder
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.vectors.index import Index

ASSETS = ("transcripts", *BY_NAME)
_MOST = 10_000  # events that Dagster gives at once
_LATER = timedelta(weeks=8)
_COMPARED = ("windows", "proposals", "verdicts", "memory_versions", "links", "entities", "summaries", "replies")
# What is edited: (message id, its new text, what it is).
EDITS = (
    ("al-0002", "Welcome, Ali! What can I do for you?", "an assistant's greeting on the first day"),
    ("be-0083", "switched to oolong this month, coffee was wrecking my sleep", "a taste that changes again later"),
    ("al-0244", "It is raining in Hamburg and I miss the old kitchen.", "near the end of the sample"),
)
Rows = Mapping[tuple[str, str], Counter[str]]


@dataclass
class Reach:
    """What a run did.

    Attributes:
        events: partitions by asset, once for each time they were made.
        changed: rows gone and new, by dataset and user; withdrawals in the ledger count as new rows.
        calls: by task and user.
    """

    events: dict[str, list[str]] = field(default_factory=dict)
    changed: dict[tuple[str, str], int] = field(default_factory=dict)
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)


@contextmanager
def watched(settings: Settings) -> Iterator[Reach]:
    """What happens to a home meanwhile."""
    found = Reach()
    before, mark, spent = rows(settings), _mark(settings), _calls(settings)
    yield found
    after = rows(settings)
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, Counter()), after.get(key, Counter())
        if old != new:
            found.changed[key] = ((old - new) + (new - old)).total()
    found.events = _events(settings, mark)
    found.calls = _calls(settings) - spent


def rows(settings: Settings) -> Rows:
    """Every row of the lake and of the index as a text of all its fields, by dataset and user."""
    lake, index = Lake(settings.path("lake")), Index.open(settings, open_encoder(settings))
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in _COMPARED:
        for row in lake.read(name, DATASETS[name].noun):
            found[name, row.user_id][repr(row)] += 1
    for name in ("memories", "messages", "summaries"):
        for row in index.all(name, index.schema(name).names).to_pylist():
            found[f"index {name}", row["user_id"]][repr(row)] += 1
    return found


def _mark(settings: Settings) -> int:
    """The number of the newest event."""
    with instance(settings) as dagster:
        newest = [dagster.fetch_materializations(dg.AssetKey(asset), limit=1).records for asset in ASSETS]
    return max((record.storage_id for records in newest for record in records), default=0)


def _events(settings: Settings, mark: int) -> dict[str, list[str]]:
    found = {}
    with instance(settings) as dagster:
        for asset in ASSETS:
            since = dg.AssetRecordsFilter(asset_key=dg.AssetKey(asset), after_storage_id=mark)
            records = dagster.fetch_materializations(since, limit=_MOST).records
            found[asset] = sorted(str(record.partition_key) for record in records)
    return {asset: partitions for asset, partitions in found.items() if partitions}


def _calls(settings: Settings) -> Counter[tuple[str, str]]:
    table = Lake(settings.path("lake")).sql("SELECT stage, user_id, sum(calls) AS n FROM costs GROUP BY ALL")
    columns = (table[c].to_pylist() for c in ("stage", "user_id", "n"))
    return Counter({(stage, user): int(n) for stage, user, n in zip(*columns, strict=True) if n})


def put(settings: Settings, name: str, lines: list[dict[str, Any]]) -> None:
    """A file into a home's inbox."""
    inbox = Path(settings.path("inbox"))
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def edited(
    settings: Settings, lines: Mapping[str, dict[str, Any]], message_id: str, text: str, again: Callable[[], Any]
) -> Reach:
    """What a run makes anew when one message comes again with another text."""
    put(settings, f"edit-{message_id}", [lines[message_id] | {"content": text}])
    with watched(settings) as reach:
        again()
    return reach


def sample(weeks: bool = True) -> dict[str, dict[str, Any]]:
    """The sample's lines by message id, and once more eight weeks later."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(Path(shipped("data/sample")).glob("*.jsonl")):
        for text in file.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            found[line["message_id"]] = line
            if weeks:
                at = datetime.fromisoformat(line["created_at"]) + _LATER
                ids = {name: f"{line[name]}-later" for name in ("message_id", "session_id")}
                found[ids["message_id"]] = {**line, **ids, "created_at": at.isoformat()}
    return found


def table(reach: Reach) -> list[str]:
    """Lines for people: an asset and the partitions that were made; a dataset and the rows that differ by user."""
    lines = [f"  {asset:<20} {len(days):>3}  {_shortened(days)}" for asset, days in reach.events.items()]
    lines += [f"  rows of {name:<18} {user:<8} {n}" for (name, user), n in reach.changed.items()]
    return [*lines, *(f"  calls {task} for {user}: {n}" for (task, user), n in sorted(reach.calls.items()))]


def _shortened(days: list[str]) -> str:
    return ", ".join(days) if len(days) <= 6 else f"{', '.join(days[:3])} … {days[-1]}"


def measure() -> dict[str, Any]:
    """The reach of each edit."""
    home = tempfile.mkdtemp()
    try:
        settings = Settings.load(home=home, chat="builtin", encoder="builtin")
        lines = sample()
        put(settings, "sample", list(lines.values()))
        run(settings)
        found: dict[str, Any] = {}
        for message_id, text, what in EDITS:
            reach = edited(settings, lines, message_id, text, lambda: run(settings))
            found[message_id] = {"what": what, "day": lines[message_id]["created_at"][:10], "table": table(reach)}
        return found
    finally:
        shutil.rmtree(home)


if __name__ == "__main__":
    for message_id, of in measure().items():
        print(f"{message_id} ({of['day']}, {of['what']})", *of["table"], sep="\n")
