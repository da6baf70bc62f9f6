"""Write, audit, publish: the one way from what a stage makes of users' memories to the ledger.

A stage stages the rows of all its users where no reader looks, a batch of users at a time; the audits judge what would
hold with them; and only when every one has passed do verdicts, ledger and index move. Publishing is idempotent:
verdicts are replaced by the same ones, and a ledger file is named after its content. So a process may die between any
two writes; the next run finds what is missing still, and stages it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ModelError
from memory_pipeline.stages.consolidation.replay_outcome import Outcome, replace_verdicts
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.audit_result import Audit
from memory_pipeline.stages.publication.auditing import audited, combined, offenders, record, require
from memory_pipeline.stages.publication.one_writer import one_writer
from memory_pipeline.stages.publication.publish import index_memories
from memory_pipeline.stages.publication.staged_view import Prospect
from memory_pipeline.stages.publication.staging import staging
from memory_pipeline.stages.tracing import traced
from memory_pipeline.storage.parquet.staged_rows import StagedRows

if TYPE_CHECKING:
    import pyarrow as pa

_APART = frozenset({"patterns", "reflections"})
"""Writers that make what nobody has said: where it breaks a rule, that of one user waits, nobody else's."""
Marks = Mapping[Scope, tuple[int, int]]


@dataclass(eq=False)
class Batch:
    """Some users who are worked on, and locked, together; and the place for their rows, where no reader looks.

    Attributes:
        marks: of the users' ledger as the work found it.
        prospect: what would hold; to be replaced where verdicts are staged, too.
    """

    users: Sequence[Scope]
    marks: Marks
    rows: StagedRows
    part: str
    prospect: Prospect

    def put(self, dataset: str, rows: pa.Table) -> None:
        """Stage rows of a dataset."""
        self.rows.put(self.part, dataset, rows)


@dataclass(frozen=True)
class Published:
    """What was published of a batch, and of whom: nothing of those whose ledger another hand has added to meanwhile."""

    outcome: Outcome
    users: frozenset[Scope]


@dataclass
class Publication:
    """A writer's rows of users on their way to the ledger; :func:`staged` opens it.

    Attributes:
        users: who is still to be worked on.
        audits: what the audits have found so far.
    """

    ctx: StageContext
    writer: str
    users: Sequence[Scope]
    at_once: int
    index: bool
    audits: tuple[Audit, ...]
    rows: StagedRows | None = None
    _complete: list[Batch] = field(default_factory=list)
    _broken: tuple[Audit, ...] = ()
    _withheld: int = 0

    def batches(self, label: str) -> Iterator[Batch]:
        """The users who are left, batch by batch. A batch is complete when the next one is asked for.

        Args:
            label: of the progress.
        """
        for batch in self.opened(label):
            yield batch
            self.complete(batch)

    def opened(self, label: str) -> Iterator[Batch]:
        """The same, where several batches are worked on at once: one is complete when :meth:`complete` says so."""
        from memory_pipeline.storage.queries.ledger import marks_of

        assert self.rows is not None, "nobody is left"
        for start in range(0, len(self.users), self.at_once):
            self.ctx.progress(label, start, len(self.users))
            some = self.users[start : start + self.at_once]
            part = f"{len(self.rows.parts()) + 1:05}"
            self.rows.begin(part)
            prospect = Prospect(self.ctx, self.writer, some, self.rows, part)
            batch = Batch(some, marks_of(self.ctx.lake, some), self.rows, part, prospect)
            yield batch
        self.ctx.progress(label, len(self.users), len(self.users))

    def complete(self, batch: Batch) -> None:
        """Have a batch audited and published with the others: all its rows are staged, and its prospect tells them."""
        self._complete.append(batch)

    def publish(self) -> list[tuple[Batch, Published]]:
        """Audit the batches that are complete, all together, and publish them.

        ``users`` are then those whose ledger another hand has added to since their rows were staged: they are to be
        worked on again. Nobody waits for a model, and nothing is lost. So are all others where the rows of some break a
        rule that concerns them alone.

        Raises:
            AuditFailed: what was staged breaks a rule; nothing of it was published.
        """
        batches, self._complete = self._complete, []
        if not batches or self.rows is None:
            return []
        audits = audited(self.ctx, self.writer, [batch.prospect for batch in batches])
        record(self.ctx, audits)
        spoilt = {Scope(*user) for user in offenders(audits)} if self.writer in _APART else set()
        if spoilt and spoilt < set(self.users):
            self._broken, self._withheld = combined(self._broken, audits), self._withheld + len(spoilt)
            self.users = [user for user in self.users if user not in spoilt]
            return []
        require(self.ctx, self.writer, self.rows, audits)
        self.audits = combined(self.audits, audits)
        found = [(batch, _published(self.ctx, batch, index=self.index)) for batch in batches]
        self.users = [user for batch, what in found for user in batch.users if user not in what.users]
        return found

    def finish(self) -> None:
        """
        Raises:
            AuditFailed: nothing was published of some users, whose rows break a rule.
        """
        if self._withheld and self.rows is not None:
            require(self.ctx, self.writer, self.rows, self._broken, withheld=self._withheld)


@contextmanager
def staged(
    ctx: StageContext, writer: str, users: Sequence[Scope], *, at_once: int = 100, index: bool = True
) -> Iterator[Publication]:
    """Stage what a writer makes of users, audit it, and publish it::

        with staged(ctx, "lifecycle", users) as publication:
            while publication.users:
                for batch in publication.batches("ageing"):
                    batch.put("memory_versions", rows)
                for batch, published in publication.publish():
                    ...

    Where a model cannot be reached, the batches that are complete are published before the error goes on.

    Args:
        writer: whose audits count; see ``stages.publication.auditing``.
        at_once: users that are worked on, and locked, together.
        index: whether the index follows at once; else another stage sees to that.

    Raises:
        AuditFailed: what was staged breaks a rule; nothing of it was published, or, of what is derived, nothing of the
            users whose rows break it.
    """
    publication = Publication(ctx, writer, users, at_once, index, audited(ctx, writer, []))
    if not users:
        yield publication
        return
    with staging(ctx) as rows:
        publication.rows = rows
        try:
            yield publication
        except ModelError:
            publication.publish()
            raise
        publication.finish()


@traced("persist", lambda what: {"users": len(what.users)})
def _published(ctx: StageContext, batch: Batch, *, index: bool) -> Published:
    """Publish what was staged of a batch, verdicts first: a version in the ledger is never without its verdict."""
    from memory_pipeline.storage.queries.ledger import marks_of

    what, everybody = batch.prospect, frozenset(batch.users)
    made = Outcome(what.changed, what.judged, what.covered, frozenset())
    if not what.anything:
        return Published(made, everybody)
    with one_writer(ctx.settings, batch.users):
        now = marks_of(ctx.lake, batch.users)
        moved = {user for user in batch.users if batch.marks.get(user) != now.get(user)}
        if moved:
            made = made.only(ctx.lake, set(everybody - moved))
        replace_verdicts(ctx, made)
        if moved or what.staged is None:
            ctx.lake.append("memory_versions", made.versions)
        else:
            what.staged.publish("memory_versions", what.part)
    if index:
        index_memories(ctx, made.versions["memory_id"].to_pylist())
    return Published(made, everybody - moved)
