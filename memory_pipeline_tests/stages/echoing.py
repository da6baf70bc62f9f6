"""A hosted extractor that proposes whatever the user says, and contexts that ask it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call

_WINDOW = re.compile(r'<window id="(w\d+)">(.*?)</window>', re.DOTALL)
_SAID = re.compile(r'^(m\d+) \| \d\d:\d\d \| (?:user|"(?:[^"\\]|\\.)*") \| (".*")$', re.MULTILINE)


def context(home: Path, now: datetime = datetime(2026, 7, 1, tzinfo=UTC), **settings: Any) -> StageContext:
    """A run of its own over a home, with the hosted model."""
    given = {"chat": "openai", "chat_retries": 1, **settings}
    return StageContext(Settings.load(home=str(home), **given), f"run-{now:%m%d%H%M}", now)


def draft(alias: str, text: str, **fields: Any) -> dict[str, Any]:
    """A proposal that quotes a whole message."""
    return {
        "operation": "add",
        "type": "profile_fact",
        "content": f"Said: {text}",
        "subject": "user",
        "attribute": None,
        "value": None,
        "negated": False,
        "entities": [],
        "confidence": 0.9,
        "salience": 0.7,
        "importance": 0.5,
        "surface": "speak",
        "valid_from": None,
        "valid_until": None,
        "due_at": None,
        "evidence": [{"message": alias, "quote": text}],
        **fields,
    }


def windows_of(call: Call) -> dict[str, list[tuple[str, str]]]:
    """Id and text of the user's messages that a call asks about, by window."""
    shown = ((name, body.split("<messages>")[1]) for name, body in _WINDOW.findall(call.prompt))
    return {name: [(alias, json.loads(text)) for alias, text in _SAID.findall(body)] for name, body in shown}


def echo(call: Call) -> dict[str, Any]:
    """The proposals of every window that is asked about."""
    return {
        "windows": [
            {"window": name, "proposals": [draft(alias, text) for alias, text in said]}
            for name, said in windows_of(call).items()
        ]
    }


def nothing(call: Call) -> dict[str, Any]:
    """Every window answered, nothing found."""
    return {"windows": [{"window": name, "proposals": []} for name in windows_of(call)]}


def asked(server: ProtocolServer) -> list[Call]:
    """The calls for extraction."""
    return [call for call in server.calls if call.task == "extract"]


def proposed(ctx: StageContext) -> Sequence[Proposal]:
    return ctx.lake.read("proposals", Proposal)


def said(proposals: Iterable[Proposal]) -> list[str]:
    """What the echoed proposals say, in order of the alphabet."""
    return sorted(p.content.removeprefix("Said: ") for p in proposals)
