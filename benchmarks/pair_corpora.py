"""Sentence pairs of public data sets as pairs to consolidate: paraphrases, look-alikes and contradictions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.dev_data import MISSING, loaders
from benchmarks.pair_outcomes import Pair

__all__ = ["MISSING", "beam", "sentence_pairs"]

_EACH = 300
_SEED = 7


def sentence_pairs(name: str) -> list[Pair]:
    """At most 300 pairs of each class, always the same ones; empty without data.

    msrp (train): paraphrase or not. stsb (dev and train): score ≥ 4.8, or ≤ 3. sick (trial and train): relatedness
    ≥ 4.7 and entailment, or contradiction.
    """
    data = loaders()
    if data is None:
        return []
    rows = {
        "msrp": lambda: data.load_pairs("msrp", "train"),
        "stsb": lambda: data.load_pairs("stsb", "dev") + data.load_pairs("stsb", "train"),
        "sick": lambda: data.load_pairs("sick", "dev") + data.load_pairs("sick", "train"),
    }[name]()
    labelled: dict[str, list[tuple[str, str]]] = {"same": [], "distinct": [], "denied": []}
    for row in rows:
        label = _label(name, row)
        if label is not None:
            labelled[label].append((row["a"], row["b"]))
    chosen = [(label, *texts) for label, part in labelled.items() for texts in _sample(part)]
    return [
        Pair(f"{name}-{n:04}", name, label, "profile_fact", {"text": a}, {"text": b})
        for n, (label, a, b) in enumerate(chosen)
    ]


def _label(name: str, row: dict[str, Any]) -> str | None:
    if name == "msrp":
        return "same" if row["label"] == 1 else "distinct"
    if name == "stsb":
        return "same" if row["score"] >= 4.8 else "distinct" if row["score"] <= 3 else None
    if row["label"] == "CONTRADICTION":
        return "denied"
    return "same" if row["label"] == "ENTAILMENT" and row["score"] >= 4.7 else None


def _sample(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(random.Random(_SEED).sample(rows, min(_EACH, len(rows))))


def beam() -> list[Pair]:
    """BEAM-100K's contradictions and updates: the user's messages that say the one and the other; empty without data.

    The second is said on the day after the first at the earliest, so that the two can be told apart. These messages
    hold several facts each: one that is confirmed ("my child Michael") beside the contradicted one counts as a false
    merge here, so read the list of failures with the figure.
    """
    data = loaders()
    if data is None:
        return []
    messages = {m.message_id: m for m in data.load_beam("100K").messages if m.role == "user"}
    found = []
    for row in data.beam_pairs("100K"):
        first = [messages[i] for i in row["first"] if i in messages]
        second = [messages[i] for i in row["second"] if i in messages and i not in row["first"]]
        if not first or not second:
            continue
        label = "denied" if row["kind"] == "contradiction" else "changed"
        day, later = (datetime.fromisoformat(part[0].timestamp).replace(tzinfo=UTC) for part in (first, second))
        found.append(
            Pair(
                row["query_id"].replace("/", "-"),
                "beam",
                label,
                "profile_fact",
                {"text": row["topic"], "said": [m.content for m in first]},
                {"text": "", "said": [m.content for m in second]},
                (day, max(later, day + timedelta(days=1))),
            )
        )
    return found
