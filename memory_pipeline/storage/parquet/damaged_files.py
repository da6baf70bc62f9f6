"""Files of the lake that cannot be read: which they are, and what to do about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memory_pipeline.errors import StorageError

if TYPE_CHECKING:
    import pyarrow.fs as pafs

_SAID = frozenset({"messages", "message_revisions"})
_BY_HAND = "memory_versions"


def damaged(fs: pafs.FileSystem, paths: Iterable[str], *, whole: bool = False) -> Iterator[tuple[str, str]]:
    """Files that are cut short or changed, with what is wrong with them. A file that is gone is not among them.

    Args:
        whole: read their data; without it only the footers, which takes a third of a millisecond a file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in paths:
        try:
            if whole:
                pq.read_table(path, filesystem=fs)
            else:
                pq.read_metadata(path, filesystem=fs)
        except FileNotFoundError:
            continue
        except (OSError, pa.ArrowException) as error:
            yield path, str(error).splitlines()[0]


def damage(path: str, why: str) -> StorageError:
    """The error for one file."""
    return StorageError(f"{path} is damaged ({why}): {advice(dataset_of(path))}", path=path)


def dataset_of(path: str) -> str:
    """The dataset that a file of the lake belongs to."""
    return PurePosixPath(path).parent.parent.name


def advice(dataset: str) -> str:
    """What to do about a damaged file of a dataset."""
    if dataset in _SAID:
        return "put it back from a backup, or remove it and ingest the transcripts of that day again"
    if dataset == _BY_HAND:
        return (
            "put it back from a backup, or remove it and run `memory-pipeline run`, which makes it again without what "
            "was done by hand on that day"
        )
    return "remove it and run `memory-pipeline run`, which makes again what can be made"
