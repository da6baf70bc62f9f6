"""Links and the ledger as Lance tables beside the lake's Parquet files: the same work, measured. Prints JSON.

    python -m benchmarks.lance_tables [--rows 10000,100000,1000000] [--kills 50] [--s3 http://127.0.0.1:5000]

Stores as ``benchmarks.growth`` writes them (730 days, a link for each memory but a user's first). Then three nights
each: 300 new versions and links of 50 users on a new day, 60 links of 30 older days changed, the reads that such a
night makes, and upkeep. Then one user is read and erased, and every byte under the store is searched for what they had
said. Kills: the writer of a night is stopped at a moment drawn by chance, the store must hold the state before or
after, and doing it again must lead to the state after. ``--s3`` names an S3 server (such as ``moto_server``): two
processes write versions of one user's memory at once, each counting on from the last one that it sees.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.lance_table import LanceTable
from benchmarks.large_store import DAYS, TENANT, _assignment, _before, _by_day, _tables
from memory_pipeline.domain.erasure import Erasure, Reached, Reason, Target
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import DATASETS, Link

LEDGER, LINKS = "memory_versions", "links"
_LAST = date(2025, 6, 4)
_USERS = [f"user-{n:02}" for n in range(50)]
_ERASED = Scope(TENANT, "user-07")
_NEW, _OLDER = 300, 30
_CHUNK = 50_000
_NIGHTS = 3
_SEED = 5


class Engine(ABC):
    """The two datasets under a folder."""

    def __init__(self, root: str) -> None:
        self.root = root

    @abstractmethod
    def fill(self, parts: Iterator[tuple[date, pa.Table, pa.Table]]) -> None:
        """Write the store: ledger and links by day."""

    @abstractmethod
    def publish(self, versions: pa.Table, added: list[Link], before: list[Link]) -> None:
        """What a night makes; ``before`` are the links as they were of those that change. Twice is as good as once."""

    @abstractmethod
    def reads(self, users: list[str]) -> int:
        """What linking and consolidation read of some users. Returns rows."""

    @abstractmethod
    def upkeep(self, today: date) -> None:
        """Maintenance after a night."""

    @abstractmethod
    def erase(self, scope: Scope) -> None:
        """Leave nothing of a user."""

    @abstractmethod
    def counts(self) -> int:
        """Rows of each day of both datasets by SQL. Returns days."""

    @abstractmethod
    def whole(self, dataset: str) -> pa.Table:
        """Every row."""

    def digest(self, dataset: str) -> str:
        """Of the content: rows in the order of their ids, columns as the dataset has them."""
        schema = DATASETS[dataset].schema
        key = "link_id" if dataset == LINKS else "version_id"
        table = self.whole(dataset).select(schema.names).cast(schema.remove_metadata()).sort_by(key).combine_chunks()
        sink = hashlib.sha256()
        for row in table.to_batches(max_chunksize=10_000):
            sink.update(json.dumps(row.to_pylist(), default=str).encode())
        return sink.hexdigest()


class ParquetStore(Engine):
    """As the lake has them."""

    @cached_property
    def lake(self) -> Lake:
        return Lake(self.root)

    def fill(self, parts: Iterator[tuple[date, pa.Table, pa.Table]]) -> None:
        for day, versions, links in parts:
            for dataset, rows in ((LEDGER, versions), (LINKS, links)):
                if rows.num_rows:
                    path = f"{dataset}/day={day.isoformat()}/part.parquet"
                    self.lake.store.put(path, self.lake.encoded(dataset, rows))
        time.sleep(2.1)  # partitions that changed just now are laid out the next time
        self.upkeep(_LAST + timedelta(days=1))

    def publish(self, versions: pa.Table, added: list[Link], before: list[Link]) -> None:
        from memory_pipeline.stages.links.row_changes import RowChanges

        self.lake.append(LEDGER, versions)
        changes = RowChanges(cast(StageContext, SimpleNamespace(lake=self.lake)), LINKS, "link_id")
        changes.change(before, added)
        changes.write()

    def reads(self, users: list[str]) -> int:
        from memory_pipeline.storage.parquet.lake import scopes_table
        from memory_pipeline.storage.parquet.layouts.by_user import rows_of
        from memory_pipeline.storage.queries.ledger import ledger_files

        scopes = [Scope(TENANT, user) for user in users]
        ledger = self.lake.sql(
            "SELECT v.* FROM memory_versions v SEMI JOIN wanted USING (tenant_id, user_id)",
            tables={"wanted": scopes_table(scopes)},
            files=ledger_files(self.lake, scopes),
        )
        return int(ledger.num_rows + rows_of(self.lake, LINKS, scopes).num_rows)

    def upkeep(self, today: date) -> None:
        from memory_pipeline.storage.parquet.layouts import by_user, checkpoint
        from memory_pipeline.storage.parquet.layouts.roll_up import roll_up, sweep

        days = [today - timedelta(days=n) for n in range(1, 8)]
        sweep(self.lake, LEDGER, days, timedelta(0))
        roll_up(self.lake, LEDGER, days)
        checkpoint.refresh(self.lake, today)
        by_user.refresh(self.lake, LINKS)

    def erase(self, scope: Scope) -> None:
        from memory_pipeline.stages.operations.erasure import partitions
        from memory_pipeline.stages.operations.erasure.erased_rows import Rows
        from memory_pipeline.storage.erasing.traces import Traces

        targets = ((Target(scope), Reached()),)
        erasure = Erasure("benchmark", Reason.REQUEST, datetime.now(UTC), targets, "1")
        rows = Rows(erasure, Traces.of(b"salt", []), str)
        partitions.remove(cast(StageContext, SimpleNamespace(lake=self.lake)), rows)

    def counts(self) -> int:
        return sum(
            self.lake.sql(f"SELECT day, count(*) AS n FROM {name} GROUP BY day").num_rows for name in (LEDGER, LINKS)
        )

    def whole(self, dataset: str) -> pa.Table:
        return self.lake.sql(f"SELECT * FROM {dataset}")


class LanceStore(Engine):
    """A Lance table each."""

    def __init__(self, root: str, storage_options: dict[str, str] | None = None) -> None:
        super().__init__(root)
        self.tables = {name: LanceTable(f"{root}/{name}.lance", name, storage_options) for name in (LEDGER, LINKS)}

    def fill(self, parts: Iterator[tuple[date, pa.Table, pa.Table]]) -> None:
        first: dict[str, bool] = {}
        waiting: dict[str, list[pa.Table]] = {LEDGER: [], LINKS: []}

        def flush(dataset: str) -> None:
            import lance

            table = self.tables[dataset]
            if waiting[dataset]:
                rows = pa.concat_tables(waiting[dataset]).cast(table.schema)
                lance.write_dataset(rows, table.place, mode="append" if dataset in first else "create")
                first[dataset] = True
                waiting[dataset].clear()

        for _, versions, links in parts:
            for dataset, rows in ((LEDGER, versions), (LINKS, links)):
                waiting[dataset].append(rows)
                if sum(t.num_rows for t in waiting[dataset]) >= _CHUNK:
                    flush(dataset)
        for dataset, table in self.tables.items():
            flush(dataset)
            table.index()
            table.upkeep(timedelta(0))

    def publish(self, versions: pa.Table, added: list[Link], before: list[Link]) -> None:
        from memory_pipeline.storage.parquet.arrow_rows import to_table

        ledger = self.tables[LEDGER]
        if not ledger.holds(versions["version_id"].to_pylist()):
            fragments = ledger.staged(versions)
            assert ledger.seen_with(fragments).count_rows() > versions.num_rows
            ledger.publish(fragments)
        now = {link.link_id for link in added}
        self.tables[LINKS].change(to_table(added, Link), {b.link_id for b in before} - now)

    def reads(self, users: list[str]) -> int:
        return sum(table.of_users(TENANT, users).num_rows for table in self.tables.values())

    def upkeep(self, today: date) -> None:
        for table in self.tables.values():
            table.upkeep(timedelta(0))

    def erase(self, scope: Scope) -> None:
        for table in self.tables.values():
            table.erase(scope)

    def counts(self) -> int:
        import duckdb

        found = 0
        for table in self.tables.values():
            with duckdb.connect(":memory:") as con:
                con.register("rows", table.now())
                found += con.sql("SELECT day, count(*) AS n FROM rows GROUP BY day").to_arrow_table().num_rows
        return found

    def whole(self, dataset: str) -> pa.Table:
        return self.tables[dataset].now().to_table()


_ENGINES: dict[str, Callable[[str], Engine]] = {"parquet": ParquetStore, "lance": LanceStore}


# -- what is written


def _store(rows: int) -> Iterator[tuple[date, pa.Table, pa.Table]]:
    owners, numbers = _assignment(rows, _USERS)
    before = _before(owners, numbers)
    for day, (of, part) in _by_day((owners, numbers), _LAST):
        versions, _, links = _tables(of, part, before[part], day)
        yield day, _told_apart(versions), links


def _told_apart(versions: pa.Table) -> pa.Table:
    """With words of the erased user that nobody else says."""
    own = pc.equal(versions["user_id"], _ERASED.user_id)
    words = [hashlib.sha256(i.encode()).hexdigest() for i in versions["version_id"].to_pylist()]
    place = versions.schema.get_field_index("content")
    content = pc.if_else(own, pa.array(words), versions["content"])
    return versions.set_column(place, versions.schema.field(place), content)


def _night(rows: int, n: int) -> tuple[date, pa.Table, list[Link], list[Link]]:
    """The day after the store's last, its new versions, and links that come and that were before."""
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    day = _LAST + timedelta(days=1 + n)
    owners = np.array([_USERS[i % len(_USERS)] for i in range(_NEW)])
    numbers = 10_000_000 + 1000 * n + np.arange(_NEW)
    earlier = np.arange(_NEW) + 1
    versions, _, links = _tables(owners, numbers, earlier, day)
    return day, _told_apart(versions), from_table(links, Link), []


