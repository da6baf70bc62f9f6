"""Slots read back out of the wordings that the table of frames gives: "Lives in Berlin" → (user, residence, Berlin).

No parser: whoever compares memories, or answers from them, need not load one.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memory_pipeline.domain.consolidation.slots import Slot
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.facts.world import world_slot
from memory_pipeline.language.vocabulary import category, occupation, relations, table, words
from memory_pipeline.language.wording.inflection import base_form

_GROUP = lazy(r"\(\?.*?\)|\[.*?\]|\\\\.")
_OWN = lazy(
    r"^(?:their (?P<what>[\w -]+?)|(?P<taste>favou?rite [\w -]+?)) (?:is|are) (?P<denied>not )?(?P<value>.+)$", re.I
)
_PREFERS = lazy(r"^prefers (?P<value>.+?)(?: (?:over|to|instead of|rather than) .+)?(?: again)?$", re.I)
# What says the same as a wording of the table.
_ALIKE = (
    (lazy(r"^is based in ", re.I), "lives in "),
    (lazy(r"^has an? (?P<value>[\w -]+?) allergy$", re.I), r"is allergic to \g<value>"),
    (lazy(r"^is an? smoker$", re.I), "smokes"),
)
_CALLED = lazy(r"^has (?:an? )?(?P<relation>[\w-]+) called (?P<value>.+)$", re.I)
_TASTES = (("likes|loves|enjoys|adores", "likes"), ("hates|dislikes|despises|detests|loathes", "dislikes"))
_CLASSES = frozenset({"diet", "condition", "nationality", "religion", "language", "medicine"})
_AFTER_HEAD = lazy(r",| (?:in|on|at|with|who|that|from|of|for|called|named|aged|to|by|and) ")
_PLACEHOLDER = lazy(r"\\\{\w+\\\}")
_ANY_WORDS = r"[\\w -]*?"  # as a replacement: the backslash is escaped
_ENDED = lazy(r"^(?:no longer|does not|do not|is no longer|is not|never|used to) ", re.I)


@lru_cache(maxsize=4096)
def worded_slots(text: str) -> tuple[Slot, ...]:
    """The slots of a sentence in the third person without its full stop, most often one or none."""
    subject, said = _subject(text)
    slot = _own(text, said) if subject == "user" else _their(said)
    if slot is not None:
        return (slot,)
    denied = bool(_ENDED.match(said))
    plain = _affirmed(said) if denied else said
    for pattern, wording in _ALIKE:
        plain = pattern.sub(wording, plain)
    prefers = _PREFERS.match(plain)
    if prefers and (kind := category(prefers.group("value"))):
        return (Slot(subject, f"preferred_{kind}", prefers.group("value"), denied),)
    for pattern, attribute, fixed, of in _patterns():
        hit = pattern.match(plain)
        if hit and _fits(of, hit.groupdict().get("value") or ""):
            value = hit.groupdict().get("value") or fixed
            return (Slot(subject, attribute, value, denied),) if value else ()
    return ()


def _fits(of: str, value: str) -> bool:
    """Whether a value is of the class its row asks for, where the wording alone ("Has …", "Is …") does not tell."""
    said = re.findall(r"[\w'-]+", value.lower())
    if of in {"relation", "pet"}:
        known = relations().keys() if of == "relation" else words("pet")
        return _head(value) in known
    if of == "occupation":
        return any(map(occupation, said))
    return of not in _CLASSES or any(w in words(of) for w in said)


def _head(value: str) -> str:
    """The noun that a value is about: "older brother Max in Oslo" → brother, "dentist appointment" → appointment."""
    said = _AFTER_HEAD.split(value, maxsplit=1)[0].split()
    while len(said) > 1 and said[-1][:1].isupper():
        said.pop()
    return said[-1].strip(",.").lower() if said else ""


def _own(text: str, said: str) -> Slot | None:
    """A slot that no row words: a name, something of the user's, or a fact about somebody known."""
    called = _CALLED.match(said)
    if called:
        return Slot("user", "family", called.group("value"))
    return _their(said) or world_slot(text)


def _their(said: str) -> Slot | None:
    """ "Their rent is 900", "Favorite film is Ran"."""
    own = _OWN.match(said)
    if own is None:
        return None
    what = (own.group("what") or own.group("taste")).lower().replace("favourite", "favorite").replace(" ", "_")
    slot = what if what in {"name", "birthday", "pronouns"} or what.startswith("favorite") else f"current_{what}"
    return Slot("user", slot, own.group("value"), bool(own.group("denied")))


def _subject(text: str) -> tuple[str, str]:
    """Whom a sentence is about, and the rest: "Brother Max lives in Oslo" → brother max, "lives in Oslo"."""
    said = text.split(" ")
    relation = relations().get(said[0].lower())
    if relation is None or len(said) < 2:
        return "user", text
    names = 1
    while names < len(said) - 1 and said[names][:1].isupper():
        names += 1
    return " ".join([relation, *said[1:names]]).lower(), " ".join(said[names:])


def _affirmed(text: str) -> str:
    rest = _ENDED.sub("", text)
    if re.match(r"is no", text, re.I):
        return f"is {rest}"
    first, _, more = rest.partition(" ")
    return f"{base_form(first)[1]} {more}".strip()


@cache
def _patterns() -> list[tuple[re.Pattern[str], str, str | None, str]]:
    """The wordings of the table as patterns, those with most words of their own first: each with its slot and value."""
    found: list[tuple[re.Pattern[str], str, str | None, str]] = []
    for row in table("frames")["rows"]:
        said = row.get("say", "").rstrip(".")
        if not said or row.get("slot") in {None, "trait"} or row.get("over") or said.startswith("{"):
            continue
        bare = said.split(" ", 1)[0] in {"Has", "Is"} and said.count(" ") == 1
        found.append((_pattern(said), row["slot"], row.get("is"), str(row.get("obj", "")) if bare else ""))
    found += [(lazy(f"^(?:{verbs}) (?P<value>.+)$", re.I), slot, None, "") for verbs, slot in _TASTES]
    return sorted(found, key=_fixed_letters, reverse=True)


def _pattern(said: str) -> re.Pattern[str]:
    pattern = re.escape(said)
    pattern = pattern.replace(r"\{value\}", "(?P<value>.+)").replace(r"\{each\}", "(?P<value>.+)")
    pattern = pattern.replace(r"\{article\}", "(?:an? |the )?")
    return lazy(f"^{_PLACEHOLDER.sub(_ANY_WORDS, pattern)}$", re.I)


def _fixed_letters(pattern: tuple[re.Pattern[str], str, str | None, str]) -> int:
    return sum(c.isalpha() for c in _GROUP.sub("", pattern[0].pattern))
