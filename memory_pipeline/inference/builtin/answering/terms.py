"""The words of a question and of a statement in a form in which they can be compared."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS, words
from memory_pipeline.inference.builtin.likeness import undated
from memory_pipeline.inference.builtin.verbs import FORMS, lemma
from memory_pipeline.inference.stemming import stemmer
from memory_pipeline.language.questions.subjects import belonging, canonical
from memory_pipeline.language.tables import read as table

MODAL = frozenset(["will", "would", "could", "should", "must", "may", "might", "did", "had", "never", "used"])
_THOUSANDS = lazy(r"(?<=\d)[,.](?=\d{3}\b)")


@lru_cache(maxsize=8192)
def terms(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, without dates and inflection, those joined that come to the same."""
    found = set()
    for word in words(undated(_THOUSANDS.sub("", _joined(text)))):
        bare = word.removesuffix("'s")
        if bare in STOPWORDS or bare in MODAL or len(bare) < 2 and not bare.isdigit():
            continue
        relation = canonical(bare)
        found.add(relation if relation in belonging() else _same().get(known := stem(bare), known))
    return frozenset(found)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its inflection."""
    base = lemma(word)
    return base if base in FORMS else str(stemmer().stemWord(base))


def _joined(text: str) -> str:
    for pattern, one in _phrases():
        text = pattern.sub(one, text)
    return text


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((lazy(rf"\b{said}\b", re.I), one) for said, one in table("questions")["phrases"].items())


@cache
def _same() -> dict[str, str]:
    """Stems that come to the same as another one, by the table of questions."""
    return {stem(w): stem(word) for word, others in table("questions")["same"].items() for w in others.split()}


@cache
def ended() -> frozenset[str]:
    """Stems of verbs by which something ends."""
    return frozenset(stem(w) for w in table("questions")["ended"]["verbs"].split())


@cache
def light(group: str) -> frozenset[str]:
    """Stems that say so little that a statement need not repeat them: "verbs", "nouns" or "adjectives"."""
    return frozenset(_same().get(stem(w), stem(w)) for w in table("questions")["light"][group].split())
