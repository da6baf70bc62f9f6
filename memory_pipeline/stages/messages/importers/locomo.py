"""LoCoMo: long conversations between two people, in dated sessions.

Both speakers are people, so both are ``user``, told apart by ``speaker``. A session has one time; its turns are set 30
seconds apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from memory_pipeline.stages.messages.importers.files.documents import numbered, objects
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, Record, SourceFile

TURN = timedelta(seconds=30)
_SESSION = re.compile(r"session_(\d+)")


def read(source: SourceFile) -> Iterator[Item]:
    """The samples' turns in order; the sample's id is the user."""
    return numbered(_items(source))


def _items(source: SourceFile) -> Iterator[Item]:
    for sample in objects(source, "locomo", "a sample with a `conversation`", _fits):
        if isinstance(sample, Fault):
            yield sample
        else:
            yield from _sample(sample)


def _fits(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("conversation"), dict)


def _sample(sample: Mapping[str, Any]) -> Iterator[Item]:
    talk = sample["conversation"]
    user = sample.get("sample_id")
    sessions = sorted((int(m[1]), key) for key in talk if (m := _SESSION.fullmatch(key)))
    for _, key in sessions:
        turns = talk[key]
        if not isinstance(turns, list):
            yield Fault(0, f"{key} is not a list of turns", str(turns))
            continue
        start = session_time(talk.get(f"{key}_date_time"))
        for n, turn in enumerate(turns):
            if start is None:
                yield Fault(0, f"{key}_date_time is missing or not like '1:56 pm on 8 May, 2023'", str(turn))
            elif not isinstance(turn, dict):
                yield Fault(0, f"turn {n + 1} of {key} is not an object", str(turn))
            else:
                yield Record(0, _fields(turn, user, key, start + n * TURN))


def session_time(text: Any) -> datetime | None:
    """``1:56 pm on 8 May, 2023`` as a local time, None when it is something else."""
    try:
        return datetime.strptime(" ".join(str(text).split()).upper(), "%I:%M %p ON %d %B, %Y")
    except ValueError:
        return None


def _fields(turn: Mapping[str, Any], user: Any, session: str, at: datetime) -> dict[str, Any]:
    text, caption, dialogue = turn.get("text"), turn.get("blip_caption"), turn.get("dia_id")
    if caption:
        text = f"{text or ''} [shares an image: {caption}]".strip()
    return {
        "user_id": user,
        "session_id": f"{user}/{session}",
        "message_id": f"{user}/{dialogue}" if dialogue else None,
        "role": "user",
        "speaker": turn.get("speaker"),
        "content": text,
        "created_at": at,
        "metadata": {"has_image": True} if caption else {},
    }
