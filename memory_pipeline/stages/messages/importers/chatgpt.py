"""A ChatGPT export: ``conversations.json`` or the zip around it.

A conversation is a tree, because an edited prompt or a regenerated answer opens a branch. What counts is the branch
that the user saw last: from the current node up its parents. Everything else is skipped and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memory_pipeline.stages.messages.importers.chatgpt_instructions import KIND, Instructions
from memory_pipeline.stages.messages.importers.content import as_object, first, moment, parts_text
from memory_pipeline.stages.messages.importers.files.documents import numbered, objects
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, Record, Skipped, SourceFile

_SPOKEN = ("text", "multimodal_text", "code", "execution_output")
_NAME = re.compile(r"[a-z0-9_]{1,40}")


def read(source: SourceFile) -> Iterator[Item]:
    """Messages of the current branches, then the custom instructions.

    Calls of tools and their results are turns of the role ``tool``. System and hidden messages, the model's thoughts
    and own notes, other branches and empty messages are skipped.
    """
    return numbered(_items(source))


def _items(source: SourceFile) -> Iterator[Item]:
    instructions = Instructions()
    for conversation in objects(source, "chatgpt", "a conversation with a `mapping`", _fits):
        if isinstance(conversation, Fault):
            yield conversation
        else:
            yield from _messages(conversation, instructions)
    yield from instructions.notes()


def _fits(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


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


def _messages(conversation: Mapping[str, Any], instructions: Instructions) -> Iterator[Item]:
    at = conversation.get("create_time")
    session = first(conversation, "conversation_id", "id")
    shown = branch(conversation)
    for message in shown:
        # A few nodes have no time; they stand between two that have.
        at = first(message, "create_time") or at
        if as_object(message.get("content")).get("content_type") == KIND:
            instructions.see(message, at, session)
        elif reason := _left_out(message):
            yield Skipped(reason)
        else:
            yield Record(0, _fields(message, conversation.get("title"), session, at))
    held = sum(isinstance(as_object(entry).get("message"), dict) for entry in conversation["mapping"].values())
    for _ in range(held - len(shown)):
        yield Skipped("on another branch")


def _fields(message: Mapping[str, Any], title: Any, session: Any, at: Any) -> dict[str, Any]:
    author = as_object(message.get("author"))
    called = _called(message)
    metadata = {
        "title": title,
        "model": as_object(message.get("metadata")).get("model_slug"),
        "recipient": called,
    }
    return {
        "session_id": session,
        "message_id": message.get("id"),
        "role": "tool" if called else author.get("role"),
        "speaker": called or author.get("name"),
        "content": _text(message),
        "created_at": moment(at),
        "metadata": {k: v for k, v in metadata.items() if v},
    }


def _called(message: Mapping[str, Any]) -> str | None:
    """The tool that an assistant's message is addressed to, where it is not addressed to the user."""
    recipient = message.get("recipient")
    named = isinstance(recipient, str) and recipient not in ("", "all")
    return str(recipient) if named and as_object(message.get("author")).get("role") == "assistant" else None


def _left_out(message: Mapping[str, Any]) -> str | None:
    """Why a message is no turn of the talk; None where it is one."""
    role = as_object(message.get("author")).get("role")
    if role == "system":
        return "system"
    if as_object(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return "hidden"
    kind = as_object(message.get("content")).get("content_type", "text")
    if kind not in _SPOKEN and role != "tool":
        return str(kind) if isinstance(kind, str) and _NAME.fullmatch(kind) else "of an unknown kind"
    text = _text(message)
    return "empty" if not isinstance(text, str) or not text or text.isspace() else None


def _text(message: Mapping[str, Any]) -> Any:
    """What was said, or what a tool answered."""
    content = as_object(message.get("content"))
    return parts_text(content["parts"] if "parts" in content else first(content, "text", "result"))
