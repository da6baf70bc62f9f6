"""Answers of the protocol server that a model might have given: a function of the prompt, so that runs compare.

Prompts are read leniently (an id, a bar, …, a JSON string), so that a change of their layout does not stop a count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from memory_pipeline.inference.builtin.extraction.extract import extract
from memory_pipeline.inference.replies import dump
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, minimal

_WINDOW = re.compile(r'<window id="(\w+)">(.*?)</window>', re.S)
_CONTEXT = re.compile(r"<context>.*?</context>", re.S)
_SUMMARY = re.compile(r"<summary>.*?</summary>", re.S)
_LINE = re.compile(r'^(?P<id>[mck]\d+) \|(?P<middle>.*?)\| (?P<text>"(?:[^"\\]|\\.)*")$')
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"(?<![\d:+-])((?:[01]?\d|2[0-3]):[0-5]\d)\b")
_OTHERS = re.compile(r"\b(?:assistant|system|tool)\b")
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')
_LABEL = re.compile(r'<(?P<tag>\w+) (?:id|label)="(?P<label>[^"]+)"')
_MEMORY = re.compile(r'^(k\d+) \|(?:[^"]*\|)? ("(?:[^"\\]|\\.)*")$', re.M)
_PERIOD = re.compile(r"^(p\d+) \| [^|]+ \| ([^|]+) \| [^|]+$", re.M)
_PROPOSED = re.compile(r"^(c\d+) \| .* \| neighbours: ", re.MULTILINE)


def teach(server: ProtocolServer) -> None:
    """Make a server answer every task plausibly."""
    server.answer("extract", extracted)
    server.answer("consolidate", judged)
    server.answer("reflect", reflected)
    server.answer("pattern", stated)


def lines(text: str) -> Iterator[dict[str, Any]]:
    """Message lines of a prompt as the builtin extractor takes them; the day is that of the line or of its heading."""
    day = "2000-01-01"
    for row in text.split("\n"):
        found = _LINE.match(row.strip())
        dated = _DATE.search(found["middle"] if found else row)
        day = dated[0] if dated else day
        if not found:
            continue
        clock = _CLOCK.search(found["middle"])
        name = _NAME.search(found["middle"])
        other = _OTHERS.search(_NAME.sub("", found["middle"]))
        yield {
            "id": found["id"],
            "role": other[0] if other else "user",
            "speaker": json.loads(f'"{name[1]}"') if name else None,
            "content": json.loads(found["text"]),
            "created_at": f"{day}T{(clock[1] if clock else '12:00').zfill(5)}:00+00:00",
        }


def extracted(call: Call) -> dict[str, Any]:
    """What the builtin rules find in the messages of each window, quotes to the letter."""
    windows = []
    for label, inside in _WINDOW.findall(call.prompt):
        own = _SUMMARY.sub("", _CONTEXT.sub("", inside))
        inputs = {"timezone": "UTC", "windows": [{"window": label, "context": [], "messages": list(lines(own))}]}
        windows += json.loads(dump(extract(inputs)))["windows"]
    return {"windows": windows}


def judged(call: Call) -> dict[str, Any]:
    """Every candidate is new."""
    item = _item(call, "judgements")
    said = {"action": "add", "target": None, "reason": "a fact of its own"}
    return {"judgements": [{**item, **said, "candidate": c} for c in _PROPOSED.findall(call.prompt)]}


def reflected(call: Call) -> dict[str, Any]:
    """One insight a period, from the last memories that are listed for it, in the words of the last of them."""
    wanted = re.search(r"at least (\d+)", call.prompt)
    texts = dict(_MEMORY.findall(call.prompt))
    periods = []
    for period, runs in _PERIOD.findall(call.prompt):
        cited = _ids(runs)[-int(wanted[1]) :] if wanted else []
        said = json.loads(texts[cited[-1]]) if cited else ""
        insight = {"question": "What comes back?", "content": f"Comes back to this: {said}", "evidence": cited}
        told = [{**insight, "importance": 0.5, "confidence": 0.7}] if cited else []
        periods.append({"period": period, "insights": told})
    return {"periods": periods}


def _ids(runs: str) -> list[str]:
    """Ids of runs like "k1-k3, k7"."""
    found: list[str] = []
    for first, last in re.findall(r"k(\d+)(?:-k(\d+))?", runs):
        found += [f"k{n}" for n in range(int(first), int(last or first) + 1)]
    return found


def stated(call: Call) -> dict[str, Any]:
    """The first member's words."""
    first = next((line["content"] for line in lines(call.prompt)), "Several things.")
    return {"content": first, "importance": 0.6}


def _item(call: Call, name: str) -> dict[str, Any]:
    """The smallest item of a list of the reply, whatever fields it has by now."""
    schema = dict(call.schema or {})
    item = schema.get("properties", {}).get(name, {}).get("items", {})
    if "$ref" in item:
        item = schema.get("$defs", {}).get(item["$ref"].rsplit("/", 1)[-1], {})
    made = minimal(item) if item else {}
    return made if isinstance(made, dict) else {}
