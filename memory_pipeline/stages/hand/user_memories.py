"""One user's memories on the desk: what an act finds there, the act itself, and filing what it made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.ledger.curation import is_act, versions_of_act
from memory_pipeline.domain.ledger.lifecycle import advance
from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, fold, standing
from memory_pipeline.domain.ledger.transition import finish
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound
from memory_pipeline.stages.consolidation.holds import holds_in_force
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.auditing import require_of_act
from memory_pipeline.stages.publication.publish import index_memories, publish
from memory_pipeline.stages.publication.staged_view import BY_HAND, Prospect, stands

_TICK = timedelta(microseconds=1)
_TOGETHER = timedelta(seconds=1)  # acts this near to each other keep the order in which they were done


class Desk:
    """One user's memories as an act finds them; what acts make of them is written by :meth:`file`."""

    def __init__(self, ctx: StageContext, scope: Scope, rows: Sequence[MemoryVersion]) -> None:
        self.ctx = ctx
        self.scope = scope
        self.held = standing(rows)
        self.state = fold(rows)
        self._found = dict(self.state)
        self.undone = [row for row in self.held if is_act(row) and row.change is Change.UNDO]
        self.made: list[MemoryVersion] = []

    @classmethod
    def of(cls, ctx: StageContext, scope: Scope) -> Desk:
        """The user's memories as the ledger has them."""
        from memory_pipeline.storage.queries.ledger import versions_of

        return cls(ctx, scope, versions_of(ctx.lake, [scope]))

    def find(self, memory_id: str) -> MemoryVersion:
        """A memory of this user.

        Raises:
            NotFound: the user has none of that id; whether somebody else has is not told.
        """
        if memory_id not in self.state:
            raise NotFound(
                f"no memory {memory_id!r} of this user; list them with `memory-pipeline memories --user USER`",
                memory_id=memory_id,
                tenant_id=self.scope.tenant_id,
                user_id=self.scope.user_id,
            )
        return self.state[memory_id]

    def chain(self, memory: MemoryVersion) -> list[MemoryVersion]:
        """A memory's versions that stand, the oldest first."""
        return sorted((v for v in self.held if v.memory_id == memory.memory_id), key=lambda v: v.version)

    def timezone(self) -> str:
        """The user's zone: that of the latest memory, else of any message."""
        if self.held:
            return max(self.held, key=lambda v: (v.changed_at, v.version_id)).timezone
        row: dict[str, Any] = self.ctx.lake.sql(
            "SELECT arg_max(timezone, created_at) AS timezone FROM messages "
            "WHERE tenant_id = $tenant AND user_id = $user",
            {"tenant": self.scope.tenant_id, "user": self.scope.user_id},
        ).to_pylist()[0]
        return row["timezone"] or self.ctx.settings.timezone

    def moment(self, memory: MemoryVersion | None, timezone: str) -> tuple[datetime, date]:
        """When an act is done, and its local day: now, but not before what it is done to, and after the act before."""
        at, day = self.ctx.now, local_day(self.ctx.now, timezone)
        if memory is not None:
            at, day = max(at, memory.changed_at), max(day, memory.day)
        last = max((v.changed_at for v in (*self.held, *self.made) if is_act(v)), default=None)
        if last is not None and at <= last < at + _TOGETHER:
            at = last + _TICK
        return at, max(day, local_day(at, timezone))

    def act(
        self, memory: MemoryVersion, change: Change, reason: str, words: Mapping[str, Any] | None = None
    ) -> MemoryVersion:
        """Do something to a memory. Returns its new version."""
        at, day = self.moment(memory, memory.timezone)
        return self.do(replace(memory, change=change, reason=reason, changed_at=at, day=day, **(words or {})))

    def do(self, act: MemoryVersion) -> MemoryVersion:
        """Do an act, with all that it brings about. Returns the act's own version."""
        self._let_time_pass(act.day)
        known = (*self.held, *self.made)
        cited = [e.message_id for v in known if v.memory_id == act.memory_id for e in v.evidence]
        act = replace(act, run_id=self.ctx.run_id, recorded_at=self.ctx.now)
        current = self.state.get(act.memory_id)
        versions = versions_of_act(act, current, self.state, self.ctx.policy, cited=cited, undone=self.undone)
        for version in versions:
            self._take(version)
        return versions[-1]

    def _let_time_pass(self, day: date) -> None:
        """As a replay does at the start of a day."""
        policy = self.ctx.policy
        held = holds_in_force(self.ctx, [self.scope]).get(self.scope, {})
        for memory in sorted(self.state.values(), key=lambda v: v.memory_id):
            if memory.review_on is not None and memory.review_on <= day and memory.day < day:
                for version in takewhile(lambda v: v.day not in held, advance(memory, day, policy.lifecycle)):
                    self._take(finish(version, policy, self.ctx.run_id, self.ctx.now))

    def _take(self, version: MemoryVersion) -> None:
        self.state[version.memory_id] = version
        self.made.append(version)

    def file(self) -> None:
        """Write what was made to the ledger, and bring the index up to it.

        Raises:
            AuditFailed: it would break a rule of what may be remembered; nothing is written.
        """
        if not self.made:
            return
        require_of_act(self._prospect())
        new = list(dict.fromkeys(v.content for v in self.made if v.change in (Change.ADD, Change.EDIT)))
        self.ctx.index.version("memories")  # an index of another encoder stops it before anything is written,
        if new:
            self.ctx.encoder.encode(new)  # and so does an encoder that cannot be reached
        self._put_summaries_aside()
        publish(self.ctx, self.made, [])
        index_memories(self.ctx, {v.memory_id for v in self.made})

    def _prospect(self) -> Prospect:
        """What would hold; all of it is on the desk already."""
        from memory_pipeline.storage.parquet.arrow_rows import to_table

        about = {version.memory_id for version in self.made}
        given = {
            "changed": to_table(self.made, MemoryVersion),
            "known": to_table([v for v in self.held if v.memory_id in about], MemoryVersion),
            "before": stands(list(self._found.values())),
        }
        return Prospect(self.ctx, BY_HAND, [self.scope], given=given)

    def _put_summaries_aside(self) -> None:
        """Take summaries that may tell what is taken back out of the index; the next run makes them anew without it."""
        back = [v for v in self.made if v.taken_back and v.change in (Change.EDIT, Change.FORGET)]
        if not back:
            return
        memories, messages = {v.memory_id for v in back}, {i for v in back for i in v.taken_back}
        rows = self.ctx.index.rows("summaries", self.scope, ["summary_id", "memory_ids", "message_ids"]).to_pylist()
        self.ctx.index.delete(
            "summaries",
            [r["summary_id"] for r in rows if memories & set(r["memory_ids"]) or messages & set(r["message_ids"])],
        )
