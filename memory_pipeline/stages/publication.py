"""Write, audit, publish: the one way from what a stage makes of users' memories to the ledger.

A stage stages the rows of all its users where no reader looks, a batch of users at a time; the audits judge what would
hold with them; and only when every one has passed do verdicts, ledger and index move. Publishing is idempotent:
verdicts are replaced by the same ones, and a ledger file is named after its content. So a process may die between any
two writes; the next run finds what is missing still, and stages it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ModelError
from memory_pipeline.stages.audit_result import Audit
from memory_pipeline.stages.auditing import audited, joined, offenders, record, require
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.one_writer import one_writer
from memory_pipeline.stages.outcome import Outcome, replace_verdicts
from memory_pipeline.stages.prospect import Prospect
from memory_pipeline.stages.publish import index_memories
from memory_pipeline.stages.staging import staging
from memory_pipeline.stages.tracing import traced
from memory_pipeline.storage.staging import Staged

_APART = frozenset({"patterns", "reflections"})
"""Writers that make what nobody has said: where it breaks a rule, that of one user waits, nobody else's."""
Marks = Mapping[Scope, tuple[int, int]]


@dataclass(frozen=True)
class Batch:
    """Some users whose rows are staged.

    Attributes:
        marks: of the users' ledger as the work found it.
        prospect: what would hold.
        told: counts what was published, and of whom, in the stage's report.
    """

    users: Sequence[Scope]
    marks: Marks
    prospect: Prospect
    told: Callable[[Outcome, Collection[Scope]], None]


Stage = Callable[[Staged, str, Sequence[Scope]], Batch]
"""Works out what is to be of some users, and stages it in a part."""


def write_audit_publish(
    ctx: StageContext,
    writer: str,
    users: Sequence[Scope],
    stage: Stage,
    label: str,
    *,
    at_once: int = 100,
    index: bool = True,
) -> tuple[Audit, ...]:
    """Stage what a writer makes of users, audit it, and publish it.

    A user whose ledger another hand has added to since the rows were staged is worked on again: nobody waits for a
    model, and nothing is lost.

    Args:
        writer: whose audits count; see ``stages.auditing``.
        label: of the progress.
        at_once: users that are worked on, and locked, together.
        index: whether the index follows at once; else another stage sees to that.

    Returns:
        What the audits found.

    Raises:
        AuditFailed: what was staged breaks a rule; nothing of it was published, or, of what is derived, nothing of the
            users whose rows break it.
        ModelError: a model cannot be reached; users already worked on are written, the others are as they were.
    """
    found = audited(ctx, writer, [])
    if not users:
        return found
    with staging(ctx) as staged:
        left, broken, withheld = list(users), found, 0
        while left:
            batches, stopped = _staged(ctx, staged, left, stage, label, at_once)
            audits = audited(ctx, writer, [batch.prospect for batch in batches])
            record(ctx, audits)
            spoilt = {Scope(*user) for user in offenders(audits)} if writer in _APART else set()
            if spoilt and spoilt < set(left):
                broken, withheld = joined(broken, audits), withheld + len(spoilt)
                left = [user for user in left if user not in spoilt]
                continue
            require(ctx, writer, staged, audits)
            found = joined(found, audits)
            left = [user for batch in batches for user in publish_batch(ctx, batch, index=index)]
            if stopped is not None:
                raise stopped
        require(ctx, writer, staged, broken, withheld=withheld)
    return found


def _staged(
    ctx: StageContext, staged: Staged, users: Sequence[Scope], stage: Stage, label: str, at_once: int
) -> tuple[list[Batch], ModelError | None]:
    """The batches of users, and what stopped the work before it came to the last of them.

    Raises:
        ModelError: a model cannot be reached, and nothing is staged.
    """
    batches: list[Batch] = []
    for start in range(0, len(users), at_once):
        ctx.progress(label, start, len(users))
        part = f"{len(staged.parts()) + 1:05}"
        staged.begin(part)
        try:
            batches.append(stage(staged, part, users[start : start + at_once]))
        except ModelError as error:
            if not batches:
                raise
            return batches, error
    ctx.progress(label, len(users), len(users))
    return batches, None


@traced("persist", lambda moved: {"users_again": len(moved)})
def publish_batch(ctx: StageContext, batch: Batch, *, index: bool = False) -> list[Scope]:
    """Publish what was staged of a batch, verdicts first: a version in the ledger is never without its verdict.

    Returns:
        The users whose ledger another hand has added to meanwhile: nothing of theirs is published.
    """
    from memory_pipeline.storage.ledger import marks_of

    what = batch.prospect
    made = Outcome(what.changed, what.judged, what.covered, frozenset())
    if not what.anything:
        batch.told(made, batch.users)
        return []
    with one_writer(ctx.settings, batch.users):
        now = marks_of(ctx.lake, batch.users)
        moved = [user for user in batch.users if batch.marks.get(user) != now.get(user)]
        if moved:
            made = made.only(ctx.lake, set(batch.users).difference(moved))
        replace_verdicts(ctx, made)
        if moved or what.staged is None:
            ctx.lake.append("memory_versions", made.versions)
        else:
            what.staged.publish("memory_versions", what.part)
        batch.told(made, set(batch.users).difference(moved))
    if index:
        index_memories(ctx, made.versions["memory_id"].to_pylist())
    return moved
