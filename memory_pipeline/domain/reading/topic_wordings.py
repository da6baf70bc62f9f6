"""From the words of a plea ("my ex Tobias", "my old job at the bank", "politics or religion") to its topics."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from memory_pipeline.domain.entities.names import DETERMINERS, tokens
from memory_pipeline.domain.entities.relations import WORDS as RELATIONS
from memory_pipeline.domain.entities.relations import Relation, leading, relation, spellings
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.reading.topics import Topic, Words
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import STOPWORDS, normalise, singular

_LIST = lazy(r"\s*(?:,|;|/)\s*(?:(?:and|or|nor)\s+)?|\s+(?:or|nor)\s+|\s+(?:and|&)\s+")
_ASIDE = lazy(r"\s+(?:and|or) (?:what|how|why|that|where|when|who|whatever)\b.*$", re.I)
_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*(?:-[^\W_]+)*", re.UNICODE)
_LEAD = lazy(
    r"^(?:(?:my|our|the|their|his|her|its|that|this|those|these|a|an|any|being|having|about|fact|i'm|i am|i was|"
    r"they were|they are|everything|anything|all|user's)\s+)+",
    re.I,
)
_NOTICE = lazy(
    r"^(?:the user |user )?(?:(?:does not|doesn't|never) wants?|wants?|prefers not|never|do not|don't|avoids?|please)"
    r"\s+"
    r"(?:to )?(?:(?:discuss|mention|bring up|talk about|speak about|hear about|be asked about|be reminded of) )?"
    r"(?:everything about |anything about )?"
    r"(?P<topic>.+?)(?:\s+(?:to be|is to be|be)?\s*(?:brought up|mentioned|discussed|forgotten|talked about))?"
    r"(?:\s+unless\b.*)?[.!]?$",
    re.I,
)


@lru_cache(maxsize=4096)
def topics(value: str | None, content: str = "") -> tuple[Topic, ...]:
    """The topics that a boundary or a plea to forget names; none where it names nothing, or closes it at times only.

    Args:
        value: the words for it, as the user put them; where there are none, they are read out of the content.
    """
    text = _ASIDE.sub("", (value or _of_notice(content)).strip(" .,!?\"“”'"))
    if not text:
        return ()
    parts = [part for part in _LIST.split(text) if part.strip()]
    listed = re.search(r"\b(?:or|nor)\b|,", text) or all(_LEAD.match(p) for p in parts[1:])
    if len(parts) > 1 and not listed and not all(_stands_alone(p) for p in parts):
        parts = [text]
    return tuple(found for part in parts if (found := _topic(part)))


def sore(text: str) -> bool:
    """Whether a phrase names somebody by who that is to the user, or a matter that people are hurt by: "my brother",
    "the divorce"; no habit or thing of use."""
    bare = _LEAD.sub("", text.strip(" .,!?").lower())
    head, _, behind = _split(_WORD.findall(bare))
    if leading(tuple(tokens(bare))) is not None:
        return True
    named = [word for word in _telling(head) or behind if not _vague(word)]
    matter = _matter(named[-1]) if named else None
    return matter is not None and matter not in wordset("topics", "used")


def _of_notice(content: str) -> str:
    hit = _NOTICE.match(content)
    return hit["topic"] if hit else ""


def _stands_alone(part: str) -> bool:
    """Whether a part of a list names a person, a matter or a name by itself: "my mom and my dad"."""
    bare = _LEAD.sub("", part)
    words = _WORD.findall(bare)
    named = bool(words) and all(w[:1].isupper() for w in words)
    return named or relation(bare) is not None or (len(words) == 1 and _matter(words[0]) is not None)


def _topic(text: str) -> Topic:
    bare = _LEAD.sub("", text.strip())
    words = _WORD.findall(bare)
    if not words or all(w.lower() in wordset("topics", "passing") for w in words):
        return Topic()
    return _somebody(bare, words) or _something(words)


# -- people and names


def _somebody(bare: str, words: list[str]) -> Topic:
    """A person, or whatever has a name: "ex-husband Terry", "old friend Kevin", "Rob", "Dr. Stone"."""
    folded = tuple(tokens(bare))
    who, size = leading(folded) or (None, 0)
    owned = re.match(r"(?i)[\w-]+['’]s?\s", bare) is not None
    rest = _tail(bare, size) if who is not None else bare
    if who is not None and not rest:
        return _related(who)
    if owned and who is not None:
        return Topic()
    named = _WORD.findall(rest)
    if who is None and len(named) > 1 and named[0].islower() and not named[0].endswith("ing"):
        named, rest = named[1:], rest.split(" ", 1)[-1]  # "the bar Molly's"
    if named and all(w[:1].isupper() or w.lower() in ("of", "the", "and") for w in named) and named[0][:1].isupper():
        made = Topic().called([rest], person=who is not None)
        if who is not None and len(named) > 1:
            made = made.called([named[0]])
        if who is not None and (who.base in wordset("topics", "single") or who.base.startswith("ex")):
            return Topic(_related(who).parts, made.names, True)
        return made
    return Topic()


def _tail(bare: str, size: int) -> str:
    """What stands behind the first folded words of a text, as it is written."""
    seen = 0
    for hit in re.finditer(r"[^\s-]+", bare):
        if seen >= size:
            return re.sub(r"^(?:called|named|,)\s*", "", bare[hit.start() :])
        seen += len(tokens(hit.group()))
    return ""


def _related(who: Relation) -> Topic:
    """Somebody who is named only by who that is to the user."""
    if who.base.startswith("ex"):
        return Topic((Words(frozenset({"ex"})),))
    matter = _matter(who.base)
    also = frozenset(word for one in _covering(matter) for word in one["words"].split()) if matter else frozenset()
    words = {word for word in spellings(who.base) if (same := relation(word)) is not None and same.base == who.base}
    return Topic((Words(frozenset(w for word in words | {who.base} for w in word.split()[-1:]) | also),))


# -- matters and things


def _something(words: list[str]) -> Topic:
    head, link, behind = _split(words)
    if any(singular(w.lower()) in wordset("topics", "timed") for w in behind) and link:
        return Topic()
    if link in wordset("topics", "locating") and behind:
        said, where = _telling(head), _telling(behind)
        general = all(_matter(w) is not None or _vague(w) for w in said)
        wanted = where if general and where else said
    else:
        wanted = _telling([*head, *behind])
    wanted = wanted or [w for w in words if w.lower() not in STOPWORDS and w.lower() not in DETERMINERS]
    if not wanted or all(map(_vague, wanted)):
        return Topic()
    matter = _matter(wanted[0]) if len(wanted) == 1 else None
    if matter is not None:
        own = _covering(matter)
        return Topic(
            (_forms(wanted[0]),),
            attributes=frozenset(name for one in own for name in one["attributes"].split()),
            hints=frozenset(hint for one in own for hint in one["hints"].split()),
            says=tuple(says for one in own for says in one.get("says", ())),
            own=own[0]["own"],
            unless=_unless(matter),
        )
    matters = [m for w in wanted if (m := _matter(w)) is not None]
    unless = tuple(phrase for m in matters for phrase in _unless(m))
    return Topic(tuple(dict.fromkeys(_forms(w) for w in wanted)), unless=unless)


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    """Head, preposition and complement of a noun phrase."""
    links = wordset("topics", "locating") | wordset("topics", "relating")
    at = next((n for n, w in enumerate(words) if n and w.lower() in links), None)
    return (words, "", []) if at is None else (words[:at], words[at].lower(), words[at + 1 :])


def _telling(words: list[str]) -> list[str]:
    """The words that name something: without small words, and without vague ones where others are left."""
    kept = [w for w in words if w.lower() not in STOPWORDS and w.lower() not in DETERMINERS]
    return [w for w in kept if not _vague(w)] or kept


def _vague(word: str) -> bool:
    """Whether a word names nothing by itself."""
    return singular(word.lower().removesuffix("'s")) in wordset("topics", "vague")


def _forms(word: str) -> Words:
    """Everything that says the same as a word: the words of its matter, those for a relation, else its own forms."""
    bare = normalise(word).removesuffix("'s")
    matter = _matter(bare)
    if matter is not None:
        return Words(frozenset(word for one in _covering(matter) for word in one["words"].split()))
    who = relation(bare) if bare in RELATIONS else None
    if who is not None:
        return _related(who).parts[0]
    return Words(stems=frozenset(stem(singular(form)) for form in (bare, *_irregular().get(bare, ()))))


def _matter(word: str) -> str | None:
    bare = normalise(word).removesuffix("'s")
    return _matters().get(bare) or _matters().get(singular(bare))


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    """Forms of a word that share no stem with it: "fall" and "fell"."""
    groups = [tuple(group.split()) for group in table("topics")["irregular"]]
    return {word: group for group in groups for word in group}


def _covering(matter: str) -> list[dict[str, Any]]:
    """A matter, and the narrower ones that are closed with it: whoever closes money closes the salary."""
    known = table("topics")["matter"]
    return [known[name] for name in (matter, *known[matter].get("covers", "").split())]


@cache
def _matters() -> dict[str, str]:
    found = table("topics")["matter"].items()
    return {word: name for name, own in found for word in own["words"].split()}


def _unless(matter: str) -> tuple[str, ...]:
    return tuple(p for one in _covering(matter) for p in one["but"].split("|") if p)


__all__ = ["sore", "topics"]
