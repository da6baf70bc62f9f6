"""LoCoMo: long conversations of two people, with questions that cite turns.

The turns are read as ``ingest`` reads them, captions of images included: many questions point at an image.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.datasets.imported import landed
from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question
from memory_pipeline.stages.messages.importers.locomo import read

FILE = "locomo/locomo10.json"
# Named by the authors' scorer and by the evidence that they need (3.1 turns a question in category 1).
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "inference", 4: "single-hop"}
_CITED = re.compile(r"D:?(\d+):0*(\d+)")


def load(place: Path) -> Corpus:
    """The conversations of ``locomo/locomo10.json``; unanswerable questions (category 5) are left out."""
    file = place / FILE
    messages = landed(read, file)
    sessions = {str(m["message_id"]): str(m["session_id"]) for m in messages}
    ends: dict[str, datetime] = {}
    for m in messages:
        ends[str(m["user_id"])] = datetime.fromisoformat(str(m["created_at"]))
    samples = json.loads(file.read_text(encoding="utf-8"))
    questions = [q for sample in samples for q in _questions(sample, sessions, ends[sample["sample_id"]])]
    return Corpus("locomo", messages, questions)


def _questions(sample: Mapping[str, Any], sessions: Mapping[str, str], at: datetime) -> Iterator[Question]:
    user = sample["sample_id"]
    for n, asked in enumerate(sample["qa"]):
        cited = _CITED.findall(" ".join(map(str, asked.get("evidence") or ())))
        ids = dict.fromkeys(f"{user}/D{session}:{turn}" for session, turn in cited)
        known = tuple(i for i in ids if i in sessions)
        if asked["category"] not in _CATEGORIES or not known:
            continue
        yield Question(
            f"{user}/q{n}",
            user,
            asked["question"],
            _CATEGORIES[asked["category"]],
            known,
            tuple(dict.fromkeys(sessions[i] for i in known)),
            at,
        )
