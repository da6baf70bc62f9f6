"""What the server counts, for Prometheus. No label names a user, a tenant or a key."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

__all__ = ["CONTENT_TYPE_LATEST", "Metrics"]
_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)
_PREFIX = "memory_pipeline"


class Metrics:
    """Figures of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route")
        self._requests = Counter(
            f"{_PREFIX}_requests", "Answered requests.", (*labels, "status"), registry=self._registry
        )
        self._seconds = Histogram(
            f"{_PREFIX}_request_seconds", "Until a request was answered.", labels, buckets=_SECONDS,
            registry=self._registry,
        )  # fmt: skip
        self._messages = Counter(
            f"{_PREFIX}_messages", "Rows handed in, by what became of them.", ("outcome",), registry=self._registry
        )
        self._waiting = Gauge(
            f"{_PREFIX}_sessions_waiting", "Sessions with turns that the log has not got.", registry=self._registry
        )
        self._starts = Counter(f"{_PREFIX}_worker_starts", "Starts of the worker.", registry=self._registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def received(self, taken: int, known: int, quarantined: int) -> None:
        """Count rows that were handed in."""
        for outcome, count in (("taken", taken), ("known", known), ("quarantined", quarantined)):
            self._messages.labels(outcome).inc(count)

    def worker_started(self) -> None:
        """Count a start of the worker."""
        self._starts.inc()

    def text(self, waiting: int) -> bytes:
        """All figures in Prometheus' format.

        Args:
            waiting: sessions with turns that the log has not got.
        """
        self._waiting.set(waiting)
        return generate_latest(self._registry)
