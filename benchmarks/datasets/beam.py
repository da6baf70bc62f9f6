"""BEAM: long chats of a user with an assistant (here those of 100K tokens), and questions that cite messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question, message

_TURN = timedelta(seconds=30)
_START = datetime(2024, 1, 1)  # of a chat that states no time
_MARKER = re.compile(r"\s*->->\s*[\d,\sN/A]+$")  # the generator's own, at the end of a user's turn
_UNANSWERABLE = "abstention"


def load(place: Path) -> Corpus:
    """The chats under ``beam/chats/100K``."""
    chats = sorted((place / "beam" / "chats" / "100K").glob("*/chat.json"), key=lambda file: int(file.parent.name))
    if not chats:
        raise FileNotFoundError(2, "missing", str(place / "beam" / "chats" / "100K"))
    messages: list[dict[str, Any]] = []
    questions: list[Question] = []
    for file in chats:
        user = f"beam-100K-{file.parent.name}"
        own = list(_messages(json.loads(file.read_text(encoding="utf-8")), user))
        messages += own
        probes = file.parent / "probing_questions" / "probing_questions.json"
        questions += _questions(json.loads(probes.read_text(encoding="utf-8")), user, own)
    return Corpus("beam-100k", messages, questions)


def _messages(batches: Sequence[Mapping[str, Any]], user: str) -> Iterator[dict[str, Any]]:
    clock = _START
    for batch in batches:
        anchor = batch.get("time_anchor")
        for turn in (turn for group in batch["turns"] for turn in group):
            stated, anchor = turn.get("time_anchor") or anchor, None
            clock = datetime.strptime(stated, "%B-%d-%Y") if stated else clock + _TURN
            content = _MARKER.sub("", turn["content"])
            session = f"{user}/b{batch['batch_number']}"
            yield message(user, session, f"{user}/m{turn['id']}", turn["role"], content, clock)


def _questions(
    probes: Mapping[str, Sequence[Mapping[str, Any]]], user: str, messages: Sequence[Mapping[str, Any]]
) -> Iterator[Question]:
    sessions = {m["message_id"]: m["session_id"] for m in messages}
    last = datetime.fromisoformat(messages[-1]["created_at"])
    for category, items in probes.items():
        for n, asked in enumerate(items):
            cited = tuple(i for i in _cited(asked.get("source_chat_ids"), user) if i in sessions)
            if category != _UNANSWERABLE and cited:
                found = tuple(dict.fromkeys(sessions[i] for i in cited))
                yield Question(f"{user}/{category}/{n}", user, asked["question"], category, cited, found, last)


def _cited(source: Any, user: str) -> list[str]:
    """Message ids out of a list of numbers, or of lists by what they are evidence of."""
    parts = source.values() if isinstance(source, Mapping) else [source or []]
    numbers = [i for part in parts for i in (part if isinstance(part, list) else [part])]
    return list(dict.fromkeys(f"{user}/m{i}" for i in numbers if isinstance(i, int)))
