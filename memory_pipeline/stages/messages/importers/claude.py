"""A Claude export: ``conversations.json`` or the zip around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_pipeline.stages.messages.importers.content import as_object, first, placed
from memory_pipeline.stages.messages.importers.source import Item, Record, SourceFile, documents, shape_error

_ROLES = {"human": "user", "assistant": "assistant"}


def read(source: SourceFile) -> Iterator[Item]:
    """The conversations' messages in order; empty ones (broken-off answers) are left out."""
    number = 0
    for document in documents(source):
        found = document if isinstance(document, list) else [document]
        if not all(isinstance(c, dict) and isinstance(c.get("chat_messages"), list) for c in found):
            raise shape_error(source, "claude", "a list of conversations, each with `chat_messages`")
        for conversation in found:
            for fields in _messages(conversation):
                number += 1
                yield Record(number, fields)


def _messages(conversation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    owner = as_object(conversation.get("account")).get("uuid")
    title = conversation.get("name")
    for message in conversation["chat_messages"]:
        if not isinstance(message, dict):
            continue
        text = _text(message)
        if not text:
            continue
        sender = message.get("sender")
        yield {
            "user_id": owner,
            "session_id": conversation.get("uuid"),
            "message_id": message.get("uuid"),
            "role": _ROLES.get(sender, sender) if isinstance(sender, str) else sender,
            "content": text,
            "created_at": first(message, "created_at") or conversation.get("created_at"),
            "metadata": {"title": title} if title else {},
        }


def _text(message: Mapping[str, Any]) -> str:
    """The text blocks (thoughts and tool traffic are not speech), else the older plain text; then what was attached."""
    blocks = message.get("content")
    spoken = [
        str(block["text"])
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type", "text") == "text" and isinstance(block.get("text"), str)
    ]
    text = placed(spoken) or message.get("text") or ""
    return placed([str(text) if not str(text).isspace() else "", *_attached(message)])


def _attached(message: Mapping[str, Any]) -> Iterator[str]:
    for key in ("attachments", "files"):
        listed = message.get(key)
        for item in listed if isinstance(listed, list) else []:
            if isinstance(item, dict) and item.get("file_name"):
                yield f"[attaches {item['file_name']}]"
