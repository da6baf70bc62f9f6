"""Bounds of the kept vectors: those of an encoder that is dropped go, and so do the oldest ones beyond a size.

They can be made again from their texts at any time, so nothing is lost but the time that it takes. Whoever calls must
keep maintenance away meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import date

from memory_pipeline.storage.parquet.files import ROLLED, day_of, replaced_by
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.partition_values import by_partition
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.vectors.encoder_pointer import folder_of

VECTORS = "vectors"
_FLOAT_BYTES = 4


def forget_encoder(lake: Lake, folder: str) -> int:
    """Remove an encoder's vectors. Returns how many there were.

    Args:
        folder: of its tables in the index.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    removed = 0
    for info in lake.store.infos(VECTORS, None):
        with lake.fence.rewriting():
            table = lake.columns(VECTORS, [info.path], DATASETS[VECTORS].schema.names)
            sizes = pc.binary_length(table["vector"]).to_pylist()
            made_by = zip(table["model"].to_pylist(), sizes, strict=True)
            rest = table.filter(pa.array([folder_of(m, n // _FLOAT_BYTES) != folder for m, n in made_by], pa.bool_()))
            if rest.num_rows == table.num_rows:
                continue
            removed += table.num_rows - rest.num_rows
            path = info.path.removeprefix(f"{lake.store.base}/")
            if rest.num_rows:
                names = replaced_by(lake.store.fs, info.path)
                notes = {ROLLED: "\n".join(sorted(names))} if names else None
                lake.store.put(path, lake.encoded(VECTORS, rest, notes))
            else:
                lake.store.remove(path)
    return removed


def bound(lake: Lake, most_bytes: int) -> int:
    """Remove the vectors of the oldest days until the others take no more than some bytes. Returns how many days went.

    A day's vectors are needed together, by whoever makes it anew; the days that are made anew most often are the last.
    """

    def compute(days: Collection[date]) -> Mapping[date, int]:
        sizes = Counter[date]()
        for info in lake.store.infos(VECTORS, days):
            sizes[day_of(info.path)] += info.size
        return sizes

    sizes = by_partition(lake, f"bytes_{VECTORS}", "1", VECTORS, compute)
    left, gone = sum(sizes.values()), []
    for day, size in sorted(sizes.items()):
        if left <= most_bytes:
            break
        left -= size
        gone.append(day)
    for info in lake.store.infos(VECTORS, gone) if gone else ():
        lake.store.remove(info.path)
    return len(gone)
