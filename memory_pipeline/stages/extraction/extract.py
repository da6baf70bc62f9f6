"""Messages → proposals: windows are cut, asked about a user at a time, and the replies resolved.

A pure function of the transcripts (and of the kept replies): it never sees the memories, so days can be extracted in
any order or in parallel. For the same reason its rolling summary is made from the messages alone and refreshed with
them (RX-23), not with the facts that were found: the rule "three added or two updated" (NM-23) is for the session's
summary that people and programs read.

A window without a fitting reply stays open: it is not in ``windows``, and the next run asks again. Until then what an
earlier reply said of the same, unchanged messages stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import buckets
from memory_pipeline.stages.extraction.extract_bucket import Extracted, ExtractReport, extract_bucket
from memory_pipeline.stages.extraction.extract_requests import request_for
from memory_pipeline.stages.tracing import traced

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ExtractReport", "extract", "request_for"]
_CHUNK_DAYS = 31
_HOSTED_DAYS = 186  # windows of one chunk share calls; what has been answered is kept, whatever happens to the chunk
_BATCHED_DAYS = 366  # each chunk waits for its batches, which take up to a day


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
        made = []
        parts = buckets(ctx, chunk)
        for n, extracted in enumerate(ctx.engine.map(ctx, extract_bucket, parts), 1):
            made.append(extracted)
            report.add(extracted.report)
            ctx.progress("extracting", done + len(chunk) * n // len(parts), total)
        _persist(ctx, chunk, made, keep_former)
        for day in chunk:
            report.proposals[day] += 0
        done += len(chunk)
    ctx.progress("extracting", total, total)
    return report


def chunks(ctx: StageContext, days: Iterable[date]) -> list[list[date]]:
    """The days whose windows are asked about together, in order."""
    ordered = sorted(set(days))
    hosted = _HOSTED_DAYS if ctx.settings.chat != "builtin" else _CHUNK_DAYS
    size = _BATCHED_DAYS if ctx.settings.chat_batch else hosted
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


@traced("persist", lambda rows: {"rows": rows})
def _persist(ctx: StageContext, days: Sequence[date], made: Sequence[Extracted], keep_former: bool) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = {
        "windows": pa.concat_tables([part.windows for part in made]),
        "proposals": pa.concat_tables([part.proposals for part in made]),
    }
    if keep_former:
        _keep_former(ctx, days, rows["proposals"])
    for day in days:
        for dataset, table in rows.items():
            ctx.lake.replace(dataset, day, table.filter(pc.equal(table["day"], day)))
    return sum(table.num_rows for table in rows.values())


def _keep_former(ctx: StageContext, days: Sequence[date], proposals: pa.Table) -> None:
    """What is not proposed any more goes aside: memories of before that rest on it can still be explained."""
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    former = ctx.lake.sql(
        "SELECT p.* FROM proposals p ANTI JOIN again USING (proposal_id)",
        days={"proposals": days, "former_proposals": ()},
        tables={"again": proposals.select(["proposal_id"])},
    )
    ctx.lake.append("former_proposals", from_table(former, Proposal))
