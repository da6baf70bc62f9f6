"""The windows of some users' days asked about, and the replies resolved: a function of their transcripts alone."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import ReplyError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket
from memory_pipeline.stages.extraction.drafts import resolve, within_cap
from memory_pipeline.stages.extraction.extract_requests import Work, works_of
from memory_pipeline.stages.extraction.window_asking import Answer, ask
from memory_pipeline.stages.quarantine import PutAside, put_all_aside

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class ExtractReport:
    """What extraction made, by day.

    Attributes:
        empty: windows in which nothing was worth keeping.
        failed: windows whose reply did not fit; they stay open for the next run.
        beyond: proposals put aside because too many rest on one message.
        reasons: why replies did not fit or did not come, in the server's words, and for how many windows.
    """

    windows: Counter[date] = field(default_factory=Counter)
    proposals: Counter[date] = field(default_factory=Counter)
    empty: Counter[date] = field(default_factory=Counter)
    failed: Counter[date] = field(default_factory=Counter)
    beyond: Counter[date] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def why(self) -> str:
        """The most frequent of the reasons; empty where every reply fits."""
        return next((reason for reason, _ in self.reasons.most_common(1)), "")

    def add(self, other: ExtractReport) -> None:
        """Count what was made of other users, too."""
        for name in ("windows", "proposals", "empty", "failed", "beyond", "reasons"):
            getattr(self, name).update(getattr(other, name))


@dataclass(frozen=True)
class Extracted:
    """What the partitions of some days are to hold of some users: rows of ``windows`` and ``proposals``."""

    windows: pa.Table
    proposals: pa.Table
    report: ExtractReport


@dataclass
class _Rows:
    windows: dict[date, list[Window]] = field(default_factory=lambda: defaultdict(list))
    proposals: dict[date, list[Proposal]] = field(default_factory=lambda: defaultdict(list))
    failed: list[Work] = field(default_factory=list)
    aside: list[PutAside] = field(default_factory=list)


def extract_bucket(ctx: StageContext, bucket: Bucket) -> Extracted:
    """Ask about the windows of some users' days.

    Raises:
        ModelError: the model cannot be reached; replies that had arrived are kept.
    """
    from memory_pipeline.storage.parquet.arrow_rows import to_table

    report = ExtractReport()
    todo = works_of(ctx, bucket)
    answers = asyncio.run(ask(ctx, todo))
    made = _Rows()
    for work, answer in zip(todo, answers, strict=True):
        report.windows[work.window.day] += 1
        _take(ctx, work, answer, made, report)
    _keep_standing(ctx, todo, made)
    put_all_aside(ctx, made.aside)
    for day, rows in made.proposals.items():
        report.proposals[day] += len(rows)
    windows, proposals = ([row for day in bucket.days for row in by[day]] for by in (made.windows, made.proposals))
    return Extracted(to_table(windows, Window), to_table(proposals, Proposal), report)


def _take(ctx: StageContext, work: Work, answer: Answer, made: _Rows, report: ExtractReport) -> None:
    window = work.window
    source = f"extract/{window.window_id}"
    if isinstance(answer, ReplyError):
        report.failed[window.day] += 1
        report.reasons[str(answer)] += 1
        made.failed.append(work)
        made.aside.append(PutAside(source, 0, str(answer), answer.reply))
        return
    drafts = answer.value.windows[0].proposals if answer.value.windows else []
    most = ctx.policy.window.max_proposals_per_message
    resolved = resolve(
        drafts,
        window,
        work.messages,
        prompt_hash=ctx.prompts.prompt_hash("extract"),
        model=ctx.chat.model,
        reply_key=answer.key or None,
    )
    report.empty[window.day] += not resolved
    kept, beyond = within_cap(resolved, most)
    made.windows[window.day].append(window)
    made.proposals[window.day] += kept
    report.beyond[window.day] += len(beyond)
    made.aside += [
        PutAside(source, p.ordinal, f"more than {most} proposals rest on one message", _shown(p)) for p in beyond
    ]


def _shown(proposal: Proposal) -> str:
    said = asdict(proposal)
    return "; ".join(f"{name}: {said[name]}" for name in ("operation", "type", "content", "evidence"))


def _keep_standing(ctx: StageContext, todo: Iterable[Work], made: _Rows) -> None:
    """Where a window's reply failed, let stand what was extracted from its messages before it grew or was cut anew."""
    if not made.failed:
        return
    hashes = {(*work.session, m.message_id): m.content_hash for work in todo for m in work.messages}
    failed = {(*work.session, m.message_id): work.window.day for work in made.failed for m in work.messages}
    days = sorted(set(failed.values()))
    older = {w.window_id: w for w in ctx.lake.read("windows", Window, days=days) if _unchanged(w, hashes)}
    again = {w.window_id for rows in made.windows.values() for w in rows}
    for window_id, window in older.items():
        if window_id not in again and any((*_session(window), m) in failed for m in window.message_ids):
            made.windows[window.day].append(window)
            again.add(window_id)
    for proposal in ctx.lake.read("proposals", Proposal, days=days):
        cited = [(proposal.tenant_id, proposal.user_id, proposal.session_id, e.message_id) for e in proposal.evidence]
        if proposal.window_id in older and any(c in failed for c in cited):
            made.proposals[proposal.day].append(proposal)


def _session(window: Window) -> tuple[str, str, str]:
    return (window.tenant_id, window.user_id, window.session_id)


def _unchanged(window: Window, hashes: Mapping[tuple[str, str, str, str], str]) -> bool:
    pairs = zip(window.message_ids, window.content_hashes, strict=True)
    return all(hashes.get((*_session(window), message_id)) == hashed for message_id, hashed in pairs)
