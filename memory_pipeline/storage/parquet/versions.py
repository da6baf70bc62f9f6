"""Which versions of the datasets a lake's files have: the lake's version note, and the files' own metadata.

The note (``lake/.notes/versions.json``) names of each dataset the oldest and the newest version that a file may have.
It is raised before the first file of a newer version is written, so that older code never misreads one, and it can be
made again from the files. Where it says that all files are of the present version, no file is asked for its own.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of_package
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from memory_pipeline.errors import SchemaTooNew, StorageError
from memory_pipeline.storage.exclusion.locks import lock
from memory_pipeline.storage.parquet.files import NOTES, Files
from memory_pipeline.storage.parquet.migrations import steps
from memory_pipeline.storage.parquet.schemas import DATASETS

NOTE = "versions.json"
_FORM = 1  # of the note itself
_LOOK_S = 5.0  # a remote note is looked at this often: each look is a request
_KEY = b"memory_pipeline.schema_version"


@dataclass(frozen=True, slots=True)
class Span:
    """The versions that the files of a dataset may have."""

    oldest: int
    newest: int


class Versions:
    """The versions of the files of one lake."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._spans: Mapping[str, Span] = {}
        self._seen: tuple[int, int] | None = None
        self._looked = -_LOOK_S
        self._of_files: dict[str, tuple[int, int]] = {}

    def span(self, dataset: str) -> Span:
        """What files of a dataset may have; without a note, anything up to now.

        Raises:
            SchemaTooNew: a newer release has written some.
        """
        self._look()
        return self._spans.get(dataset, Span(1, DATASETS[dataset].version))

    def uniform(self, dataset: str, paths: Iterable[str]) -> bool:
        """Whether the note says that some files of a dataset all have the columns of the present version.

        It does not speak of staged ones: an older release may have left them.

        Raises:
            SchemaTooNew: a newer release has written some.
        """
        self._look()
        now = DATASETS[dataset].version
        of_the_note = (f"{self._files.base}/{dataset}/", f"{self._files.base}/{NOTES}/")
        return self._spans.get(dataset) == Span(now, now) and all(path.startswith(of_the_note) for path in paths)

    def behind(self, dataset: str, paths: Iterable[str]) -> dict[str, int]:
        """Those of some files whose rows a reader must take through steps, with their versions.

        Raises:
            SchemaTooNew: a newer release has written one.
        """
        if all(step.adds_only for step in steps(dataset, self.span(dataset).oldest)):
            return {}
        found = self.of_files(dataset, paths)
        return {p: v for p, v in found.items() if not all(step.adds_only for step in steps(dataset, v))}

    def of_files(self, dataset: str, paths: Iterable[str]) -> dict[str, int]:
        """The version of each file that is there.

        Raises:
            SchemaTooNew: a newer release has written one.
        """
        infos = self._files.fs.get_file_info(list(paths))
        found = {i.path: self._of_file(dataset, i) for i in infos if i.type == pafs.FileType.File}
        return {path: version for path, version in found.items() if version is not None}

    def _of_file(self, dataset: str, info: pafs.FileInfo) -> int | None:
        """The version of a file; None where it has gone since it was listed."""
        known = self._of_files.get(info.path)
        if known is None or known[0] != info.mtime_ns:
            try:
                schema = pq.read_schema(info.path, filesystem=self._files.fs)
            except FileNotFoundError:
                return None
            except (OSError, pa.ArrowInvalid) as error:
                raise StorageError(f"cannot read {info.path}: {error}") from error
            known = self._of_files[info.path] = (info.mtime_ns, version_in(schema))
        if known[1] > DATASETS[dataset].version:
            raise _too_new(info.path, dataset, known[1], DATASETS[dataset].version, None)
        return known[1]

    def writing(self, dataset: str) -> None:
        """To be called before a file of a dataset is written: from then on the note speaks of it.

        Raises:
            SchemaTooNew: a newer release has written to this lake.
        """
        self._look()
        if self._spans.get(dataset, Span(0, 0)).newest != DATASETS[dataset].version:
            self._amend(lambda name, span: Span(span.oldest, max(span.newest, DATASETS[name].version)), {dataset})

    def raised(self, dataset: str) -> None:
        """To be called once all files of a dataset are of the present version."""
        now = DATASETS[dataset].version
        self._amend(lambda name, span: Span(now, now) if name == dataset else span, {dataset})

    # -- the note

    def _amend(self, change: Callable[[str, Span], Span], datasets: set[str]) -> None:
        with self._alone():
            self._look(again=True)
            spans = dict(self._spans)
            for name in DATASETS:
                if name not in spans:
                    oldest = 1 if self._files.days(name) else DATASETS[name].version
                    spans[name] = Span(oldest, DATASETS[name].version)
                if name in datasets:
                    spans[name] = change(name, spans[name])
            note = {
                "form": _FORM,
                "written_by": release(),
                "datasets": {name: asdict(span) for name, span in sorted(spans.items())},
            }
            self._files.write_note(NOTE, json.dumps(note, indent=1).encode())
            self._look(again=True)

    def _alone(self) -> AbstractContextManager[object]:
        root = self._files.base if self._files.local else self._files.root
        return lock(f"{root}/{NOTES}/.{NOTE}", "versions of the datasets")

    def _look(self, *, again: bool = False) -> None:
        """Take notice of the note where it may have changed."""
        if self._files.local:
            try:
                stat = os.stat(f"{self._files.base}/{NOTES}/{NOTE}")
                seen = (stat.st_ino, stat.st_mtime_ns)
            except OSError:
                seen = (0, 0)
            if seen == self._seen and not again:
                return
            self._spans, self._seen = self._read(), seen
            return
        if time.monotonic() - self._looked < _LOOK_S and not again:
            return
        self._spans, self._looked = self._read(), time.monotonic()

    def _read(self) -> dict[str, Span]:
        raw = self._files.note(NOTE)
        try:
            note: dict[str, Any] = json.loads(raw) if raw else {"form": _FORM, "datasets": {}}
            form, by = int(note["form"]), note.get("written_by")
            if form > _FORM:
                raise _too_new(self._files.root, None, form, _FORM, by)
            spans = {name: Span(int(s["oldest"]), int(s["newest"])) for name, s in note["datasets"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}  # as if it were not there: the files say it, too
        for name, span in spans.items():
            now = DATASETS[name].version if name in DATASETS else None
            if now is not None and span.newest > now:
                raise _too_new(self._files.root, name, span.newest, now, by)
        return spans


def version_in(schema: pa.Schema) -> int:
    """The version that a file says it has; the first ones said none."""
    return int((schema.metadata or {}).get(_KEY, b"1"))


def release() -> str:
    """The release of this package."""
    try:
        return version_of_package("memory-pipeline")
    except PackageNotFoundError:
        return "unknown"


def _too_new(where: str, dataset: str | None, version: int, known: int, by: str | None) -> SchemaTooNew:
    """The error for a dataset, or where that is None for the version note itself."""
    wanted = f"memory-pipeline {by} or newer" if by else "a newer release of memory-pipeline"
    what = f"a version note of form {version}" if dataset is None else f"version {version} of {dataset}"
    return SchemaTooNew(
        f"{where} holds {what}; this release ({release()}) knows versions up to {known}, and will not guess: install "
        f"{wanted}",
        path=where,
        dataset=dataset,
        version=version,
        supported=known,
        written_by=by,
    )
