"""Whether the stores keep to the size that the policy allows them."""

from __future__ import annotations

from memory_pipeline.domain.policy import MaintenancePolicy
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.audit_result import Audit
from memory_pipeline.storage.parquet.size import StoreSize


def store_size(ctx: StageContext, size: StoreSize | None = None) -> Audit:
    """Lake and index take no more bytes than the policy's multiple of what they hold, nor than its cap.

    Args:
        size: what they take, where it is known already.
    """
    return judge_bytes(size or _size(ctx), ctx.policy.maintenance)


def file_count(ctx: StageContext, size: StoreSize | None = None) -> Audit:
    """Lake and index have no more files than the policy's cap.

    Args:
        size: what they take, where it is known already.
    """
    return judge_files(size or _size(ctx), ctx.policy.maintenance)


def _size(ctx: StageContext) -> StoreSize:
    from memory_pipeline.storage.parquet.size import size_of

    return size_of(ctx.lake, ctx.index)


def judge_bytes(size: StoreSize, figures: MaintenancePolicy) -> Audit:
    """:func:`store_size`, of figures."""
    bytes_, live = size.total.bytes, size.live_bytes
    times = bytes_ / live if live else 0.0
    told = f"{bytes_:,} bytes, {times:.2f} times the {live:,} that are live"
    found = []
    if bytes_ > figures.least_bytes and times > figures.times_live:
        found.append(
            f"more than {figures.times_live:g} times: run `memory-pipeline maintain`, or keep less "
            "(maintenance.kept_versions_hours)"
        )
    if figures.most_bytes and bytes_ > figures.most_bytes:
        found.append(
            f"more than maintenance.most_bytes = {figures.most_bytes:,}: raise it, or let retention remove more"
        )
    return _audit("store_size", found, told, size)


def judge_files(size: StoreSize, figures: MaintenancePolicy) -> Audit:
    """:func:`file_count`, of figures."""
    files = size.total.files
    found = []
    if figures.most_files and files > figures.most_files:
        found.append(
            f"more than maintenance.most_files = {figures.most_files:,}: run `memory-pipeline maintain`, or raise it"
        )
    return _audit("file_count", found, f"{files:,} files", size)


def _audit(name: str, wrong: list[str], told: str, size: StoreSize) -> Audit:
    heaviest = sorted((*size.datasets.items(), *size.tables.items()), key=lambda item: -item[1].bytes)
    examples = tuple({"part": part, "bytes": weight.bytes, "files": weight.files} for part, weight in heaviest[:8])
    return Audit(name, not wrong, len(wrong), "; ".join([told, *wrong]), examples)
