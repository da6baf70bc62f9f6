"""LongMemEval: 500 questions, each with a chat history of its own; turns with ``has_answer`` are the evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.datasets.imported import landed
from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question
from memory_pipeline.stages.messages.importers.longmemeval import read, session_time


def load_haystacks(place: Path) -> Corpus:
    """``longmemeval_s.json``: about 50 sessions a question."""
    return _load(place, "s")


def load_oracle(place: Path) -> Corpus:
    """``longmemeval_oracle.json``: the sessions with evidence only."""
    return _load(place, "oracle")


def _load(place: Path, variant: str) -> Corpus:
    file = place / "longmemeval" / f"longmemeval_{variant}.json"
    messages = landed(read, file)
    histories: dict[str, list[Mapping[str, Any]]] = {}
    for m in messages:
        histories.setdefault(str(m["user_id"]), []).append(m)
    asked = json.loads(file.read_text(encoding="utf-8"))
    questions = [q for entry in asked for q in _question(entry, histories.get(entry["question_id"], []))]
    return Corpus(f"longmemeval-{variant}", messages, questions)


def _question(entry: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> Iterator[Question]:
    """The question, unless it cannot be answered (``…_abs``) or no turn is marked."""
    name = entry["question_id"]
    if name.endswith("_abs"):
        return
    marked = {
        (session, n)
        for session, turns in zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True)
        for n, turn in enumerate(turns)
        if turn.get("has_answer")
    }
    cited = []
    for m in history:
        source = m["metadata"]["source_session"]
        if (source, int(m["message_id"].rsplit("/", 1)[1])) in marked:
            cited.append(m)
    if not cited:
        return
    answers = set(entry["answer_session_ids"])
    sessions = dict.fromkeys(m["session_id"] for m in history if m["metadata"]["source_session"] in answers)
    yield Question(
        name,
        name,
        entry["question"],
        entry["question_type"],
        tuple(m["message_id"] for m in cited),
        tuple(sessions),
        session_time(entry["question_date"]),
    )
