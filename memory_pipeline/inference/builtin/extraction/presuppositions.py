"""What a request or a question presupposes of whoever asks: "tyres for my Corolla", "a card from our beagle".

Whoever asks about something of theirs has it. It is told with less confidence than what they state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory_pipeline.domain.consolidation.naming import kinds_of_word
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.facts.context import article
from memory_pipeline.inference.builtin.facts.fact import CORE, Fact, Weight, open_loop
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import medicine, relations, words
from memory_pipeline.language.wording.rewrite import third

_PRESUPPOSED = Weight(0.5, 0.5, 0.65)
_OWN = frozenset({"my", "our"})
_BEFORE = ("compound", "amod", "nummod", "nmod")
_KINDS = frozenset(
    map(
        stem,
        [
            "car",
            "dog",
            "cat",
            "phone",
            "laptop",
            "bird",
            "horse",
            "instrument",
            "boat",
            "motorbike",
            "van",
            "bike",
            "vehicle",
        ],
    )
)
_GONE = frozenset({"old", "former", "ex", "late", "previous", "last", "next", "new", "future", "dream", "first"})
_PETS = frozenset(map(stem, ("dog", "cat", "bird", "horse")))
_PASSING = lazy(
    r"\b(?:stay(?:ed|ing)?|holiday|airbnb|hotel|rented|was|were|view(?:ed|ing)|saw|want(?:ed)?|looking|visit\w*|moving|"
    r"mov(?:e|ed)|if|would|might|story|novel)\b",
    re.I,
)


def presupposed(sentence: Sentence) -> list[Fact]:
    """The facts that a sentence presupposes of its writer by "my" and "our"; none of a request for a story."""
    if any(token.low in words("invented") for token in sentence):
        return []
    found = [fact for token in sentence if _owned(sentence, token) for fact in _of(sentence, token)]
    return [fact for n, fact in enumerate(found) if fact.content not in {f.content for f in found[:n]}]


def occasion(sentence: Sentence) -> list[Fact]:
    """What a request with a day is about: "questions for my interview on Friday", "outfit for a wedding on the 3rd"."""
    for token in sentence:
        if not {token.low, token.lemma.lower()} & (words("occasion") | words("seen")) or token.pos not in {
            "NOUN",
            "PROPN",
        }:
            continue
        owners = sentence.children(token, "poss", "det")
        if any(t.low not in _OWN | {"a", "an"} for t in owners) or not owners or token.dep in {"nsubj", "compound"}:
            continue
        before = [
            t for t in sentence.children(token, "compound", "amod") if t.index < token.index and t.low not in _GONE
        ]
        name = " ".join(t.text for t in (*before, token)) + _behind(sentence, token, "at", "with", "in")
        return [open_loop(f"Has {article(name)}{name}.", "plan", name, weight=_PRESUPPOSED)]
    return []


def _owned(sentence: Sentence, token: Token) -> bool:
    owner = sentence.child(token, "poss")
    if owner is None or owner.low not in _OWN or token.pos not in {"NOUN", "PROPN"}:
        return False
    return not any(t.low in _GONE for t in sentence.children(token, "amod"))


def _of(sentence: Sentence, token: Token) -> Iterator[Fact]:
    """What it tells of the writer that something is theirs: an illness, an animal, a thing, a course, a job."""
    low = {token.low, token.lemma.lower()}
    before = [t for t in sentence.children(token, *_BEFORE) if t.index < token.index]
    name = " ".join(t.text for t in (*before, token))
    if low & words("condition") and token.low not in words("body"):
        counted = article(name) if token.low in words("counted_condition") else ""
        yield Fact(MemoryType.PROFILE_FACT, f"Has {counted}{name}.", "user", "health", name, weight=CORE)
    elif medicine(token.low) and token.low not in words("medicine_kind"):
        yield _fact(f"Takes {name}.", "medication", name, CORE)
    elif low & words("owned_study"):
        told = f"{name}{_behind(sentence, token, 'in', 'on', 'at')}"
        yield _fact(f"Is doing {article(name)}{told}.", "education", told)
    elif low & words("owned_lesson") and before:
        taught = " ".join(t.text for t in before)
        if any(
            t.low in words("taught") or stem("instrument") in kinds_of_word(t.low) or t.low in words("language")
            for t in before
        ):
            yield _fact(f"Takes {taught} lessons.", "hobby", f"{taught} lessons")
    elif low & words("owned_preparation") and before and before[-1].text.isupper():
        yield _fact(f"Is preparing for {before[-1].text}.", "goal", before[-1].text)
    elif low & words("owned_work"):
        place = _behind(sentence, token, "at", "with")
        if place:
            yield _fact(f"Works{place}.", "employer", place.split(" ", 2)[-1])
    elif low & words("owned_group") and (before or _behind(sentence, token, "in", "at")):
        told = f"{name}{_behind(sentence, token, 'in', 'at')}"
        yield _fact(f"Is in {article(name)}{told}.", "member", told)
    elif low & words("owned_business"):
        yield _fact(f"Has {article(name)}{name}.", "business", name)
    elif low & words("owned_member"):
        yield _fact(f"Has {article(name)}{name}.", "membership", name)
    elif low & words("owned_person") and not sentence.children(token, "appos"):
        relation = relations().get(token.low, token.low)
        yield _fact(f"Has {article(relation) if token.tag == 'NN' else ''}{relation}.", "family", relation)
    else:
        yield from _thing(sentence, token, name, low)


def _thing(sentence: Sentence, token: Token, name: str, known: set[str]) -> Iterator[Fact]:
    kinds = frozenset().union(*(kinds_of_word(word) for word in known)) & _KINDS
    model = next(
        (t for t in sentence.tokens[token.index + 1 : token.index + 2] if t.pos == "NUM" and t.text.isdigit()), None
    )
    name = f"{name} {model.text}" if model is not None and kinds else name
    counted = "" if token.tag in {"NNS", "NNPS"} else article(name)
    if kinds & _PETS or known & words("pet"):
        if not sentence.children(token, "appos"):
            yield _fact(f"Has {counted}{name}.", "pet", name)
    elif kinds or known & words("owned_thing"):
        yield _fact(f"Has {counted}{name}.", "possession", name)


def _behind(sentence: Sentence, token: Token, *prepositions: str) -> str:
    """What stands behind some prepositions of a noun, with them: " in plasma physics at Warwick"."""
    found, place = "", token.index + 1
    while place < len(sentence) and sentence[place].low in prepositions:  # the parser may hang it on the verb
        inside = sentence.subtree(sentence[place])
        found += f" {third(written(inside)).strip(' ,')}"
        place = inside[-1].index + 1
    return found


def _fact(content: str, attribute: str, value: str, weight: Weight = _PRESUPPOSED) -> Fact:
    return Fact(MemoryType.PROFILE_FACT, content, "user", attribute, value, weight=weight, dated="none")


def at_home(text: str) -> list[Fact]:
    """ "My landlady in Pinheiros", "me and two flatmates in a flat in Leith": whoever has a landlady or a flat there
    lives there."""
    found = []
    for hit in _dwelling().finditer(text):
        if (hit["kind"] or "").lower() not in words("not_now"):
            found.append(hit["place"])
    if not _PASSING.search(text):
        found += [hit["place"] for hit in _shared_home().finditer(text)]
    return [
        Fact(MemoryType.PROFILE_FACT, f"Lives in {p}.", "user", "residence", p, when="", dated="none", names=(p,))
        for p in found[:1]
    ]


@cache
def _dwelling() -> re.Pattern[str]:
    homes = "|".join(sorted(words("dwelling")))
    return lazy(
        rf"\b[Mm]y (?:(?P<kind>[a-z]+) )?(?:{homes}) in (?:the )?(?P<place>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*)"
    )


@cache
def _shared_home() -> re.Pattern[str]:
    homes = "flat|house|apartment|studio|bedsit|room|cottage|bungalow|flatshare|houseshare"
    return lazy(
        rf"\b(?:[Mm]e|[Ww]e|[Uu]s|[Ii])\b[^.?!;]{{0,40}}?\bin (?:an?|our|my)(?: [a-z]+){{0,2}} (?:{homes}) in "
        r"(?P<place>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*)"
    )
