"""Running the server: where it listens, and how it stops."""

from __future__ import annotations

from memory_pipeline.errors import SettingsError
from memory_pipeline.serving.access import is_loopback
from memory_pipeline.serving.app import create_app
from memory_pipeline.serving.keys import Keys
from memory_pipeline.settings import Settings


def refusal(settings: Settings, host: str) -> str | None:
    """Why the server may not listen at an address; None where it may."""
    if is_loopback(host) or Keys(settings):
        return None
    return (
        f"there are no keys, so everybody who reaches {host} could read and change everything: make one with "
        "`memory-pipeline keys create --tenant TENANT`, or serve this machine alone with --host 127.0.0.1"
    )


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve until told to stop (SIGINT or SIGTERM); requests under way are answered.

    Raises:
        SettingsError: there are no keys and the address is not the machine's own.
    """
    import uvicorn

    wrong = refusal(settings, host)
    if wrong is not None:
        raise SettingsError(wrong, setting="MEMORY_PIPELINE_KEYS_FILE")
    stop_s = settings.policies.serving.stop_seconds
    uvicorn.run(
        create_app(settings),
        host=host,
        port=port,
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=stop_s,
    )
