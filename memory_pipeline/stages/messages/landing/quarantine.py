"""What could not be taken: a row of the lake and a line of a readable file for each, with where it stood and why."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.ids import digest, identifier
from memory_pipeline.errors import StorageError
from memory_pipeline.stages.messages.landing.message_log import exclusive

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.storage.parquet.schemas import Quarantined

SHOWN = 2_000  # characters
_BATCH = 5_000
# JSON leaves these as they are, but terminals and readers of lines do not.
_UNSAFE = re.compile(r"[\x7f-\x9f\u2028\u2029]")


class Quarantine:
    """Collects one file's faults. As a context manager: what was put aside counts when the block ends without an error.

    Args:
        name: the file as the log calls it.
        file: where it lies, for the reader of the quarantine.
    """

    def __init__(self, ctx: StageContext, name: str, file: str) -> None:
        self._ctx = ctx
        self._name = name
        self._file = file
        self._rows: list[Quarantined] = []
        self._readable: _ReadableFile | None = None
        self.count = 0

    def __enter__(self) -> Quarantine:
        self._readable = _ReadableFile(self._ctx.settings.path("quarantine"), self._name, self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._readable is not None
        if error is None:
            self._flush()
        self._readable.close(keep=error is None)

    def put(self, line: int, reason: str, content: str) -> None:
        """Put one line aside. ``content`` is cut."""
        from memory_pipeline.storage.parquet.schemas import Quarantined

        assert self._readable is not None
        content, reason = _writable(content[:SHOWN]), _writable(reason)
        self.count += 1
        self._readable.write({"file": self._file, "line": line, "reason": reason, "content": content})
        self._rows.append(
            Quarantined(
                quarantine_id=identifier("quar", self._name, str(line), reason, digest(content)),
                day=self._ctx.now.date(),
                source=self._name,
                line=line,
                reason=reason,
                content=content,
                recorded_at=self._ctx.now,
            )
        )
        if len(self._rows) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Append the rows that the lake does not hold yet, of this run or an earlier one."""
        if not self._rows:
            return
        import pyarrow as pa

        rows = {row.quarantine_id: row for row in self._rows}
        batch = pa.table({"id": pa.array(rows, pa.string(), size=len(rows))})
        query = "SELECT id FROM batch WHERE id IN (SELECT quarantine_id FROM quarantined)"
        with exclusive(self._ctx.settings):
            for known in self._ctx.lake.sql(query, tables={"batch": batch}).column("id").to_pylist():
                del rows[known]
            if rows:
                self._ctx.lake.append("quarantined", list(rows.values()))
        self._rows = []


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _ReadableFile:
    """``quarantine/<name>.jsonl``, rewritten whole: it appears when it is complete, and goes when nothing is wrong."""

    def __init__(self, folder: str, name: str, file: str) -> None:
        import pyarrow.fs as pafs

        self._fs, base = pafs.FileSystem.from_uri(folder) if "://" in folder else (pafs.LocalFileSystem(), folder)
        self._target = f"{base}/{name}.jsonl"
        if self._owner(self._target) not in (None, file):
            self._target = f"{base}/{name}.{digest(file)[:8]}.jsonl"
        path = PurePosixPath(self._target)
        self._temporary = str(path.with_name(f".{path.name}.{os.getpid()}.tmp"))
        self._out: Any = None

    def _owner(self, target: str) -> str | None:
        """The file whose faults are in there, so that two files of one name do not overwrite each other's."""
        import pyarrow.fs as pafs

        if self._fs.get_file_info(target).type != pafs.FileType.File:
            return None
        with self._fs.open_input_stream(target) as stream:
            line = stream.read(64_000).split(b"\n", 1)[0]
        try:
            return str(json.loads(line)["file"])
        except (ValueError, KeyError, TypeError):
            return None

    def write(self, entry: dict[str, Any]) -> None:
        try:
            if self._out is None:
                self._fs.create_dir(str(PurePosixPath(self._target).parent), recursive=True)
                self._out = self._fs.open_output_stream(self._temporary)
            text = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(entry, ensure_ascii=False))
            self._out.write(text.encode("utf-8") + b"\n")
        except OSError as error:
            raise StorageError(f"cannot write {self._target}: {error}") from error

    def close(self, *, keep: bool) -> None:
        import pyarrow.fs as pafs

        if self._out is not None:
            self._out.close()
        if self._out is not None and keep:
            self._fs.move(self._temporary, self._target)
        elif self._out is not None:
            self._fs.delete_file(self._temporary)
        elif keep and self._fs.get_file_info(self._target).type == pafs.FileType.File:
            with suppress(FileNotFoundError):  # another process may be importing the same file
                self._fs.delete_file(self._target)
