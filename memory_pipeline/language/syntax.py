"""Parsed sentences: tokens with their part of speech and their place in the tree, whichever parser made them.

Labels are those of spaCy's English pipelines: Penn tags (``tag``), universal parts of speech (``pos``), and ClearNLP
dependencies (``dep``: nsubj, dobj, attr, acomp, prep, pobj, conj, …).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a punctuation mark.

    Attributes:
        index: its place in the sentence.
        head: place of the word it depends on; its own for the root.
        start, end: its place in the parsed text, in characters.
        kind: PERSON, ORG, GPE, DATE … where it is part of a name or an expression that the parser knows, else "".
        space: whether a space follows.
    """

    index: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    kind: str = ""
    space: bool = True

    @property
    def low(self) -> str:
        """The text in lower case."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Sentence:
    """Tokens in order, as a tree."""

    tokens: tuple[Token, ...]
    _children: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found: list[list[int]] = [[] for _ in self.tokens]
        for token in self.tokens:
            if token.head != token.index:
                found[token.head].append(token.index)
        object.__setattr__(self, "_children", tuple(tuple(c) for c in found))

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    @property
    def root(self) -> Token:
        """The word on which all others depend."""
        return next((t for t in self.tokens if t.head == t.index), self.tokens[0])

    def children(self, token: Token, *deps: str) -> list[Token]:
        """Words that depend on a word, left to right; of the given dependencies only, where any are given."""
        found = [self.tokens[i] for i in self._children[token.index]]
        return [t for t in found if t.dep in deps] if deps else found

    def child(self, token: Token, *deps: str) -> Token | None:
        """The first such word."""
        return next(iter(self.children(token, *deps)), None)

    def subtree(self, token: Token, without: Iterable[int] = ()) -> list[Token]:
        """A word and all below it, in the order of the sentence; what hangs on ``without`` is left out."""
        left_out, found, open_ = set(without), [], [token.index]
        while open_:
            index = open_.pop()
            found.append(index)
            open_.extend(c for c in self._children[index] if c not in left_out)
        return [self.tokens[i] for i in sorted(found)]

    def head(self, token: Token) -> Token:
        """The word that a word depends on; the root itself for the root."""
        return self.tokens[token.head]

    def ancestors(self, token: Token) -> Iterator[Token]:
        """From the word's head up to the root."""
        while token.head != token.index:
            token = self.tokens[token.head]
            yield token


def written(tokens: Sequence[Token]) -> str:
    """Tokens as text, with the spaces that stood between them; a gap counts as one space."""
    parts: list[str] = []
    for n, token in enumerate(tokens):
        parts.append(token.text)
        following = tokens[n + 1] if n + 1 < len(tokens) else None
        if following is not None and (token.space or following.start > token.end):
            parts.append(" ")
    return "".join(parts).strip()


class Parser(Protocol):
    """What reads sentences; another language brings its own."""

    @property
    def name(self) -> str:
        """Pipeline, version and digest of its weights: part of what a proposal was made from."""
        ...

    def parse(self, texts: Sequence[str]) -> list[list[Sentence]]:
        """The sentences of each text."""
        ...
