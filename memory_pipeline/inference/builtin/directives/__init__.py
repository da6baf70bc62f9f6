"""What the writer asks of the assistant for good: what to leave alone, to forget, to recall in time, how to answer."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.inference.builtin.directives.boundaries import boundaries
from memory_pipeline.inference.builtin.directives.forgetting import forgetting
from memory_pipeline.inference.builtin.directives.lore import lore
from memory_pipeline.inference.builtin.directives.names import preferred_names
from memory_pipeline.inference.builtin.directives.protocols import protocols, verbless
from memory_pipeline.inference.builtin.directives.reminders import reminders
from memory_pipeline.inference.builtin.directives.requests import requests
from memory_pipeline.inference.builtin.directives.wording import sentence_of
from memory_pipeline.inference.builtin.facts.clause_facts import Reading
from memory_pipeline.inference.builtin.facts.fact import Fact
from memory_pipeline.language.grammar.clauses import Clause, Mood
from memory_pipeline.language.grammar.people import People
from memory_pipeline.language.syntax import Sentence
from memory_pipeline.language.vocabulary import table


def directives(sentence: Sentence, clauses: list[Clause], people: People, readings: Sequence[Reading]) -> list[Fact]:
    """The standing directives of a sentence; none where it asks for one thing now."""
    asked = requests(sentence)
    closed = forgetting(asked) or boundaries(sentence, asked, clauses, people)
    if closed:
        return closed
    reminded = reminders(sentence, asked, readings)
    if reminded:
        return reminded
    return [
        *preferred_names(sentence, asked),
        *protocols(sentence, asked, readings),
        *lore(sentence, asked, readings),
    ]


def unread(sentence: Sentence, readings: Sequence[Reading]) -> list[Reading]:
    """The clauses of a sentence that say something else than what its directives have told."""
    asked = requests(sentence)
    left = [r for r in readings if r.clause.mood is not Mood.REQUEST]
    if not asked:
        told = table("directives")["wishing"]
        return [r for r in left if len(readings) > 1 and r.clause.head.lemma.lower() not in told]
    return [r for r in left if not any(a.start <= r.clause.head.index < a.end for a in asked)]


__all__ = ["directives", "sentence_of", "unread", "verbless"]
