"""One file after another into the log: checked, in bounded batches, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Fault, Item, Record, SourceFile
from memory_pipeline.stages.messages.landing.histories import Landed
from memory_pipeline.stages.messages.landing.inbox import InboxFile
from memory_pipeline.stages.messages.landing.message_log import Added, add_new
from memory_pipeline.stages.messages.landing.quarantine import Quarantine
from memory_pipeline.stages.messages.landing.validation import Defaults, Validator

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

Reader = Callable[[SourceFile], Iterator[Item]]
BATCH_MESSAGES = 20_000
BATCH_CHARACTERS = 16_000_000
_COUNTS = ("taken", "known", "edited", "quarantined")


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file's messages, by count.

    Attributes:
        skipped: messages that are no part of a talk, by what they are.
        reason: why the file could not be read, or only its beginning; None where it was read.
    """

    path: str
    taken: int
    known: int
    edited: int
    quarantined: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with the keys that users rely on."""
        told = {"skipped": dict(self.skipped) or None, "reason": self.reason}
        return {
            "path": self.path,
            **{name: getattr(self, name) for name in _COUNTS},
            **{name: value for name, value in told.items() if value},
        }


@dataclass(slots=True)
class IngestReport:
    """What became of the messages of all files, by count.

    Attributes:
        taken: new ones.
        known: those that the log held already.
        edited: those that it held with another text; what counts now is the new one.
        erased: those that were erased before, and stay out.
        skipped: those that are no part of a talk (hidden ones, other branches, …), by what they are.
        days: event days of the messages that are in the log now, the new ones and the known ones: what a run that was
            killed had added before is known to the next one, and still has to go on.
        users: whose messages they are.
        languages: by code, how many of the taken and the edited messages of users are in it.
    """

    taken: int = 0
    known: int = 0
    edited: int = 0
    quarantined: int = 0
    erased: int = 0
    files: list[FileReport] = field(default_factory=list)
    days: set[date] = field(default_factory=set)
    users: set[Scope] = field(default_factory=set)
    languages: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def unreadable(self) -> list[FileReport]:
        """The files that could not be read, or only their beginnings."""
        return [file for file in self.files if file.reason is not None]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with the keys that users rely on."""
        return {
            **{name: getattr(self, name) for name in _COUNTS},
            **({"erased": self.erased} if self.erased else {}),
            **({"skipped": dict(self.skipped.most_common())} if self.skipped else {}),
            "languages": dict(self.languages.most_common()),
            "files": [file.to_dict() for file in self.files],
        }


@dataclass(slots=True)
class Count:
    """One file on its way.

    Attributes:
        error: why it could not be read to its end.
        reason: the same, as the quarantine has it.
    """

    taken: int = 0
    known: int = 0
    edited: int = 0
    quarantined: int = 0
    erased: int = 0
    days: set[date] = field(default_factory=set)
    users: set[Scope] = field(default_factory=set)
    languages: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    error: IngestError | None = None
    reason: str | None = None

    def add(self, added: Added) -> None:
        self.taken += added.new
        self.known += len(added.messages) - added.new - added.edited
        self.edited += added.edited
        self.erased += added.erased
        self.days.update(m.day for m in added.messages)
        self.languages.update(added.languages)
        self.users.update(Scope(*pair) for pair in {(m.tenant_id, m.user_id) for m in added.messages})


class Intake:
    """Takes files one after another and keeps the report and the progress."""

    def __init__(self, ctx: StageContext, defaults: Defaults, total: int) -> None:
        self._ctx = ctx
        self._defaults = defaults
        self._total = total
        self._before = 0
        self.report = IngestReport()

    def take(self, source: SourceFile, read: Reader, place: str) -> Count:
        """Take one file that lies at ``place`` (or is a copy of it)."""
        ctx = self._ctx
        count = Count()
        validator = Validator(source.name, self._defaults, ctx.settings.start_date, ctx.now)
        with (
            Quarantine(ctx, source.name, place) as aside,
            closing(_messages(source, read, validator, aside, count)) as messages,
        ):
            for batch in _batches(messages):
                count.add(add_new(ctx.settings, ctx.lake, batch))
                ctx.progress("ingest", self._before + source.done, self._total)
        count.quarantined = aside.count
        self._finish(place, count, source.size)
        return count

    def refuse(self, file: InboxFile, reason: str) -> None:
        """Quarantine a file as a whole."""
        with Quarantine(self._ctx, file.name, file.path) as aside:
            aside.put(0, reason, "")
        self._finish(file.path, Count(quarantined=1, reason=reason), file.size)

    def skip(self, size: int) -> None:
        """Pass over a file that is known."""
        self._before += size
        self._ctx.progress("ingest", self._before, self._total)

    def _finish(self, place: str, count: Count, size: int) -> None:
        report = self.report
        counts = {name: getattr(count, name) for name in _COUNTS}
        report.files.append(FileReport(place, **counts, skipped=count.skipped, reason=count.reason))
        for name in _COUNTS:
            setattr(report, name, getattr(report, name) + getattr(count, name))
        report.erased += count.erased
        report.days |= count.days
        report.users |= count.users
        report.languages.update(count.languages)
        report.skipped.update(count.skipped)
        self.skip(size)


def _messages(
    source: SourceFile, read: Reader, validator: Validator, aside: Quarantine, count: Count
) -> Generator[Landed]:
    try:
        for item in read(source):
            if isinstance(item, Record):
                try:
                    message = validator.message(item.fields)
                except ValueError as error:
                    aside.put(item.line, str(error), item.text())
                else:
                    yield Landed(message, item.history, item.fields.get("message_id") is not None)
            elif isinstance(item, Fault):
                aside.put(*item)
            else:
                count.skipped[item.reason] += 1
    except IngestError as error:
        count.error = error
        count.reason = str(error).replace(str(source.path), source.name)
        aside.put(0, count.reason, "")


def _batches(messages: Iterable[Landed]) -> Iterator[list[Landed]]:
    """Batches that are bounded in number and in size, so that memory is too."""
    batch: list[Landed] = []
    characters = 0
    for landed in messages:
        message = landed.message
        batch.append(landed)
        characters += len(message.content) + len(message.metadata)
        if len(batch) >= BATCH_MESSAGES or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
