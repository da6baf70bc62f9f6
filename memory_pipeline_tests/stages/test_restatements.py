"""Sixty true restatements and sixty false ones, written apart from the rules, in English, German and Spanish.

The false ones change one thing of a true one: polarity, subject, number, name, modality, a detail, a cause, the scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.proposal import Evidence, MemoryType
from memory_pipeline.stages.consolidation.claim_readings import read
from memory_pipeline_tests.factories import POLICY, message, proposal

# What the rules do not see: a possession of somebody else's told with another verb, an occasion that was guessed.
MISSED = {"Runs a removal firm.", "Is applying for a loan at the bank."}


@dataclass(frozen=True)
class Row:
    """One pair; ``kind`` is "good", or what is wrong."""

    kind: str
    said: str
    quote: str
    content: str
    type: str


def rows() -> Iterator[Row]:
    kind = ""
    for line in (Path(__file__).parent / "restatements.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.split()[1]
        elif line and not line.startswith("#"):
            said, quote, content, *type_ = line.split("|")
            yield Row(kind, said, quote, content, type_[0] if type_ else "profile_fact")


def passes(row: Row) -> bool:
    cited = message(row.said, message_id="m")
    stated = proposal(
        row.content, evidence=(Evidence("m", row.quote or row.said),), type=MemoryType(row.type), model="gpt"
    )
    return first_failure(examine(read(GateInput(stated, {"m": cited}, POLICY.gate, session=[cited])))) is None


def test_what_follows_in_other_words_passes() -> None:
    assert [row.content for row in rows() if row.kind == "good" and not passes(row)] == []


def test_what_changes_one_thing_is_rejected() -> None:
    assert {row.content for row in rows() if row.kind != "good" and passes(row)} == MISSED
