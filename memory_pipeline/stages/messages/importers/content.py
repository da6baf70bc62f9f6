"""What the chat formats have in common: content in parts, and times as seconds since 1970."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM = 1e11  # as seconds this is the year 5138, as milliseconds 1973
_TEXT_KEYS = ("text", "refusal", "transcript")
# Parts of a turn that was spoken in ChatGPT's voice modes.
_TRANSCRIPT = "audio_transcription"
_RECORDINGS = ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer")


def moment(value: Any) -> Any:
    """A time of a chat format: seconds (or milliseconds) since 1970 as a datetime, everything else as it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    try:
        if not math.isfinite(value):
            return value
        seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
        return _EPOCH + timedelta(microseconds=round(seconds * 1_000_000))
    except OverflowError:
        return value


def as_object(value: Any) -> Mapping[str, Any]:
    """A JSON object as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def first(values: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there and not null or empty, else None."""
    for name in names:
        value = values.get(name)
        if value is not None and value != "":
            return value
    return None


def parts_text(content: Any) -> Any:
    """Content that may come in parts, as one text: parts that are no text appear as ``[image]``, ``[audio]``, …

    A recording that is transcribed beside it is its transcript. What is neither text nor parts is returned as it is,
    for the validation to refuse.
    """
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return content
    transcribed = any(_kind(part) == _TRANSCRIPT for part in content)
    texts = (
        part if isinstance(part, str) else _part(part)
        for part in content
        if not (transcribed and _kind(part) in _RECORDINGS)
    )
    return "\n".join(text for text in texts if text)


def _kind(part: Any) -> str:
    return str(as_object(part).get("content_type"))


def _part(part: Any) -> str:
    if not isinstance(part, Mapping):
        return ""
    for key in _TEXT_KEYS:
        if isinstance(part.get(key), str):
            return str(part[key])
    if _kind(part) in _RECORDINGS:
        return "[audio]"
    name = str(part.get("type") or part.get("content_type") or "attachment")
    return f"[{name.removeprefix('input_').split('_')[0]}]"


def as_lines(texts: Iterable[str | None]) -> str:
    """The texts that are not empty, one a line."""
    return "\n".join(text for text in texts if text)
