"""Transcripts into the message log: any format, each message once, bad lines put aside with a reason.

A file is read as a stream and added in batches; a batch that has been appended stays. Nothing but the appearance of a
message in the log counts, so a run that was killed is simply run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Item, Record, SourceFile, detect, format_named
from memory_pipeline.stages.messages.importers.files.detection import is_lines
from memory_pipeline.stages.messages.landing.inbox import (
    InboxFile,
    days_of,
    fetched,
    hashed,
    list_inbox,
    pending_inbox,
    taken_hashes,
    unchanged,
)
from memory_pipeline.stages.messages.landing.intake import Count, FileReport, IngestReport, Intake, Reader
from memory_pipeline.stages.messages.landing.message_log import exclusive
from memory_pipeline.stages.messages.landing.validation import Defaults, identifier_fault

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

__all__ = [
    "FileReport",
    "InboxFile",
    "IngestReport",
    "days_of",
    "ingest",
    "ingest_messages",
    "pending_inbox",
    "take_inbox",
]


def ingest(
    ctx: StageContext,
    paths: Iterable[Path],
    *,
    format: str = "auto",
    tenant: str | None = None,
    user: str | None = None,
    timezone: str | None = None,
) -> IngestReport:
    """Take files, and the files of folders (recursively, in order), into the message log.

    Args:
        format: one of the importers' names, or "auto" to look at each file.
        tenant: for messages that name none.
        user: for messages that name none; needed by formats that never do.
        timezone: of times without an offset and of the calendar day, unless a message's ``metadata.timezone`` says
            otherwise; by default the setting.

    Returns:
        The counts. A file in a folder that cannot be read, or only its beginning, does not stop the others: the report
        names it with the reason.

    Raises:
        IngestError: a path is missing, an argument is malformed, or a file that was named itself is of no known format
            or not readable as the one named. All but damage inside of a file is found before the first message is
            taken; where it is damage, what stands before it and the other files are taken.
        StorageError: the lake cannot be written; what was appended before stays, and is known the next time.
    """
    defaults = _defaults(ctx, tenant, user, timezone)
    work: list[tuple[SourceFile, Reader, bool]] = []
    for path, name, named in _files(paths):
        try:
            read = _reader(path, format, user)
        except IngestError as error:
            if named or error.path is None:
                raise
            read = partial(_refused, error)
        work.append((SourceFile(path, name), read, named))
    intake = Intake(ctx, defaults, total=sum(source.size for source, *_ in work))
    damage = []
    for source, read, named in work:
        count = intake.take(source, read, str(source.path))
        if named and count.error is not None:
            damage.append(count.error)
    if damage:
        raise damage[0]
    return intake.report


def _reader(path: Path, format: str, user: str | None) -> Reader:
    reader = format_named(detect(path) if format == "auto" else format)
    if reader.needs_user and user is None:
        raise IngestError(f"{path}: the format {reader.name} names no user; give one with --user", path=str(path))
    return reader.reader(user)


def _refused(error: IngestError, source: SourceFile) -> Iterator[Item]:
    """In the place of reading a file that is known to be unreadable."""
    raise error


def ingest_messages(
    ctx: StageContext,
    messages: Iterable[Mapping[str, Any]],
    *,
    tenant: str | None = None,
    user: str | None = None,
    timezone: str | None = None,
) -> IngestReport:
    """Take messages in the fields of the landing format into the message log; see :func:`ingest`.

    Raises:
        IngestError: an argument is malformed.
        StorageError: the lake cannot be written.
    """
    defaults = _defaults(ctx, tenant, user, timezone)
    records = [Record(n, fields) for n, fields in enumerate(messages, 1)]
    with TemporaryDirectory() as folder:
        nothing = Path(folder) / "messages"
        nothing.touch()
        intake = Intake(ctx, defaults, total=0)
        intake.take(SourceFile(nothing, "messages"), lambda _: iter(records), "messages")
    return intake.report


def take_inbox(ctx: StageContext, only: Sequence[str | Path] | None = None) -> IngestReport:
    """Take the inbox's files that have not been taken yet, by the hash of their content, and the turns of sessions
    under way that the log has not got.

    A file is recorded as taken after its messages. One that is of no known format or damaged as a whole is quarantined
    as a whole, and does not stop the others.

    Args:
        only: paths of the files to take; all by default.

    Raises:
        IngestError: one of ``only`` is not in the inbox.
        StorageError: the lake cannot be written.
    """
    from memory_pipeline.stages.messages.working_memory import take_all
    from memory_pipeline.stages.operations.erasure.erase import complete

    complete(ctx)
    if only is None:
        take_all(ctx)
    files = list_inbox(ctx.settings)
    if only is not None:
        wanted = {Path(p) for p in only}
        files = [f for f in files if Path(f.path) in wanted]
        if missing := wanted - {Path(f.path) for f in files}:
            raise IngestError(f"not in the inbox: {', '.join(sorted(map(str, missing)))}")
    intake = Intake(ctx, _defaults(ctx, None, None, None), total=sum(file.size for file in files))
    taken = taken_hashes(ctx.lake, ctx.now)
    for file in files:
        try:
            read = hashed(file)
        except IngestError as error:
            # Not recorded as taken: the disk may answer the next time.
            intake.refuse(file, str(error))
            continue
        if read is None or read.sha256 in taken:
            intake.skip(file.size)
            continue
        with fetched(read.path) as path:
            count = intake.take(SourceFile(path, read.name), _any_format, read.path)
        if unchanged(read):
            _record_source(ctx, read, count)
            taken.add(read.sha256)
    return intake.report


def _any_format(source: SourceFile) -> Iterator[Item]:
    """An inbox file's items.

    Raises:
        IngestError: it is of no known format, not readable as it, or of one that names no user.
    """
    reader = format_named("jsonl" if is_lines(source.path) else detect(source.path))
    if reader.needs_user:
        raise IngestError(
            f"{source.path}: the format {reader.name} names no user; take it with `ingest --user`",
            path=str(source.path),
        )
    return reader.read(source)


def _defaults(ctx: StageContext, tenant: str | None, user: str | None, timezone: str | None) -> Defaults:
    for value, name in ((tenant, "tenant"), (user, "user")):
        fault = None if value is None else identifier_fault(value, name)
        if fault is not None:
            raise IngestError(fault)
    if timezone is not None:
        try:
            zone(timezone)
        except ValueError as error:
            raise IngestError(str(error)) from error
    return Defaults(tenant, user, timezone or ctx.settings.timezone)


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, str, bool]]:
    """Each file once, with its name, relative to the folder that was given, and whether it was given itself."""
    seen: set[Path] = set()
    for path in map(Path, paths):
        if not path.exists():
            raise IngestError(f"no such file or folder: {path}", path=str(path))
        folder = path.is_dir()
        for file, name in _inside(path) if folder else [(path, path.name)]:
            if file not in seen:
                seen.add(file)
                yield file, name, not folder


def _inside(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files of a folder and its folders, in order, without the hidden ones."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in inside.parts):
            yield path, inside.as_posix()


def _record_source(ctx: StageContext, file: InboxFile, count: Count) -> None:
    from memory_pipeline.storage.parquet.schemas import Source

    with exclusive(ctx.settings):
        if file.sha256 in taken_hashes(ctx.lake, ctx.now):
            return
        ctx.lake.append(
            "sources",
            [
                Source(
                    sha256=file.sha256,
                    path=file.name,
                    size=file.size,
                    day=ctx.now.date(),
                    first_day=min(count.days, default=None),
                    last_day=max(count.days, default=None),
                    taken=count.taken,
                    known=count.known,
                    quarantined=count.quarantined,
                    recorded_at=ctx.now,
                )
            ],
        )
