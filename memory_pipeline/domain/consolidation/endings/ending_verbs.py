"""Endings by the verb: what somebody gave up, left, parted with, called off or finished, and what healed or folded.

The verbs stand in a table, sorted by what they do to their object; a class ends memories of some kinds only, and only
those that have all the words by which the thing is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory_pipeline.domain.inflection import past
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import normalise, words

_BEGINS = (
    r"(?:^|[,;] |\b(?:and|but|so|then|also|they|we|i|has|have|had|finally|just|already|recently|now|user|"
    r"eventually|sadly|unfortunately) )"
)
_ADVERBS = (
    r"(?:(?:now|all|been|already|just|sadly|finally|officially|completely|totally|basically|fully|pretty much) )*"
)
_IS = rf"(?:is|are|was|were|got|gets|went|has been|have been|has|have) {_ADVERBS}"
_WHAT = r"(?P<what>(?!(?:up|off|out|what|which|who|there|they|he|she|we|i|you|me)\b)[^,.;]+?)"
_ENDS = (
    r"(?= (?:after|because|since|when|while|so|and|but|due|thanks|until|till|before|where|which|who|to|for|from|"
    r"in favou?r|in (?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"spring|summer|autumn|winter|week|end|\d{4})|on \d|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|around \d|last|"
    r"this|these|yesterday|today|altogether|entirely|completely|for good|at last|ago|a (?:week|month|year|fortnight|"
    r"while)|any ?more|now|already|early|with)\b|[,.;(]|$)"
)
_DETERMINED = (
    r"(?:(?:all |both |half )?(?:of )?(?:the|their|his|her|my|our|an?|that|those|these|every|any)"
    r"(?: whole| entire| old| poor)? )?"
)
# "Stopped by the gym", "left for Rome": another verb than the bare one.
_BARE = (
    r"(?! (?:by|at|in|into|off|over|on|onto|to|for|with|from|out|up|down|back|round|around|past|through|short|dead|"
    r"behind|away|along|across|under|and|about|as)\b)"
)
_DENIED = lazy(r"(?:\b(?:not|never|almost|nearly|barely|hardly|without|cannot)|n't) (?:\w+ )?$")
# Who leaves for a while comes back.
_FOR_NOW = lazy(
    r"\b(?:early|late|at \d|at (?:noon|lunch|midnight|half)|(?:an? )?hours?|minutes?|tonight|"
    r"this (?:morning|afternoon|evening)|for (?:the (?:day|night|evening|weekend)|lunch|"
    r"an? (?:hour|minute|moment|second|few|couple|week|day|night)|(?:two|three|\d+) (?:days?|hours?|minutes?)))\b"
)
_SPOKEN = lazy(r"[a-z][a-z'-]+")
_PARTICLES = frozenset({"up", "in", "off", "out", "away", "back", "down", "over", "on", "aside"})


@dataclass(frozen=True, slots=True)
class VerbEnding:
    """An ending that a sentence tells by a verb.

    Attributes:
        what: the words that name the thing that ended, as they stand in the sentence, lower case.
        kinds: kinds of memories that it can end.
    """

    what: str
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A way to tell an ending: the words of which a sentence has one, what it says, and what it ends."""

    firsts: frozenset[str]
    says: re.Pattern[str]
    kinds: frozenset[str]


@lru_cache(maxsize=65536)
def verb_endings(text: str) -> tuple[VerbEnding, ...]:
    """The endings that a sentence, normalised, tells by its verbs."""
    said = frozenset(words(text))
    found = []
    for rule in _rules():
        hit = None if said.isdisjoint(rule.firsts) else rule.says.search(text)
        if hit and not denied(text[: hit.start("verb")]) and not for_now(text[hit.start("verb") :]):
            found.append(VerbEnding(hit["what"].strip(), rule.kinds))
    return tuple(dict.fromkeys(found))


def denied(before: str) -> bool:
    """Whether the words before a verb deny it, or say that it did not come to it: "has not", "almost"."""
    return bool(_DENIED.search(before))


