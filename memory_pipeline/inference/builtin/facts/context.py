"""A clause in its context: whom it is about, when, and what its words say of its weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_pipeline.language.grammar.clauses import Clause, Cue
from memory_pipeline.language.grammar.people import Kind, People, Subject
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.times import TimeExpression
from memory_pipeline.language.vocabulary import table, words
from memory_pipeline.language.wording.rewrite import phrase, predicate, sentence

OPEN = frozenset({Cue.DUTY, Cue.WISH, Cue.PLAN, Cue.PROMISE, Cue.ATTEMPT, Cue.CONSIDERED, Cue.POSSIBLE})


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause in its context.

    Attributes:
        people: everybody known so far, whom pronouns stand for.
        times: the time expressions of the clause, resolved.
        today: date of the message, ISO 8601.
    """

    clause: Clause
    subject: Subject
    people: People
    times: Sequence[TimeExpression]
    today: str = ""

    @property
    def of_user(self) -> bool:
        """Whether it is about the user."""
        return self.subject.kind is Kind.USER

    @property
    def of_somebody(self) -> bool:
        """Whether it is about a person or a pet of the user's."""
        return self.subject.kind in {Kind.PERSON, Kind.PET}

    @property
    def verb(self) -> str:
        """Lemma of the head, without its particle."""
        return self.clause.head.lemma.lower()

    @property
    def dated(self) -> bool:
        """Whether any time is told."""
        return any(t.first for t in self.times)

    @property
    def due(self) -> bool:
        """Whether a time is told at which, or by which, something is to be."""
        return any(t.first and t.relation in {"on", "by"} for t in self.times)

    def ahead(self, *grains: str) -> bool:
        """Whether a time is told that is still to come; of one of the grains, where any are given."""
        return any(
            t.first and t.first[:10] >= self.today and t.relation in {"on", "by"} and (not grains or t.grain in grains)
            for t in self.times
        )

    @property
    def within(self) -> bool:
        """Whether a time is told that is not over yet: "this week" has begun, and goes on."""
        return any(t.last and t.last[:10] >= self.today and t.relation in {"on", "by"} for t in self.times)

    @property
    def timed(self) -> frozenset[int]:
        """Tokens of its time expressions, which are told by the resolved ones; recurring times stay as they are."""
        return self._tokens([t for t in self.times if t.relation not in {"every", "for"} and t.first])

    @property
    def all_timed(self) -> frozenset[int]:
        """Tokens of all its time expressions, recurring ones included."""
        return self._tokens(self.times)

    def _tokens(self, times: Sequence[TimeExpression]) -> frozenset[int]:
        return frozenset(
            t.index for t in self.clause.sentence if any(s.start <= t.start and t.end <= s.end for s in times)
        )

    @property
    def told(self) -> str:
        """The clause as it stands, as a sentence about its subject; "" where it cannot be told."""
        return sentence(self.subject, predicate(self.clause, self.subject, self.people, self.timed))

    def named(self, token: Token, *, bare: bool = True, each: bool = False) -> str:
        """The words of a phrase of the clause, in the third person (see ``rewrite.phrase``)."""
        return phrase(self.clause, token, self.people, bare=bare, each=each)

    @property
    def passing(self) -> bool:
        """Whether it holds just now: "right now", "today"."""
        said = f" {' '.join(t.low for t in self.clause.sentence)} "
        return any(f" {w} " in said for w in table("rewrite")["passing"])

    @property
    def habitual(self) -> bool:
        """Whether it holds as a rule: "usually", "every Tuesday"."""
        return bool(self.clause.adverbs() & words("habitual")) or any(t.relation == "every" for t in self.times)

    @property
    def changed(self) -> bool:
        """Whether it says that it was not so before: "I take the 7:40 now"."""
        return bool(self.clause.adverbs() & words("nowadays")) and not self.clause.negated

    @property
    def specific(self) -> bool:
        """Whether it names something, or something of the user's."""
        inside = self.clause.sentence.subtree(self.clause.head, without=self.clause.apart)
        return any(t.pos == "PROPN" or t.low in {"my", "our"} for t in inside)

    @property
    def family(self) -> str | None:
        """A slot of its own for each verb, so that an ending finds what it ends."""
        return self.verb if self.clause.head.lemma.isalpha() else None


def of_the_assistant(clause: Clause, token: Token) -> bool:
    """Whether a phrase means what the assistant said: "your suggestion", "the second one", "that idea"."""
    s = clause.sentence
    owner = s.child(token, "poss")
    if owner is not None and owner.low == "your":
        return True
    if any(c.low in words("pointing") for c in s.children(token, "det")):
        return True
    told = s.children(token, "det", "amod")
    return token.lemma.lower() in words("output") and any(c.low in words("some_of_several") for c in told)


def listed(clause: Clause, token: Token) -> list[Token]:
    """What is joined to a word by "and" or commas, without what starts clauses of its own."""
    found = []
    for child in clause.sentence.children(token, "conj"):
        if child.index not in clause.apart:
            found += [child, *listed(clause, child)]
    return found


def names(subject: Subject, value: str) -> tuple[str, ...]:
    """The proper names in a fact: its subject's, and its value where that is one."""
    found = [subject.name] if subject.name else []
    if value[:1].isupper() and len(value.split()) <= 4:
        found.append(value)
    return tuple(found)


def article(noun: str) -> str:
    """The indefinite article before a noun, with its space."""
    return "an " if noun[:1].lower() in tuple("aeiou") else "a "
