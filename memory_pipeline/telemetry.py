"""OpenTelemetry: spans and counters, where an exporter is configured (RX-27).

Nothing is exported, and nothing of OpenTelemetry is even imported, unless the standard ``OTEL_*`` variables name an
exporter or the application that reads memories has set up a tracer of its own. What is exported is counts, names of
models and runs, times and costs: never a text, and of tenants and users only what ``TELEMETRY_IDS`` allows.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter
    from opentelemetry.trace import Tracer

    from memory_pipeline.settings import Settings

Value = str | int | float | bool
_NAME = "memory_pipeline"
_SDK = "opentelemetry.sdk.trace"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_FLUSH_MS = 5000
_log = logging.getLogger(__name__)


class Span(Protocol):
    """Something that attributes can be set on."""

    def set_attributes(self, attributes: Mapping[str, Value]) -> None: ...


class _Silent:
    """The span of a process that exports nothing."""

    def set_attributes(self, attributes: Mapping[str, Value]) -> None:
        """Nobody asks for them."""


_SILENT = _Silent()


def is_traced() -> bool:
    """Whether anybody takes spans: cheap enough to ask before working out attributes."""
    return _SDK in sys.modules or _configured()


@contextmanager
def span(name: str, **attributes: Value) -> Iterator[Span]:
    """A span around some work, the child of the one it lies in.

    An error marks it with the error's class alone: messages and stack traces may quote what users said.
    """
    tracer = _tracer() if is_traced() else None
    if tracer is None:
        yield _SILENT
        return
    from opentelemetry.trace import StatusCode

    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as found:
        try:
            yield found
        except BaseException as error:
            found.set_attribute("error.type", type(error).__name__)
            found.set_status(StatusCode.ERROR)
            raise


def carrier() -> dict[str, str]:
    """The present span, to be carried to another process; empty where nobody takes spans."""
    found: dict[str, str] = {}
    if is_traced() and _tracer() is not None:
        from opentelemetry.propagate import inject

        inject(found)
    return found


@contextmanager
def within(carried: Mapping[str, str]) -> Iterator[None]:
    """Let spans lie in one of another process, as :func:`carrier` told it."""
    if not carried or not is_traced() or _tracer() is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.propagate import extract

    token = context.attach(extract(dict(carried)))
    try:
        yield
    finally:
        context.detach(token)


def count(name: str, amount: float, unit: str, **attributes: Value) -> None:
    """Add to a counter."""
    if amount and is_traced() and (_tracer() is not None):
        _counter(name, unit).add(amount, attributes)


def identity(settings: Settings, tenant_id: str, user_id: str) -> dict[str, Value]:
    """Attributes that tell users apart, as ``TELEMETRY_IDS`` allows: pseudonyms by default, ids, or nothing.

    A pseudonym is a keyed hash. Without ``TELEMETRY_KEY`` whoever knows an id can find its spans.
    """
    if settings.telemetry_ids == "none":
        return {}
    if settings.telemetry_ids == "plain":
        return {"tenant.id": tenant_id, "enduser.id": user_id}
    key = settings.telemetry_key.get_secret_value() if settings.telemetry_key else ""
    return {"tenant.pseudo.id": _pseudonym(key, tenant_id), "enduser.pseudo.id": _pseudonym(key, tenant_id, user_id)}


def _pseudonym(key: str, *parts: str) -> str:
    hashed = hashlib.blake2b(key=hashlib.sha256(key.encode()).digest(), digest_size=12)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        hashed.update(len(raw).to_bytes(8, "big") + raw)
    return hashed.hexdigest()


def flush() -> None:
    """Send what is still held back: a run's process may end without its exit handlers."""
    if not _configured() or not _set_up():
        return
    from opentelemetry import metrics, trace

    for provider in (trace.get_tracer_provider(), metrics.get_meter_provider()):
        send = getattr(provider, "force_flush", None)
        if send is not None:
            send(_FLUSH_MS)


def state() -> str:
    """What becomes of spans, in a few words."""
    if not is_traced():
        return "off: no OTEL_EXPORTER_OTLP_ENDPOINT"
    if _tracer() is None:
        return "off: OpenTelemetry's SDK is not installed (pip install 'memory-pipeline[otel]')"
    return "spans go where OTEL_* says" if _configured() else "spans go to the tracer of this process"


@cache
def _configured() -> bool:
    environment = os.environ
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = environment.get("OTEL_TRACES_EXPORTER", "")
    return exporter != "none" and (bool(exporter) or any(environment.get(name) for name in _ENDPOINTS))


def _tracer() -> Tracer | None:
    if _configured() and not _set_up():
        return None
    from opentelemetry import trace

    return trace.get_tracer(_NAME)


@cache
def _counter(name: str, unit: str) -> Counter:
    from opentelemetry import metrics

    return metrics.get_meter(_NAME).create_counter(f"{_NAME}.{name}", unit)


@cache
def _set_up() -> bool:
    """Have spans and counters exported by OTLP over HTTP, unless somebody has set up a tracer before; whether anything
    takes them."""
    from opentelemetry import metrics, trace

    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return True
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        _log.warning("OTEL_* names an exporter, but pip install 'memory-pipeline[otel]' has not been done: no spans")
        return False
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    resource = Resource.create({} if named else {"service.name": "memory-pipeline"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(tracers)
    if os.environ.get("OTEL_METRICS_EXPORTER") != "none":
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        metrics.set_meter_provider(MeterProvider([reader], resource=resource))
    return True
