"""Erased messages out of what was delivered: files of the inbox, lines and files of the quarantine.

A line belongs to an erased user when it names the user, whatever else is wrong with it. What cannot be taken apart line
by line is removed as a whole once the log holds it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import IngestError, StorageError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.importers import FORMATS, Record, Skipped, SourceFile, detect
from memory_pipeline.stages.messages.importers.files.detection import is_lines
from memory_pipeline.stages.messages.landing.inbox import InboxFile, fetched, list_inbox, taken_hashes
from memory_pipeline.stages.messages.landing.message_log import exclusive
from memory_pipeline.stages.messages.landing.validation import Defaults, Validator

if TYPE_CHECKING:
    from memory_pipeline.storage.erasing.erasures import Erasures
    from memory_pipeline.storage.erasing.traces import Traces
    from memory_pipeline.storage.parquet.files import Files

_DEFAULT = "default"
_REPLIES = ("extract", "rolling_summary", "consolidate", "calendar", "reflect", "pattern")
_GZIP = b"\x1f\x8b"


class Deliveries:
    """Tells what of the deliveries an erasure takes, and takes it."""

    def __init__(self, ctx: StageContext, erasure: Erasure, kept: Erasures, traces: Traces) -> None:
        self._ctx = ctx
        self._erasure = erasure
        self._kept = kept
        self._traces = traces
        self._validator = Validator(
            "delivery", Defaults(None, None, ctx.settings.timezone), ctx.settings.start_date, ctx.now
        )
        users = sorted({scope.user_id for scope in erasure.whole})
        named = "|".join(re.escape(json.dumps(u)[1:-1]) for u in users) or r"(?!)"
        self._naming = re.compile(rf'"user_id"\s*:\s*"(?:{named})"|(?:^|[,;\t])"?(?:{named})"?(?:[,;\t]|$)')

    # -- telling

    def takes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a message in the fields of the landing format is erased."""
        user, tenant = fields.get("user_id"), fields.get("tenant_id") or _DEFAULT
        if not isinstance(user, str) or not user or not isinstance(tenant, str):
            return self._traces.touch(str(fields.get("content") or ""))
        scope = Scope(tenant, user)
        if scope in self._erasure.whole:
            return True
        if scope not in self._erasure.partly:
            return False
        try:
            message = self._validator.message(dict(fields))
        except ValueError:
            return self._traces.touch(str(fields.get("content") or ""))
        return not self._kept.living([message]) or self._traces.touch(message.content)

    def takes_text(self, text: str) -> bool:
        """Whether a line that was put aside, or a part of one, is erased."""
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("user_id"), str):
            return self.takes(value)
        return bool(self._naming.search(text)) or self._traces.touch(text)

    # -- the inbox

    def inbox(self, *, dry: bool = False) -> Counter[str]:
        """Take the erased messages out of the inbox's files.

        Raises:
            StorageError: a file that can only be removed as a whole has not been taken yet.
        """
        done: Counter[str] = Counter()
        with exclusive(self._ctx.settings):
            taken = taken_hashes(self._ctx.lake, self._ctx.now)
            for file in list_inbox(self._ctx.settings):
                done.update(self._file(file, taken, dry))
        return +done

    def _file(self, file: InboxFile, taken: set[str], dry: bool) -> Counter[str]:
        with fetched(file.path) as path:
            raw = path.read_bytes()
            lines = is_lines(path)
            try:
                kind = "jsonl" if lines else detect(path)
            except IngestError:
                kind = ""
            if kind == "jsonl":
                rest, hits = self._lines(raw)
            elif kind in ("csv", "parquet"):
                rest, hits = self._records(SourceFile(path, file.name), kind, raw)
            else:
                hits = self._hits(SourceFile(path, file.name), kind, raw)
                rest = b""
        if not hits:
            return Counter()
        sha256 = hashlib.sha256(raw).hexdigest()
        if kind not in ("jsonl", "csv", "parquet") and sha256 not in taken:
            raise StorageError(
                f"{file.path} holds messages that are to be erased, and others that have not been taken yet: run "
                "`memory-pipeline run` or remove the file, then erase"
            )
        if not dry:
            self._put(file, rest, sha256, hashlib.sha256(rest).hexdigest(), taken)
        return Counter({"inbox messages": hits, "inbox files": 1})

    def _put(self, file: InboxFile, rest: bytes, old: str, new: str, taken: set[str]) -> None:
        from memory_pipeline.storage.parquet.schemas import Source

        store = _home(self._ctx)
        path = f"inbox/{file.name}"
        if not rest.strip():
            store.remove(path)
            return
        if old in taken and new not in taken:  # before the file: it must not be taken for a new one
            known = self._ctx.lake.read("sources", Source, where="sha256 = $sha", params={"sha": old})
            self._ctx.lake.append("sources", [replace(known[0], sha256=new, size=len(rest))])
            taken.add(new)
        store.put(path, rest)

    def _lines(self, raw: bytes) -> tuple[bytes, int]:
        packed = raw.startswith(_GZIP)
        data = gzip.decompress(raw) if packed else raw
        kept = []
        hits = 0
        for line in data.splitlines(keepends=True):
            if self.takes_text(line.decode("utf-8", "replace")):
                hits += 1
            else:
                kept.append(line)
        rest = b"".join(kept)
        return (gzip.compress(rest, mtime=0) if packed and rest.strip() else rest), hits

    def _records(self, source: SourceFile, kind: str, raw: bytes) -> tuple[bytes, int]:
        gone = [
            item
            for item in FORMATS[kind].read(source)
            if not isinstance(item, Skipped)
            and (self.takes(item.fields) if isinstance(item, Record) else self.takes_text(item.content))
        ]
        if not gone:
            return raw, 0
        if kind == "parquet":
            return _without_rows(source, {item.line for item in gone}), len(gone)
        packed = raw.startswith(_GZIP)
        data = gzip.decompress(raw) if packed else raw
        lines = data.splitlines(keepends=True)
        for item in gone:  # a row of several lines ends where the next one begins
            text = item.raw if isinstance(item, Record) and item.raw is not None else lines[item.line - 1]
            for n in range(item.line - 1, min(item.line - 1 + max(len(text.splitlines()), 1), len(lines))):
                lines[n] = b""
        rest = b"".join(lines)
        return (gzip.compress(rest, mtime=0) if packed else rest), len(gone)

    def _hits(self, source: SourceFile, kind: str, raw: bytes) -> int:
        if not kind:
            return self._traces.count(raw)
        hits = others = 0
        try:
            for item in FORMATS[kind].read(source):
                if isinstance(item, Record):
                    hits += self.takes(item.fields)
                else:
                    others += 1
        except IngestError:
            return self._traces.count(raw)
        # What is no message may quote one all the same.
        return hits or (self._traces.count(raw) if others else 0)

    # -- the quarantine

    def quarantine_files(self, *, dry: bool = False) -> Counter[str]:
        """Take erased lines out of the readable files of the quarantine."""
        import pyarrow.fs as pafs

        store = _home(self._ctx)
        done: Counter[str] = Counter()
        base = f"{store.base}/quarantine"
        for info in store.fs.get_file_info(pafs.FileSelector(base, recursive=True, allow_not_found=True)):
            if info.type != pafs.FileType.File:
                continue
            with store.fs.open_input_stream(info.path) as stream:
                raw = bytes(stream.read())
            kept = [line for line in raw.splitlines(keepends=True) if not self._put_aside(line)]
            hits = len(raw.splitlines()) - len(kept)
            done.update({"quarantined lines in files": hits})
            path = info.path.removeprefix(f"{store.base}/")
            if hits and not dry:
                store.put(path, b"".join(kept)) if kept else store.remove(path)
        return +done

    def _put_aside(self, line: bytes) -> bool:
        text = line.decode("utf-8", "replace")
        try:
            return self.takes_text(str(json.loads(text)["content"]))
        except (ValueError, KeyError, TypeError):
            return self.takes_text(text)

    def quarantined(self, rows: Iterator[Mapping[str, Any]], others: Mapping[str, set[str]]) -> list[bool]:
        """For each quarantined row whether it goes.

        Args:
            others: by task the windows or proposals whose bad replies belong to users who stay.
        """
        return [self._row(row, others) for row in rows]

    def _row(self, row: Mapping[str, Any], others: Mapping[str, set[str]]) -> bool:
        task, _, about = row["source"].partition("/")
        if task not in _REPLIES or not about:
            return self.takes_text(row["content"])
        if self._traces.touch(row["content"]) or self._traces.touch(row["reason"]):
            return True
        if not self._erasure.whole:
            return False
        if task in others:  # of whose reply nobody can say any more whose it is, nothing is kept
            return about.split("/")[0] not in others[task]
        return any(about.startswith((f"{s.user_id}/", s.user_id)) for s in self._erasure.whole)


def _without_rows(source: SourceFile, numbers: set[int]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(source.path)
    kept = table.filter(pa.array([n + 1 not in numbers for n in range(table.num_rows)], pa.bool_()))
    if not kept.num_rows:
        return b""
    sink = pa.BufferOutputStream()
    pq.write_table(kept, sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _home(ctx: StageContext) -> Files:
    from memory_pipeline.storage.parquet.files import Files

    return Files(ctx.settings.path())
