"""Statements that no frame and no clause tells whole: kept as they stand, in the third person, with less confidence.

Fragments ("no peanuts, allergic, epipen in the glovebox"), lists of figures, and what a long sentence says beside the
facts that were read out of it. About health always; else where it names or counts something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.facts.context import article
from memory_pipeline.inference.builtin.facts.coverage import Residue, alone, depends
from memory_pipeline.inference.builtin.facts.fact import CORE, Fact, Weight, open_loop
from memory_pipeline.language.grammar.people import USER, Kind, Subject
from memory_pipeline.language.syntax import Sentence
from memory_pipeline.language.times import TimeExpression
from memory_pipeline.language.vocabulary import medicine, relations, words
from memory_pipeline.language.wording.rewrite import third

_HEALTH = Weight(0.8, 0.8, 0.7)
_FAINT = Weight(0.35, 0.3, 0.5)
_LONGEST = 40  # words of a note about health
_LONG = 30  # words of another note
_SHORT = 5  # words from which on a note needs no name
_SOMEBODY = frozenset({"he", "she"})
_OTHERS = frozenset({"he", "she", "they", "his", "her", "their"})
_DAYS = frozenset({"day", "week", "month", "season", "year"})
_VERBS = frozenset({"VB", "VBD", "VBP", "VBZ", "VBG"})
_BOUNDS = frozenset({"on", "by"})
_KNOWN_PEOPLE = frozenset({Kind.PERSON, Kind.PET})
_PARTS = lazy(r"[,;]\s+|\s+(?:but|so)\s+")
_CLAUSES = lazy(r"[,;]\s+|\s+(?:and|but|so)\s+(?=(?:the|my|our|i|we|it)\b)")
_ELABORATES = lazy(r"(?:as in|such as|like|meaning|i\.e\.?|e\.g\.?)\b", re.I)
_TOO_SO_TO = lazy(r"\btoo \w+(?: and \w+)? to \w+", re.I)
_WANTS = lazy(
    r"(?:need|want|looking|please|let|any)\b|"
    r"(?:(?:i|we)(?: just| also| still)* need|(?:i|we)(?:'m| am|'re| are) (?:looking for|after)) (?:an?|some)\b",
    re.I,
)
# "Adding pharmacy to the list, …": what the writer is doing as they write.
_ASIDE = lazy(
    r"^(?:adding|putting|noting|writing|checking|asking|saying|thinking) [^,]{3,40}, (?=(?:my|our|the|i|we)\b)", re.I
)
_PRONOUNS = lazy(r"\b(?P<value>(?:she|he|they|xe|ze|it|any)/\w+(?:/\w+)?)\b", re.I)
_OF_PRONOUNS = lazy(r"\bpronouns?\b|^(?:i'm |i go by |i use )?\S+/\S+$", re.I)


@dataclass(frozen=True, slots=True)
class Remainder:
    """A sentence and what has been told of it.

    Attributes:
        text: as it was written out.
        told: contents of the facts that were read out of it.
        about: of whom its main clause tells.
        times: its time expressions.
        today: local day of the message, ISO.
        own: it is a statement; of a request or a question only what touches on the writer's health is kept.
        past: its main clause tells of the past.
        kept: contents of those facts that are more than the end of something open; None for all of them.
    """

    sentence: Sentence
    text: str
    told: Sequence[str]
    about: Subject = USER
    times: Sequence[TimeExpression] = ()
    today: str = ""
    own: bool = True
    past: bool = False
    kept: Sequence[str] | None = None

    @property
    def plain(self) -> str:
        return _ASIDE.sub("", " ".join(self.text.split())).strip(" .,;:!-")

    @property
    def size(self) -> int:
        return len(self.plain.split())

    @property
    def low(self) -> frozenset[str]:
        return frozenset(t.low for t in self.sentence)

    @property
    def known(self) -> str:
        return " ".join(self.told).lower()

    @property
    def whose(self) -> str:
        named = self.about.kind in _KNOWN_PEOPLE or self.about.kind is Kind.NAMED
        return self.about.key if named else "user"

    def note(self, text: str) -> str:
        """A part of the statement in the third person, whom it is about named at its beginning."""
        spoken = third(self._on_calendar(text.strip(" .,;:!-")))
        first, _, rest = spoken.partition(" ")
        if first.lower().removesuffix("'s") in {"he", "she", "they"} and self.whose != "user":
            spoken = f"{self.about.label}{' is' if first.lower().endswith(chr(39) + 's') else ''} {rest}"
        return f"{spoken[:1].upper()}{spoken[1:]}."

    def _on_calendar(self, text: str) -> str:
        """With its times as memories tell them, so that "last week" stays true."""
        for time in self.times:
            hour = time.relation == "until" and time.grain not in _DAYS  # "until midnight" is no midnight of one day
            if time.first and time.worded and (time.open or time.relation == "on") and not hour:
                text = text.replace(time.text.strip(" .,;:!?"), time.worded, 1)
        return text


def untold(rest: Remainder) -> list[Fact]:
    """What a statement says beside its facts: about health always, else where it says enough."""
    if rest.text.partition(":")[0].lower() in words("passing_key"):
        return []  # "Fridge: half a lemon"
    if "?" in rest.text and rest.own or not 2 <= rest.size <= _LONGEST or rest.low & words("secret"):
        return []
    if not rest.own and rest.low & words("asks_for"):
        return []
    return _health(rest) or _due(rest) or _other(rest)


def pronouns(text: str) -> Fact | None:
    """ "My pronouns are they/them"."""
    hit = _PRONOUNS.search(text)
    if hit is None or not _OF_PRONOUNS.search(text):
        return None
    value = hit.group("value").lower()
    return Fact(
        MemoryType.PROFILE_FACT, f"Uses {value} pronouns.", "user", "pronouns", value, weight=CORE, dated="none"
    )


def _health(rest: Remainder) -> list[Fact]:
    """The parts that touch on health and are in none of the facts."""
    if _TOO_SO_TO.search(rest.plain):  # "too sore to run" passes
        return []
    if _of_nobody_named(rest):
        return []
    personal = rest.own or bool(rest.low & {"i", "my", "me", "i'm", "allergic"})
    heard = " ".join(rest.told if rest.kept is None else rest.kept).lower()
    unheard = {word for word in _of_health(rest) if word not in heard}
    if not personal or not unheard:
        return []
    parts = [p for p in _PARTS.split(rest.plain) if set(re.findall(r"[\w'-]+", p.lower())) & unheard]
    if rest.told and all(_ELABORATES.match(p) for p in parts):  # "…, as in EpiPen allergic": no statement of its own
        return []
    whole = len(parts) != 1 or len(parts[0].split()) < 2 or depends(parts[0])
    return [
        Fact(MemoryType.PROFILE_FACT, rest.note(p), rest.whose, "health", weight=_HEALTH, dated="none")
        for p in ([rest.plain] if whole else parts)
    ]


def _of_nobody_named(rest: Remainder) -> bool:
    """ "He's deaf as a post", where nobody is known whom "he" may stand for, and the sentence names nobody either."""
    first = rest.sentence.tokens[0].low.partition("'")[0]
    if rest.whose != "user" or first not in _OTHERS or Residue.of(rest.sentence, "").own:
        return False
    return not any(t.low in relations() or t.pos == "PROPN" and t.kind == "PERSON" for t in rest.sentence)


def _of_health(rest: Remainder) -> set[str]:
    classes = words("condition") | words("diet") | words("reaction")
    counted = {t.low for t in rest.sentence if rest.sentence.children(t, "nummod")} & words("reaction")  # "two hives"
    acting = {t.low for t in rest.sentence if t.lemma.lower() in words("also_verb") and t.tag in _VERBS}  # "adds"
    found = {t.low for t in rest.sentence if medicine(t.low) or {t.low, t.lemma.lower()} & classes} - counted - acting
    return found | (set(rest.low) & words("body") if rest.low & words("injured") else set())


def _due(rest: Remainder) -> list[Fact]:
    """ "Dentist appointment tomorrow at 3pm", "VAT return due 30 November"."""
    if not rest.own or rest.told:
        return []
    ahead = [t for t in rest.times if t.first and t.first[:10] >= rest.today and t.relation in _BOUNDS]
    first = list(takewhile(lambda t: t.text != ",", rest.sentence))
    seen = words("occasion") | words("seen")
    booked = any(t.lemma.lower() in seen and (t.pos in {"NOUN", "PROPN"} or t.index == 0) for t in first)
    of_noun = first[1:2] and first[0].tag == "VBG" and first[1].lemma.lower() in seen  # "driving test"
    verbless = not any(t.pos in {"VERB", "AUX"} for t in (first[1:] if of_noun else first))
    if ahead and booked and verbless:
        noun = rest.plain
        for time in rest.times:
            noun = noun.replace(time.text.strip(" .,;:!?"), "")
        noun = third(" ".join(noun.split()).strip(" ,.:-").partition(" ,")[0])
        named = noun[:1].lower() + noun[1:] if noun[1:2].islower() else noun
        return [open_loop(f"Has {article(named)}{named}.", "plan", named)]
    bounded = any(t.relation == "by" for t in ahead)
    if bounded and verbless and any(t.pos in {"NOUN", "PROPN"} and not t.kind for t in first):
        return [open_loop(rest.note(rest.plain), dated="none")]  # "tax return by the 30th"
    root = rest.sentence.root
    lapsing = root.lemma.lower() in words("running_out") and rest.sentence.child(root, "prt") is not None
    if ahead and (lapsing or rest.low & words("runs_out")) or rest.low & words("late"):
        return [open_loop(rest.note(rest.plain), dated="none")]
    return []


def _other(rest: Remainder) -> list[Fact]:
    """A statement that names, counts or dates something that is in none of the facts."""
    if not rest.own or rest.size > _LONG or rest.low & words("asks_you") or _asks(rest):
        return []
    if all(t.pos in {"PROPN", "PUNCT", "CCONJ"} for t in rest.sentence):
        return []  # "Yukon, Nunavut, Northwest": names of which nothing is told
    weighty = Residue.of(rest.sentence, rest.known)
    if rest.size < 3 or rest.size < _SHORT and not (weighty.named or weighty.dated):
        return []
    if not rest.told:
        return [_note(rest, rest.plain)] if weighty.enough else []
    if not weighty.stated:
        return []
    unsaid = [p for p in _CLAUSES.split(rest.plain) if weighty.within(p)]
    return [_note(rest, (alone(unsaid[0]) if len(unsaid) == 1 else "") or rest.plain)]


def _asks(rest: Remainder) -> bool:
    """Whether it asks, exclaims, or tells of somebody whom nobody named."""
    if _WANTS.match(rest.plain):
        return True
    if (
        rest.low & {"please", "pls"}
        or "or" in rest.low
        and rest.low & {"i'm", "they're", "i'll", "'ll", "'m"}
        or _of_anybody(rest.sentence)
    ):
        return True
    first = next((t.low for t in rest.sentence if t.pos != "CCONJ"), "")
    root = rest.sentence.root
    opinion = root.lemma.lower() in words("opinion") and rest.sentence.tokens[0].low != "i"
    return opinion or first in words("pointing") or rest.whose == "user" and first in words("hanging")


def _of_anybody(sentence: Sentence) -> bool:
    """Whether it tells what is so of all and everybody: "boats are holes in the water", "one cannot do that"."""
    who = sentence.child(sentence.root, "nsubj", "nsubjpass")
    if who is None or sentence.root.lemma.lower() not in {"be", "cannot"} and who.low != "one":
        return False
    bare = who.tag == "NNS" and not sentence.children(who, "det", "poss", "nummod", "amod", "compound")
    writer = any(
        t.low in {"i", "me", "my", "we", "our", "us"} or t.pos in {"PROPN", "NUM"} and t.low != "one" for t in sentence
    )
    return (bare or who.low == "one") and not writer


def _note(rest: Remainder, text: str) -> Fact:
    return Fact(MemoryType.PROFILE_FACT, rest.note(text), rest.whose, weight=_FAINT, dated="none")
