"""Whether a statement that was derived from memories says only what they say: its numbers, names and negations."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.derived.derived_numbers import underived
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import names, negated, negations, singular, words

_UN, _BASE = "un", 4  # letters of the word that is denied


def unfaithful(content: str, members: Sequence[str]) -> str | None:
    """Why a statement does not follow from its members; None when nothing speaks against it (LS-22).

    Every number follows from theirs, every name is one that a member has, and it denies nothing that no member denies,
    nor states what all of them deny.
    """
    if not content.strip():
        return "it says nothing"
    foreign = underived(content, members)
    if foreign:
        return f"no member gives {', '.join(foreign)}, and it does not follow from their numbers"
    said = {singular(word.removesuffix("'s")) for member in members for word in words(member)}
    named = sorted(names(content) - said - set().union(*map(names, members)))
    if named:
        return f"no member names {', '.join(named)}"
    if negations(content) and not any(_lacks(member, [content, *members]) for member in members):
        return "it denies something, and no member does"
    if members and all(map(negated, members)) and not _lacks(content, members):
        return "every member denies something, and it does not"
    return None


def _lacks(text: str, around: Sequence[str]) -> bool:
    """Whether a text denies something or says that it is not there: "no cache", "a missing cache", "uncached".

    Args:
        around: texts of which one has the word that "un-" denies.
    """
    there = words(text)
    if negations(text) or not wordset("languages", "lacking").isdisjoint(there):
        return True
    bases = [word[len(_UN) :][:_BASE] for word in there if word.startswith(_UN) and len(word) >= len(_UN) + _BASE]
    return any(other.startswith(base) for base in bases for one in around for other in words(one))
