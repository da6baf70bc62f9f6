"""What the protocol server is asked, and what it can be made to answer: properly, or wrong in a chosen way."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_pipeline.domain.text import estimate_tokens, words

_TASK = re.compile(r'fits the JSON schema "(\w+)": (\{.*\})', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """One request as the server got it.

    Attributes:
        task: name of the JSON schema that was asked for ("embeddings" for those, "other" where there is none).
        schema: that JSON schema, None where there is none.
        headers: by lower-case name.
        prompt: the text of all messages, or of all inputs.
    """

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    task: str
    schema: Mapping[str, Any] | None
    prompt: str

    @property
    def prompt_tokens(self) -> int:
        return estimate_tokens(self.prompt)


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one request in place of a proper answer.

    Attributes:
        status, headers: of the HTTP response.
        error: the error that goes with a status of 400 and above.
        text: the assistant's text, in an otherwise proper completion.
        finish_reason, refusal: likewise.
        body: the whole body, byte for byte.
        hang_s: seconds without an answer (ends early when the server closes).
        drip_s: seconds of an answer of which a byte comes now and then, as gateways do to keep a connection alive.
        reset: cut the connection.
        content: of the message, in place of ``text``: a list of parts, as some servers send it.
        message: further members of the message, as ``reasoning_content``.
        usage: in place of the counted one.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Any = None
    text: str | None = None
    finish_reason: str = "stop"
    refusal: str | None = None
    body: bytes | None = None
    hang_s: float = 0.0
    drip_s: float = 0.0
    reset: bool = False
    content: Any = None
    message: Mapping[str, Any] = field(default_factory=dict)
    usage: Any = None


@dataclass(frozen=True, slots=True)
class Course:
    """What becomes of one batch after its input file was found sound.

    Attributes:
        states: one a look; it stays in the last.
        faults: what happens to single lines in place of a proper answer, by their number from 0.
        carried_out: lines that have their turn before it expires or is cancelled; None = all.
        errors: why its input file is refused, as the API says it.
    """

    states: Sequence[str] = ("in_progress", "finalizing", "completed")
    faults: Mapping[int, Step] = field(default_factory=dict)
    carried_out: int | None = None
    errors: Sequence[Mapping[str, Any]] = ()


Answer = str | Mapping[str, Any] | Step | Callable[[Call], str | Mapping[str, Any] | Step]

RESET = Step(reset=True)
TRUNCATED_BODY = Step(body=b'{"id": "x", "object": "chat.completion", "choices": [{"index": 0, "mess')
HTML = Step(headers={"Content-Type": "text/html"}, body=b"<html><body>Welcome to nginx!</body></html>")
NO_CHOICES = Step(body=b'{"error": {"message": "upstream failed", "code": 502}}')


def says(text: str, finish_reason: str = "stop") -> Step:
    """A completion with this text: invalid JSON, JSON of another schema, JSON in a fence, …"""
    return Step(text=text, finish_reason=finish_reason)


def refuses(reason: str) -> Step:
    return Step(text="", refusal=reason)


def hangs(seconds: float) -> Step:
    return Step(hang_s=seconds)


def drips(seconds: float) -> Step:
    return Step(drip_s=seconds, body=b"")


def fails(status: int, message: str = "it failed", **headers: str) -> Step:
    """An error; headers by name, with _ for - (``Retry_After="1"``)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status=status, headers=named, error={"message": message, "type": "error", "param": None, "code": None})


def spoilt(**faults: Step) -> Course:
    """A batch in which single lines go wrong: ``spoilt(line_2=says("nonsense"))``."""
    return Course(faults={int(name.removeprefix("line_")): step for name, step in faults.items()})


def ends(state: str, carried_out: int) -> Course:
    """A batch that is ``expired`` or ``cancelled`` after so many lines."""
    return Course(("in_progress", state), carried_out=carried_out)


def invalid(code: str, message: str) -> Course:
    """A batch that fails in validation."""
    return Course(errors=({"code": code, "message": message, "line": None, "param": None},))


UNENDING = Course(("in_progress",))


def call_of(path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Call:
    if "input" in body:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        return Call(path, body, headers, "embeddings", None, "\n".join(map(str, texts)))
    prompt = "\n".join(_text_of(message.get("content")) for message in body.get("messages", []))
    named = (body.get("response_format") or {}).get("json_schema")
    if named:
        return Call(path, body, headers, named["name"], named["schema"], prompt)
    told = _TASK.search(prompt)
    if told:
        schema, _ = json.JSONDecoder().raw_decode(told[2])
        return Call(path, body, headers, told[1], schema, prompt)
    return Call(path, body, headers, "other", None, prompt)


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def minimal(schema: Mapping[str, Any]) -> Any:
    """The smallest value that fits a JSON schema: empty lists and texts, null where it may be."""
    if "anyOf" in schema:
        options = schema["anyOf"]
        return None if {"type": "null"} in options else minimal(options[0])
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: minimal(inner) for name, inner in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "number": 0.5, "integer": 0, "boolean": False}.get(str(kind))


def hashed_vectors(texts: Sequence[str], dimensions: int) -> list[list[float]]:
    """Deterministic vectors, not of length 1: each word adds ±1 at a place that its hash names."""
    vectors = []
    for text in texts:
        vector = [0.0] * dimensions
        for word in words(text) or [text]:
            hashed = hashlib.sha256(word.encode()).digest()
            vector[int.from_bytes(hashed[:4]) % dimensions] += 1.0 if hashed[4] % 2 else -1.0
        if not any(vector):
            vector[0] = 1.0
        vectors.append(vector)
    return vectors


def _nothing_found(call: Call) -> dict[str, Any]:
    ids = re.findall(r'<window id="(\w+)">', call.prompt)
    return {"windows": [{"window": window, "proposals": []} for window in ids]}


def _all_new(call: Call) -> dict[str, Any]:
    ids = re.findall(r"^(c\d+) \| .* \| neighbours: ", call.prompt, re.MULTILINE)
    return {
        "judgements": [{"candidate": c, "action": "add", "target": None, "reason": "new", "closes": []} for c in ids]
    }


def _first_lines(call: Call) -> dict[str, Any]:
    found = re.findall(r'^([mk]\d+) \| .* \| "(.*)"$', call.prompt, re.MULTILINE)[:2]
    ids = [i for i, _ in found]
    return {
        "text": " ".join(text for _, text in found),
        "messages": [i for i in ids if i.startswith("m")],
        "memories": [i for i in ids if i.startswith("k")],
    }


def _first_line_of_each(call: Call) -> dict[str, Any]:
    """Each period is told by the first message and the first memory listed for it."""
    texts = dict(re.findall(r'^([mk]\d+) \|.*\| "(.*)"$', call.prompt, re.MULTILINE))
    texts |= dict(re.findall(r'^(k\d+) \| "(.*)"$', call.prompt, re.MULTILINE))
    periods = []
    for period, messages, memories in re.findall(
        r"^(p\d+) \| [^|]* \| ([^|]*) \| ([^|]*) \| \d+$", call.prompt, re.MULTILINE
    ):
        named = re.findall(r"^m\d+", messages) + re.findall(r"^k\d+", memories)
        periods.append(
            {
                "period": period,
                "text": " ".join(texts[i] for i in named),
                "messages": [i for i in named if i.startswith("m")],
                "memories": [i for i in named if i.startswith("k")],
            }
        )
    return {"periods": periods}


DEFAULTS: dict[str, Answer] = {
    "extract": _nothing_found,
    "consolidate": _all_new,
    "rolling_summary": _first_lines,
    "calendar": _first_line_of_each,
}
