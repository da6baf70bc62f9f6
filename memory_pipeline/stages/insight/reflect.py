"""A user's memories, week by week → reflections: insights with the ids they rest on (Generative Agents; DL-30).

A week is reflected on when it is over and brought something new, or earlier when much that is new came together. A
requested week is made anew as a whole, and what follows from it in later weeks too: an insight that no longer follows
from its memories is withdrawn, one that comes up again is confirmed, one that has lost its memories is archived.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import partial

from memory_pipeline.domain.calendar import Period
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.stages.consolidation.consolidate import replay_on_top
from memory_pipeline.stages.consolidation.holds import held_weeks
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.insight.derived_gate import CitedMessages
from memory_pipeline.stages.insight.insight_report import InsightReport
from memory_pipeline.stages.insight.insights import Insights
from memory_pipeline.stages.insight.joint_asking import ask_jointly
from memory_pipeline.stages.insight.reflect_requests import Question, grouped
from memory_pipeline.stages.insight.reflect_requests import joint_request as together
from memory_pipeline.stages.operations.age import let_time_pass
from memory_pipeline.stages.publication.auditing import combined
from memory_pipeline.stages.publication.layered_context import OnTop, on_top
from memory_pipeline.stages.publication.publish import publish
from memory_pipeline.stages.publication.staged_publication import staged
from memory_pipeline.stages.publication.staging import clear
from memory_pipeline.stages.quarantine import PutAside, put_all_aside

_USERS_AT_ONCE = 100


def reflect(ctx: StageContext, weeks: Sequence[Period]) -> InsightReport:
    """Make the reflections of some weeks.

    Raises:
        AuditFailed: what was staged breaks a rule; nothing of it was published.
        ModelError: the model cannot be reached; the users of this go are as they were.
    """
    report = InsightReport()
    ordered = sorted(set(weeks))
    passed = let_time_pass(ctx, ordered)
    users = _active(ctx, ordered)

    with staged(ctx, "reflections", users, at_once=_USERS_AT_ONCE) as publication:
        while publication.users:
            count = {}
            for batch in publication.batches("reflecting"):
                with on_top(ctx, "reflections", batch, ordered[0].start) as top:
                    count[batch] = _reflect(top, batch.users, ordered, report)
            for batch, published in publication.publish():
                count[batch](published.users)
    if users:
        clear(ctx, "reflections", users)
    again = let_time_pass(ctx, ordered)  # for what has just been made, too
    report.audits = combined(combined(publication.audits, passed), again)
    return report


def _active(ctx: StageContext, weeks: Sequence[Period]) -> list[Scope]:
    from memory_pipeline.storage.parquet.lake import scopes_in

    days = [day for week in weeks for day in week.days()]
    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id FROM memory_versions ORDER BY ALL", days={"memory_versions": days}
    )
    return scopes_in(table)


def _reflect(
    top: OnTop, users: Sequence[Scope], weeks: Sequence[Period], report: InsightReport
) -> Callable[[Collection[Scope]], None]:
    everybody, failed = _insights(top, users, weeks)
    _write(top, everybody, failed)
    for insights in everybody:
        if insights.orphaned is not None:  # something was done to a reflection that is no more
            replay_on_top(top, [insights.scope], insights.orphaned)

    def count(published: Collection[Scope]) -> None:
        report.failed.update(question.week.start for question, _ in failed if question.scope in published)
        for insights in everybody:
            if insights.scope in published:
                report.made.update(insights.stand())

    return count


def _insights(
    ctx: StageContext, users: Sequence[Scope], weeks: Sequence[Period]
) -> tuple[list[Insights], list[tuple[Question, ReplyError]]]:
    """What some users' reflections come to now, and the questions that got no fitting reply."""
    from memory_pipeline.storage.queries.ledger import living_of

    rows: dict[Scope, list[MemoryVersion]] = defaultdict(list)
    for row in living_of(ctx.lake, users, min(weeks).start, derived=True):
        rows[row.scope].append(row)
    cited = CitedMessages(ctx)
    held = held_weeks(ctx, users, "reflections")
    everybody = [Insights(ctx, user, rows[user], weeks, cited, held.get(user)) for user in users]
    questions = [q for insights in everybody for q in insights.questions]
    packs = partial(grouped, policy=ctx.policy.reflection)
    answers = dict(zip(map(id, questions), asyncio.run(ask_jointly(ctx, questions, packs, together)), strict=True))
    failed: list[tuple[Question, ReplyError]] = []
    for insights in everybody:
        for question in insights.questions:
            answer = answers[id(question)]
            if isinstance(answer, ReplyError):
                failed.append((question, answer))
            else:
                insights.learn(question, answer.value)
    cited.load(member for insights in everybody for member in insights.named())
    for insights in everybody:
        insights.settle()
    return everybody, failed


def _write(ctx: StageContext, everybody: Sequence[Insights], failed: Sequence[tuple[Question, ReplyError]]) -> None:
    aside = [PutAside(_source(q), 0, str(error), error.reply) for q, error in failed]
    aside += [PutAside(_source(q), 0, reason, content) for i in everybody for q, content, reason in i.refused]
    put_all_aside(ctx, aside)
    publish(ctx, [v for i in everybody for v in i.asserted], [v for i in everybody for v in i.withdrawn])


def _source(question: Question) -> str:
    return f"reflect/{question.scope.user_id}/{question.week.label}"
