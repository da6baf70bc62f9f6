"""What a message asks of memory: the kinds of request that it is, its own words, and whether it asks for the past."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.policy import ContextPolicy
from memory_pipeline.language import requests
from memory_pipeline.language.requests import Kind
from memory_pipeline.language.times.words import WEEKDAYS
from memory_pipeline.retrieval.prompt.request_examples import example_vectors
from memory_pipeline.retrieval.scores.keywords import query_terms, stems

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder


_SENTENCE = 3  # words: what is shorter means nothing in particular


@dataclass(frozen=True, slots=True)
class Request:
    """A message as a request to memory.

    Attributes:
        kinds: what it is about, in the order of the table.
        terms: stems of its words that say something.
        greeting: it greets, or is small talk, and asks for nothing.
        fact: it asks what was or is so, and for no advice.
        past: it asks for what is over.
        assistant: it asks for what the assistant itself said.
        theme: it asks how things went.
        wish: it wants something done, or advice: whatever is known of the user may bear on it.
        names: stems of names that tell nothing.
    """

    kinds: Sequence[Kind]
    terms: frozenset[str]
    greeting: bool
    fact: bool
    past: bool
    assistant: bool
    theme: bool
    wish: bool = False
    names: frozenset[str] = frozenset()

    def without(self, names: frozenset[str]) -> Request:
        """The same request, where some names tell nothing: who speaks is named in every other turn."""
        return replace(self, terms=self.terms - names, names=names)

    @property
    def vital(self) -> bool:
        """Whether what could hurt the user must be in view: wherever it may matter, and where nobody can tell."""
        return not self.greeting and (not self.kinds or any(k.vital for k in self.kinds) or not self.fact)

    @property
    def hazardous(self) -> bool:
        """Whether what has been said of it must be in view, too: where it may matter, or nobody can tell what does."""
        return not self.greeting and (not self.kinds or any(k.vital for k in self.kinds))

    @property
    def others_vital(self) -> bool:
        """Whether what could hurt other people must be in view."""
        return any(kind.others == "vital" for kind in self.kinds)


class Requests:
    """Reads messages as requests; safe for threads.

    Vectors of the kinds' examples are read, or made, when a message first says nothing that names a kind.
    """

    def __init__(self, encoder: Encoder, policy: ContextPolicy) -> None:
        self._encoder = encoder
        self._policy = policy
        self._lock = threading.Lock()
        self._examples: tuple[npt.NDArray[np.float32], Sequence[str]] | None = None

    def read(self, text: str, vector: npt.NDArray[np.float32]) -> Request:
        """A message as a request.

        Args:
            vector: of the message, shape (dimensions,), of length 1.
        """
        names = requests.named_kinds(text)
        if requests.GREETING not in names and len(text.split()) >= _SENTENCE:
            names |= self._meant(vector, plain=bool(names))
        greeting = names == {requests.GREETING}
        advice = requests.asks("advice", text)
        fact = requests.asks("question", text) and not advice
        wish = not greeting and not fact and (advice or requests.asks("wish", text))
        terms = frozenset(query_terms(text)) - _empty()
        return Request(
            kinds=requests.needed(names - {requests.GREETING}),
            # For when a dinner is wanted says nothing of it; what is due on that day is another matter.
            terms=terms - _days() if wish and "tasks" not in names else terms,
            greeting=greeting,
            fact=fact,
            past=requests.asks("past", text),
            assistant=requests.asks("assistant", text),
            theme=requests.asks("theme", text),
            wish=wish,
        )

    def _meant(self, vector: npt.NDArray[np.float32], *, plain: bool) -> frozenset[str]:
        """The kinds of the examples that mean nearly the same: nearer than the policy's floor, and about the nearest.

        Args:
            plain: words have named a kind already; another one must be nearer then, and no greeting is looked for.
        """
        vectors, names = self._encoded()
        near = vectors @ vector
        floor = self._policy.kind_beside if plain else self._policy.kind_similarity
        least = max(floor, self._policy.kind_share_of_best * float(near.max()))
        found = frozenset(names[n] for n in np.flatnonzero(near >= least).tolist())
        return found - {requests.GREETING} if plain or len(found) > 1 else found

    def _encoded(self) -> tuple[npt.NDArray[np.float32], Sequence[str]]:
        with self._lock:
            if self._examples is None:
                texts, names = requests.examples()
                self._examples = (example_vectors(self._encoder, texts), names)
            return self._examples


@cache
def _days() -> frozenset[str]:
    """Stems of the days of the week."""
    return frozenset(stems([name for name in WEEKDAYS if name.endswith("day")]))


@cache
def _empty() -> frozenset[str]:
    return frozenset(stems(sorted(requests.empty_words()))) | requests.empty_words()
