"""Messages and memories → summaries of days, weeks, months and sessions, each from the evidence itself (DL-29).

A week is never a summary of its days' summaries: it reads messages (of those that its days read as many as its budget
allows) and what became of the memories. A silent period has no text. Weeks and months get theirs when they are over;
until then their days tell what happened, and no call is spent on a text that the next day makes stale. A period that
rests on the same evidence as a finer one has its text, without a call.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from memory_pipeline.domain.calendar import Grain, Period, periods
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain, is_over, summary_id
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.replies import CalendarReply, PeriodSummary
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket, buckets
from memory_pipeline.stages.insight.joint_asking import Answer, ask_jointly
from memory_pipeline.stages.quarantine import PutAside, put_all_aside
from memory_pipeline.stages.summaries.calendar_requests import Member, grouped, joint_pack
from memory_pipeline.stages.summaries.checked_summary import sound
from memory_pipeline.stages.summaries.period_members import Part, PeriodMembers
from memory_pipeline.stages.summaries.session_summaries import (
    DueSession,
    Session,
    due_sessions,
    session_summary_id,
    touched,
)
from memory_pipeline.stages.summaries.summary_evidence import diaries
from memory_pipeline.stages.summaries.summary_store import store, store_sessions
from memory_pipeline.stages.tracing import traced

_ONE_GO = 20_000  # messages held at once


@dataclass
class SummaryReport:
    """Summaries made, by period (a session's under the day of its last message).

    Attributes:
        failed: replies that did not fit, by the first day of their period; these periods stay stale.
    """

    made: dict[date, list[Summary]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[date] = field(default_factory=Counter)

    def add(self, other: SummaryReport) -> None:
        """Count what was made of other users, too."""
        for start, found in other.made.items():
            self.made[start] += found
        self.failed.update(other.failed)


def _told(report: SummaryReport) -> dict[str, int]:
    return {"summaries": sum(map(len, report.made.values())), "replies_unfit": report.failed.total()}


@traced("summary", _told)
def summarize(ctx: StageContext, wanted: Sequence[Period]) -> SummaryReport:
    """Make the summaries of some periods of one grain, one for each user who wrote in it, or for each domain of one who
    wrote in several; with days, those of sessions.

    Days are asked about together with the weeks and months that they complete, so that those find their replies kept.

    Raises:
        ModelError: the model cannot be reached; the periods of this go are as they were.
    """
    report = SummaryReport()
    ordered = sorted(set(wanted))
    done = 0
    for chunk in _goes(ctx, ordered):
        ctx.progress(f"{chunk[0].grain.adjective} summaries", done, len(ordered))
        _summarize(ctx, chunk, report)
        done += len(chunk)
    if ordered:
        ctx.progress(f"{ordered[0].grain.adjective} summaries", done, done)
    return report


@traced("session summaries", _told)
def refresh_sessions(ctx: StageContext, days: Sequence[date]) -> SummaryReport:
    """Make the summaries of the sessions that went on on some days, where one is due, and nothing else (NM-23, NM-24).

    So a session's prompts have something in the place of its earlier turns while it lasts. The day's own summary waits
    for the night, which finds these replies kept.

    Raises:
        ModelError: the model cannot be reached; all summaries are as they were.
    """
    report = SummaryReport()
    ordered = sorted(set(days))
    sessions = touched(ctx, ordered)
    due = due_sessions(ctx, sessions, ordered)
    places = [(_session_place(d), d.member) for d in due]
    made = _made(ctx, places, (), report)
    unanswered = {p.summary_id for p, _ in places if report.failed[p.start]} - {s.summary_id for s in made}
    there = [i for i in map(session_summary_id, sessions) if i not in unanswered]
    store_sessions(ctx, ordered, there, made)
    return report


def _goes(ctx: StageContext, ordered: Sequence[Period]) -> Iterator[list[Period]]:
    """Consecutive periods with so many messages together as can be held; in one go they share calls."""
    days = {day for period in ordered for day in period.days()}
    table = ctx.lake.sql("SELECT day, count(*) AS n FROM messages GROUP BY day", days={"messages": days})
    sizes = dict(zip(table["day"].to_pylist(), table["n"].to_pylist(), strict=True))
    chunk: list[Period] = []
    size = 0
    for period in ordered:
        messages = sum(sizes.get(day, 0) for day in period.days())
        if chunk and size + messages > _ONE_GO:
            yield chunk
            chunk, size = [], 0
        chunk.append(period)
        size += messages
    if chunk:
        yield chunk


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a summary belongs.

    Attributes:
        start: its partition.
    """

    summary_id: str
    grain: SummaryGrain
    start: date
    source: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class _SummaryTask:
    """Periods to be summarised, of some users.

    Attributes:
        asked: periods of one grain.
        along: those that these complete; only the replies about them are kept.
        sessions: those that have to do with these days.
    """

    bucket: Bucket
    asked: Sequence[Period]
    along: Sequence[Period]
    sessions: Sequence[Session]
    days: Sequence[date]


def _summarize(ctx: StageContext, wanted: Sequence[Period], report: SummaryReport) -> None:
    daily = wanted[0].grain is Grain.DAY
    asked = [p for p in wanted if daily or is_over(p, ctx.now)]
    along = _completed(ctx, wanted) if daily else []
    days = [p.start for p in wanted] if daily else []
    sessions = touched(ctx, days) if daily else []
    span = {day for p in (*asked, *along) for day in p.days()}
    tasks = []
    for bucket in buckets(ctx, span, also=[scope for scope, _ in sessions]):
        users = None if bucket.users is None else frozenset(bucket.users)
        own = [session for session in sessions if users is None or session[0] in users]
        tasks.append(_SummaryTask(bucket, asked, along, own, days))
    made = []
    for part in ctx.engine.map(ctx, summarize_bucket, tasks):
        report.add(part)
        made += [s for start in sorted(part.made) for s in part.made[start]]
    store(ctx, wanted, [s for s in made if s.session_id is None])
    if daily:
        told = [s for s in made if s.session_id is not None]
        store_sessions(ctx, days, map(session_summary_id, sessions), told)


def summarize_bucket(ctx: StageContext, task: _SummaryTask) -> SummaryReport:
    """Make the summaries of some periods of some users.

    Raises:
        ModelError: the model cannot be reached; replies that had arrived are kept.
    """
    report = SummaryReport()
    known = PeriodMembers(ctx, diaries(ctx, task.bucket))
    places = [(_place(scope, p, part), member) for p in task.asked for scope, part, member in known.of(p)]
    places += [(_session_place(due), due.member) for due in due_sessions(ctx, task.sessions, task.days)]
    others = [member for p in task.along for *_, member in known.of(p)]
    _made(ctx, places, others, report)
    return report


def _made(
    ctx: StageContext, places: Sequence[tuple[_Place, Member]], others: Sequence[Member], report: SummaryReport
) -> list[Summary]:
    """The summaries of some places, as far as they were answered; what is not is counted.

    Args:
        others: asked about in the same calls, for those who will want their replies.
    """
    answers = _ask(ctx, [*(member for _, member in places), *others])
    aside: list[PutAside] = []
    for place, member in places:
        answer = answers[id(member)]
        if isinstance(answer, ReplyError):
            report.failed[place.start] += 1
            aside.append(PutAside(place.source, 0, str(answer), answer.reply))
            continue
        summary = _summary(ctx, place, member, answer.value, aside)
        if summary is not None:
            report.made[place.start].append(summary)
    put_all_aside(ctx, aside)
    return [s for start in sorted({place.start for place, _ in places}) for s in report.made[start]]


def _place(scope: Scope, period: Period, part: Part) -> _Place:
    name = summary_id(scope, period.grain, period.start, None if part.whole else part.domain or "")
    return _Place(name, SummaryGrain(period.grain), period.start, f"calendar/{scope.user_id}/{period.label}")


def _session_place(due: DueSession) -> _Place:
    scope, session = due.session
    source = f"calendar/{scope.user_id}/{session}"
    return _Place(session_summary_id(due.session), SummaryGrain.SESSION, due.day, source, session)


def _ask(ctx: StageContext, members: Iterable[Member]) -> Mapping[int, Answer]:
    every = list({id(m): m for m in members}.values())
    packs = partial(grouped, policy=ctx.policy.summary)
    answers = asyncio.run(ask_jointly(ctx, every, packs, joint_pack))
    return {id(m): answer for m, answer in zip(every, answers, strict=True)}


def _completed(ctx: StageContext, days: Sequence[Period]) -> list[Period]:
    """Weeks and months that are over, and of whose days none is left to be made after these."""
    from memory_pipeline.stages.plan.freshness import inputs, provenance
    from memory_pipeline.stages.plan.registry import BY_NAME

    stage = BY_NAME["daily_summaries"]
    here = {p.start for p in days}
    settled = here | provenance(ctx, stage).keys()
    active = inputs(ctx, stage).keys()
    return [
        period
        for grain in tuple(Grain)[1:]
        for period in periods(grain, here & active)
        if is_over(period, ctx.now) and active & set(period.days()) <= settled
    ]


def _summary(
    ctx: StageContext, place: _Place, member: Member, reply: CalendarReply, aside: list[PutAside]
) -> Summary | None:
    """The row; None where there is nothing to tell, or where the text names nothing that it rests on.

    What does not follow from the evidence is left out and kept with the row.

    A text without evidence is put aside rather than taken to rest on all that was shown: nobody could check it.
    """
    evidence = member.evidence
    told = sound(ctx, place.source, member, reply, aside)
    if not told.text:
        return None
    cited, remembered = _cited(member, told.reply)
    if not cited and not remembered:
        aside.append(PutAside(place.source, 0, "the text names no message and no memory that it rests on", told.text))
        return None
    prompt_hash = ctx.prompts.prompt_hash(member.request.task)
    return Summary(
        summary_id=place.summary_id,
        tenant_id=member.scope.tenant_id,
        user_id=member.scope.user_id,
        grain=place.grain,
        start=place.start,
        text=told.text,
        message_ids=cited,
        memory_ids=remembered,
        input_hash=digest(
            ctx.chat.model,
            prompt_hash,
            *(m.content_hash for m in evidence.messages),
            *(v.version_id for v in evidence.memories),
            *evidence.unspoken,
        ),
        observed_at=max(m.created_at for m in evidence.messages),
        prompt_hash=prompt_hash,
        model=told.model,
        run_id=ctx.run_id,
        recorded_at=ctx.now,
        session_id=place.session_id,
        classification=evidence.classification,
        domains=evidence.domains,
        agent_ids=evidence.agent_ids,
        refused=told.refused,
    )


def _cited(member: Member, told: PeriodSummary) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the messages and memories that a text states; ids that are not its own are dropped.

    A memory that rests on a cited message is named too, so that forgetting it hides the text at once.
    """
    messages, memories = member.aliases
    cited = dict.fromkeys(messages[i].message_id for i in told.messages if i in messages)
    named = dict.fromkeys(memories[i].memory_id for i in told.memories if i in memories)
    behind = (v.memory_id for v in memories.values() if any(e.message_id in cited for e in v.evidence))
    return tuple(cited), tuple(named | dict.fromkeys(behind))
