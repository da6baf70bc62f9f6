"""What is known of the batches that were sent from a home: one small JSON file each, under ``<home>/batches``.

A record is written before anything is uploaded, and again with the batch's id: whoever finds one without an id knows
that it may have been created, and looks for its key among the provider's batches. It holds digests, and the
pseudonyms of the users it asks about; no user's words.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.erasing.erasures import Erasures

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

SCHEMA_VERSION = 2
KEPT = timedelta(days=30)
"""As long as OpenAI keeps a batch's files."""

_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch.

    Attributes:
        key: its deterministic id, which stands in the batch's metadata too.
        url: the server it was sent to.
        custom_ids: the requests whose replies are to be had from it.
        attempt: 1, or 2 when it asks again for what another batch left undone.
        submitted_at: UTC.
        batch_id: the provider's name for it; None until the provider has been heard.
        subjects: pseudonyms of the users whose requests it took, which an erasure goes by; None where an earlier
            release has sent it and it may be anybody's.
    """

    key: str
    url: str
    custom_ids: tuple[str, ...]
    attempt: int
    submitted_at: datetime
    batch_id: str | None = None
    subjects: tuple[str, ...] | None = None

    @classmethod
    def new(
        cls, url: str, custom_ids: Iterable[str], attempt: int, at: datetime, subjects: Iterable[str] = ()
    ) -> BatchRecord:
        """A record of what is about to be sent."""
        ids = tuple(custom_ids)
        key = identifier("bat", url, at.isoformat(), *ids)
        return cls(key, url, ids, attempt, at, subjects=tuple(sorted(set(subjects))))

    def without(self, custom_ids: Iterable[str]) -> BatchRecord:
        """The record after some requests turned out to have no usable reply in the batch."""
        gone = set(custom_ids)
        return replace(self, custom_ids=tuple(i for i in self.custom_ids if i not in gone))


class BatchRecords:
    """The records of one home, local or on object storage.

    Raises:
        StorageError: the home cannot be read or written, or a record was written by a newer version.
    """

    def __init__(self, settings: Settings) -> None:
        self._root = settings.path("batches")
        self._remote = settings.remote
        self._settings = settings
        self._erasures: Erasures | None = None

    def __len__(self) -> int:
        return len(self._names())

    def all(self) -> list[BatchRecord]:
        """Every record, oldest first; those whose results the provider no longer has are dropped."""
        found = [record for name in self._names() if (record := self._read(name)) is not None]
        oldest = datetime.now(UTC) - KEPT
        for record in found:
            if record.submitted_at < oldest:
                self.drop(record)
        return sorted((r for r in found if r.submitted_at >= oldest), key=lambda r: (r.submitted_at, r.key))

    def subject(self, scope: Scope) -> str:
        """What a user is called in the records, as in the certificates of erasures."""
        self._erasures = self._erasures or Erasures(self._settings)
        return self._erasures.pseudonym(scope)

    def put(self, record: BatchRecord) -> None:
        """Write a record, whole or not at all; one that names no request any more goes."""
        if not record.custom_ids:
            self.drop(record)
            return
        fields = {**asdict(record), "submitted_at": record.submitted_at.isoformat(timespec="microseconds")}
        data = json.dumps({"schema_version": SCHEMA_VERSION, **fields}, indent=1).encode()
        try:
            if self._remote:
                fs, base = self._filesystem()
                with fs.open_output_stream(f"{base}/{record.key}{_SUFFIX}") as out:
                    out.write(data)
                return
            self._put_locally(Path(self._root), record.key + _SUFFIX, data)
        except OSError as error:
            raise StorageError(f"cannot write the record of a batch to {self._root}: {error}") from error

    def drop(self, record: BatchRecord) -> None:
        """Forget a batch."""
        fs, base = self._filesystem()
        try:
            fs.delete_file(f"{base}/{record.key}{_SUFFIX}")
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"cannot remove the record of a batch from {self._root}: {error}") from error

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Keeps other processes from looking up and submitting at the same time. A remote home has no lock."""
        if self._remote:
            yield
            return
        from filelock import AsyncFileLock

        try:
            Path(self._root).mkdir(parents=True, exist_ok=True)
            lock = AsyncFileLock(Path(self._root) / ".lock", run_in_executor=False)
            await lock.acquire()
        except OSError as error:
            raise StorageError(f"cannot lock {self._root}: {error}") from error
        try:
            yield
        finally:
            await lock.release()

    def _names(self) -> list[str]:
        import pyarrow.fs as pafs

        fs, base = self._filesystem()
        try:
            infos = fs.get_file_info(pafs.FileSelector(base, allow_not_found=True))
        except OSError as error:
            raise StorageError(f"cannot list {self._root}: {error}") from error
        return [i.base_name for i in infos if i.base_name.endswith(_SUFFIX) and not i.base_name.startswith(".")]

    def _read(self, name: str) -> BatchRecord | None:
        """A record; None when another process has dropped it meanwhile."""
        fs, base = self._filesystem()
        try:
            with fs.open_input_stream(f"{base}/{name}") as source:
                return _record(json.loads(source.read()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(
                f"the record of a batch {self._root}/{name} cannot be read ({error}): look at the batch at the "
                "provider, then remove the file"
            ) from error

    def _filesystem(self) -> tuple[FileSystem, str]:
        import pyarrow as pa
        import pyarrow.fs as pafs

        if not self._remote:
            return pafs.LocalFileSystem(), self._root
        try:
            found: tuple[FileSystem, str] = pafs.FileSystem.from_uri(self._root)
        except (OSError, pa.ArrowInvalid) as error:
            raise StorageError(f"cannot open {self._root}: {error}") from error
        return found

    @staticmethod
    def _put_locally(folder: Path, name: str, data: bytes) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{uuid.uuid4().hex}.tmp"
        try:
            with open(temporary, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            os.replace(temporary, folder / name)
        finally:
            temporary.unlink(missing_ok=True)


def _record(value: dict[str, Any]) -> BatchRecord:
    if value.pop("schema_version") > SCHEMA_VERSION:
        raise ValueError("a newer version of memory-pipeline wrote it")
    ids, subjects = tuple(value.pop("custom_ids")), value.pop("subjects", None)
    return BatchRecord(
        custom_ids=ids,
        submitted_at=datetime.fromisoformat(value.pop("submitted_at")),
        subjects=None if subjects is None else tuple(subjects),
        **value,
    )
