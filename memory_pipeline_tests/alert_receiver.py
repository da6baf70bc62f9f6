"""A local HTTP server that takes alerts."""

from __future__ import annotations

import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class AlertReceiver:
    """The server; a context manager. Listens on a free port of 127.0.0.1.

    Attributes:
        bodies: what was posted and taken.
        tries: requests, those refused included.
        refusals: statuses of the next answers, before it takes anything.
    """

    def __init__(self, *refusals: int) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.tries = 0
        self.refusals = deque(refusals)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.tries += 1
                status = receiver.refusals.popleft() if receiver.refusals else 204
                if status < 300:
                    receiver.bodies.append(body)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Silence: what matters is in ``bodies``."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> AlertReceiver:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where to post; its path stands for the secret of a chat service's webhook."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/services/secret-path"
