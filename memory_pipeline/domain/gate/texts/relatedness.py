"""Whether a sentence has anything to do with the message that it quotes.

An invention may rest on any words that were said ("Is pregnant." on "Long day."). One word that was said there, in any
form, a name, a number, the value, or a word of the same matter ties the two; so do the turns that a short answer
answers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from memory_pipeline.domain.entities.relations import relation
from memory_pipeline.domain.gate.gate_input import ENDING, GateInput
from memory_pipeline.domain.gate.texts.conversation import SourceText, fold, source_text
from memory_pipeline.domain.gate.texts.numerals import NUMBER
from memory_pipeline.domain.gate.texts.small_talk import SHALLOW
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import Operation
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import words

_TURNS = 2
_SEVERAL = 2  # words that say little each
# Whom a sentence is beside the point about: "Owes the brother money." is not tied to "my brother lives in Berlin".
_ASIDE = lazy(r"(?:\b(?:the|their|his|her)\s+|^)([\w-]+)", re.I)


def tied_to(given: GateInput, wanted: Sequence[str], hinges: Sequence[str]) -> bool:
    """Whether a proposal is tied to its quote; True where nobody has read that as English (``given.quotes``).

    What ends something has to name it in the quoted sentence, or that has to say that something is over.

    Args:
        wanted: the words that say something, folded.
        hinges: names, numbers and dates in it.
    """
    if not given.quotes or given.proposal.operation is Operation.REINFORCE:
        return True
    ending = given.proposal.operation in ENDING
    if ending and any(_over().intersection(words(q.text)) for q in given.quotes):
        return True
    texts = [source_text(q.text) for q in given.quotes] if ending else list(near(given))
    aside = {fold(word) for word in _ASIDE.findall(given.proposal.content)}
    telling = [w for w in wanted if w not in SHALLOW | given.known and not (w in aside and relation(w))] or wanted
    known = [w for w in wanted if any(text.has(form) for text in texts for form in (w, f"{w}s"))]
    if len(known) >= _SEVERAL or any(word in telling for word in known):
        return True
    if any(_hinges(hinge, text) for text in texts for hinge in hinges):
        return True
    value = (given.proposal.value or "").lower()
    if value and any(value in text.folded for text in texts):
        return True
    return any(implied(word, text) or text.joins(word) for word in telling for text in texts)


def _hinges(hinge: str, text: SourceText) -> bool:
    return text.counts(hinge) if NUMBER.fullmatch(hinge) else text.has(fold(hinge))


def implied(word: str, text: SourceText) -> bool:
    """Whether a text holds a word of the same matter."""
    return any(text.has(other) for form in (word, f"{word}s") for topic in _topics().get(form, ()) for other in topic)


def same_matter(word: str) -> frozenset[str]:
    """The words of the matters that a word is one of, itself among them."""
    return frozenset((word,)).union(*(topic for form in (word, f"{word}s") for topic in _topics().get(form, ())))


def near(given: GateInput, back: int = _TURNS) -> Iterator[SourceText]:
    """The user's cited messages, and the turns right before them."""
    for _, message in given.own():
        yield source_text(message.content)
        earlier = [m for m in given.session if m.order < message.order][-back:]
        for turn in earlier:
            yield source_text(turn.content)


@cache
def _over() -> frozenset[str]:
    return wordset("implied", "over")


@cache
def _topics() -> Mapping[str, Sequence[frozenset[str]]]:
    """The matters of each word."""
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for topic in (frozenset(line.split()) for line in table("implied")["topics"]):
        for word in topic:
            found[word].append(topic)
    return dict(found)
