"""One question, read: the kind of answer, the attributes that fill it, and what a statement must say to answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS
from memory_pipeline.language.identify import ENGLISH, clear_language
from memory_pipeline.language.questions.subjects import Subject, Whose, subject_of
from memory_pipeline.language.questions.tables import (
    Row,
    any_of,
    elsewhere,
    english,
    group,
    names_people,
    pattern,
    rows,
    spelled,
)
from memory_pipeline.language.tables import read as table
from memory_pipeline.language.wording.inflection import third_person

_SENTENCE = lazy(r"(?<=[.!?])\s+|\n+")
_NOUN_PHRASE = lazy(r"^(?:(?:my|our)|the name of my|the)\b", re.I)
_EMBEDDED = lazy(
    r"^(?P<asks>who|what|where|when|how (?:old|tall|much|many|long)|(?:what|which) \w+) "
    r"(?P<who>(?:my|our|the|i|we|[A-Z])\b.*?) "
    r"(?P<be>is|are|am|was|were)(?P<rest>| \w.*)$",
    re.I,
)
_ENGLISH_ASKS = lazy(r"\b(?:what|which|who|where|when|how|why|do|does|did|am|is|are|have|my|i)\b", re.I)
_FINITE = lazy(r"\b(?:is|are|am|was|were|do|does|did|has|have|had|can|will|would|should)\b", re.I)
_INVERTED = lazy(
    r"^(?P<aux>do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|should|must|may)(?P<no>n't| not)? "
    r"X(?:'s)?\b ?(?P<rest>.*)$",
    re.I,
)
_WHAT_OF = lazy(r"^what (?:is|are|was|were) (?:X's|the) (?P<what>[\w-]+(?: [\w-]+){0,2})$", re.I)
_KIND = lazy(
    r"^(?:in |at |on |for |with )?(?:what|which) (?:kind of |type of |sort of )?(?:[\w-]+ ){0,2}?(?P<kind>[\w-]+)"
    r"(?: (?:of X's|of the)\b.*?)? (?=(?:is|are|am|was|were|do|does|did|has|have|had|can|will|should|gave|give|X)\b)|"
    r"^(?:in |at |on |for |with )?(?:what|which) (?:kind of |type of |sort of )?(?P<first>[\w-]+) ",
    re.I,
)
_DO = frozenset({"do", "does", "did"})
_BE = {"are": "is", "am": "is", "were": "was", "have": "has", "had": "has"}


class Wants(StrEnum):
    """The kind of answer that a question asks for."""

    YES_NO = "yes_no"
    NAME = "name"
    PERSON = "person"
    PLACE = "place"
    TIME = "time"
    DURATION = "duration"
    NUMBER = "number"
    AGE = "age"
    REASON = "reason"
    MANNER = "manner"
    THING = "thing"
    ALLOWED = "allowed"  # whether something is good for the user: "can I eat this?"
    SUMMARY = "summary"  # of what is known of the user
    TOPIC = "topic"  # of what is known of something
    SAID = "said"  # what the assistant said


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks for.

    Attributes:
        text: the question itself, with X for whom it is about, without what leads in to it.
        attributes: those of which one fills what is asked for, best first; ``favorite_*`` is any that begins so.
        types: types of memories that answer it.
        who: words for whom it is about, empty for the user.
        left: what a statement must say beside filling the attribute.
        said: what it says, without the words that only ask.
        also: words that come with the attribute.
        relation: whom the answer must name ("brother" in "do I have a brother?").
        kind: what kind of thing is asked for by its name ("car", "editor").
        declared: a yes-or-no question as a statement in the third person, without its subject; else "".
        excepted: what "before …" excepts: "before Lisbon".
        past: what no longer holds is asked for.
        was: it asks in the past tense.
        happened: it asks for what has happened, which an intention does not tell.
        still: it asks whether something still holds.
        all: all that fits answers it, not only the latest.
        named: the answer is the name of somebody who belongs to the user.
        negated: what is denied answers it as well.
    """

    text: str
    wants: Wants
    whose: Whose
    who: frozenset[str]
    attributes: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()
    left: str = ""
    said: str = ""
    also: str = ""
    relation: str = ""
    kind: str = ""
    declared: str = ""
    excepted: str = ""
    past: bool = False
    was: bool = False
    happened: bool = False
    still: bool = False
    all: bool = False
    named: bool = False
    negated: bool = False

    @property
    def fills(self) -> bool:
        """Whether memories of some attributes or types fill what it asks for."""
        return bool(self.attributes or self.types)


def in_english(question: str) -> bool:
    """Whether a question is to be read as English; one that the table knows in another language is not."""
    if english().search(_plain(question)):
        return True
    known = any(ask.search(question) for ask, _ in elsewhere()) and not _ENGLISH_ASKS.search(question)
    return not known and clear_language(question) in (None, ENGLISH)


@lru_cache(maxsize=512)
def read(question: str) -> Question:
    """What a question asks for."""
    text = _plain(question)
    past, still = bool(any_of("time", "past").search(text)), bool(any_of("time", "still").search(text))
    before = any_of("time", "before").search(text)
    excepted = before.group("then") if before else ""
    text = text[: before.start()].strip() if before else text
    subject = subject_of(text)
    told = _passed(subject.text)
    plain = Question(
        told,
        _kind(told),
        subject.whose,
        subject.who,
        left=(said := asking_words().sub("", told)),
        said=said,
        declared=_declared(told),
        excepted=excepted,
        past=past,
        was=bool(any_of("time", "was").search(told)),
        happened=bool(any_of("time", "happened").search(told)) and not past,
        still=still,
    )
    found = _row(told, subject)
    return _worded(plain, *found) if found else _free(plain)


