"""What writer and assistant share: running jokes, and the names that the writer gives to things."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.directives.names import name_at
from memory_pipeline.inference.builtin.directives.requests import Request, plain
from memory_pipeline.inference.builtin.directives.wording import nothing, sentence_of, topic_text
from memory_pipeline.inference.builtin.facts.clause_facts import Reading
from memory_pipeline.inference.builtin.facts.fact import PLAIN, Fact
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import relations, words
from memory_pipeline.language.wording.rewrite import third

_JOKE = lazy(r"\b(?:running|inside|private|ongoing|standing) (?:joke|gag)s?\b")
_THAT = lazy(r"\b(?:joke|gag)s?\b[^,.]*?(?:\b(?:is|was) that|\bthat|\babout|\bis[,:]?)\s+(?P<value>.+)$", re.I)
_TAIL = lazy(r",\s*(?:it|that)(?:'|’| i)s (?:a|our|an) .*$", re.I)


def lore(sentence: Sentence, asked: Sequence[Request], readings: Sequence[Reading]) -> list[Fact]:
    """The name that a thing is given, or the joke that is told; one fact at most."""
    named = _naming(sentence, asked)
    if named is not None:
        thing, name = named
        return [_fact(f"they call {third(thing)} {name}", name)]
    text = " ".join(t.low for t in sentence)
    if not _JOKE.search(text) or not readings or any(t.text == "?" for t in sentence):
        return []
    subject = readings[0].clause.subject
    whole = topic_text(sentence.tokens)
    told = _THAT.search(whole)
    if told is None and (subject is None or nothing(subject.low) or subject.low in {"i", "we", "you"}):
        return []  # "it's a running joke": what is one has been told before
    return [_fact(third(whole), third(told.group("value") if told else whole))]


def _naming(sentence: Sentence, asked: Sequence[Request]) -> tuple[str, str] | None:
    """The thing and its name in "we call our car Gerda", "let's call that bug 'the gremlin'", "… is called Gary"."""
    low = [plain(t) for t in sentence]
    requested = {r.verb.index for r in asked if r.lemma in {"call", "name"} and not r.denied}
    for n, word in enumerate(low):
        telling = word in {"call", "calls", "named", "nicknamed", "christened", "dubbed"} and _by_us(low[:n])
        if telling or n in requested and word != "calls":
            found = _thing_and_name(sentence.tokens[n + 1 :])
            if found is not None:
                return found
        if word == "called" and "from now on" in " ".join(low) and low[n - 1] in {"is", "be", "are"}:
            name = name_at(sentence.tokens[n + 1 :])
            subject = sentence.child(sentence[n], "nsubjpass", "nsubj")
            if name and subject is not None and subject.low not in {"i", "we"}:
                return written(sentence.subtree(subject)), _until_now(name)
    return None


def _until_now(name: str) -> str:
    return re.sub(r" From now on$", "", name, flags=re.I)


def _by_us(before: list[str]) -> bool:
    """Whether it is the writer who gives the name, now."""
    left = [w for w in before if w not in {"always", "jokingly", "just", "all", "have", "'ve", "lovingly", "usually"}]
    return left[-1:] in (["we"], ["i"]) or left[-1:] == ["everyone"]


def _thing_and_name(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """ "our robot vacuum" and "Sir Sucks-a-lot": a noun with its article, then a name."""
    if not tokens or tokens[0].low not in {"our", "my", "the", "that", "this", "his", "her", "their", "those", "these"}:
        return None
    for n, token in enumerate(tokens[2:8], 2):
        if token.pos == "PUNCT" and token.text not in "'\"“”‘’`" or token.low in {"to", "for", "and", "about", "when"}:
            return None
        name = name_at(tokens[n:], capital=True)
        if not name:
            continue
        thing = tokens[:n]
        people = words("pet") | set(relations())
        return (written(thing), name) if not any(t.low in people for t in thing) else None
    return None


def _fact(content: str, value: str) -> Fact:
    return Fact(
        MemoryType.SHARED_LORE, sentence_of(_TAIL.sub("", content)), "user", "lore", value, weight=PLAIN, when="",
        dated="none",
    )  # fmt: skip


__all__ = ["lore"]
