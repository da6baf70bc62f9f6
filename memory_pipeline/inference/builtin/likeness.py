"""How two short statements stand to each other: their words without inflection, their numbers, names and slots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory_pipeline.domain.consolidation.comparison import Features
from memory_pipeline.domain.consolidation.contrast import replaces
from memory_pipeline.domain.consolidation.slots import Slot
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS, content_words, figures, names, negations, words
from memory_pipeline.inference.builtin.extraction.entities import entities
from memory_pipeline.inference.builtin.frames.slot_wordings import worded_slots
from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.verbs import FINITE, FORMS, lemma
from memory_pipeline.language.times.phrases import find
from memory_pipeline.language.times.words import MONTHS, WEEKDAYS

_BE = frozenset({"is", "are", "was", "were", "has", "have", "had", "can", "cannot", "does", "do", "did", "will"})
_USER = lazy(r"^(?:the )?user(?:'s)?\s+", re.I)
_OWNERS = lazy(r"([^\W_]+)(?:['’]s|s['’]) (?=\w)")
# To have talked to somebody on the phone is to have called them.
_ON_THE_PHONE = lazy(
    r"\b(?:spoken?|speaks?|talk(?:ed|s)?|chat(?:ted|s)?) (?:to|with) (?P<who>(?:their |the )?[\w' -]+?) "
    r"(?:on|over|by) (?:the )?phone\b",
    re.I,
)
_OUTCOME = lazy(r"\s*\((?:kept|dropped)\)")
# Words that only say how something is meant: they tell neither two plans nor two facts apart.
_FRAME = wordset(
    """
    need want plan wish hope have must should will may can would like try consider think decide promise remind
    reminder get intend aim currently now no longer not never is be do does again finally also done kept dropped
    finish complete cancel user they their them
    """
)
# Words that come to the same in what people plan and do.
_SYNONYMS = {
    "phone": "call", "ring": "call", "purchase": "buy", "get": "buy", "reserve": "book", "mail": "send",
    "email": "send",
    "hand": "submit", "meeting": "meet", "workout": "exercise", "mom": "mother", "mum": "mother", "dad": "father",
    "flat": "apartment", "bike": "bicycle", "doc": "doctor", "visit": "go", "travel": "go", "see": "go", "attend": "go",
    "fly": "go", "head": "go", "drive": "go", "come": "go",
    "kid": "child", "attorney": "lawyer", "physician": "doctor", "sofa": "couch", "automobile": "car", "auto": "car",
    "film": "movie", "photo": "picture", "tv": "television", "math": "mathematics", "maths": "mathematics",
    "coder": "developer", "programmer": "developer", "reply": "answer", "response": "answer", "brief": "short",
    "concise": "short", "construct": "build", "fracture": "break", "begin": "start", "jobless": "unemployed",
    "holiday": "vacation", "fall": "autumn", "grandma": "grandmother", "grandpa": "grandfather", "sample": "example",
    "named": "called", "name": "called", "choose": "decide", "enjoy": "like", "love": "like",
}  # fmt: skip
# Going there is what they are kept by, unless something else is done with them ("book a flight").
_ERRANDS = frozenset({"trip", "flight", "appoint", "appt", "checkup"})
# Wordings of the directives, which no clause of the first person has.
_WORDED = tuple(
    (lazy(pattern, re.I), attribute)
    for pattern, attribute in (
        (r"(?:wants|prefers|likes) to be called (?P<value>.+)$", "preferred_name"),
        (r"(?:goes by|is called) (?P<value>[^,]+)$", "preferred_name"),
        (r"(?:wants|prefers) (?:replies|answers|responses) in (?P<value>\w+)$", "preferred_answer_language"),
        (r"(?:prefers|wants|likes) (?P<value>[\w -]+?) (?:answers|replies|responses)$", "answer_style"),
        (r"wants the assistant to be (?P<value>.+)$", "preferred_tone"),
        (r"(?P<denied>does not want|never wants) the assistant (?:to )?(?:use )?(?P<value>.+)$", "protocol"),
        (r"(?:always )?wants the assistant to (?:use )?(?P<value>.+)$", "protocol"),
        (r"does not want (?P<value>.+?) to be (?:brought up|mentioned|discussed)$", "avoid_topic"),
        (r"has (?:a|their) birthday on (?P<value>.+)$", "birthday"),
    )
)


@dataclass(frozen=True, slots=True)
class Likeness(Features):
    """A statement taken apart: its stems are without inflection, dates and framing verbs, its objects are no verbs, and
    its numbers are not those of dates.

    Attributes:
        owners: the objects that are named only as somebody's whose something else is ("mom's doctor").
        act: what is done, synonyms joined ("go" for visits, trips and appointments), or "" where no verb says so.
        subject: words before the verb where it is about somebody else than the user, lower case, else empty.
        slots: what the rule tables read out of it, mostly one or none.
    """

    owners: frozenset[str]
    act: str
    subject: frozenset[str]
    slots: tuple[Slot, ...]


@lru_cache(maxsize=4096)
def likeness(content: str) -> Likeness:
    """The parts of a statement by which it is compared."""
    text = _ON_THE_PHONE.sub(r"called \g<who>", _OUTCOME.sub("", content).strip().rstrip(".!?"))
    bare = undated(text)
    verbs: dict[str, None] = {}
    nouns: dict[str, None] = {}
    order: list[str] = []
    for word in words(bare):
        word = word.removesuffix("'s")
        if word in STOPWORDS or word in MONTHS or word in WEEKDAYS or word.isdigit():
            continue
        stem = _plain(word)
        if stem in _FRAME or lemma(word) in _FRAME:
            continue
        order.append(stem)
        (verbs if word in FORMS and stem not in nouns else nouns)[stem] = None
    errands = _ERRANDS & nouns.keys()
    act = next(iter(verbs), "go" if errands else "meet" if "meet" in nouns else "")
    objects = frozenset(nouns) - {"meet"} - (errands if act == "go" else frozenset())
    return Likeness(
        stems=(objects | frozenset(verbs)) - {"go"} or frozenset(verbs),
        objects=objects,
        order=tuple(order),
        names=frozenset(name.lower() for name in entities(bare)) | names(bare),
        numbers=figures(bare),
        dates=frozenset(text[p.start : p.end].lower() for p in find(text)),
        denied=negations(text),
        replaces=replaces(text),
        owners=frozenset(_plain(word) for word in _OWNERS.findall(bare.lower())) & objects,
        act=act,
        subject=_subject(text),
        slots=slots(text),
    )


def _subject(text: str) -> frozenset[str]:
    """The words before the first verb: "Son" in "Son is allergic to nuts", none in "Is allergic to nuts"."""
    told: list[str] = []
    for word in words(_USER.sub("", text)):
        if word in FINITE or word in FORMS or word in _BE:
            return content_words(" ".join(told))
        told.append(word)
    return frozenset()


def undated(text: str) -> str:
    """The text without its date phrases."""
    for phrase in reversed(find(text)):
        text = text[: phrase.start] + " " + text[phrase.end :]
    return text


@lru_cache(maxsize=8192)
def _plain(word: str) -> str:
    """A word's lemma or stem, synonyms joined: "called", "phoned" → "call"."""
    base = lemma(word)
    base = _SYNONYMS.get(base, base)
    return base if base in FORMS else str(_stemmer().stemWord(base))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    """PyStemmer's English stemmer, loaded when it is first needed."""
    import Stemmer

    return Stemmer.Stemmer("english")


@lru_cache(maxsize=4096)
def slots(content: str) -> tuple[Slot, ...]:
    """Slots that a statement in the third person fills: "Lives in Berlin." → (user, residence, Berlin)."""
    text = _USER.sub("", content.strip().rstrip("."))
    for pattern, attribute in _WORDED:
        hit = pattern.match(text)
        if hit:
            return (Slot("user", attribute, hit.group("value"), bool(hit.groupdict().get("denied"))),)
    return worded_slots(text)
