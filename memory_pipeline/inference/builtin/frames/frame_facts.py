"""Facts of the rows of the table that fit a clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.facts.context import Reading, names
from memory_pipeline.inference.builtin.facts.fact import LIGHT, WEIGHTS, Fact, Weight
from memory_pipeline.inference.builtin.facts.happenings import happened
from memory_pipeline.inference.builtin.frames.frame_wording import worded
from memory_pipeline.inference.builtin.frames.row_values import values
from memory_pipeline.inference.builtin.frames.table import Hit
from memory_pipeline.language.grammar.clauses import Cue, Tense
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import category, table

_OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}


def framed(reading: Reading, hit: Hit) -> Iterator[Fact]:
    """The facts of a row that fits, one for each value."""
    if not _has_needed(reading, hit.row.get("needs")):
        return
    found = values(reading, hit)
    if not found:
        return
    for token, value in found:
        fact = _fact(reading, hit, token, value)
        if fact is not None:
            yield fact
    if hit.row.get("event") and reading.clause.tense is Tense.PAST and reading.dated:
        yield from happened(reading, weight=LIGHT)


def _has_needed(reading: Reading, needs: str | None) -> bool:
    """Whether a clause tells when it is so, or that it is so again, where its row asks for that."""
    if needs == "again":
        return "again" in reading.clause.adverbs() and not reading.clause.negated
    if needs == "now":
        return reading.changed
    return needs != "when" or reading.dated


def _fact(reading: Reading, hit: Hit, token: Token | None, value: str) -> Fact | None:
    row, subject = hit.row, reading.subject
    denied = _denied(reading, row)
    content = worded(reading, hit, token, value, denied)
    if not content:
        return None
    kind = MemoryType(row.get("type", "profile_fact"))
    open_ = kind is MemoryType.OPEN_LOOP
    attribute = _attribute(row, value)
    if row.get("taste") and denied:  # what one does not like, one dislikes
        attribute, denied = _OPPOSITE.get(attribute or "", attribute), False
    return Fact(
        kind,
        content,
        subject.key,
        attribute,
        row.get("is", value),
        denied or _over(row),
        _operation(reading, row),
        _weight(reading, row),
        Surface.CONTINUE if open_ else Surface.SPEAK,
        when="due" if open_ else "valid",
        dated="span" if row.get("say") and not row.get("told") else "all",
        names=names(subject, value),
    )


def _denied(reading: Reading, row: dict[str, Any]) -> bool:
    denied = reading.clause.negated and not row.get("as_affirmed") and not row.get("modal")
    return denied or reading.clause.cue is Cue.FORMER


def _over(row: dict[str, Any]) -> bool:
    """Whether a row ends what it names, though its wording does not deny it."""
    return bool(row.get("over") or row.get("modal") and row.get("denied") and not row.get("as_affirmed"))


def _operation(reading: Reading, row: dict[str, Any]) -> Operation:
    only_denied = row.get("slot") in table("frames")["denial_only"]
    over = reading.clause.ceased or reading.clause.cue is Cue.FORMER
    if only_denied and _denied(reading, row) and not over:
        return Operation.CONTRADICT
    return Operation(row.get("op", "add"))


def _weight(reading: Reading, row: dict[str, Any]) -> Weight:
    """That of the row; one is a little less sure of what is told of others."""
    weight = WEIGHTS[row.get("weight", "plain")]
    return weight if reading.of_user else replace(weight, confidence=round(weight.confidence - 0.05, 2))


def _attribute(row: dict[str, Any], value: str) -> str | None:
    """The slot of a row, or that of the kind of thing its value is: "preferred_editor"."""
    kind = category(value) if row.get("category") else None
    if kind is not None and kind not in row.get("kinds", kind).split():
        kind = None
    return f"{row['category']}_{kind}" if kind else row.get("slot")
