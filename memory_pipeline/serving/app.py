"""The application: routes over one reader and one curator, behind access control and limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from memory_pipeline.serving import api_page, panel
from memory_pipeline.serving.access import AccessControl
from memory_pipeline.serving.keys import Keys
from memory_pipeline.serving.limits import BodyLimit, Rates
from memory_pipeline.serving.metrics import Metrics
from memory_pipeline.serving.problems import install
from memory_pipeline.serving.routes import erasures, health, memories, messages, reads
from memory_pipeline.serving.service import Service
from memory_pipeline.settings import Settings
from memory_pipeline.stages.messages.worker import Worker
from memory_pipeline.storage.logs.access_log import AccessLog

_ABOUT = """Long-term memory for LLM applications. Turns go in (`POST /v1/messages`); atomic, typed, dated, sourced
memories come out, and reads put them into prompts. Every request but those for health and this page shows a key:
`Authorization: Bearer mp_…`; a server without keys answers its own machine alone."""


def create_app(settings: Settings, *, work: bool = True) -> FastAPI:
    """The server's application.

    Args:
        work: have a process beside it take turns into the log and make memories of them.

    Raises:
        SettingsError: a setting is wrong, or the file of keys is none.
    """
    metrics = Metrics()
    worker = Worker(settings, metrics.worker_started) if work and not settings.remote else None
    service = Service(settings, metrics, worker)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.warm()
        if worker is not None:
            worker.start()
        try:
            async with app.state.mcp:
                yield
        finally:
            if worker is not None:
                worker.stop()
            service.close()

    app = FastAPI(
        title="memory_pipeline", version="1", description=_ABOUT, lifespan=lifespan, docs_url=None, redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
    )  # fmt: skip
    app.state.service = service
    install(app)
    # Only described here: what lets a request in is ``access.AccessControl``.
    described = Depends(HTTPBearer(auto_error=False, description="A key: `memory-pipeline keys create`."))
    for part in (messages, reads, memories, erasures):
        app.include_router(part.router, dependencies=[described])
    app.include_router(health.router)
    app.include_router(api_page.router)
    app.state.mcp = _mcp(app)
    limits = service.limits
    app.add_middleware(BodyLimit, most=limits.body_bytes)
    keys, log = Keys(settings), AccessLog(settings)
    sessions = panel.install(app, keys, limits)
    app.add_middleware(
        AccessControl, keys=keys, rates=Rates(limits), log=log, metrics=metrics, sessions=sessions,
        refusal=panel.refusal,
    )  # fmt: skip
    return app


def _mcp(app: FastAPI) -> AbstractAsyncContextManager[None]:
    """``/mcp``, where the extra of that name is installed; open while the server runs."""
    try:
        from memory_pipeline.serving.mcp.mount import mount
    except ModuleNotFoundError:  # there is no such package, or only its first major version
        return nullcontext()
    return mount(app)
