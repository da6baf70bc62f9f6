"""Keeping small what the pipeline and Dagster have stored: the same from the command line as from a schedule."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.orchestration.dagster_home.event_log import Pruned, prune
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    from memory_pipeline.stages.operations.maintain import MaintenanceReport
    from memory_pipeline.stages.publication.audit_result import Audit


@dataclass(frozen=True, slots=True)
class Maintained:
    """What maintenance did to the stores and to Dagster's history, and whether the stores keep to their caps."""

    stores: MaintenanceReport
    history: Pruned
    checks: tuple[Audit, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        checks = [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in self.checks]
        return {**self.stores.to_dict(), "event_log": asdict(self.history), "checks": checks}


def maintain_all(ctx: StageContext, instance: dg.DagsterInstance) -> Maintained:
    """Maintain the stores, and prune what Dagster's runs have logged longer ago than the policy keeps."""
    from memory_pipeline.stages.operations.maintain import maintain
    from memory_pipeline.stages.publication.store_audit import file_count, store_size

    figures = ctx.policy.maintenance
    stores = maintain(ctx)
    history = prune(instance, ctx.now - timedelta(days=figures.runs_days), figures.runs)
    return Maintained(stores, history, (store_size(ctx, stores.after), file_count(ctx, stores.after)))
