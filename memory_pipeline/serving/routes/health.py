"""Whether the server lives, whether it can answer, and what it counts."""

from __future__ import annotations

import os

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.serving.answers import Health, Json
from memory_pipeline.serving.metrics import CONTENT_TYPE_LATEST
from memory_pipeline.serving.service import Memories

router = APIRouter(tags=["health"])


@router.get("/healthz", response_model=Health)
async def healthz() -> Json:
    """The process answers."""
    return Json({"ok": True})


@router.get("/readyz", response_model=Health, responses={503: {"model": Health}})
def readyz(memories: Memories) -> Json:
    """The home can be written, and the worker that makes memories of turns lives."""
    home = memories.settings.path()
    checks = {
        "home": memories.settings.remote or os.access(home, os.W_OK),
        "worker": memories.worker is None or memories.worker.alive,
    }
    ok = all(checks.values())
    return Json({"ok": ok, "checks": checks}, 200 if ok else 503)


@router.get("/metrics", response_class=Response)
def metrics(memories: Memories) -> Response:
    """Figures for Prometheus."""
    return Response(memories.metrics.text(memories.working.count_waiting()), media_type=CONTENT_TYPE_LATEST)
