"""ChatGPT's custom instructions: what the user wrote about themselves and about how to be answered.

Each conversation carries a copy of what was in force when it began. A text counts once for as long as it stood: as a
note of the user, of the day of the first conversation that shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from memory_pipeline.stages.messages.importers.content import as_object, moment
from memory_pipeline.stages.messages.importers.files.source import Record, Skipped

KIND = "user_editable_context"
_SESSION = "custom-instructions"
# What ChatGPT puts around the user's words stands outside of a fence.
_FENCED = re.compile(r"```(.*)```", re.DOTALL)
_FIELDS = (("about_user_message", "user_profile"), ("about_model_message", "user_instructions"))


class _Sighting(NamedTuple):
    at: float
    field: str
    text: str
    message_id: Any
    session_id: Any


class Instructions:
    """Collects the copies of one export. Holds the distinct texts, and a few words for each conversation."""

    def __init__(self) -> None:
        self._seen: list[_Sighting] = []
        self._texts: dict[str, str] = {}
        self._undated = 0

    def see(self, message: Mapping[str, Any], at: Any, session: Any) -> None:
        """Take up the copy that a conversation carries.

        Args:
            at: when the conversation began, seconds since 1970.
        """
        content = as_object(message.get("content"))
        given = as_object(as_object(message.get("metadata")).get("user_context_message_data"))
        if isinstance(at, bool) or not isinstance(at, (int, float)):
            self._undated += 1
            return
        for own, wrapped in _FIELDS:
            text = _text(given.get(own)) or _unwrapped(content.get(wrapped))
            kept = self._texts.setdefault(text, text)
            self._seen.append(_Sighting(float(at), wrapped, kept, message.get("id"), session))

    def notes(self) -> Iterator[Record | Skipped]:
        """One note for each text and the time that it stood, in order of time; the copies of it are skipped."""
        standing: dict[str, str] = {}
        for seen in sorted(self._seen, key=attrgetter("at")):
            before, standing[seen.field] = standing.get(seen.field, ""), seen.text
            if not seen.text:
                continue
            if seen.text == before:
                yield Skipped("a copy of the custom instructions")
            else:
                yield Record(0, _fields(seen))
        for _ in range(self._undated):
            yield Skipped("custom instructions without a time")


def _fields(seen: _Sighting) -> dict[str, Any]:
    return {
        "session_id": _SESSION,
        "message_id": f"{seen.message_id}/{seen.field}" if seen.message_id else None,
        "role": "user",
        "content": seen.text,
        "created_at": moment(seen.at),
        "metadata": {"custom_instructions": seen.field, "seen_in": seen.session_id},
    }


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _unwrapped(value: Any) -> str:
    """The user's words without what ChatGPT says of them."""
    text = _text(value)
    found = _FENCED.search(text)
    return found[1].strip() if found else text
