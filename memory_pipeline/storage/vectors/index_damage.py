"""Tables of the index of which a file is gone, cut short or changed: which it is, and what can be read all the same.

The index is a projection of the lake, so nothing is lost with it; until it is made again, readers get what the newest
whole version of a table holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from memory_pipeline.errors import IndexDamaged

if TYPE_CHECKING:
    import lance

FAILURES = (OSError, ValueError, RuntimeError, pa.ArrowException)
"""What Lance raises where a file is not as it was written."""
_HINT = "latest_version_hint.json"
_NEWEST = (1 << 64) - 1  # manifests are named so that the newest version comes first
_SHOWN = 200


def damaged(folder: str, why: object) -> IndexDamaged:
    """The error for a table."""
    line = str(why).splitlines()[0].partition(", /")[0][:_SHOWN] if str(why) else "it cannot be read"
    return IndexDamaged(
        f"the index table {folder} is damaged ({line}): run `memory-pipeline run` or `memory-pipeline doctor "
        "--repair`, which make it again from the lake",
        path=folder,
        table=Path(folder).name.removesuffix(".lance"),
        reason=line,
    )


@contextmanager
def lance_errors(folder: str) -> Iterator[None]:
    """Tell what Lance raises in the words of :func:`damaged`.

    Raises:
        IndexDamaged: a file of the table is gone, cut short or changed.
    """
    try:
        yield
    except FAILURES as error:
        raise damaged(folder, error) from error


def damage(folder: str, *, whole: bool = False) -> str:
    """What is wrong with the newest version of a local table; "" where nothing is, or where there is no table.

    Args:
        whole: read the values, too; without it a file that was changed and kept its length is taken for sound.
    """
    import lance

    versions = _versions(folder)
    if not versions:
        return ""
    for _ in range(2):  # what is being replaced meanwhile is no damage: only the newest version counts
        try:
            dataset = lance.dataset(folder)
            found = _wrong(dataset, folder, whole)
        except FAILURES as error:
            found, dataset = str(error).splitlines()[0], None
        if not found or _versions(folder) == versions:
            break
        versions = _versions(folder)
    return found or _behind(folder, versions)


def last_sound(folder: str) -> Iterator[tuple[lance.LanceDataset, bool, bool]]:
    """What of a damaged local table may still be read, the newest first.

    Yields:
        A version whose files are all there; whether its scalar indexes are; and whether it is the newest one.
    """
    import lance

    versions = _versions(folder)
    for version in versions:
        try:
            dataset = lance.dataset(folder, version=version)
            if _wrong_data(dataset, folder) or not dataset.get_fragments():  # it was made empty
                continue
        except FAILURES:
            continue
        newest = version == versions[0] and not _behind(folder, versions)
        yield dataset, not _wrong_indexes(dataset, folder), newest


def _versions(folder: str) -> list[int]:
    """The versions of which there is a manifest, the newest first."""
    names = (path.stem for path in Path(folder).glob("_versions/*.manifest"))
    return sorted((_NEWEST - int(name) for name in names if name.isdigit()), reverse=True)


def _behind(folder: str, versions: list[int]) -> str:
    """Why a table that reads well is an older one, "" where it is not: the note of the newest version is written after
    it, so it never names one that was not there."""
    try:
        noted = int(json.loads((Path(folder) / "_versions" / _HINT).read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f"the manifest of version {noted} is gone" if versions and noted > versions[0] else ""


def _wrong(dataset: lance.LanceDataset, folder: str, whole: bool) -> str:
    found = _wrong_data(dataset, folder) or _wrong_indexes(dataset, folder)
    if not found and whole:
        for _ in dataset.to_batches():
            pass
    return found


def _wrong_data(dataset: lance.LanceDataset, folder: str) -> str:
    for fragment in dataset.get_fragments():
        for file in fragment.metadata.files:
            if wrong := _wrong_file(Path(folder) / "data" / file.path, file.file_size_bytes):
                return wrong
    dataset.validate()  # files of deleted rows, too
    return ""


def _wrong_indexes(dataset: lance.LanceDataset, folder: str) -> str:
    for index in dataset.describe_indices():
        for segment in index.segments:
            place = Path(folder) / "_indices" / str(segment.uuid)
            size = sum(path.stat().st_size for path in place.glob("*"))
            if size < (segment.size_bytes or 0):
                return f"{place} is gone or cut short"
    return ""


def _wrong_file(path: Path, size: Any) -> str:
    try:
        there = path.stat().st_size
    except FileNotFoundError:
        return f"{path} is gone"
    return f"{path} holds {there:,} of {size:,} bytes" if size and there != size else ""
