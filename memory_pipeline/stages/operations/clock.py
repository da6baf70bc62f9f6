"""A machine's clock that was wrong: what time has changed too early is taken back, what cannot be taken back waits.

Nothing that is remembered comes from the clock, but how far time has passed does: a night that believes in 2036 lets
ten years pass for everybody.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion, standing
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.one_writer import one_writer
from memory_pipeline.stages.publication.publish import index_memories, publish

_OF_TIME = frozenset({Cause.LIFECYCLE, Cause.FADING})
_ZONES = timedelta(days=1)  # east of Greenwich it is tomorrow already
_NOTE = "clock.json"
_log = logging.getLogger(__name__)


def take_back_early(ctx: StageContext) -> int:
    """Withdraw what time alone has changed on days that have not come yet: the clock was ahead when it did.

    A clock that is behind what users have said since is believed less than they are: then nothing is taken back.
    Changes that somebody has made on top of such a one, by words or by hand, keep it.

    Returns:
        The number of versions that were withdrawn.
    """
    last = (ctx.now + _ZONES).date()
    ahead = [day for day in ctx.lake.days("memory_versions") if day > last]
    if not ahead or max(ctx.lake.days("messages"), default=last) > last:
        return 0
    causes = [str(cause) for cause in sorted(_OF_TIME)]
    where, params = "list_contains($causes, cause)", {"causes": causes}
    found = ctx.lake.read("memory_versions", MemoryVersion, days=ahead, where=where, params=params)
    users = {version.scope for version in standing(found)}
    withdrawn = []
    for user in sorted(users):
        with one_writer(ctx.settings, [user]):
            early = list(_early(_history(ctx, user), last))
            publish(ctx, [], early)
            withdrawn += early
    index_memories(ctx, {version.memory_id for version in withdrawn})
    if withdrawn:
        _log.warning(
            "the machine's clock was ahead (%s, and now %s): %d changes that time had not made yet were taken back",
            max(version.recorded_at for version in withdrawn).date(),
            ctx.now.date(),
            len(withdrawn),
        )
    return len(withdrawn)


def _history(ctx: StageContext, user: Scope) -> list[MemoryVersion]:
    from memory_pipeline.storage.queries.ledger import versions_of

    return versions_of(ctx.lake, [user])


def _early(rows: Iterable[MemoryVersion], last: date) -> Iterator[MemoryVersion]:
    """The last versions of each memory, as far as time alone has made them after a day."""
    of_memory: Mapping[str, list[MemoryVersion]] = defaultdict(list)
    for version in standing(rows):
        of_memory[version.memory_id].append(version)
    for versions in of_memory.values():
        for version in sorted(versions, key=lambda v: v.version, reverse=True):
            if version.day <= last or version.cause not in _OF_TIME:
                break
            yield version


def may_decide(ctx: StageContext) -> bool:
    """Whether the clock may decide what is erased for good by its age. To be asked by every night.

    After a jump by more than ``retention.clock_gap_days`` since the last night it may not, until
    ``retention.clock_settles_days`` have passed: somebody who puts a clock right does so within days.
    """
    figures, now = ctx.policy.retention, ctx.now
    gap, settles = timedelta(days=figures.clock_gap_days), timedelta(days=figures.clock_settles_days)
    known = _noted(ctx)
    last, since = known.get("last", now), known.get("since")
    if since is not None and (now - last <= gap or now - since >= settles):
        since = None  # it was put right, or has been right all the time
    elif now - last > gap and (since is None or now < since):
        since = now
    last = last if since is not None else now
    note = {"last": last.isoformat(), "since": since.isoformat() if since is not None else None}
    ctx.lake.store.write_note(_NOTE, json.dumps(note).encode())
    if since is not None:
        _log.warning(
            "the last night of this home was that of %s, and now it is %s: nothing is erased for its age before %s, "
            "should the clock be wrong",
            last.date(),
            now.date(),
            (since + settles).date(),
        )
    return since is None


def _noted(ctx: StageContext) -> dict[str, datetime]:
    try:
        note: dict[str, Any] = json.loads(ctx.lake.store.note(_NOTE))
        return {name: datetime.fromisoformat(at).astimezone(UTC) for name, at in note.items() if at is not None}
    except (ValueError, TypeError, AttributeError):
        return {}
