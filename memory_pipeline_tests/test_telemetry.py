"""Spans and counters: what is in them, what never is, and a real export to a collector's protocol."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline import MemoryReader, telemetry
from memory_pipeline.errors import ModelError
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.stages.echoing import echo

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
SAID = "I am allergic to walnuts."
# In a process of its own: a tracer is set up once for a process, and there it is ours.
EXTRACT = """
import sys
from datetime import UTC, datetime, timedelta
from memory_pipeline import telemetry
from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline.stages.summaries.summarize import summarize
at = datetime(2026, 3, 9, 12, tzinfo=UTC)
ctx = StageContext(Settings.load(), "run-1", at + timedelta(days=1))
with telemetry.span("stage"):
    extract(ctx, [at.date()])
    consolidate(ctx, [at.date()])
    index_days(ctx, [at.date()])
    summarize(ctx, [Period(Grain.DAY, at.date())])
telemetry.flush()
"""


class Collector:
    """A local OTLP/HTTP receiver; keeps what it was sent, decoded."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.metrics: list[Any] = []
        self.raw = b""
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.take(self.path, self.headers.get("Content-Encoding", ""), self._body())
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _body(self) -> bytes:
                return self.rfile.read(int(self.headers["Content-Length"]))

            def log_message(self, format: str, *args: Any) -> None:
                """Silence."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def take(self, path: str, encoding: str, body: bytes) -> None:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        assert encoding == ""
        self.raw += body
        if path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.spans += [span for scope in resource.scope_spans for span in scope.spans]
        else:
            for found in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.metrics += [metric for scope in found.scope_metrics for metric in scope.metrics]


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    thread = threading.Thread(target=found.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield found
    found.http.shutdown()
    found.http.server_close()
    thread.join()


def _attributes(span: Any) -> dict[str, Any]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in span.attributes}


def test_the_stages_are_exported_to_a_collector_without_a_word_of_what_was_said(
    tmp_path: Path, collector: Collector, protocol_server: ProtocolServer
) -> None:
    protocol_server.answer("extract", echo)
    settings = Settings.load(home=str(tmp_path))
    StageContext(settings, "test", AT).lake.append("messages", [message(SAID, AT)])
    environment = {
        **os.environ,
        "MEMORY_PIPELINE_HOME": str(tmp_path),
        "MEMORY_PIPELINE_CHAT": "openai",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.http.server_address[1]}",
    }
    subprocess.run([sys.executable, "-c", EXTRACT], env=environment, check=True, timeout=120)
    spans = {span.name: span for span in collector.spans}
    assert {"extract", "embed", "consolidate", "persist", "summary"} <= set(spans), "RX-27"
    assert {span.trace_id for span in collector.spans} == {spans["stage"].trace_id}
    told = _attributes(spans["extract"])
    assert told["memory_pipeline.run_id"] == "run-1" and told["memory_pipeline.windows"] == 1
    assert told["gen_ai.request.model"] == settings.chat_model and told["memory_pipeline.model_calls"] == 1
    (call,) = [call for call in protocol_server.calls if call.task == "extract"]
    assert told["gen_ai.usage.input_tokens"] == call.prompt_tokens > 0 < told["gen_ai.usage.output_tokens"]
    assert told["memory_pipeline.proposals"] == 1
    judged = _attributes(spans["consolidate"])
    assert sum(n for key, n in judged.items() if key.startswith("memory_pipeline.proposals.")) == 1
    assert _attributes(spans["summary"])["memory_pipeline.summaries"] == 1
    metrics = {metric.name: metric for metric in collector.metrics}
    points = metrics["memory_pipeline.model.calls"].sum.data_points
    assert sum(point.as_int for point in points) == len(protocol_server.calls)
    for word in ("walnut", "alice", "test-key"):
        assert word.encode() not in collector.raw


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Spans of this process, as an application that has set up a tracer of its own gets them."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", lambda name: provider.get_tracer(name))
    return exporter


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        ("hashed", {"tenant.pseudo.id", "enduser.pseudo.id"}),
        ("plain", {"tenant.id", "enduser.id"}),
        ("none", set()),
    ],
)
def test_a_read_names_its_user_as_the_settings_allow(tmp_path: Path, exported: Any, ids: str, names: set[str]) -> None:
    reader = MemoryReader.open(settings=Settings.load(home=str(tmp_path), telemetry_ids=ids))
    assert reader.search("walnuts?", user_id="alice-the-first", tenant_id="acme-ltd") == []
    (span,) = [span for span in exported.get_finished_spans() if span.name == "recall"]
    assert names == {name for name in span.attributes if name.startswith(("tenant", "enduser"))}
    assert span.attributes["memory_pipeline.items"] == 0 and span.attributes["memory_pipeline.k"] == 10
    assert ("alice-the-first" in str(span.attributes)) is (ids == "plain") and "walnuts" not in str(span.attributes)


def test_pseudonyms_tell_users_apart_and_follow_the_key() -> None:
    def name(user: str, tenant: str = "t", key: str | None = None) -> Any:
        return telemetry.identity(Settings.load(telemetry_key=key), tenant, user)["enduser.pseudo.id"]

    assert name("a") == name("a") and len({name("a"), name("b"), name("a", "u"), name("a", key="k")}) == 4


def test_an_error_is_told_by_its_class_alone(exported: Any) -> None:
    with pytest.raises(ModelError), telemetry.span("extract"):
        raise ModelError(SAID)
    (span,) = exported.get_finished_spans()
    assert span.attributes["error.type"] == "ModelError" and not span.status.is_ok and span.events == ()
    assert "walnuts" not in span.to_json()


def test_without_an_exporter_nothing_of_opentelemetry_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from memory_pipeline import telemetry, MemoryReader\n"
        "with telemetry.span('x', n=1) as s: s.set_attributes({'a': 1})\n"
        "telemetry.count('calls', 1, '{call}'); telemetry.flush()\n"
        "print(telemetry.state(), any(m.startswith('opentelemetry') for m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "off: no OTEL_EXPORTER_OTLP_ENDPOINT False"


def test_a_collector_that_is_not_there_stops_nothing(tmp_path: Path) -> None:
    StageContext(Settings.load(home=str(tmp_path)), "test", AT + timedelta(days=1)).lake.append(
        "messages", [message(SAID, AT)]
    )
    environment = {
        **os.environ,
        "MEMORY_PIPELINE_HOME": str(tmp_path),
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
    }
    done = subprocess.run([sys.executable, "-c", EXTRACT], env=environment, timeout=120)
    assert done.returncode == 0
    rows = StageContext(Settings.load(home=str(tmp_path)), "test", AT).lake.sql("SELECT content FROM memory_versions")
    assert rows["content"].to_pylist() == ["Is allergic to walnuts."]
