"""A Claude export: ``conversations.json`` or the zip around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_pipeline.stages.messages.importers.content import as_lines, as_object, first
from memory_pipeline.stages.messages.importers.files.documents import numbered, objects
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, Record, Skipped, SourceFile

_ROLES = {"human": "user", "assistant": "assistant"}


def read(source: SourceFile) -> Iterator[Item]:
    """The conversations' messages in order. Empty ones (broken-off answers, thoughts, traffic of tools) are skipped."""
    return numbered(_items(source))


def _items(source: SourceFile) -> Iterator[Item]:
    for conversation in objects(source, "claude", "a conversation with `chat_messages`", _fits):
        if isinstance(conversation, Fault):
            yield conversation
        else:
            yield from _messages(conversation)


def _fits(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def _messages(conversation: Mapping[str, Any]) -> Iterator[Item]:
    owner = as_object(conversation.get("account")).get("uuid")
    title = conversation.get("name")
    for message in conversation["chat_messages"]:
        if not isinstance(message, dict):
            yield Fault(0, "a message must be an object with sender and text", str(message))
            continue
        text = _text(message)
        if not text:
            yield Skipped(_empty(message))
            continue
        sender = message.get("sender")
        fields = {
            "user_id": owner,
            "session_id": conversation.get("uuid"),
            "message_id": message.get("uuid"),
            "role": _ROLES.get(sender, sender) if isinstance(sender, str) else sender,
            "content": text,
            "created_at": first(message, "created_at") or conversation.get("created_at"),
            "metadata": {"title": title} if title else {},
        }
        yield Record(0, fields)


def _empty(message: Mapping[str, Any]) -> str:
    """What a message without text consists of."""
    blocks = message.get("content")
    kinds = {block.get("type") for block in blocks if isinstance(block, dict)} if isinstance(blocks, list) else set()
    if kinds & {"tool_use", "tool_result"}:
        return "tool traffic"
    return "thoughts" if "thinking" in kinds else "empty"


def _text(message: Mapping[str, Any]) -> str:
    """The text blocks (thoughts and tool traffic are not speech), else the older plain text; then what was attached."""
    blocks = message.get("content")
    spoken = [
        str(block["text"])
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type", "text") == "text" and isinstance(block.get("text"), str)
    ]
    text = as_lines(spoken) or message.get("text") or ""
    return as_lines([str(text) if not str(text).isspace() else "", *_attached(message)])


def _attached(message: Mapping[str, Any]) -> Iterator[str]:
    for key in ("attachments", "files"):
        listed = message.get(key)
        for item in listed if isinstance(listed, list) else []:
            if isinstance(item, dict) and item.get("file_name"):
                yield f"[attaches {item['file_name']}]"
