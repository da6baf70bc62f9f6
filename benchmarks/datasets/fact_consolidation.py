"""FactConsolidation (MemoryAgentBench): numbered facts, of which a later one overrides an earlier one.

The set names answers, not evidence. The evidence taken here is the last fact that ends with the answer and shares the
most words with the question; it is clear for single-hop questions, the only ones read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.domain.text import content_words
from memory_pipeline.evaluation.data_sets.corpus import Corpus, Question, message

FILE = "mab/Conflict_Resolution.json"
SUBSET = "factconsolidation_sh_6k"
_FACT = re.compile(r"^(\d+)\. (.*)$", re.M)
_START = datetime(2024, 1, 1)
_APART = timedelta(minutes=1)


def load(place: Path) -> Corpus:
    """The single-hop facts of 6k tokens in ``mab/Conflict_Resolution.json``."""
    entries = json.loads((place / FILE).read_text(encoding="utf-8"))
    entry = next((e for e in entries if e["metadata"]["source"] == SUBSET), None)
    if entry is None:
        raise KeyError(SUBSET)
    facts = [(int(number), text.strip()) for number, text in _FACT.findall(entry["context"])]
    messages = [
        message(SUBSET, f"{SUBSET}/facts", f"{SUBSET}/{number}", "user", text, _START + number * _APART)
        for number, text in facts
    ]
    return Corpus("fact-consolidation", messages, list(_questions(entry, facts)))


def _questions(entry: Mapping[str, Any], facts: Sequence[tuple[int, str]]) -> Iterator[Question]:
    asked_at = _START + (max(number for number, _ in facts) + 1) * _APART
    for name, text, answers in zip(entry["metadata"]["qa_pair_ids"], entry["questions"], entry["answers"], strict=True):
        ends = tuple(answer.casefold() for answer in answers)
        said = [(n, fact) for n, fact in facts if fact.casefold().rstrip(". ").endswith(ends)]
        if said:
            asked = content_words(text)
            number, _ = max(said, key=lambda fact: (len(asked & content_words(fact[1])), fact[0]))
            session = (f"{SUBSET}/facts",)
            yield Question(name, SUBSET, text, "single-hop", (f"{SUBSET}/{number}",), session, asked_at)
