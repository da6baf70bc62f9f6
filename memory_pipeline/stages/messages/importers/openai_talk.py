"""Messages of one conversation in OpenAI's chat format.

The format knows neither users, nor sessions, nor times. Each is taken from where programs put it: beside the messages,
in the conversation, or in its ``metadata``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory_pipeline.domain.ids import identifier
from memory_pipeline.stages.messages.importers.content import as_lines, as_object, first, moment, parts_text
from memory_pipeline.stages.messages.importers.files.source import Fault, Record, Row
from memory_pipeline.stages.messages.importers.files.strict_json import canonical

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


@dataclass(slots=True)
class Talk:
    """One conversation under way: what its messages have from it, and from those before them.

    Attributes:
        around: the fields of the conversation.
        at: time of the message before.
        history: number of the conversation in its file, where a message of it has no time of its own: programs log the
            whole history so far with each call.
    """

    around: Mapping[str, Any]
    session: Any
    at: Any
    history: int | None

    @classmethod
    def of(cls, around: Mapping[str, Any], turns: list[Any], untimed: bool, number: int) -> Talk:
        """
        Args:
            turns: its messages, or as many as hold the first that is no instruction.
            untimed: whether a message has no time of its own.
            number: of the conversation in its file.
        """
        session = first(around, *_SESSION) or _derived_session(around, turns)
        return cls(around, session, first(around, *_TIME), number if untimed else None)

    def item(self, turn: Any) -> Row:
        """The next message. One without a time has that of the one before it."""
        if not isinstance(turn, dict):
            return Fault(0, "a message must be an object with role and content", _text(turn))
        self.at = first(turn, *_TIME) or self.at
        if self.at is None:
            return Fault(0, NO_TIME, _text(turn))
        return Record(0, _fields(turn, self.around, self.session, self.at), history=self.history)


def messages(conversation: Mapping[str, Any], number: int = 0) -> Iterator[Row]:
    """One conversation's messages as records.

    Args:
        number: of the conversation in its file.
    """
    around = {**as_object(conversation.get("metadata")), **conversation}
    turns = conversation["messages"]
    untimed = any(isinstance(turn, dict) and not timed(turn) for turn in turns)
    talk = Talk.of(around, turns, untimed, number)
    return map(talk.item, turns)


def timed(turn: Mapping[str, Any]) -> bool:
    """Whether a message has a time of its own."""
    return first(turn, *_TIME) is not None


def is_talk(turn: Any) -> bool:
    """Whether a message belongs to the talk, and is no instruction by the program."""
    return isinstance(turn, dict) and turn.get("role") not in ("system", "developer")


def _text(turn: Any) -> str:
    try:
        return canonical(turn)
    except ValueError:
        return repr(turn)


def _derived_session(around: Mapping[str, Any], turns: list[Any]) -> str:
    """A session id that stays when the conversation grows: from its first message that is not an instruction."""
    opening: Mapping[str, Any] = next(filter(is_talk, turns), {})
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
    content = parts_text(turn.get("content"))
    calls = turn.get("tool_calls")
    if not isinstance(calls, list) or not isinstance(content, (str, type(None))):
        return content
    called = (c.get("function") for c in calls if isinstance(c, dict))
    named = (f"[calls {f.get('name')}({f.get('arguments')})]" for f in called if isinstance(f, dict))
    return as_lines([content, *named])
