"""Versions that a replay has withdrawn because of an erasure: they held what was erased, and go physically."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memory_pipeline.domain.erasure import Erasure, Reached, Target
from memory_pipeline.domain.ledger.memory import MemoryVersion, standing
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.erasure.partitions import datasets, rewrite
from memory_pipeline.stages.operations.erasure.reach import params

if TYPE_CHECKING:
    import pyarrow as pa

_OWN = "tenant_id = $tenant AND user_id = $user"


def purge(ctx: StageContext, erasure: Erasure) -> Counter[str]:
    """Remove withdrawn versions of what was reached, and of what this erasure's run has withdrawn."""
    done: Counter[str] = Counter()
    for scope, (_, reached) in erasure.partly.items():
        ledger = ctx.lake.read("memory_versions", MemoryVersion, where=_OWN, params=params(scope))
        gone = _withdrawn(ledger, reached, ctx.run_id)
        if gone:
            for path, dataset in list(datasets(ctx)):
                if dataset == "memory_versions" and not gone.isdisjoint(_ids(ctx, path)):
                    done.update(rewrite(ctx, path, partial(_without, gone)))
    return done


def _withdrawn(ledger: Sequence[MemoryVersion], reached: Reached, run_id: str) -> set[str]:
    held = {v.version_id for v in standing(ledger)}
    return {
        v.version_id
        for v in ledger
        if v.version_id not in held and (v.memory_id in reached.memories or (v.run_id == run_id and not v.asserted))
    }


def vanished(ctx: StageContext, erasure: Erasure) -> Erasure:
    """The erasure of what is read of memories that are no more: their recalls and what these say of them."""
    targets = []
    for scope, (target, reached) in erasure.partly.items():
        left = ctx.lake.sql(
            f"SELECT DISTINCT memory_id FROM memory_versions WHERE {_OWN} AND memory_id IN (SELECT unnest($ids))",
            {**params(scope), "ids": list(reached.memories)},
        )
        gone = reached.memories.keys() - set(left["memory_id"].to_pylist())
        targets.append((Target(target.scope, ()), Reached(turns=tuple(sorted(gone)))))
    return replace(erasure, targets=tuple(targets))


def _ids(ctx: StageContext, path: str) -> list[str]:
    import pyarrow.parquet as pq

    try:
        ids: list[str] = pq.read_table(path, columns=["version_id"], filesystem=ctx.lake.store.fs, partitioning=None)[
            "version_id"
        ].to_pylist()
        return ids
    except FileNotFoundError:
        return []


def _without(ids: set[str], table: pa.Table) -> pa.Table:
    import pyarrow as pa

    return table.filter(pa.array([i not in ids for i in table["version_id"].to_pylist()], pa.bool_()))
