"""A ChatGPT export: ``conversations.json`` or the zip around it.

A conversation is a tree, because an edited prompt or a regenerated answer opens a branch. What counts is the branch
that the user saw last: from the current node up its parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_pipeline.stages.messages.importers.content import as_object, first, joined, moment
from memory_pipeline.stages.messages.importers.source import Item, Record, SourceFile, documents, shape_error

_SPOKEN = ("text", "multimodal_text", "code", "execution_output")


def read(source: SourceFile) -> Iterator[Item]:
    """Messages of the current branches; system, hidden and empty ones, and the model's thoughts, are left out."""
    number = 0
    for document in documents(source):
        found = document if isinstance(document, list) else [document]
        if not all(isinstance(c, dict) and isinstance(c.get("mapping"), dict) for c in found):
            raise shape_error(source, "chatgpt", "a list of conversations, each with a `mapping`")
        for conversation in found:
            for fields in _messages(conversation):
                number += 1
                yield Record(number, fields)


def branch(conversation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages from the root to the current node."""
    mapping = conversation["mapping"]
    node = conversation.get("current_node")
    node = node if isinstance(node, str) and node in mapping else _latest_leaf(mapping)
    path: list[Mapping[str, Any]] = []
    visited: set[str] = set()
    while isinstance(node, str) and node in mapping and node not in visited:
        visited.add(node)
        entry = mapping[node]
        if not isinstance(entry, dict):
            break
        if isinstance(entry.get("message"), dict):
            path.append(entry["message"])
        node = entry.get("parent")
    return path[::-1]


def _latest_leaf(mapping: Mapping[str, Any]) -> str | None:
    def time(name: str) -> float:
        at = as_object(mapping[name].get("message")).get("create_time")
        return float(at) if isinstance(at, (int, float)) else 0.0

    leaves = [n for n, entry in mapping.items() if isinstance(entry, dict) and not entry.get("children")]
    return max(leaves, key=time, default=None)


def _messages(conversation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    at = conversation.get("create_time")
    title = conversation.get("title")
    for message in branch(conversation):
        # A few nodes have no time; they stand between two that have.
        at = first(message, "create_time") or at
        text = _text(message)
        if not text:
            continue
        author = as_object(message.get("author"))
        metadata = {"title": title, "model": as_object(message.get("metadata")).get("model_slug")}
        yield {
            "session_id": first(conversation, "conversation_id", "id"),
            "message_id": message.get("id"),
            "role": author.get("role"),
            "speaker": author.get("name"),
            "content": text,
            "created_at": moment(at),
            "metadata": {k: v for k, v in metadata.items() if v},
        }


def _text(message: Mapping[str, Any]) -> str:
    """What was said, or "" for a message that was never shown."""
    content = as_object(message.get("content"))
    if as_object(message.get("author")).get("role") == "system":
        return ""
    if as_object(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return ""
    if content.get("content_type", "text") not in _SPOKEN:
        return ""
    text = joined(content["parts"] if "parts" in content else content.get("text"))
    return "" if not isinstance(text, str) or text.isspace() else text
