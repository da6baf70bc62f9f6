"""Slots of what is said about the world: "The capital of France is Paris" → (France, current_capital, Paris).

Each has a name, a relation and one value at a time, so that a later statement of the same relation replaces it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memory_pipeline.domain.consolidation.slots import Slot
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.vocabulary import relations, table

_LONGEST = 240
_NAME = r"(?:[Tt]he )?[A-Z0-9À-Þ](?:[^,;:?!]|, (?=[A-Z])){0,80}?"
_VALUE = r"(?P<value>[^;:?!]{2,80})"
_LEAD = r"(?:(?:name of the |official |current |chief |prime |original )*)"
_OF = lazy(
    rf"^[Tt]he {_LEAD}(?P<what>[\w-]+(?: [\w-]+){{0,4}}?) (?:of|in|that (?:produced|made|owns|published|created)) "
    rf"(?:the )?(?P<who>{_NAME}) (?:is|are|was) "
    rf"(?:located in (?:the (?:city|country|continent|state) of )?|the )?{_VALUE}$"
)
_WHERE = lazy(
    rf"^[Tt]he (?P<what>[\w-]+(?: [\w-]+){{0,3}}?) (?:where|that|which|in which) (?P<who>{_NAME}) "
    rf"(?P<verb>(?:was |is )?[a-z]+) (?:is|was) (?:the )?{_VALUE}$"
)
_PRONOUNS = frozenset(
    ["i", "we", "you", "he", "she", "it", "they", "this", "that", "there", "what", "who", "their", "my", "our", "your",
     "these", "those", "user"]
)  # fmt: skip


@lru_cache(maxsize=4096)
def world_slot(text: str) -> Slot | None:
    """The slot of a sentence about somebody or something by name; None of any other sentence.

    Args:
        text: without its full stop.
    """
    text = text.strip().rstrip(".!") if not re.search(r"\b[A-Z]\.[A-Z]\.$", text) else text.strip()
    first = text.split(" ", 1)[0].lower().removesuffix("'s")
    if len(text) > _LONGEST or first in _PRONOUNS or first in relations():
        return None
    of = _OF.match(text)
    if of and of.group("what").lower().split()[-1] not in table("world")["no_role"]["words"]:
        return _slot(of.group("who"), of.group("what"), of.group("value"))
    where = _WHERE.match(text)
    if where:
        what = f"{where.group('what')} {where.group('verb')}"
        return _slot(where.group("who"), what, where.group("value"))
    for pattern in _roles():
        if hit := pattern.match(text):
            return _slot(hit.group("who"), hit.group("what"), hit.group("value"))
    for pattern, slot in _said():
        if hit := pattern.match(text):
            return _slot(hit.group("who"), slot, hit.group("value"))
    return None


@cache
def _roles() -> tuple[re.Pattern[str], ...]:
    words = "|".join(sorted(table("world")["role"]["words"], key=len, reverse=True))
    named = rf"(?P<what>(?i:{words}))"
    return (
        lazy(rf"^(?P<value>{_NAME}) (?:is|was) the (?:current |new )?{named} of (?:the )?(?P<who>{_NAME})$"),
        lazy(rf"^(?P<who>{_NAME})(?:'s|’s|s') (?:current |new )?{named} (?:is|was) {_VALUE}$"),
    )


@cache
def _said() -> list[tuple[re.Pattern[str], str]]:
    return [
        (lazy(rf"^(?P<who>{_NAME}) {said} {_VALUE}$"), slot)
        for slot, listed in table("world")["said"].items()
        for said in listed
    ]


def _slot(who: str, what: str, value: str) -> Slot:
    return Slot(
        who.strip().removeprefix("The ").removeprefix("the "), f"current_{'_'.join(what.lower().split())}", value
    )
