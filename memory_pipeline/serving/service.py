"""What all requests share: one reader, one curator, working memory, and who looks after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.policy import ServingPolicy
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.serving.metrics import Metrics
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.working_memory import BatchReceipt, receive
from memory_pipeline.storage.logs.working_files import WorkingMemory
from memory_pipeline.storage.parquet.lake import Lake

if TYPE_CHECKING:
    from memory_pipeline.stages.messages.worker import Worker


class Service:
    """The memory of one home, as routes use it. Safe for threads.

    Attributes:
        lake: for figures of the home, which are about nobody.
        worker: takes turns into the log; None where somebody else does.
    """

    def __init__(self, settings: Settings, metrics: Metrics, worker: Worker | None = None) -> None:
        self.settings = settings
        self.reader = MemoryReader.open(settings=settings)
        self.curator = MemoryCurator.open(settings=settings)
        self.lake = Lake(settings.path("lake"))
        self.working = WorkingMemory(settings)
        self.metrics = metrics
        self.worker = worker

    @property
    def limits(self) -> ServingPolicy:
        """Figures of the policy."""
        return self.settings.policies.serving

    def receive(self, rows: Sequence[Mapping[str, Any]], tenant_id: str, user_id: str | None) -> BatchReceipt:
        """Keep rows of the landing format; see ``stages.messages.working_memory.receive``."""
        now = datetime.now(UTC)
        ctx = StageContext(self.settings, f"serve-{now:%Y%m%dT%H%M%S%f}", now)
        found = receive(ctx, self.working, rows, tenant=tenant_id, user=user_id)
        self.metrics.received(found.taken, found.known, len(found.faults))
        return found

    def warm(self) -> None:
        """Open what the first reads would wait for. The home is made where there is none."""
        if not self.settings.remote:
            Path(self.settings.path()).mkdir(parents=True, exist_ok=True)
        self.reader.evidence("who is this?", user_id="nobody")

    def close(self) -> None:
        """Let go of the stores."""
        self.reader.close()
        self.curator.close()


async def service(request: Request) -> Service:
    """The service, for routes."""
    found: Service = request.app.state.service
    return found


Memories = Annotated[Service, Depends(service)]
