"""Forms of English verbs, made by rule and from a table of the irregular ones, so that any form finds its verb."""

from __future__ import annotations

from functools import lru_cache

from memory_pipeline.domain.tables import table

_VOWELS = "aeiou"


@lru_cache(maxsize=2048)
def past(verb: str) -> frozenset[str]:
    """The past forms of a verb; of a regular one the last consonant may be doubled."""
    irregular = table("acts")["irregular"].get(verb)
    if irregular:
        return frozenset(irregular.split())
    if verb.endswith("e"):
        return frozenset({verb + "d"})
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return frozenset({verb[:-1] + "ied"})
    return frozenset({verb + "ed", verb + verb[-1] + "ed"})


@lru_cache(maxsize=2048)
def forms(verb: str) -> frozenset[str]:
    """Every form of a verb: "stop" → stop, stops, stopped, stopping …"""
    stem = verb[:-1] if verb.endswith("e") else verb
    third = verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in _VOWELS else verb + "s"
    return past(verb) | {verb, third, verb + "es", verb + "ing", stem + "ing", verb + verb[-1] + "ing"}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending, crudely: only for telling whether two words that no table knows may be one."""
    for ending in ("ying", "ies", "ied"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)] + "y"
    if word.endswith(("eers", "eer")):  # "volunteers" is no comparative
        return word.removesuffix("s")
    for ending in ("ing", "ers", "ed", "er", "es", "e", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 1 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word
