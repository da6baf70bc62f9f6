"""Steps from one version of a dataset's columns to the next: an append-only list of pure functions.

A step is given the rows of one file as an Arrow table and returns them as the next version has them, in the same order
and partition. What was released is never changed: another change of a noun is another step at the end of the list.
Readers apply the steps to the files that still need them; ``memory-pipeline migrate`` writes the files anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

Step = Callable[[pa.Table], pa.Table]


@dataclass(frozen=True, slots=True)
class Migration:
    """One step.

    Attributes:
        version: of the dataset after it; before it was one less.
        what: in words, for ``migrate --dry-run``.
        adds_only: it adds columns that hold nothing in older rows, which readers do anyway.
    """

    dataset: str
    version: int
    what: str
    step: Step
    adds_only: bool = False


def _filled(table: pa.Table, name: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The table with a column; one that has it already keeps its own: it came before it had a version."""
    return table if name in table.column_names else table.append_column(name, values)


def _added(dataset: str, version: int, **columns: pa.DataType) -> Migration:
    def step(table: pa.Table) -> pa.Table:
        for name, of_type in columns.items():
            table = _filled(table, name, pa.nulls(table.num_rows, of_type))
        return table

    return Migration(dataset, version, f"adds {', '.join(columns)}", step, adds_only=True)


def _links_say_why(table: pa.Table) -> pa.Table:
    """What a link was made from is not known: it agrees with no memory's words and is not shown until it is remade."""
    nothing = pa.array([""] * table.num_rows, pa.string())
    for name in ("reason", "source_words", "target_words"):
        table = _filled(table, name, nothing)
    return table


def _costs_tell_event_days(table: pa.Table) -> pa.Table:
    """An entry's day was that of its messages; what kept replies had saved was not noted."""
    table = _filled(table, "event_day", table["day"])
    table = _filled(table, "saved_tokens", pa.nulls(table.num_rows, pa.int64()))
    return _filled(table, "saved_usd", pa.nulls(table.num_rows, pa.float64()))


MIGRATIONS = (
    _added("proposals", 2, reply_key=pa.string()),
    _added("verdicts", 2, reply_key=pa.string()),
    _added("memory_versions", 2, own_words=pa.bool_(), taken_back=pa.list_(pa.string()), apart=pa.list_(pa.string())),
    Migration("links", 2, "adds reason, source_words, target_words, empty", _links_say_why),
    Migration("costs", 2, "adds event_day from day; saved_tokens, saved_usd", _costs_tell_event_days),
    _added("recalls", 2, asked=pa.string()),
    _added("summaries", 2, session_id=pa.string()),
    _added("messages", 2, language=pa.string()),
    _added("message_revisions", 2, language=pa.string()),
    # Not known of older ones, and so the strictest, until they are made again.
    _added(
        "summaries",
        3,
        classification=pa.string(),
        domains=pa.list_(pa.string()),
        agent_ids=pa.list_(pa.string()),
    ),
    _added("costs", 3, unfit=pa.int64()),
    _added("summaries", 4, refused=pa.list_(pa.struct([(n, pa.string()) for n in ("code", "detail", "text")]))),
    _added("vectors", 2, tokens=pa.binary()),
)


def steps(dataset: str, version: int) -> list[Migration]:
    """The steps that rows of a version still need, in order."""
    return sorted(
        (m for m in MIGRATIONS if m.dataset == dataset and m.version > version), key=lambda migration: migration.version
    )


def upgraded(dataset: str, table: pa.Table, version: int) -> pa.Table:
    """Rows of a version as the present one has them.

    Args:
        table: whole rows of one version; it is not changed.
    """
    for migration in steps(dataset, version):
        table = migration.step(table)
    return table
