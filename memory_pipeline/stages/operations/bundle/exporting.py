"""Lake → bundle: everything of one user that is not made again for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory_pipeline.domain.calendar import period_of
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import BundleError, NotFound
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.bundle.archive import Manifest, Member, encoded, sha256, write
from memory_pipeline.stages.operations.bundle.bundle_rows import line
from memory_pipeline.stages.plan.freshness import code_version, provenance, stale
from memory_pipeline.stages.plan.registry import STAGES
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline.storage.parquet.user_datasets import OF_A_USER


def export(ctx: StageContext, scope: Scope, out: Path) -> Manifest:
    """Write a user's bundle: transcripts, what was made of them, the kept replies and the recall log, without vectors.

    Raises:
        NotFound: nothing is known of the user.
        BundleError: it cannot be written there, or would lie inside the home.
    """
    if not ctx.settings.remote and out.resolve().is_relative_to(Path(ctx.settings.path()).resolve()):
        raise BundleError(f"{out} lies inside the home: a bundle there would outlive the user's erasure", path=str(out))
    lines: dict[str, list[str]] = {}
    for n, dataset in enumerate(OF_A_USER):
        ctx.progress("exporting", n, len(OF_A_USER))
        lines[dataset] = sorted(line(row) for row in rows_of(ctx, dataset, scope))
    if not any(lines.values()):
        raise NotFound(
            f"nothing is known of user {scope.user_id!r} of tenant {scope.tenant_id!r}",
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
        )
    manifest = _manifest(ctx, scope, lines)
    write(out, manifest, lines)
    ctx.progress("exporting", len(OF_A_USER), len(OF_A_USER))
    return manifest


def rows_of(ctx: StageContext, dataset: str, scope: Scope) -> list[Any]:
    """A user's rows of a dataset, those of reads that are still in the spools included."""
    from memory_pipeline.storage.parquet.schemas import DATASETS as KNOWN

    found: list[Any] = ctx.lake.read(
        dataset,
        KNOWN[dataset].noun,
        where="tenant_id = $tenant AND user_id = $user",
        params={"tenant": scope.tenant_id, "user": scope.user_id},
    )
    if dataset != "recalls":
        return found
    spooled = (r for r in RecallLog(ctx.settings.path("recall")).rows() if Scope(r.tenant_id, r.user_id) == scope)
    logged, held = Counter(spooled), Counter(found)
    return found + [row for row, times in logged.items() for _ in range(times - held[row])]


def _manifest(ctx: StageContext, scope: Scope, lines: Mapping[str, list[str]]) -> Manifest:
    from memory_pipeline.inference.models import encoder_name
    from memory_pipeline.storage.parquet.schemas import DATASETS as KNOWN
    from memory_pipeline.storage.parquet.versions import release

    members = {name: Member(len(found), KNOWN[name].version, sha256(encoded(found))) for name, found in lines.items()}
    return Manifest(
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        created_at=ctx.now.isoformat(timespec="microseconds"),
        release=release(),
        encoder=encoder_name(ctx.settings),
        members=members,
        made=_made(ctx, scope),
    )


def _made(ctx: StageContext, scope: Scope) -> dict[str, dict[str, Any]]:
    """Of each stage, by which code its partitions with rows of the user were made, as far as they are up to date."""
    days = {row for name in ("messages", "memory_versions", "recalls") for row in _days(ctx, name, scope)}
    found = {}
    for stage in STAGES:
        own = {period_of(stage.grain, day).start for day in days}
        fresh = sorted(own & provenance(ctx, stage).keys() - set(stale(ctx, stage)))
        code = code_version(ctx.settings, ctx.prompts, stage)
        found[stage.name] = {"code": code, "partitions": [day.isoformat() for day in fresh]}
    return found


def _days(ctx: StageContext, dataset: str, scope: Scope) -> list[Any]:
    table = ctx.lake.sql(
        f"SELECT DISTINCT day FROM {dataset} WHERE tenant_id = $tenant AND user_id = $user",
        {"tenant": scope.tenant_id, "user": scope.user_id},
    )
    days: list[Any] = table["day"].to_pylist()
    return days
