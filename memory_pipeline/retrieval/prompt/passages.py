"""The part of a long message that a query is about."""

from __future__ import annotations

from collections.abc import Collection

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import estimate_tokens, truncate
from memory_pipeline.retrieval.scores.keywords import stems, tokenise

_SENTENCE = lazy(r"(?<=[.!?…。！？])\s+|\s*\n+\s*")


def passage(text: str, terms: Collection[str], tokens: int) -> str:
    """The whole text when it is short; else the sentences around the one that shares most terms with the query.

    Args:
        terms: of the query, stemmed.
        tokens: size of the passage at most, estimated.
    """
    if estimate_tokens(text) <= tokens:
        return text
    sentences = [s for s in _SENTENCE.split(text) if s]
    shared = [len(set(terms).intersection(stems(tokenise(s)))) for s in sentences]
    first = last = max(range(len(sentences)), key=lambda n: (shared[n], -n))
    size = estimate_tokens(sentences[first])
    while True:  # grow to whichever side still fits, what follows first
        for place in (last + 1, first - 1):
            if 0 <= place < len(sentences) and size + estimate_tokens(sentences[place]) + 2 <= tokens:
                size += estimate_tokens(sentences[place]) + 1
                first, last = min(first, place), max(last, place)
                break
        else:
            break
    found = truncate(" ".join(sentences[first : last + 1]), tokens)
    return f"{'… ' if first else ''}{found}{' …' if last + 1 < len(sentences) and not found.endswith('…') else ''}"