def _older(engine: Engine, n: int) -> tuple[list[Link], list[Link]]:
    """Links of older days, before and after, two of each of 30 days."""
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    owners, numbers = _assignment(5_000, _USERS)
    before = _before(owners, numbers)
    found: list[Link] = []
    for _, (of, part) in list(_by_day((owners, numbers), _LAST))[n * 100 :: 7][:_OLDER]:
        _, _, links = _tables(of, part, before[part], _)
        found += from_table(links, Link)[:2]
    return found, [replace(link, weight=0.5 + n / 10) for link in found]


# -- measuring


def _cpu(work: Callable[[], Any]) -> dict[str, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return {"cpu_s": round(time.process_time() - cpu, 4), "wall_s": round(time.perf_counter() - wall, 4)}


def _of_store(engine: Engine, rows: int) -> dict[str, Any]:
    found: dict[str, Any] = {"fill": _cpu(lambda: engine.fill(_store(rows))), "weight": _weight(engine.root)}
    steps: dict[str, list[dict[str, float]]] = {"publish": [], "reads": [], "counts": [], "upkeep": []}
    for n in range(_NIGHTS):
        day, versions, added, _ = _night(rows, n)
        old, new = _older(engine, n)
        fresh = _ENGINES[_name(engine)](engine.root)
        steps["reads"].append(_cpu(lambda fresh=fresh: fresh.reads(_USERS)))
        steps["publish"].append(_cpu(lambda f=fresh, v=versions, a=added, o=old, w=new: f.publish(v, [*a, *w], o)))
        steps["counts"].append(_cpu(fresh.counts))
        if isinstance(engine, ParquetStore):
            time.sleep(2.1)
        steps["upkeep"].append(_cpu(lambda fresh=fresh, day=day: fresh.upkeep(day + timedelta(days=1))))
    found |= {name: statistics.median(t["cpu_s"] for t in times) for name, times in steps.items()}
    found["wall"] = {name: statistics.median(t["wall_s"] for t in times) for name, times in steps.items()}
    found["night"] = round(sum(found[name] for name in ("reads", "publish", "upkeep")), 4)
    engine = _ENGINES[_name(engine)](engine.root)
    found["one user"] = [_cpu(lambda: engine.reads([_ERASED.user_id]))["cpu_s"] for _ in range(5)]
    found["digests"] = {name: engine.digest(name) for name in (LEDGER, LINKS)} if rows <= 100_000 else {}
    found["weight after"] = _weight(engine.root)
    texts = engine.whole(LEDGER).filter(pc.field("user_id") == _ERASED.user_id)["content"].to_pylist()
    found["there"] = _left(engine.root, texts)
    found["erase"] = _cpu(lambda: engine.erase(_ERASED))
    found["left"] = _left(engine.root, texts)
    found["weight erased"] = _weight(engine.root)
    found["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found


def _name(engine: Engine) -> str:
    return "parquet" if isinstance(engine, ParquetStore) else "lance"


def _weight(root: str) -> dict[str, int]:
    sizes = [p.stat().st_size for p in Path(root).rglob("*") if p.is_file()]
    return {"files": len(sizes), "bytes": sum(sizes)}


def _left(root: str, texts: list[str]) -> dict[str, Any]:
    """Places where what was erased still stands: texts in bytes and decoded, the user's name in bytes."""
    from memory_pipeline.storage.erasing.trace_search import search
    from memory_pipeline.storage.erasing.traces import Traces

    others = Traces.of(b"salt", [t for t in texts if len(t) >= 24])
    found = search(root, others)
    name = _ERASED.user_id.encode()
    named = [str(p.relative_to(root)) for p in Path(root).rglob("*") if p.is_file() and name in p.read_bytes()]
    return {"texts": sum(found.hits.values()), "undecoded": len(found.undecoded), "name in": named[:5]}


# -- kills


def _kills(name: str, trials: int, rows: int, place: Path) -> dict[str, Any]:
    base, after = place / f"{name}-base", place / f"{name}-after"
    _child(name, "fill", base, rows)
    states = {"before": _child(name, "digest", base, rows)}
    shutil.copytree(base, after)
    taken = float(_child(name, "write", after, rows)["wall_s"])
    states["after"] = _child(name, "digest", after, rows)
    assert states["before"] != states["after"]
    drawn = random.Random(_SEED)
    outcomes = {"before": 0, "between datasets": 0, "after": 0, "torn": 0, "again differs": 0}
    for n in range(trials):
        home = place / f"{name}-{n}"
        shutil.copytree(base, home)
        _killed(name, home, rows, drawn.uniform(0, taken * 1.05))
        found = _child(name, "digest", home, rows)
        outcomes[_judged(found, states)] += 1
        _child(name, "write", home, rows)
        outcomes["again differs"] += _child(name, "digest", home, rows) != states["after"]
        shutil.rmtree(home)
    return {"trials": trials, "writer_s": taken, **outcomes}


def _judged(found: dict[str, str], states: dict[str, dict[str, str]]) -> str:
    for name, state in states.items():
        if found == state:
            return name
    whole = all(found[d] in (states["before"][d], states["after"][d]) for d in found)
    return "between datasets" if whole else "torn"


def _write(engine: Engine, rows: int) -> dict[str, float]:
    day, versions, added, _ = _night(rows, 0)
    old, new = _older(engine, 0)
    print("ready", flush=True)

    def both() -> None:
        engine.publish(versions, [*added, *new], old)
        engine.upkeep(day + timedelta(days=1))

    return _cpu(both)


def _command(name: str, step: str, home: Path, rows: int) -> list[str]:
    return [sys.executable, "-m", "benchmarks.lance_tables", "--step", step, name, str(home), "--rows", str(rows)]


def _child(name: str, step: str, home: Path, rows: int) -> Any:
    done = subprocess.run(_command(name, step, home, rows), stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _killed(name: str, home: Path, rows: int, after: float) -> None:
    with subprocess.Popen(_command(name, "write", home, rows), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after)
        process.kill()


_STEPS: dict[str, Callable[[Engine, int], Any]] = {
    "fill": lambda engine, rows: engine.fill(_store(rows)),
    "write": _write,
    "digest": lambda engine, rows: {name: engine.digest(name) for name in (LEDGER, LINKS)},
    "measure": _of_store,
}


# -- two writers of one user on object storage


def _s3(endpoint: str, each: int = 20) -> dict[str, Any]:
    bucket = f"lance-tables-{os.getpid()}"
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{bucket}", method="PUT"))
    found: dict[str, Any] = {}
    for name in _ENGINES:
        home = f"s3://{bucket}/{name}"
        engine = _on_s3(name, home, endpoint)
        first = _version(0, 1)
        if isinstance(engine, LanceStore):
            engine.tables[LEDGER].create([first])
        else:
            cast(ParquetStore, engine).lake.append(LEDGER, first)
        started = time.perf_counter()
        command = [sys.executable, "-m", "benchmarks.lance_tables", "--s3", endpoint, "--writer", name, home, str(each)]
        writers = [subprocess.Popen([*command, str(n)]) for n in (1, 2)]
        codes = [writer.wait() for writer in writers]
        taken = time.perf_counter() - started
        numbers = _on_s3(name, home, endpoint).whole(LEDGER)["version"].to_pylist()
        found[name] = {
            "exit codes": codes,
            "written": len(numbers) - 1,
            "wanted": 2 * each,
            "same number twice": len(numbers) - len(set(numbers)),
            "wall_s": round(taken, 1),
        }
    return found


def _on_s3(name: str, home: str, endpoint: str) -> Engine:
    if name == "parquet":
        bare = endpoint.removeprefix("http://")
        return ParquetStore(f"{home}?endpoint_override={bare}&scheme=http&region=us-east-1")
    options = {
        "aws_endpoint": endpoint, "allow_http": "true", "aws_region": "us-east-1",
        "aws_virtual_hosted_style_request": "false",
    }  # fmt: skip
    return LanceStore(home, options)


def _version(writer: int, number: int) -> pa.Table:
    """The version of that number of the one memory; its id is its number, so that a second one of it is refused."""
    versions, _, _ = _tables(np.array([_USERS[0]]), np.array([1]), np.array([-1]), _LAST)
    columns = {"version_id": f"ver_{number:05}", "run_id": f"writer-{writer}", "version": number}
    for column, value in columns.items():
        place = versions.schema.get_field_index(column)
        versions = versions.set_column(
            place, versions.schema.field(place), pa.array([value], versions.schema.field(place).type)
        )
    return versions


def _writer(engine: Engine, each: int, writer: int) -> None:
    done = 0
    while done < each:
        last = max(engine.whole(LEDGER)["version"].to_pylist())
        rows = _version(writer, last + 1)
        if isinstance(engine, LanceStore):
            done += engine.tables[LEDGER].insert(rows)
        else:
            cast(ParquetStore, engine).lake.append(LEDGER, rows)
            done += 1


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="10000,100000,1000000", help="sizes of the stores")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--s3", metavar="URL", help="of an S3 server")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--writer", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    sizes = [int(n) for n in given.rows.split(",") if n]
    if given.s3:  # the lake's locks go by the environment, not by the query of a URI
        os.environ |= {"AWS_ENDPOINT_URL": given.s3, "AWS_ENDPOINT": given.s3, "AWS_ALLOW_HTTP": "true"}
        os.environ |= {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
    if given.step:
        step, name, home = given.step
        print(json.dumps(_STEPS[step](_ENGINES[name](home), sizes[0])))
        return
    if given.writer:
        name, home, each, writer = given.writer
        _writer(_on_s3(name, home, given.s3), int(each), int(writer))
        return
    found: dict[str, Any] = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "days": DAYS}
    with tempfile.TemporaryDirectory(prefix="lance-tables-") as place:
        for name in _ENGINES:
            of = {n: _child(name, "measure", Path(place, f"{name}-{n}"), n) for n in sizes}
            growth = round(of[sizes[-1]]["night"] / of[sizes[0]]["night"], 2) if sizes else None
            found[name] = {"growth of a night": growth, **of}
            for n in sizes:
                with suppress(FileNotFoundError):
                    shutil.rmtree(Path(place, f"{name}-{n}"))
        if given.kills:
            found["kills"] = {name: _kills(name, given.kills, 10_000, Path(place)) for name in _ENGINES}
        if given.s3:
            found["two writers of one user"] = _s3(given.s3)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