def _worded(question: Question, row: Row, hit: re.Match[str]) -> Question:
    """A question of a wording that the table knows."""
    told = question.text
    what = spelled(group(hit, "what").lower())
    wants = Wants(row.wants) if row.wants else question.wants
    # "Is there anything I can't eat?" asks for a list, whatever it begins with.
    yes_no = question.wants is Wants.YES_NO and wants not in {Wants.SAID, Wants.ALLOWED} and not row.negated
    left = f"{told[: hit.start()]} {told[hit.end() :]} {group(hit, 'value')}".strip()
    return replace(
        question,
        wants=Wants.YES_NO if yes_no else wants,
        attributes=_attributes(row, what, question.past or question.was),
        types=row.types,
        left=asking_words().sub("", left).strip(),
        also=row.also,
        relation=group(hit, "rel").lower(),
        kind=what if row.kind else "",
        all=row.all or (row.named and bool(any_of("time", "several").search(told))),
        named=row.named,
        negated=row.negated,
    )


def _free(question: Question) -> Question:
    """A question of no wording that the table knows: the thing that it names may be an attribute, or a kind."""
    what = _WHAT_OF.match(question.text)
    name = _attribute("{what}", what.group("what").lower()) if what else ""
    noun = _KIND.match(question.text)
    named = (noun.group("kind") or noun.group("first") or "") if noun else ""
    kind = spelled(named.lower()) if question.wants is Wants.THING else ""
    return replace(
        question,
        attributes=(f"current_{name}", name) if name else (),
        kind="" if kind in STOPWORDS or _FINITE.fullmatch(kind) else kind,
    )


def _attributes(row: Row, what: str, past: bool) -> tuple[str, ...]:
    names = dict.fromkeys(_attribute(slot, what) for slot in row.slots if "{what}" not in slot or what)
    return (*(f"former_{name}" for name in names if past and "*" not in name), *names)


def _attribute(slot: str, what: str) -> str:
    return slot.replace("{what}", re.sub(r"[ -]+", "_", what))


def _plain(question: str) -> str:
    """The question proper: the last one of the text, without what leads in to it or closes it."""
    text = " ".join(question.replace("’", "'").split("\n")[-1:]) if "\n" in question else question.replace("’", "'")
    text = re.sub(r"(?<=s)'(?=\s)", "'s", text)
    said = [s.strip() for s in _SENTENCE.split(text.strip()) if s.strip()] or [""]
    asked = [s for s in said if s.endswith("?")]
    text = (asked or said)[-1].strip(" .?!")
    for short, written in table("questions")["written"].items():
        text = re.sub(rf"\b{re.escape(short)}(?![\w'])", written, text, flags=re.I)
    text = _led(text)
    embedded = _EMBEDDED.match(text)
    if embedded:
        text = f"{embedded['asks']} {embedded['be']} {embedded['who']}{embedded['rest']}"
    if _NOUN_PHRASE.match(text) and not _FINITE.search(text):
        text = f"what is {text}"
    return text


def _led(text: str) -> str:
    """Without leads and tails, however many there are."""
    lead, asking, tail = _affixes()
    for _ in range(4):
        shorter = asking.sub("", lead.sub("", text)).strip(" ,:;-")
        shorter = tail.sub("", shorter).strip(" ,:;-") or shorter
        if shorter == text or not shorter:
            break
        text = shorter
    return text


@cache
def _affixes() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    known = table("questions")
    return (
        lazy(rf"^{known['leads']}(?=[\s,.!])[\s,.!:-]*", re.I),
        lazy(rf"^(?:{'|'.join(known['asking_leads'])})\b[\s,:]*", re.I),
        lazy(rf"[\s,;:-]+{known['tails']}$", re.I),
    )


def _passed(text: str) -> str:
    """Without words that only say when, or how it is meant."""
    return " ".join(any_of("time", "passing").sub(" ", text).split())


def _row(told: str, subject: Subject) -> tuple[Row, re.Match[str]] | None:
    of = "user" if subject.whose is Whose.USER else "other"
    people = names_people(told)
    for row in rows():
        if row.of in ("", of) and (people or not row.people) and (hit := row.ask.search(told)):
            return row, hit
    return None


def _kind(told: str) -> Wants:
    for name in table("questions")["kinds"]:
        if pattern(table("questions")["kinds"][name]).search(told):
            return Wants(name)
    return Wants.YES_NO if re.match(r"X (?!'s)\w", told) else Wants.THING


def _declared(told: str) -> str:
    """ "do X live in Delhi" → "lives in Delhi"; "" where no yes or no is asked."""
    inverted = _INVERTED.match(told)
    if inverted is None:
        return re.sub(r"^X ", "", told) if re.match(r"X \w", told) else ""
    rest, aux = inverted.group("rest"), inverted.group("aux").lower()
    if aux in _DO:
        verb, _, more = rest.partition(" ")
        return f"{third_person(verb)} {more}".strip()
    return f"{_BE.get(aux, aux)} {rest}".strip()


@cache
def asking_words() -> re.Pattern[str]:
    """What a question begins with that only asks."""
    return lazy(rf"^{table('questions')['asking']}\b", re.I)
