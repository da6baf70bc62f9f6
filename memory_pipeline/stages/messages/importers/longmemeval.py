"""LongMemEval: each question has a history of its own, so each question is a user of its own.

Sessions have a time to the minute; their turns are set 30 seconds apart. What marks a turn as evidence is not imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from memory_pipeline.stages.messages.importers.files.documents import numbered, objects
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, Record, SourceFile
from memory_pipeline.stages.messages.importers.locomo import TURN

_LISTS = ("haystack_dates", "haystack_session_ids", "haystack_sessions")


def read(source: SourceFile) -> Iterator[Item]:
    """The histories' turns, question by question, in order of time."""
    return numbered(_items(source))


def _items(source: SourceFile) -> Iterator[Item]:
    for question in objects(source, "longmemeval", f"a question with the lists {', '.join(_LISTS)}", _fits):
        if isinstance(question, Fault):
            yield question
        else:
            yield from _history(question)


def _fits(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), list) for name in _LISTS)


def session_time(text: Any) -> datetime | None:
    """``2023/05/20 (Sat) 02:21`` as a local time, None when it is something else."""
    try:
        day, _, clock = str(text).split()
        return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M")
    except ValueError:
        return None


def _history(question: Mapping[str, Any]) -> Iterator[Item]:
    user = question.get("question_id")
    dated: list[tuple[datetime, str, list[Any]]] = []
    for text, name, turns in zip(*(question[k] for k in _LISTS), strict=False):
        at = session_time(text)
        if at is None or not isinstance(turns, list):
            yield Fault(0, f"session {name} has no turns or no time like '2023/05/20 (Sat) 02:21'", str(text))
        else:
            dated.append((at, str(name), turns))
    seen: Counter[str] = Counter()
    for start, name, turns in sorted(dated, key=lambda row: row[0]):
        seen[name] += 1
        session = f"{user}/{name}" + (f"#{seen[name]}" if seen[name] > 1 else "")
        for n, turn in enumerate(turns):
            if not isinstance(turn, dict):
                yield Fault(0, f"turn {n + 1} of session {name} is not an object", str(turn))
                continue
            yield Record(
                0,
                {
                    "user_id": user,
                    "session_id": session,
                    "message_id": f"{session}/{n}",
                    "role": turn.get("role"),
                    "content": turn.get("content"),
                    "created_at": start + n * TURN,
                    "metadata": {"source_session": name},
                },
            )
