"""The protocol server's files and batches, as OpenAI documents them: uploads, validation, states, result files.

A batch moves on by one state with every look at it, so that tests wait for nothing. Its lines are answered by the
server that answers live calls.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qs, urlsplit

from memory_pipeline_tests.protocol_steps import RESET, Call, Course, Step, call_of, fails

ENDPOINT = "/v1/chat/completions"
_MOST_METADATA = 16
_ITEM = re.compile(r"^/v1/(files|batches)(?:/([\w-]+))?(?:/(content|cancel))?$")


@dataclass
class _Batch:
    """A batch and what is still to become of it."""

    shown: dict[str, Any]
    course: Course
    states: deque[str]
    lines: list[dict[str, Any]] = field(default_factory=list)
    looks: int = 0


class Batches:
    """The part of the server behind ``/files`` and ``/batches``.

    Args:
        answer: what the server says to one line's call; the step is the fault that was chosen for it.

    Attributes:
        requests: every request here, such as ``POST /v1/batches``, in order of arrival.
        lines: the calls that batches have carried out.
        files: uploaded and made files that nobody has deleted, by id.
        most_lines: limit of an input file.
        status: with which all is refused; None = as it should be.
    """

    def __init__(self, answer: Callable[[Call, Step | None], Step]) -> None:
        self.requests: list[str] = []
        self.lines: list[Call] = []
        self.files: dict[str, bytes] = {}
        self.most_lines = 50_000
        self.status: int | None = None
        self._answer = answer
        self._shown_files: dict[str, dict[str, Any]] = {}
        self._batches: dict[str, _Batch] = {}
        self._courses: deque[Course] = deque()
        self._faults: dict[str, deque[tuple[Step, bool]]] = {}
        self._lock = threading.RLock()

    def script(self, *courses: Course) -> None:
        """What becomes of the next batches, one after another."""
        self._courses.extend(courses)

    def disturb(self, request: str, step: Step, *, late: bool = False) -> None:
        """What happens to the next request such as ``POST /v1/batches``; late = after it had its effect."""
        self._faults.setdefault(request, deque()).append((step, late))

    def proceed(self, batch_id: str, *states: str) -> None:
        """What becomes of a batch that is under way."""
        self._batches[batch_id].states.extend(states)

    def count(self, request: str) -> int:
        """How many requests there were whose method and path begin like this."""
        return sum(each.startswith(request) for each in self.requests)

    @property
    def shown(self) -> list[dict[str, Any]]:
        """All batches as the API shows them, oldest first."""
        return [batch.shown for batch in self._batches.values()]

    def inputs(self, batch_id: str) -> list[dict[str, Any]]:
        """The lines of a batch's input file."""
        return [json.loads(line) for line in self.files[self._batches[batch_id].shown["input_file_id"]].splitlines()]

    def serve(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Step:
        """The response to one request."""
        parts = urlsplit(url)
        with self._lock:
            request = f"{method} {parts.path}"
            self.requests.append(request)
            if self.status is not None:
                return fails(self.status, f"no such path: {parts.path}")
            fault, late = self._fault(request)
            if fault is not None and not late:
                return fault
            response = self._respond(method, parts.path, parse_qs(parts.query), headers, body)
            return fault or response

    def _fault(self, request: str) -> tuple[Step | None, bool]:
        waiting = self._faults.get(request)
        return waiting.popleft() if waiting else (None, False)

    def _respond(
        self, method: str, path: str, query: Mapping[str, list[str]], headers: Mapping[str, str], body: bytes
    ) -> Step:
        found = _ITEM.match(path)
        kind, item, verb = found.groups() if found else ("", None, None)
        match method, kind, item, verb:
            case "POST", "files", None, None:
                return self._upload(headers, body)
            case "GET", "files", str(), "content" if item in self.files:
                return Step(headers={"Content-Type": "application/octet-stream"}, body=self.files[item])
            case "GET", "files", None, None:
                return self._page([f for f in self._shown_files.values() if f["id"] in self.files][::-1], query)
            case "DELETE", "files", str(), None if item in self.files:
                del self.files[item]
                return _json({"id": item, "object": "file", "deleted": True})
            case "POST", "batches", None, None:
                return self._create(json.loads(body))
            case "GET", "batches", None, None:
                return self._list(query)
            case "GET", "batches", str(), None if item in self._batches:
                self._advance(self._batches[item])
                return _json(self._batches[item].shown)
            case "POST", "batches", str(), "cancel" if item in self._batches:
                batch = self._batches[item]
                if batch.shown["status"] not in ("validating", "in_progress"):
                    return fails(409, f"Cannot cancel a batch with status '{batch.shown['status']}'.")
                self._enter(batch, "cancelling")
                batch.states = deque(["cancelled"])
                return _json(batch.shown)
        return fails(404, f"No such object: {path}")

    def _upload(self, headers: Mapping[str, str], body: bytes) -> Step:
        kind = f"Content-Type: {headers['content-type']}\r\n\r\n".encode()
        form = {part.get_param("name", header="content-disposition"): part for part in _parts(kind + body)}
        if "purpose" not in form or "file" not in form:
            return fails(400, "Missing required parameter: 'purpose' or 'file'.")
        if form["purpose"].get_payload(decode=True) != b"batch":
            return fails(400, "Only the purpose 'batch' is served here.")
        content = form["file"].get_payload(decode=True)
        name = form["file"].get_filename() or ""
        if not name.endswith(".jsonl"):
            return fails(400, f"Invalid file format: {name}. Only .jsonl is supported for batches.")
        return _json(self._store(content, name, "batch"))

    def _store(self, content: bytes, name: str, purpose: str) -> dict[str, Any]:
        file_id = f"file-{len(self._shown_files) + 1:04}"
        self.files[file_id] = content
        self._shown_files[file_id] = {
            "id": file_id,
            "object": "file",
            "bytes": len(content),
            "created_at": int(time.time()),
            "filename": name,
            "purpose": purpose,
            "status": "processed",
        }
        return self._shown_files[file_id]

    def _create(self, asked: Mapping[str, Any]) -> Step:
        metadata = asked.get("metadata") or {}
        if asked.get("input_file_id") not in self.files:
            return fails(400, f"Invalid file id: {asked.get('input_file_id')}")
        if asked.get("completion_window") != "24h" or asked.get("endpoint") != ENDPOINT:
            return fails(400, "Invalid value for 'completion_window' or 'endpoint'.")
        if len(metadata) > _MOST_METADATA or any(len(k) > 64 or len(v) > 512 for k, v in metadata.items()):
            return fails(400, "Invalid 'metadata'.")
        course = self._courses.popleft() if self._courses else Course()
        moments = ("in_progress_at", "finalizing_at", "completed_at", "failed_at", "expired_at", "cancelled_at")
        shown = {
            "id": f"batch_{len(self._batches) + 1}",
            "object": "batch",
            "endpoint": ENDPOINT,
            "errors": None,
            "input_file_id": asked["input_file_id"],
            "completion_window": "24h",
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "created_at": int(time.time()),
            "expires_at": int(time.time()) + 86_400,
            **dict.fromkeys((*moments, "cancelling_at")),
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            "metadata": metadata or None,
        }
        self._batches[shown["id"]] = _Batch(shown, course, deque(course.states))
        return _json(shown)

    def _list(self, query: Mapping[str, list[str]]) -> Step:
        return self._page(self.shown[::-1], query)

    @staticmethod
    def _page(newest: list[dict[str, Any]], query: Mapping[str, list[str]]) -> Step:
        after, limit = query.get("after", [""])[0], int(query.get("limit", ["20"])[0])
        if after:
            newest = newest[[b["id"] for b in newest].index(after) + 1 :]
        page = newest[:limit]
        ends = {"first_id": page[0]["id"] if page else None, "last_id": page[-1]["id"] if page else None}
        return _json({"object": "list", "data": page, "has_more": len(newest) > limit, **ends})

    def _advance(self, batch: _Batch) -> None:
        """One state on; a course that has run out leaves the batch where it is."""
        batch.looks += 1
        if not batch.states:
            return
        if batch.shown["status"] == "validating":
            errors = list(batch.course.errors) or list(self._invalid(batch))
            if errors:
                batch.shown["errors"] = {"object": "list", "data": errors}
                batch.states = deque(["failed"])
        state = batch.states.popleft()
        if state == "in_progress":
            whole = len(batch.lines)
            carried_out = whole if batch.course.carried_out is None else batch.course.carried_out
            done = carried_out - carried_out // (batch.looks + 1)
            batch.shown["request_counts"] = {"total": whole, "completed": done, "failed": 0}
        if state in ("completed", "expired", "cancelled"):
            self._carry_out(batch, state)
        self._enter(batch, state)

    @staticmethod
    def _enter(batch: _Batch, state: str) -> None:
        batch.shown |= {"status": state, f"{state}_at": int(time.time())}

    def _invalid(self, batch: _Batch) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        models: set[str] = set()
        for number, raw in enumerate(self.files[batch.shown["input_file_id"]].splitlines(), 1):
            try:
                line = json.loads(raw)
                name, body, sound = line["custom_id"], line["body"], (line["method"], line["url"]) == ("POST", ENDPOINT)
            except (ValueError, KeyError, TypeError):
                yield _error("invalid_json_line", "This line is not parseable as valid JSON.", number)
                continue
            models.add(body.get("model", ""))
            if name in seen:
                yield _error("duplicate_custom_id", f"The custom_id '{name}' is not unique.", number)
            if not sound:
                yield _error("invalid_url", "The URL provided for this request does not match the batch's.", number)
            seen.add(name)
            batch.lines.append(line)
        if len(models) > 1:
            yield _error("mismatched_model", "All requests of a batch must be for the same model.", 1)
        if not batch.lines:
            yield _error("empty_file", "The input file is empty.", None)
        if len(batch.lines) > self.most_lines:
            yield _error("too_many_requests", f"The file has more than {self.most_lines} requests.", None)

    def _carry_out(self, batch: _Batch, state: str) -> None:
        """Answer the lines whose turn came, and write the result files, in another order than asked."""
        done: list[dict[str, Any]] = []
        wrong: list[dict[str, Any]] = []
        last = len(batch.lines) if batch.course.carried_out is None else batch.course.carried_out
        for number, line in enumerate(batch.lines):
            found: dict[str, Any] = {"id": f"batch_req_{number}", "custom_id": line["custom_id"], "response": None}
            if number >= last:
                if state == "expired":
                    text = "This request could not be executed before the completion window expired."
                    wrong.append({**found, "error": {"code": "batch_expired", "message": text}})
                continue
            call = call_of(ENDPOINT, {}, line["body"])
            self.lines.append(call)
            step = self._answer(call, batch.course.faults.get(number))
            if step is RESET:
                wrong.append({**found, "error": {"code": "server_error", "message": "The server had an error."}})
                continue
            body = json.loads(step.body) if step.body is not None else {"error": step.error}
            response = {"status_code": step.status, "request_id": f"req_{number}", "body": body}
            (done if step.status == 200 else wrong).append({**found, "response": response, "error": None})
        for name, rows in (("output", done), ("error", wrong)):
            if rows:
                content = b"".join(json.dumps(row).encode() + b"\n" for row in reversed(rows))
                batch.shown[f"{name}_file_id"] = self._store(content, f"{name}.jsonl", "batch_output")["id"]
        counts = {"total": len(batch.lines), "completed": len(done), "failed": len(wrong)}
        batch.shown["request_counts"] = counts


def _parts(message: bytes) -> Iterator[Any]:
    yield from BytesParser(policy=HTTP).parsebytes(message).iter_parts()


def _error(code: str, message: str, line: int | None) -> dict[str, Any]:
    return {"code": code, "message": message, "line": line, "param": None}


def _json(value: Mapping[str, Any]) -> Step:
    return Step(body=json.dumps(value).encode())
