"""What an item of memory states, taken apart for answering: about whom, which attribute, in which words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_pipeline.domain.consolidation.slots import Slot
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS, names
from memory_pipeline.inference.builtin.about import sentence
from memory_pipeline.inference.builtin.answering.terms import ended, light, terms
from memory_pipeline.inference.builtin.likeness import likeness
from memory_pipeline.inference.builtin.spoken import FARTHEST, SUBJECT, clauses, finite, leading, verb_phrase, worded
from memory_pipeline.language.questions.subjects import belonging, canonical, people
from memory_pipeline.language.questions.tables import any_of, former, kind_of
from memory_pipeline.language.questions.tables import worded as worded_attributes
from memory_pipeline.language.vocabulary import medicine, occupation

_Item = Mapping[str, Any]
HOLDING = frozenset({"active", "stale", "archived"})  # the last only where a read asks for what has faded
_PRONOUN = lazy(r"(?:he|she)\b", re.I)
_CLASSES: dict[str, Callable[[str], bool]] = {
    "occupation": lambda word: occupation(word) and not kind_of(word.lower()),
    "medicine": medicine,
}
_OWNED = lazy(
    r"their (?:[\w-]+ ){0,2}?(?P<head>[\w-]+)(?: [\w-]*[A-Z][\w-]*)?(?=['’]s | (?:is|was|has|had|does|did)\b)", re.I
)
_WITH_USER = lazy(r"\bwith (?:them|me|us)\b", re.I)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an item.

    Attributes:
        item: what states it.
        text: in the third person, the user left out as its subject.
        quote: the user's own sentence, where a turn states it.
        of_user: it is about the user.
        who: words for whom it is about otherwise; empty where it is about a thing.
        slots: attribute and value, those of the memory first.
        terms: its words without inflection, like words joined.
        names: proper names, lower case.
        over: it no longer holds, or says itself that something has ended.
        asked: a turn only takes it for granted in what it asks.
    """

    item: _Item
    text: str
    quote: str
    of_user: bool
    who: frozenset[str]
    slots: tuple[Slot, ...]
    terms: frozenset[str]
    names: frozenset[str]
    over: bool
    asked: bool = False

    @property
    def memory(self) -> bool:
        return not self.quote

    @property
    def holds(self) -> bool:
        """Whether its item still counts."""
        return str(self.item["status"]) in HOLDING

    @property
    def negated(self) -> bool:
        """Whether it denies what it speaks of."""
        if self.memory and self.item.get("attribute"):
            return bool(self.item.get("negated"))
        return bool(any_of("signs", "denied").match(self.text)) or any(s.negated for s in self.slots)

    @property
    def denies(self) -> bool:
        """Whether its words deny."""
        return bool(any_of("signs", "denied").match(self.text))

    @property
    def intended(self) -> bool:
        """Whether it tells what is meant to happen, and not that it has."""
        return self.item["type"] == "open_loop" or bool(any_of("signs", "intended").match(self.text))

    @property
    def attributes(self) -> frozenset[str]:
        return frozenset(s.attribute for s in self.slots if s.attribute)


def statements(items: Iterable[_Item]) -> list[Statement]:
    """What some items state, in their order; a turn states each of its sentences."""
    found: list[Statement] = []
    for item in items:
        if item["layer"] == "episodic":
            questions = item.get("questions") or ()
            spoken = item.get("sentences") or (() if questions else [item["content"]])
            for quote in spoken:
                found += _spoken(item, quote)
            found += [_taken_for_granted(item, quote) for quote in questions]
        else:
            found.append(_remembered(item))
    gone = [s for s in found if s.memory and not s.holds]
    found = [_retired(s, gone) for s in found]
    return [*found, *filter(None, map(_shared_home, found))]


def _retired(statement: Statement, gone: Sequence[Statement]) -> Statement:
    """A turn's statement with the state of the memory that was made of it, where that one no longer holds."""
    if statement.memory or statement.asked:
        return statement
    said = set(statement.item.get("evidence", ()))
    for memory in gone:
        if said & set(memory.item.get("evidence", ())) and terms(memory.text) - light("verbs") <= statement.terms:
            state = {key: memory.item.get(key) for key in ("status", "valid_until")}
            return replace(statement, item={**statement.item, **state}, over=True)
    return statement


def _shared_home(statement: Statement) -> Statement | None:
    """Who lives in Leeds with the user has the user live there, too."""
    home = [s for s in statement.slots if s.attribute == "residence"]
    if statement.of_user or not home or not _WITH_USER.search(statement.text):
        return None
    slots = tuple(replace(s, subject="user") for s in home)
    return replace(statement, of_user=True, who=frozenset(), slots=slots)


