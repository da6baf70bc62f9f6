"""MemDaily (MemSim): Chinese messages of everyday life, each question with the messages that answer it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question, message

_NUMBER = re.compile(r"\d+")
_PLACES = 5  # year, month, day, hour, minute


def load(place: Path) -> Corpus:
    """The stories of ``memsim/*.json``; each is a user of its own."""
    files = sorted((place / "memsim").glob("*.json"))
    if not files:
        raise FileNotFoundError(2, "missing", str(place / "memsim" / "*.json"))
    messages: list[dict[str, Any]] = []
    questions: list[Question] = []
    for file in files:
        for story in json.loads(file.read_text(encoding="utf-8")):
            _take(story, file.stem, messages, questions)
    return Corpus("memdaily", messages, questions)


def _time(text: str) -> datetime:
    return datetime(*map(int, _NUMBER.findall(text)[:_PLACES]))  # type: ignore[arg-type]


def _take(story: Mapping[str, Any], name: str, messages: list[dict[str, Any]], questions: list[Question]) -> None:
    user = f"{name}/{story['tid']}"
    sessions = {}
    for said in story["message_list"]:
        at = _time(said["time"])
        sessions[said["mid"]] = session = f"{user}/s{at:%Y%m%d}"
        messages.append(message(user, session, f"{user}/{said['mid']}", "user", said["message"], at))
    for asked in story["question_list"]:
        cited = list(dict.fromkeys(asked["target_step_id"]))
        if cited:
            questions.append(
                Question(
                    f"{user}/q{asked['qid']}",
                    user,
                    asked["question"],
                    name[3:].rsplit("_", 1)[0],
                    tuple(f"{user}/{i}" for i in cited),
                    tuple(dict.fromkeys(sessions[i] for i in cited)),
                    _time(asked["time"]),
                )
            )
