"""Messages → proposals: windows are cut, asked about a user at a time, and the replies resolved.

A pure function of the transcripts (and of the kept replies): it never sees the memories, so days can be extracted in
any order or in parallel. For the same reason its rolling summary is made from the messages alone and refreshed with
them (RX-23), not with the facts that were found: the rule "three added or two updated" (NM-23) is for the session's
summary that people and programs read.

A window without a fitting reply stays open: it is not in ``windows``, and the next run asks again. Until then what an
earlier reply said of the same, unchanged messages stands.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date

from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import ReplyError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.drafts import resolve, within_cap
from memory_pipeline.stages.extraction.extract_requests import Work, request_for, works
from memory_pipeline.stages.extraction.window_asking import Answer, ask
from memory_pipeline.stages.quarantine import PutAside, put_all_aside
from memory_pipeline.stages.tracing import traced

__all__ = ["ExtractReport", "extract", "request_for"]
_CHUNK_DAYS = 31
_HOSTED_DAYS = 186  # windows of one chunk share calls; what has been answered is kept, whatever happens to the chunk
_BATCHED_DAYS = 366  # each chunk waits for its batches, which take up to a day


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


@dataclass
class _PartitionRows:
    """What the partitions of some days are to hold."""

    windows: dict[date, list[Window]] = field(default_factory=lambda: defaultdict(list))
    proposals: dict[date, list[Proposal]] = field(default_factory=lambda: defaultdict(list))
    failed: list[Work] = field(default_factory=list)
    aside: list[PutAside] = field(default_factory=list)


def _told(report: ExtractReport) -> dict[str, int]:
    return {
        "windows": report.windows.total(),
        "proposals": report.proposals.total(),
        "windows_empty": report.empty.total(),
        "windows_unfit": report.failed.total(),
    }


@traced("extract", _told)
def extract(ctx: StageContext, days: Sequence[date], *, keep_former: bool = True) -> ExtractReport:
    """Make the ``windows`` and ``proposals`` partitions of some days, replacing what they held.

    Args:
        keep_former: what is not proposed any more goes aside, so that what rested on it can still be explained.

    Raises:
        ModelError: the model cannot be reached; replies that had arrived are kept, partitions are left as they were.
    """
    report = ExtractReport()
    done, total = 0, len(set(days))
    for chunk in chunks(ctx, days):
        ctx.progress("extracting", done, total)
        _extract_days(ctx, chunk, report, keep_former)
        done += len(chunk)
    ctx.progress("extracting", total, total)
    return report


def chunks(ctx: StageContext, days: Iterable[date]) -> list[list[date]]:
    """The days whose windows are asked about together, in order."""
    ordered = sorted(set(days))
    hosted = _HOSTED_DAYS if ctx.settings.chat != "builtin" else _CHUNK_DAYS
    size = _BATCHED_DAYS if ctx.settings.chat_batch else hosted
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def _extract_days(ctx: StageContext, days: Sequence[date], report: ExtractReport, keep_former: bool) -> None:
    todo = works(ctx, days)
    answers = asyncio.run(ask(ctx, todo))
    made = _PartitionRows()
    for work, answer in zip(todo, answers, strict=True):
        report.windows[work.window.day] += 1
        _take(ctx, work, answer, made, report)
    _keep_standing(ctx, todo, made)
    put_all_aside(ctx, made.aside)
    _persist(ctx, days, made, keep_former)
    for day in days:
        report.proposals[day] += len(made.proposals[day])


@traced("persist", lambda rows: {"rows": rows})
def _persist(ctx: StageContext, days: Sequence[date], made: _PartitionRows, keep_former: bool) -> int:
    if keep_former:
        _keep_former(ctx, days, made)
    for day in days:
        ctx.lake.replace("windows", day, made.windows[day])
        ctx.lake.replace("proposals", day, made.proposals[day])
    return sum(len(made.windows[day]) + len(made.proposals[day]) for day in days)


def _take(ctx: StageContext, work: Work, answer: Answer, made: _PartitionRows, report: ExtractReport) -> None:
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


def _keep_former(ctx: StageContext, days: Sequence[date], made: _PartitionRows) -> None:
    """What is not proposed any more goes aside: memories of before that rest on it can still be explained."""
    import pyarrow as pa

    from memory_pipeline.storage.parquet.arrow_rows import from_table

    again = [p.proposal_id for day in days for p in made.proposals[day]]
    former = ctx.lake.sql(
        "SELECT p.* FROM proposals p ANTI JOIN again USING (proposal_id)",
        days={"proposals": days, "former_proposals": ()},
        tables={"again": pa.table({"proposal_id": pa.array(again, pa.string())})},
    )
    ctx.lake.append("former_proposals", from_table(former, Proposal))


def _shown(proposal: Proposal) -> str:
    said = asdict(proposal)
    return "; ".join(f"{name}: {said[name]}" for name in ("operation", "type", "content", "evidence"))


def _keep_standing(ctx: StageContext, todo: Iterable[Work], made: _PartitionRows) -> None:
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