def for_now(said: str) -> bool:
    """Whether who leaves comes back: "left at 8", "left for an hour"."""
    return bool(_FOR_NOW.search(said))


@lru_cache(maxsize=65536)
def kinds_of(attribute: str | None, content: str) -> frozenset[str]:
    """What a memory is of: by its attribute, else by the words that it begins with, without whom it is about."""
    known = _kinds()
    name = normalise(attribute or "").replace(" ", "_")
    if name in known["fixed"] or name.startswith("favorite_"):
        return frozenset()
    if name.startswith(("current_", "preferred_")):
        name = f"{name.partition('_')[0]}_*"
    first, second = (*words(content), "", "")[:2]
    keys = {name} if name else {first, f"{first}_{second}"}
    found = frozenset(kind for kind, listed in known.items() if keys & listed)
    return found or frozenset({"pursuit", "other"} if name else {"other"})


@lru_cache(maxsize=1)
def _kinds() -> dict[str, frozenset[str]]:
    return {kind: frozenset(listed.split()) for kind, listed in table("over")["kinds"].items()}


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    return tuple(rule for row in table("over")["class"] for rule in _of_class(row))


def _of_class(row: dict[str, Any]) -> Iterator[_Rule]:
    """The ways of a class: with the object behind a verb or within its phrase, and said of the thing itself."""
    kinds = frozenset(row["ends"])
    verbs = [entry.split("_") for entry in row.get("verbs", "").split()]
    fades = [entry.split("_") for entry in row.get("fades", "").split()]
    phrases = [phrase.split(" ") for phrase in row.get("phrases", ())]
    active, ended = rf"{_BEGINS}(?P<verb>{{told}}){{bare}} {_DETERMINED}{_WHAT}", rf"{_WHAT} {_IS}(?P<verb>{{told}})\b"
    if plain := [verb for verb in verbs if len(verb) == 1]:
        yield _rule(plain, active + _ENDS, kinds, bare=_BARE)
    if longer := [verb for verb in verbs if len(verb) > 1] + [phrase for phrase in phrases if "~" not in phrase]:
        yield _rule(longer, active + _ENDS, kinds)
    around = [(v[:1], v[1]) for v in verbs if len(v) == 2 and v[1] in _PARTICLES]
    around += [(p[: p.index("~")], " ".join(p[p.index("~") + 1 :])) for p in phrases if "~" in p]
    for behind in sorted({behind for _, behind in around}):
        yield _rule([verb for verb, tail in around if tail == behind], rf"{active} {behind}\b", kinds)
    if results := row.get("results"):
        firsts = frozenset(word for result in results for word in _SPOKEN.findall(result))
        says = ended.replace("{told}", "|".join(results))
        yield _Rule(firsts, lazy(rf"{says}(?! (?:by|to|at|in|on|of|for)\b)"), kinds)
    if verbs:
        yield _rule(verbs, rf"{ended}(?! (?:to|at|in|on|of)\b)", kinds)
    if fades:
        said = rf"{_WHAT} (?:(?:has|have|had|is|are) )?{_ADVERBS}(?P<verb>{{told}})\b(?! (?:to|by|with|at)\b)"
        yield _rule(fades, said, kinds)


def _rule(entries: Sequence[Sequence[str]], says: str, kinds: frozenset[str], *, bare: str = "") -> _Rule:
    told = sorted({" ".join((_past(first), *rest)) for first, *rest in entries}, key=len, reverse=True)
    firsts = frozenset(form for first, *_ in entries for form in _forms(first))
    return _Rule(firsts, lazy(says.replace("{told}", "|".join(told)).replace("{bare}", bare)), kinds)


def _past(verb: str) -> str:
    return f"(?:{'|'.join(sorted(_forms(verb)))})"


def _forms(verb: str) -> frozenset[str]:
    return frozenset({"is", "are", "was", "were", "been"}) if verb == "be" else past(verb)
