"""A local server that speaks OpenAI's chat completions, embeddings, files and batches, and fails on request.

It is a real HTTP server, so that clients are tested with their own networking. It counts what it is asked: benchmarks
use it for the calls and prompt tokens of a system without a model in the way.
"""

from __future__ import annotations

import base64
import json
import re
import socket
import struct
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline_tests.protocol_batches import Batches
from memory_pipeline_tests.protocol_steps import DEFAULTS, Answer, Call, Step, call_of, fails, hashed_vectors, minimal

_DRIP_S = 0.1


class ProtocolServer:
    """The server; a context manager. Listens on a free port of 127.0.0.1.

    Attributes:
        calls: every live request, in order of arrival.
        batches: the Batch API, with the calls that batches carried out.
        cached_tokens: prompt tokens that each answer claims as cached.
        reports_usage: whether answers state what they took.
        most_at_once: the most requests that were under way at the same time.
        closing: set when the server ends.
        embed: texts and a length → vectors; by default hashed words, so that texts with the same words are near.
    """

    def __init__(self, embed: Callable[[Sequence[str], int], Sequence[Sequence[float]]] | None = None) -> None:
        self.calls: list[Call] = []
        self.cached_tokens = 0
        self.reports_usage = True
        self.most_at_once = 0
        self.embed = embed or hashed_vectors
        self.batches = Batches(self._respond)
        self._answers: dict[str, Answer] = dict(DEFAULTS)
        self._steps: deque[Step] = deque()
        self._rejected: set[str] = set()
        self._delay_s = 0.0
        self._under_way = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> ProtocolServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def answer(self, task: str, answer: Answer) -> None:
        """From now on answer a task with this: a text, a JSON value, a step, or what a function makes of the call."""
        self._answers[task] = answer

    def script(self, *steps: Step | str | Mapping[str, Any]) -> None:
        """What happens to the next requests, one after another; a text or JSON value is what the model says."""
        for step in steps:
            text = step if isinstance(step, str) else json.dumps(step) if isinstance(step, Mapping) else None
            self._steps.append(step if isinstance(step, Step) else Step(text=text))

    def reject(self, *parameters: str) -> None:
        """From now on refuse requests with these: ``json_schema``, ``json_object``, or the name of a parameter."""
        self._rejected.update(parameters)

    def delay(self, seconds: float) -> None:
        """From now on take this long for each answer."""
        self._delay_s = seconds

    @property
    def counts(self) -> Counter[str]:
        """Requests by task."""
        return Counter(call.task for call in self.calls)

    @property
    def prompt_tokens(self) -> Counter[str]:
        """Prompt tokens by task, estimated."""
        tokens: Counter[str] = Counter()
        for call in self.calls:
            tokens[call.task] += call.prompt_tokens
        return tokens

    def serve(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Step:
        """The response to one request, as a step with a body."""
        call = call_of(path, headers, body)
        with self._lock:
            self.calls.append(call)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            step = self._steps.popleft() if self._steps else None
        try:
            self.closing.wait(self._delay_s if step is None else step.hang_s)
            return self._respond(call, step)
        finally:
            with self._lock:
                self._under_way -= 1

    def _respond(self, call: Call, step: Step | None) -> Step:
        if step is not None and (step.reset or step.hang_s or step.body is not None or step.status >= 300):
            return step
        refused = self._refused(call)
        if refused:
            return fails(400, f"Unsupported parameter: '{refused}' is not supported with this model.")
        if call.path.endswith("/embeddings"):
            return _json(self._embeddings(call))
        if call.path.endswith("/chat/completions"):
            step = step or self._answered(call)
            if step.status >= 300:
                return step
            completion = self._completion(call, step)
            return _streamed(completion) if call.body.get("stream") else _json(completion)
        return fails(404, f"no such path: {call.path}")

    def _refused(self, call: Call) -> str | None:
        mode = (call.body.get("response_format") or {}).get("type")
        if mode in self._rejected:
            return f"response_format {mode}"
        return next((name for name in sorted(self._rejected) if name in call.body), None)

    def _answered(self, call: Call) -> Step:
        answer = self._answers.get(call.task)
        if answer is None:
            answer = minimal(call.schema) if call.schema else "Hello."
        made = answer(call) if callable(answer) else answer
        if isinstance(made, Step):
            return made
        return Step(text=made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))

    def _completion(self, call: Call, step: Step) -> dict[str, Any]:
        content = step.text if step.content is None else step.content
        message = {"role": "assistant", "content": content, "refusal": step.refusal, **step.message}
        completion: dict[str, Any] = {
            "id": f"chatcmpl-{len(self.calls)}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": call.body.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": step.finish_reason, "logprobs": None}],
        }
        if step.usage is not None:
            completion["usage"] = step.usage
        elif self.reports_usage:
            written = estimate_tokens(step.text or "")
            completion["usage"] = {
                "prompt_tokens": call.prompt_tokens,
                "completion_tokens": written,
                "total_tokens": call.prompt_tokens + written,
                "prompt_tokens_details": {"cached_tokens": min(self.cached_tokens, call.prompt_tokens)},
            }
        return completion

    def _embeddings(self, call: Call) -> dict[str, Any]:
        texts = [call.body["input"]] if isinstance(call.body["input"], str) else call.body["input"]
        vectors = self.embed(texts, call.body.get("dimensions") or 1536)
        rows = [
            {"object": "embedding", "index": i, "embedding": _encoded(vector, call.body.get("encoding_format"))}
            for i, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": call.prompt_tokens, "total_tokens": call.prompt_tokens}
        return {"object": "list", "data": rows[::-1], "model": call.body.get("model", ""), "usage": usage}


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, protocol: ProtocolServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.protocol = protocol
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for connection in list(self._open):  # kept alive by clients: their threads end with them
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                self._open.discard(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up in the middle of things; that is no error of the server's."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # it holds a body back for 40 ms after its headers
    server: _Http

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {k.lower(): v for k, v in self.headers.items()}
        if self.path.startswith(("/v1/files", "/v1/batches")):
            step = self.server.protocol.batches.serve(self.command, self.path, headers, body)
        else:
            step = self.server.protocol.serve(self.path, headers, json.loads(body or b"{}"))
        self._send(step)

    def _send(self, step: Step) -> None:
        if step.reset:
            linger = struct.pack("ii", 1, 0)  # closing then sends a reset
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
            return
        if step.drip_s:
            self._drip(step.drip_s)
            return
        content = step.body if step.body is not None else json.dumps({"error": step.error}).encode()
        headers = {"Content-Type": "application/json", **step.headers, "Content-Length": str(len(content))}
        self.send_response(step.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _drip(self, seconds: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        for _ in range(int(seconds / _DRIP_S)):
            self.wfile.write(b" ")
            if self.server.protocol.closing.wait(_DRIP_S):
                return

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def _json(value: Mapping[str, Any]) -> Step:
    return Step(body=json.dumps(value).encode())


def _streamed(completion: Mapping[str, Any]) -> Step:
    """A completion in chunks of a word, as server-sent events."""
    choice, shared = completion["choices"][0], {key: completion[key] for key in ("id", "created", "model")}
    parts = [{"content": part} for part in re.findall(r"\S+\s*", choice["message"]["content"] or "")]
    ends = [None] * len(parts) + [choice["finish_reason"]]
    chunks = [
        {**shared, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip([*parts, {}], ends, strict=True)
    ]
    events = [*(json.dumps(chunk) for chunk in chunks), "[DONE]"]
    body = "".join(f"data: {event}\n\n" for event in events).encode()
    return Step(headers={"Content-Type": "text/event-stream"}, body=body)


def _encoded(vector: Sequence[float], encoding: str | None) -> list[float] | str:
    if encoding == "base64":
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    return list(vector)