def _remembered(item: _Item) -> Statement:
    text, subject = str(item["content"]).strip(), item.get("subject")
    slots = slots_of(text)
    slots = slots or _slots_of_other(text, frozenset({"?"}) if subject != "user" else frozenset())
    if item.get("attribute"):
        own = Slot(subject or "user", item["attribute"], item.get("value"), bool(item.get("negated")))
        slots = (own, *(s for s in slots if s.attribute != own.attribute))
    if subject and str(subject).lower() != "user":
        of_user, who = False, _who(str(subject))
    else:
        who = leading(text)
        told = sentence({"content": text, "subject": subject})
        of_user = not who and (told.of_user or text.split(" ", 1)[0].lower() in {"they", "their", "they're"})
        who = who if of_user else who or _who(told.who)
    return _statement(item, text, "", of_user, who, slots)


def _spoken(item: _Item, quote: str) -> list[Statement]:
    """The clauses of a turn's sentence, worded as memories of them; one without a subject has that of the last."""
    found: list[Statement] = []
    for clause in clauses(quote):
        text, of_user = worded(clause)
        who = frozenset[str]() if of_user else leading(text)
        elliptical = of_user and not SUBJECT.match(any_of("signs", "opening").sub("", clause))
        if found and _PRONOUN.match(text) and found[-1].of_user and found[-1].names:
            of_user, who = False, found[-1].names
        elif found and (elliptical or _PRONOUN.match(text)):
            of_user, who = found[-1].of_user, found[-1].who
            owner = _OWNED.match(found[-1].text) if of_user and people(f"X {text}") & belonging() else None
            if owner is not None:  # "my clan leader is 34 and has 3 kids"
                of_user, who = False, frozenset({owner["head"].lower()})
        found.append(_statement(item, text, quote, of_user, who, slots_of(text) or _slots_of_other(text, who)))
    return found


def _taken_for_granted(item: _Item, quote: str) -> Statement:
    """What a turn asks, as a whole: its clauses state nothing."""
    return replace(_statement(item, quote, quote, True, frozenset(), ()), asked=True)


def slots_of(text: str) -> tuple[Slot, ...]:
    """The slots that a sentence fills by its wording."""
    told = [s for s in likeness(text).slots if s.attribute != "partner" or any_of("signs", "married").search(text)]
    before = (
        Slot("user", name, hit.group("value")) for name, said in former() if (hit := said.search(text.rstrip(".")))
    )
    return (*told, *before, *_worded(text, {s.attribute for s in told}))


def _worded(text: str, known: set[str | None]) -> list[Slot]:
    """The slots that a sentence fills by a word of a class: "pilot with Scoot" tells an occupation."""
    found: list[Slot] = []
    for name, of, said in worded_attributes():
        values = (hit.group("value") for hit in said.finditer(text.rstrip("."))) if name not in known else ()
        value = next((v for v in values if not of or _CLASSES[of](v)), None)
        if value is not None:
            found.append(Slot("user", name, value))
    return found


def _slots_of_other(text: str, who: frozenset[str]) -> tuple[Slot, ...]:
    """The slots that a sentence about somebody fills by its predicate: "Inês works at a bakery"."""
    said = text.split(" ")
    at = next((n for n, word in enumerate(said[: FARTHEST + 1]) if n and finite(word.lower())), 0)
    return slots_of(f"{said[at].capitalize()} {' '.join(said[at + 1 :])}") if who and at else ()


def _statement(
    item: _Item, text: str, quote: str, of_user: bool, who: frozenset[str], slots: tuple[Slot, ...]
) -> Statement:
    attributes = " ".join((s.attribute or "").replace("_", " ") for s in slots[:1])
    said = terms(text)
    known = said | terms(re.sub(r"\b(?:current|favorite|preferred|former)\b", "", attributes))
    over = str(item["status"]) not in HOLDING or bool(terms(verb_phrase(text)) & ended())
    over = over or bool(re.search(r"\bno longer\b", text, re.I))
    named = {n for n in names(text) | who if canonical(n) not in belonging()} | frozenset(
        str(n).lower() for n in item.get("entities") or ()
    )
    return Statement(item, text, quote, of_user, who, slots, known, frozenset(named), over)


def _who(text: str) -> frozenset[str]:
    return frozenset(canonical(w) for w in re.findall(r"[\w'’-]+", text) if w.lower() not in STOPWORDS)


def told_dates(item: _Item) -> list[str]:
    """The dates of an item in words: "Thursday 3 December 2026"."""
    dates = (item.get(key) for key in ("valid_from", "due_at"))
    return [f"{datetime.fromisoformat(str(at)):%A %d %B %Y}" for at in dates if at]
