"""What a clause is about, without its asides: shared by plans, happenings and closings."""

from __future__ import annotations

import re

from memory_pipeline.inference.builtin.clauses import Clause
from memory_pipeline.inference.builtin.verbs import lemma

_EXPLAINED = re.compile(
    r",? (?:which|who|whom|because|so that|but|since|as it|as they|as i|where (?:i|we|he|she|they|it))\b.*"
    r"|,? and (?:it|they|that|he|she|the \w+ (?:is|was|are|were|has|had))\b.*"
    r"|, (?:had|so|and so|it|there|things|this)\b.*"
    r"|, (?!.*\b(?:and|or)\b).*"
    r"|[ ,]+(?:just|by the way)$",
    re.I,
)
_MOMENT = re.compile(
    r"\b(?:right now|today|tonight|at the moment|this (?:morning|afternoon|evening|week)|just now|all day|for now)\b",
    re.I,
)
_DETERMINERS = re.compile(r"\b(?:my|our|the|an?|their)\b", re.I)


def of_the_moment(clause: Clause) -> bool:
    """Whether the clause speaks of just now ("right now", "today")."""
    return bool(_MOMENT.search(clause.dated))


def object_only(rest: str) -> str:
    """What follows the verb, up to the first comma."""
    return rest.partition(",")[0].strip()


def main_part(rest: str) -> str:
    """What follows the verb, up to where it turns to explaining."""
    return _EXPLAINED.sub("", rest).strip(" ,")


def matter(clause: Clause) -> str:
    """Verb and object in their plainest form, the value of plans and events: "call mom"."""
    verb = lemma(clause.form.lower()) if clause.form else clause.verb
    return bare(f"{verb} {clause.rest}")


def bare(text: str) -> str:
    """A phrase without determiners: "call my mom" → "call mom"."""
    return " ".join(_DETERMINERS.sub(" ", text).strip(" ,.!").split())
