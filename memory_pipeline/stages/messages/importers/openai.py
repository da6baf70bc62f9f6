"""OpenAI chat messages: conversations with ``messages``, as one JSON document or as JSON Lines, or a bare list.

The chat format knows neither users, nor sessions, nor times. Each is taken from where programs put it: beside the
messages, in the conversation, or in its ``metadata``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count
from typing import Any

from memory_pipeline.domain.ids import identifier
from memory_pipeline.stages.messages.importers.content import as_object, first, joined, moment, placed
from memory_pipeline.stages.messages.importers.detection import is_lines
from memory_pipeline.stages.messages.importers.jsonl import BOM
from memory_pipeline.stages.messages.importers.source import (
    DAMAGED,
    Fault,
    Item,
    Record,
    SourceFile,
    documents,
    lines,
    shape_error,
    shown,
)
from memory_pipeline.stages.messages.importers.strict_json import canonical, loads

MAX_CONVERSATION = 32_000_000  # bytes of a line, which here holds a whole conversation
_ROLES = {"developer": "system", "function": "tool"}
_USER = ("user_id", "user", "safety_identifier")
_SESSION = ("session_id", "conversation_id", "thread_id", "id")
_TIME = ("created_at", "created", "create_time", "timestamp")
_PASSED = ("tenant_id", "agent_id", "domain")
_TAKEN = {
    "role",
    "content",
    "name",
    "speaker",
    "id",
    "message_id",
    "session_id",
    "metadata",
    *_PASSED,
    *_TIME,
    *_USER[:2],
}
NO_TIME = (
    "created_at is missing: chat messages carry no time of their own; "
    "put `created_at` into each message or `created` into the conversation"
)


def read(source: SourceFile) -> Iterator[Item]:
    """The conversations' messages in order."""
    if _one_a_line(source):
        yield from _from_lines(source)
        return
    number = 0
    histories = count()
    for document in documents(source):
        found = conversations(document)
        if found is None:
            raise shape_error(source, "openai", "an object with `messages`, or a list of messages or of such objects")
        for conversation in found:
            for item in messages(conversation, next(histories)):
                number += 1
                yield item._replace(line=number)


def _one_a_line(source: SourceFile) -> bool:
    if is_lines(source.path):
        return True
    try:
        with source.open() as stream:
            first = next((line for _, line, _ in lines(stream, MAX_CONVERSATION) if line.strip(BOM + b" \t\r\n")), None)
            if first is not None:
                loads(first.removeprefix(BOM))
    except (ValueError, *DAMAGED):  # reading it as one document says what is damaged
        return False
    return first is not None


def _from_lines(source: SourceFile) -> Iterator[Item]:
    number = 0
    histories = count()
    with source.open() as stream:
        try:
            for number, line, whole in lines(stream, MAX_CONVERSATION):
                line = line.removeprefix(BOM) if number == 1 else line
                if not line or line.isspace():
                    continue
                for item in _line(line, whole, histories):
                    yield item._replace(line=number)
        except DAMAGED as error:
            yield Fault(number + 1, f"the compressed data is damaged from here on: {error}", "")


def _line(line: bytes, whole: bool, histories: Iterator[int]) -> Iterator[Item]:
    if not whole:
        yield Fault(0, f"the line is longer than {MAX_CONVERSATION:,} bytes", shown(line))
        return
    try:
        found = conversations(loads(line))
    except ValueError as error:
        yield Fault(0, str(error), shown(line))
        return
    if found is None:
        yield Fault(0, "no conversation: an object with `messages`, or a list of messages, is expected", shown(line))
        return
    yield from chain.from_iterable(map(messages, found, histories))


def conversations(value: Any) -> list[Mapping[str, Any]] | None:
    """The conversations that a JSON value holds, or None when it holds none."""
    if isinstance(value, dict):
        if isinstance(value.get("messages"), list):
            return [value]
        # One message a line is a conversation only when it says which.
        return [{"messages": [value]}] if "role" in value and "session_id" in value else None
    if not isinstance(value, list):
        return None
    if any(isinstance(v, dict) and "messages" in v for v in value):
        return [c for v in value for c in conversations(v) or [{"messages": [v]}]]
    if all(isinstance(v, list) for v in value):
        return [{"messages": v} for v in value]
    return [{"messages": value}]


def messages(conversation: Mapping[str, Any], number: int = 0) -> Iterator[Item]:
    """One conversation's messages as records. A message without a time has that of the one before it.

    Args:
        number: of the conversation in its file: programs log the whole history so far with each call.
    """
    around = {**as_object(conversation.get("metadata")), **conversation}
    turns = conversation["messages"]
    at = first(around, *_TIME)
    session = first(around, *_SESSION) or _derived_session(around, turns)
    untimed = any(isinstance(turn, dict) and first(turn, *_TIME) is None for turn in turns)
    for turn in turns:
        if not isinstance(turn, dict):
            yield Fault(0, "a message must be an object with role and content", _text(turn))
            continue
        at = first(turn, *_TIME) or at
        if at is None:
            yield Fault(0, NO_TIME, _text(turn))
            continue
        yield Record(0, _fields(turn, around, session, at), history=number if untimed else None)


def _text(turn: Any) -> str:
    try:
        return canonical(turn)
    except ValueError:
        return repr(turn)


def _derived_session(around: Mapping[str, Any], turns: list[Any]) -> str:
    """A session id that stays when the conversation grows: from its first message that is not an instruction."""
    said = [t for t in turns if isinstance(t, dict) and t.get("role") not in ("system", "developer")]
    opening = said[0] if said else {}
    at = first(opening, *_TIME) or first(around, *_TIME)
    return identifier("ses", str(first(around, *_USER)), str(at), str(opening.get("role")), str(opening.get("content")))


def _fields(turn: Mapping[str, Any], around: Mapping[str, Any], session: Any, at: Any) -> dict[str, Any]:
    given = turn.get("metadata")
    rest = {k: v for k, v in turn.items() if k not in _TAKEN and v not in (None, [], {}, "")}
    role = turn.get("role")
    passed = {name: value for name in _PASSED if (value := first(turn, name) or first(around, name)) is not None}
    return {
        **passed,
        "user_id": first(turn, "user_id", "user") or first(around, *_USER),
        "session_id": turn.get("session_id") or session,
        "message_id": first(turn, "message_id", "id"),
        "role": _ROLES.get(role, role) if isinstance(role, str) else role,
        "speaker": first(turn, "speaker", "name"),
        "content": _content(turn),
        "created_at": moment(at),
        "metadata": {**rest, **given} if isinstance(given, dict) else (rest if given is None else given),
    }


def _content(turn: Mapping[str, Any]) -> Any:
    """The text, followed by the tools it calls: an assistant's turn may consist of calls alone."""
    content = joined(turn.get("content"))
    calls = turn.get("tool_calls")
    if not isinstance(calls, list) or not isinstance(content, (str, type(None))):
        return content
    called = (c.get("function") for c in calls if isinstance(c, dict))
    return placed([content, *(f"[calls {f.get('name')}({f.get('arguments')})]" for f in called if isinstance(f, dict))])
