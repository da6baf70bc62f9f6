"""HaluMem: users with many sessions; a question is asked after one of them and cites memory points of earlier ones.

The evidence is a session: the set does not say which turn a memory point was made of.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question, message


def load(place: Path) -> Corpus:
    """The users of ``halumem/*.jsonl``."""
    files = sorted((place / "halumem").glob("*.jsonl"))
    if not files:
        raise FileNotFoundError(2, "missing", str(place / "halumem" / "*.jsonl"))
    messages: list[dict[str, Any]] = []
    questions: list[Question] = []
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                user = json.loads(line)
                messages += _messages(user)
                questions += _questions(user)
    return Corpus("halumem", messages, questions)


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%b %d, %Y, %H:%M:%S")


def _messages(user: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    name = f"halumem-{user['uuid']}"
    for n, session in enumerate(user["sessions"]):
        for i, turn in enumerate(session["dialogue"]):
            place = f"{name}/s{n}"
            yield message(name, place, f"{place}/{i}", turn["role"], turn["content"], _time(turn["timestamp"]))


def _questions(user: Mapping[str, Any]) -> Iterator[Question]:
    name = f"halumem-{user['uuid']}"
    said_in: dict[str, list[str]] = defaultdict(list)
    for n, session in enumerate(user["sessions"]):
        for point in session["memory_points"]:
            said_in[point["memory_content"]].append(f"{name}/s{n}")
        for k, asked in enumerate(session.get("questions") or ()):
            cited = dict.fromkeys(s for e in asked["evidence"] for s in said_in[e["memory_content"]])
            if cited:
                yield Question(
                    f"{name}/s{n}/q{k}",
                    name,
                    asked["question"],
                    asked["question_type"],
                    (),
                    tuple(cited),
                    _time(session["end_time"]),
                    midway=True,
                )
