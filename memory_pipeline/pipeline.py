"""The pipeline from Python: take messages in, make what is missing, see beforehand what would change and cost.

The module is light to import: engines are loaded when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from memory_pipeline.asynchronous import in_thread
from memory_pipeline.domain.calendar import Moment, moment
from memory_pipeline.errors import IngestError, QueryError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.orchestration.runs.diff import DiffReport
    from memory_pipeline.orchestration.runs.look_ahead import LookAhead
    from memory_pipeline.orchestration.runs.run_report import RunReport
    from memory_pipeline.stages.context import Progress, StageContext
    from memory_pipeline.stages.messages.landing.intake import IngestReport

Source = str | Path | Mapping[str, Any]


class Pipeline:
    """What ``memory-pipeline ingest``, ``run`` and ``diff`` do, for programs.

    Args:
        settings: where the home is, and which models are asked.
        progress: called with a label, the units done and their total.
    """

    def __init__(self, settings: Settings, *, progress: Progress | None = None) -> None:
        self.settings = settings
        self._progress: Progress = progress or _silent

    @classmethod
    def open(
        cls, home: str | None = None, settings: Settings | None = None, *, progress: Progress | None = None
    ) -> Self:
        """The pipeline of a home; settings come from the environment where they are not given.

        Raises:
            SettingsError: a setting is wrong; the message names it.
        """
        return cls(settings or Settings.load(home=home), progress=progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held open between two calls; for symmetry with files and connections."""

    def ingest(
        self,
        source: Source | Iterable[Source],
        *,
        format: str = "auto",
        tenant_id: str | None = None,
        user_id: str | None = None,
        timezone: str | None = None,
    ) -> IngestReport:
        """Take files, folders or messages into the log; each message once, bad ones put aside with a reason.

        Args:
            source: a path, a message in the landing format (a mapping), or several of either.
            format: of the files, or "auto" to look at each.
            tenant_id, user_id: for messages that name none.
            timezone: IANA name; of times without an offset, and of the calendar day.

        Raises:
            IngestError: a path is missing, a file is of no known format, or an argument is malformed.
        """
        from memory_pipeline.stages.messages.ingest import ingest, ingest_messages

        given = [source] if isinstance(source, str | Path | Mapping) else list(source)
        messages = [item for item in given if isinstance(item, Mapping)]
        paths = [Path(item) for item in given if isinstance(item, str | Path)]
        if messages and paths:
            raise IngestError("give either paths or messages, not both at once")
        ctx = self._context("ingest")
        if messages:
            return ingest_messages(ctx, messages, tenant=tenant_id, user=user_id, timezone=timezone)
        return ingest(ctx, paths, format=format, tenant=tenant_id, user=user_id, timezone=timezone)

    def run(
        self,
        from_: Moment | None = None,
        to: Moment | None = None,
        *,
        only: Sequence[str] = (),
        accept: Sequence[str] = (),
    ) -> RunReport:
        """Take the inbox, then make what is missing or stale, oldest first.

        Args:
            from_, to: first and last day, both included; None = unbounded.
            only: names of stages.
            accept: names of audits of what is staged that may fail; it is recorded that they did.

        Raises:
            MemoryPipelineError: a step failed; what was finished stays, and the next run goes on from there.
            AuditFailed: what would be published breaks a rule; readers see what they saw before.
        """
        from memory_pipeline.orchestration.processes.stage_contexts import listen
        from memory_pipeline.orchestration.runs.run import run

        stop = listen(self._progress)
        try:
            return run(self.settings, _day("from_", from_), _day("to", to), only, accept=accept)
        finally:
            stop()

    def plan(self, from_: Moment | None = None, to: Moment | None = None, *, only: Sequence[str] = ()) -> LookAhead:
        """What a run would make, why, and what it would cost; no model is asked, and nothing is written.

        Args:
            from_, to, only: as in :meth:`run`.
        """
        from memory_pipeline.orchestration.runs.look_ahead import look_ahead
        from memory_pipeline.orchestration.runs.plan import plan

        ctx = self._context("plan")
        return look_ahead(ctx, plan(ctx, _day("from_", from_), _day("to", to), only))

    def diff(
        self,
        from_: Moment | None = None,
        to: Moment | None = None,
        *,
        agree: Callable[[LookAhead], bool] = lambda ahead: not ahead.forecast.calls,
    ) -> DiffReport:
        """What a run would add, change and retire, rehearsed: nothing counts yet, and replies are kept for the run.

        Args:
            from_, to: as in :meth:`run`.
            agree: asked before a hosted model is, with what it would cost; by default no call is made.

        Raises:
            Declined: ``agree`` said no.
            ModelError: a model cannot be reached, or the day's budget is spent; what was paid for is kept.
        """
        from memory_pipeline.orchestration.runs.diff import diff

        return diff(self.settings, _day("from_", from_), _day("to", to), agree=agree, progress=self._progress)

    aingest = in_thread(ingest)
    arun = in_thread(run)
    aplan = in_thread(plan)
    adiff = in_thread(diff)

    def _context(self, name: str) -> StageContext:
        from memory_pipeline.stages.context import StageContext

        now = datetime.now(UTC)
        return StageContext(self.settings, f"{name}-{now:%Y%m%dT%H%M%S%f}", now, self._progress)


def _silent(label: str, done: int, total: int | None) -> None:
    """Tells nobody."""


def _day(name: str, when: Moment | None) -> date | None:
    if when is None:
        return None
    try:
        found = moment(when)
    except ValueError as error:
        raise QueryError(f"{name}: {error}", argument=name) from error
    return found.date() if isinstance(found, datetime) else found
