"""The forms of English verbs that a sentence in the third person needs, from their lemma."""

from __future__ import annotations

_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_GERUND = {"be": "being", "die": "dying", "lie": "lying", "tie": "tying", "see": "seeing", "flee": "fleeing"}
_VOWELS = "aeiou"
_DOUBLING = frozenset({
    "stop", "plan", "get", "run", "swim", "sit", "put", "cut", "hit", "let", "set", "shop", "jog", "chat", "drop",
    "grab", "hug", "nap", "pet", "plug", "rob", "rub", "ship", "skip", "step", "tap", "travel", "cancel", "begin",
    "forget", "quit", "win", "dig", "spin", "knit", "bet", "admit", "commit", "prefer", "refer", "occur",
})  # fmt: skip


def third_person(lemma: str) -> str:
    """The present form with he, she, it: "carry" → "carries"."""
    if lemma in _THIRD:
        return _THIRD[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + "s"


def gerund(lemma: str) -> str:
    """The form in -ing: "swim" → "swimming"."""
    if lemma in _GERUND:
        return _GERUND[lemma]
    if lemma in _DOUBLING:
        return lemma + lemma[-1] + "ing"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
        return lemma[:-1] + "ing"
    return lemma + "ing"


def base_form(verb: str) -> tuple[str, str]:
    """The lemma and the form of the third person of a verb in either: "live" or "lives" → ("live", "lives")."""
    low = verb.lower()
    known = {"is": "be", "has": "have", "does": "do", "goes": "go"}
    if low in known:
        return known[low], low
    if low.endswith("ies") and len(low) > 4:
        return low[:-3] + "y", low
    if low.endswith(("sses", "shes", "ches", "xes", "zes")):
        return low[:-2], low
    if low.endswith("s") and not low.endswith("ss"):
        return low[:-1], low
    return low, third_person(low)
