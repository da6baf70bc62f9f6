"""What a model says at last: its thoughts before that, in whatever way a server shows them, are none of the reply."""

from __future__ import annotations

import re
from typing import Any

_TAGS = "think|thinking|reasoning|thought|analysis"
_CLOSED = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_END = re.compile(rf"</(?:{_TAGS})>", re.IGNORECASE)
_OPEN = re.compile(rf"\s*<(?:{_TAGS})>", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
_MARK = re.compile(r"<\|(?:end|return|start|call|im_end|eot_id)\|>.*", re.DOTALL)
_UNSAID = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_content"})


def content_text(content: Any) -> str:
    """A message's content as text: some servers send a list of parts, of which thoughts are left out."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return str(content)
    return "".join(_part(part) for part in content)


def after(text: str) -> str:
    """The text after the thoughts; all of it where none are marked.

    An end without a beginning counts too: templates that begin the thoughts in the prompt show only their end. Of
    channels the last ``final`` one counts (gpt-oss), and none of the others.
    """
    channels = list(_CHANNEL.finditer(text))
    if channels:
        finals = [c for c in channels if c[1].lower() == "final"]
        return _MARK.sub("", text[finals[-1].end() :]).strip() if finals else ""
    text = _CLOSED.sub("", text)
    ends = list(_END.finditer(text))
    if ends:
        text = text[ends[-1].end() :]
    return "" if _OPEN.match(text) else text


def thought_tokens(message: Any, text: str, details: Any) -> int:
    """Tokens that a model has thought, as far as the server or the text tells; 0 where there is no sign of any.

    Args:
        message: the assistant's message as it came.
        text: its content.
        details: of the completion's usage, or None.
    """
    from memory_pipeline.domain.text import estimate_tokens

    counted = getattr(details, "reasoning_tokens", None)
    if isinstance(counted, int) and not isinstance(counted, bool) and counted > 0:
        return counted
    for name in ("reasoning_content", "reasoning", "thinking"):
        shown = getattr(message, name, None)
        if isinstance(shown, str) and shown.strip():
            return estimate_tokens(shown)
    return max(estimate_tokens(text) - estimate_tokens(after(text)), 0) if after(text) != text else 0


def _part(part: Any) -> str:
    kind = part.get("type") if isinstance(part, dict) else getattr(part, "type", None)
    if isinstance(part, str):
        return part
    if kind in _UNSAID:
        return ""
    said = part.get("text") if isinstance(part, dict) else getattr(part, "text", None)
    if isinstance(said, dict):
        said = said.get("value")
    return said if isinstance(said, str) else ""
