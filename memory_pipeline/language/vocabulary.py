"""Classes of words, read from the tables: occupations, relations, illnesses, passing states, empty verbs and more."""

from __future__ import annotations

from functools import cache

from memory_pipeline.language.tables import read as table


@cache
def words(name: str, of: str = "words") -> frozenset[str]:
    """The words of a class, lower case.

    Args:
        of: the table that lists them.
    """
    return frozenset(_listed(table(of)[name]))


@cache
def classes(name: str, of: str) -> dict[str, str]:
    """Each word of a group of classes with the class it belongs to: "'ll" → "will" among the modal verbs."""
    return {word: label for label, listed in table(of)[name].items() for word in _listed(listed)}


@cache
def relations() -> dict[str, str]:
    """Words for people who belong to somebody, each with the word that memories use for it: "mum" → "mother"."""
    found = {word: word for word in _listed(table("words")["relation"])}
    for word, others in table("words")["same_relation"].items():
        found |= {other: word for other in [word, *_listed(others)]}
    return found


@cache
def category(word: str) -> str | None:
    """What kind of thing one prefers, uses or drinks: "oat milk" and "tea" are drinks."""
    parts = word.lower().replace("'s", "").split()
    if not parts or len(parts) > 4:
        return None
    known = classes("category", "words")
    return next((known[key] for key in ("-".join(parts), parts[-1], parts[0]) if key in known), None)


def medicine(word: str) -> bool:
    """Whether a word names a medicine, by list or by the ending of its class ("-pril", "-statin")."""
    low = word.lower()
    return low in words("medicine") or _ends(low, "medicine_ending")


def occupation(noun: str) -> bool:
    """Whether a noun names what somebody does for a living, by list or by its ending."""
    low = noun.lower().rstrip("s") if noun.lower() not in words("occupation") else noun.lower()
    return low in words("occupation") or (_ends(low, "trade_ending") and low not in words("no_trade"))


def _ends(word: str, endings: str) -> bool:
    """Whether a word that is long enough to have a stem has one of the endings."""
    return len(word) > 6 and word.endswith(tuple(words(endings)))


def _listed(text: str | list[str]) -> list[str]:
    return text.split() if isinstance(text, str) else [str(t) for t in text]


__all__ = ["category", "classes", "medicine", "occupation", "relations", "table", "words"]
