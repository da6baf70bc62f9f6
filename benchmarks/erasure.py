"""Erasing a user and a message from a home in which everything was in use: what is found afterwards, and what it costs.

The users live their lives for some weeks, with unusual texts, bad lines, edits, reads and statements by hand; the real
Dagster runs them twice, with maintenance in between. Others' rows must be equal before and after.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.lives import Line, Person
from memory_pipeline.curator import MemoryCurator
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.dagster_home.maintenance import maintain_all
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import DATASETS

USERS = 20
DAYS = 12
_FIRST = date(2026, 9, 28)
_OTHER_TEXTS = (
    'My gran used to say: "Robert\'); DROP TABLE messages;--" and {name} laughed.',
    "昨日、{name}と一緒に京都の小さな喫茶店へ行きました。とても楽しかったです。",
    "Größe & façade — {name} \\o/ 🏠🔑\tand a tab, {name} again.",
)
_RUN = frozenset({"run_id", "recorded_at", "reply_key"})


def measure(users: int = USERS, days: int = DAYS) -> dict[str, Any]:
    """Build a home, erase, and look."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(home=folder, chat="builtin", encoder="builtin")
        people = [f"user-{n:02}" for n in range(users)]
        _live(settings, people, days)
        first, second = people[0], people[1]
        others = {user: _rows(settings, user) for user in people[2:]}
        whole = _timed(lambda: MemoryCurator(settings).erase(user_id=first))
        message = f"{second}-odd-0"
        one = _timed(lambda: MemoryCurator(settings).erase(user_id=second, message_id=message))
        return {
            "users": users,
            "days": days,
            "home_bytes": sum(p.stat().st_size for p in Path(folder).rglob("*") if p.is_file()),
            "user": whole,
            "message": one,
            "others_changed": sum(_rows(settings, user) != rows for user, rows in others.items()),
            "name_found_in_files": _holding(Path(folder), f"Zebedee{first}".encode()),
        }


def _live(settings: Settings, people: list[str], days: int) -> None:
    inbox = Path(settings.path("inbox"))
    inbox.mkdir(parents=True)
    for user in people:
        lines = [*_lines(user, days)]
        bad = json.dumps({**lines[0], "created_at": "someday", "content": f"Zebedee{user} was put aside."})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (inbox / f"{user}.jsonl").write_text(text + bad + "\n", encoding="utf-8")
    run(settings)
    reader, curator = MemoryReader(settings), MemoryCurator(settings)
    for user in people:
        reader.context(f"Where did I go with Zebedee{user}?", user_id=user, session_id=f"{user}-odd")
        curator.remember(f"Works with Zebedee{user} on Mondays.", user_id=user)
    edited = [{**next(_odd(user)), "content": f"Zebedee{user} has changed the whole story."} for user in people]
    (inbox / "edited.jsonl").write_text("".join(json.dumps(line) + "\n" for line in edited), encoding="utf-8")
    with instance(settings) as dagster:
        now = datetime.now(UTC)
        maintain_all(StageContext(settings, "benchmark", now), dagster)
    run(settings)


def _lines(user: str, days: int) -> Iterator[Line]:
    person = Person(user, seed=7)
    for n in range(days):
        yield from person.day(_FIRST + timedelta(days=n))
    yield from _odd(user)


def _odd(user: str) -> Iterator[Line]:
    for n, text in enumerate(_OTHER_TEXTS):
        yield {
            "user_id": user,
            "session_id": f"{user}-odd",
            "message_id": f"{user}-odd-{n}",
            "role": "user",
            "content": text.format(name=f"Zebedee{user}"),
            "created_at": f"{_FIRST + timedelta(days=n)}T21:00:00+00:00",
        }


def _rows(settings: Settings, user: str) -> dict[str, list[str]]:
    """A user's rows of every dataset but the costs, which grow with whatever is made anew."""
    lake, found = Lake(settings.path("lake")), {}
    for name, dataset in DATASETS.items():
        if "user_id" in dataset.schema.names and name != "costs":
            table = lake.sql(f'SELECT * FROM "{name}" WHERE user_id = $user', {"user": user})
            rows = table.select([c for c in table.schema.names if c not in _RUN]).to_pylist()
            found[name] = sorted(map(repr, rows))
    return found


def _timed(work: Any) -> dict[str, Any]:
    started = time.process_time()
    certificate = work()
    return {
        "cpu_seconds": round(time.process_time() - started, 2),
        "removed": certificate["removed"],
        "made_anew": certificate["made_anew"],
        **{k: certificate["proof"][k] for k in ("hits", "rows_left", "files", "bytes", "decoded_bytes", "traces")},
    }


def _holding(root: Path, needle: bytes) -> int:
    return sum(needle in path.read_bytes() for path in root.rglob("*") if path.is_file())
