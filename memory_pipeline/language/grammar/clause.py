"""What a clause is: one predicate with its subject, and how it is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import classes, words

# What the parser may take for an adverb of these verbs, and belongs to them.
_MOVING = frozenset({"go", "move", "switch", "come", "get", "change"})
_DIRECTIONS = frozenset({"back", "over"})
_BE = frozenset({"'m", "’m", "'re", "’re", "am", "are", "is", "was", "were"})


class Mood(StrEnum):
    """Whether a clause states, asks for, asks about or only supposes."""

    STATEMENT = "statement"
    REQUEST = "request"
    QUESTION = "question"
    SUPPOSITION = "supposition"


class Tense(StrEnum):
    """When a clause holds, seen from the moment of speaking."""

    PRESENT = "present"
    PAST = "past"
    FUTURE = "future"


class Cue(StrEnum):
    """What a governing verb makes of the one below it: "need to call", "stopped drinking"."""

    NONE = ""
    DUTY = "duty"
    WISH = "wish"
    PLAN = "plan"
    PROMISE = "promise"
    ATTEMPT = "attempt"
    CONSIDERED = "considered"
    BEGUN = "begun"
    CEASED = "ceased"
    FORMER = "former"
    ABLE = "able"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Clause:
    """One predicate with its subject.

    Attributes:
        head: the verb that carries the meaning ("call" in "need to call"), or the noun or adjective of a clause
            without a verb.
        outer: the outermost verb of its group ("need"); the head where nothing governs it.
        subject: None where nobody is named and nobody can be carried over.
        carried: the subject stands in the clause before ("… and works at Siemens").
        modal: the modal verb in its full form ("will" for "'ll"), or "".
        ceased: it was so, and is no longer.
        certainty: 1.0, less with "I think", "maybe".
        link: the word that joins it to the clause above it ("because", "and"), or "".
        apart: tokens below ``outer`` that are clauses of their own.
    """

    sentence: Sentence
    head: Token
    outer: Token
    subject: Token | None = None
    carried: bool = False
    mood: Mood = Mood.STATEMENT
    tense: Tense = Tense.PRESENT
    cue: Cue = Cue.NONE
    modal: str = ""
    perfect: bool = False
    progressive: bool = False
    passive: bool = False
    negated: bool = False
    ceased: bool = False
    certainty: float = 1.0
    link: str = ""
    apart: frozenset[int] = field(default_factory=frozenset)

    @property
    def verb(self) -> str:
        """Lemma of the head, with its particle: "break up"."""
        particle = self.sentence.child(self.head, "prt")
        lemma = "be" if self.head.low in _BE else self.head.lemma.lower()
        lemma = classes("participle", "clauses").get(lemma, lemma)
        if particle is None and lemma == "pass":
            particle = next((t for t in self.sentence.children(self.head, "advmod") if t.low == "away"), None)
        if particle is None and lemma in _MOVING:
            particle = next((t for t in self.sentence.children(self.head, "advmod") if t.low in _DIRECTIONS), None)
        return f"{lemma} {particle.low}" if particle else lemma

    @property
    def verbless(self) -> bool:
        """Whether a noun or an adjective is all there is: "Allergic to nuts"."""
        return self.head.pos not in {"VERB", "AUX"}

    def object(self) -> Token | None:
        """The direct object, or what a form of "be" says of its subject."""
        found = self.sentence.child(self.head, "dobj", "attr", "acomp", "oprd", "dative")
        return self._activity() if found is None else found

    def _activity(self) -> Token | None:
        """ "can't eat gluten", "love hiking": nouns and activities that the parser takes for verbs."""
        below = self.sentence.child(self.head, "xcomp", "ccomp")
        if below is None:
            beside = self.sentence.children(self.head, "advmod")
            return next((t for t in beside if t.tag in {"JJ", "NN"} and t.index > self.head.index), None)
        if self.sentence.children(below, "nsubj", "nsubjpass", "mark"):
            return None
        if below.tag == "VBG":
            return below
        if any(a.tag == "TO" for a in self.sentence.children(below, "aux")):
            return below if self.head.lemma.lower() in words("object_to", "clauses") else None
        return below if below.tag in {"VB", "VBP", "NN"} else None

    def after(self, *prepositions: str) -> Token | None:
        """The noun or clause behind one of the prepositions, also where the parser hung it on the object."""
        return next(self.behind(*prepositions), None)

    def behind(self, *prepositions: str) -> Iterator[Token]:
        """All that stand behind one of the prepositions."""
        hosts = [host for host in (self.head, self.object()) if host is not None]
        # "went back to Emacs": the adverb has the preposition
        hosts += [t for t in self.sentence.children(self.head, "advmod") if t.low in _DIRECTIONS]
        for host in hosts:
            for prep in self.sentence.children(host, "prep", "agent", "dative"):
                found = self.sentence.child(prep, "pobj", "pcomp") if prep.low in prepositions else None
                if found is not None:
                    yield found
        if "to" in prepositions:
            for host in hosts:
                for below in self.sentence.children(host, "xcomp"):
                    inside = self.sentence.children(below)
                    if len(inside) == 1 and inside[0].tag == "TO":  # "allergic to soy"
                        yield below

    def adverbs(self) -> set[str]:
        """Adverbs of the clause, lower case."""
        hosts = {self.head, self.outer}
        return {t.low for host in hosts for t in self.sentence.children(host, "advmod", "neg", "npadvmod")}
