"""Whom or what a pronoun of a plea stands for: "we split up, don't mention her", "we lost the case, leave it"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_pipeline.inference.builtin.facts.clause_facts import Reading
from memory_pipeline.language.grammar.clauses import Clause
from memory_pipeline.language.grammar.people import Kind, People
from memory_pipeline.language.syntax import Token, written
from memory_pipeline.language.vocabulary import table

_PERSONS = frozenset({"he", "she", "they", "him", "her", "them"})
_OWNERS = frozenset({"his", "her", "their"})
_THINGS = frozenset({"it", "that", "this", "them", "those"})


@dataclass(frozen=True, slots=True)
class Antecedents:
    """What was spoken of, in this sentence and before.

    Attributes:
        people: those mentioned, and the things spoken of last.
        clauses: of the sentence of the plea.
    """

    people: People
    clauses: Sequence[Clause]

    def points(self, tokens: Sequence[Token]) -> bool:
        """Whether a topic is a pronoun, whatever idle words follow it: "her to me, like ever"."""
        low, following = tokens[0].low, tokens[1] if len(tokens) > 1 else None
        if low in _OWNERS and following is None:
            return True
        if low not in _PERSONS | _THINGS:
            return False
        named = following is not None and following.pos in {"NOUN", "PROPN", "ADJ", "NUM"}
        clause = following is not None and low == "that" and following.low in {"i", "we", "my"}
        return not clause and (not named or low in {"him", "it", "them"})

    def name(self, tokens: Sequence[Token]) -> str:
        """Who or what it is, in the writer's words; "" where nobody can tell, and where it is to be left out of one
        text only: "don't mention it in the email"."""
        if any(t.pos == "NOUN" and t.low not in table("directives")["left_out_of"] for t in tokens[1:]):
            return ""
        low = {"his": "he", "their": "they"}.get(tokens[0].low, tokens[0].low)
        person = self.people.pronoun(low) if low in _PERSONS else None
        if person is not None:
            return " ".join(w for w in (person.relation, person.name) if w) or person.label
        if low in _PERSONS - {"they", "them"} and self.people.mentioned:
            return self.people.mentioned
        if low in _THINGS:
            return self._said() or self.people.happened or self._thing(low)
        return ""

    def _said(self) -> str:
        """What another clause of the sentence is about."""
        said = [*((c, c.object()) for c in self.clauses), *((c, c.subject) for c in self.clauses)]
        return next(filter(None, (_named(c, t) for c, t in said if t is not None)), "")

    def _thing(self, pronoun: str) -> str:
        return self.people.thing("it" if pronoun in {"that", "this", "those"} else pronoun) or ""


def _named(clause: Clause, noun: Token) -> str:
    """A noun with the words that tell which one: "bar exam", "first book"; "" where it names nothing."""
    if noun.pos not in {"NOUN", "PROPN"}:
        return ""
    owner = clause.sentence.child(noun, "poss")
    if noun.low == "name" and owner is not None and owner.pos == "PROPN":
        return owner.text  # "Kay's name makes me sick, keep it out of this"
    telling = clause.sentence.children(noun, "amod", "compound", "nmod", "nummod")
    if noun.lemma.lower() in table("directives")["vague_things"]:
        return written([t for t in telling if t.dep == "compound"]).strip()  # "the visa thing"
    return written(sorted([*telling, noun], key=lambda t: t.index)).strip()


def happened(reading: Reading) -> str:
    """What a clause tells to have come about, in a few words: "pregnancy" of a loss, "father died", "being sacked"."""
    clause, subject = reading.clause, reading.subject
    said = clause.object()
    if said is not None:
        return _named(clause, said)
    verb = clause.head
    if verb.pos != "VERB" or verb.tag not in {"VBD", "VBN"}:
        return ""
    if subject.kind in {Kind.PERSON, Kind.PET, Kind.POSSESSION}:
        return f"{subject.key} {verb.low}"
    return f"being {verb.low}" if reading.of_user and verb.tag == "VBN" else ""
