"""Working memory and the message log: turns are checked as they come in, and taken into the log when a session rests.

Nothing but the appearance of a turn in the log counts, so whoever is killed between the two simply takes it again: the
log knows a message by its id.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers.files.source import Record
from memory_pipeline.stages.messages.landing.histories import Landed
from memory_pipeline.stages.messages.landing.message_log import add_new
from memory_pipeline.stages.messages.landing.quarantine import Quarantine
from memory_pipeline.stages.messages.landing.validation import Defaults, Validator
from memory_pipeline.stages.publication.one_writer import alone
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.logs.working_files import Waiting, WorkingMemory

if TYPE_CHECKING:
    from memory_pipeline.domain.policy import WorkingPolicy
    from memory_pipeline.stages.context import StageContext

SOURCE = "working memory"
_FLUSH = "flush"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that could not be taken: its place in the batch, from 0, and why."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class BatchReceipt:
    """What became of the rows of a batch, by count.

    Attributes:
        known: those whose id the session has already.
        erased: those that were erased before, and stay out.
        faults: of those that were quarantined.
        users: whose rows were taken or known.
    """

    taken: int = 0
    known: int = 0
    erased: int = 0
    faults: tuple[Fault, ...] = ()
    users: frozenset[Scope] = frozenset()

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with the keys that users rely on."""
        return {
            "taken": self.taken,
            "known": self.known,
            "quarantined": len(self.faults),
            **({"erased": self.erased} if self.erased else {}),
            "faults": [{"index": fault.index, "reason": fault.reason} for fault in self.faults],
        }


def receive(
    ctx: StageContext,
    working: WorkingMemory,
    rows: Sequence[Mapping[str, Any]],
    *,
    tenant: str | None = None,
    user: str | None = None,
    timezone: str | None = None,
) -> BatchReceipt:
    """Check rows of the landing format and keep them; when this returns, what was taken is on disk.

    Args:
        tenant, user: of rows that name none.
        timezone: IANA name; of times without an offset, and of the calendar day.

    Raises:
        IngestError: there is no such zone.
        StorageError: they cannot be kept.
    """
    turns, faults = _checked(ctx, rows, Defaults(tenant, user, _zone(ctx, timezone)))
    living = Erasures(ctx.settings).living(turns)
    kept = working.add(living)
    if faults:
        _put_aside(ctx, rows, faults)
    users = frozenset(Scope(turn.tenant_id, turn.user_id) for turn in turns)
    return BatchReceipt(kept.taken, kept.known, len(turns) - len(living), tuple(faults), users)


def _zone(ctx: StageContext, name: str | None) -> str:
    if name is None:
        return ctx.settings.timezone
    try:
        return zone(name).key
    except ValueError as error:
        raise IngestError(str(error)) from error


def _checked(
    ctx: StageContext, rows: Sequence[Mapping[str, Any]], defaults: Defaults
) -> tuple[list[Message], list[Fault]]:
    validator = Validator(SOURCE, defaults, ctx.settings.start_date, ctx.now)
    turns, faults = [], []
    for index, row in enumerate(rows):
        try:
            turns.append(validator.message(row))
        except ValueError as error:
            faults.append(Fault(index, str(error)))
    return turns, faults


def _put_aside(ctx: StageContext, rows: Sequence[Mapping[str, Any]], faults: Iterable[Fault]) -> None:
    bad = [(fault, Record(fault.index, rows[fault.index]).text()) for fault in faults]
    name = f"working-{digest(*(text for _, text in bad))[:16]}"  # the same rows again are the same file
    with Quarantine(ctx, name, SOURCE) as aside:
        for fault, text in bad:
            aside.put(fault.index, fault.reason, text)


@dataclass
class FlushReport:
    """What a flush did.

    Attributes:
        sessions: that had turns for the log.
        taken, known: turns that are new to the log, and those that it had.
        days: of these turns.
        made: partitions by stage.
    """

    sessions: int = 0
    taken: int = 0
    known: int = 0
    days: set[date] = field(default_factory=set)
    made: dict[str, list[date]] = field(default_factory=dict)


def due(waiting: Iterable[Waiting], policy: WorkingPolicy, *, hosted: bool) -> list[Waiting]:
    """Sessions that have paused for long enough, are over, or have gone on for too long without a pause."""
    pause = policy.hosted_pause_seconds if hosted else policy.builtin_pause_seconds
    return [w for w in waiting if w.ended or w.quiet_s >= pause or w.oldest_s >= policy.longest_seconds]


def take(ctx: StageContext, working: WorkingMemory, waiting: Iterable[Waiting]) -> FlushReport:
    """Add the turns of some sessions to the log, each once, however often it is taken.

    Raises:
        StorageError: the lake or working memory cannot be read or written; what was added stays.
    """
    found, done = list(waiting), FlushReport()
    turns = list(chain.from_iterable(w.turns for w in found))
    if not turns:
        return done
    added = add_new(ctx.settings, ctx.lake, [Landed(turn) for turn in turns])
    for session in found:
        working.taken(session)
    done.sessions, done.taken = len(found), added.new
    done.known = len(turns) - added.new
    done.days = {m.day for m in added.messages}
    return done


def take_all(ctx: StageContext, working: WorkingMemory | None = None) -> FlushReport:
    """Add everything that the log has not got yet, whether its session rests or not: what runs do."""
    working = working or WorkingMemory(ctx.settings)
    return take(ctx, working, working.waiting(ctx.clock(), all_sessions=True))


def flush(
    ctx: StageContext, working: WorkingMemory, *, every: bool = False, unmade: Iterable[date] = ()
) -> FlushReport:
    """Take the sessions that are due into the log, and make of their days what arrives with new messages.

    Args:
        every: look at every session, as whoever begins does.
        unmade: days of an earlier flush, that were not made in full.

    Raises:
        ModelError: a model cannot be reached; the turns are in the log, and the next run makes the rest.
        AuditFailed: what would be published breaks a rule; readers see what they saw before.
        StorageError: a store cannot be read or written.
    """
    hosted = ctx.settings.chat != "builtin"
    with alone(ctx.settings, _FLUSH):
        now = ctx.clock()
        policy = ctx.settings.policies.working
        done = take(ctx, working, due(working.waiting(now, all_sessions=every), policy, hosted=hosted))
        done.days.update(unmade, working.days() if every else ())
        if done.days:
            _make(ctx, done)
        if every:
            working.expire(now - timedelta(hours=policy.ttl_hours))
    return done


def _make(ctx: StageContext, done: FlushReport) -> None:
    """Make what is stale of some days, stage by stage, under the locks that runs take."""
    from memory_pipeline.stages.plan.freshness import stale
    from memory_pipeline.stages.plan.making import make
    from memory_pipeline.stages.plan.registry import BY_LEVEL, Cadence

    days = set(done.days)
    for stage in BY_LEVEL:
        if stage.cadence is not Cadence.ARRIVAL:
            continue
        with alone(ctx.settings, f"stage-{stage.name}"):
            starts = sorted(days.intersection(stale(ctx, stage, min(days), max(days))))
            if starts:
                made = make(ctx, stage, starts)
                done.made[stage.name] = starts
                days |= made.later
