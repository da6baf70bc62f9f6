"""What a statement says that none of its facts tells: the names, numbers, relations and days that are left over.

A word counts as told where a fact has it, or another form of it. What is left carries weight where it names somebody or
something, counts, or says who somebody is; other nouns count by their number only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import singular
from memory_pipeline.language.normalisation.splices import has_finite_verb
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import occupation, relations, words

_WORD = lazy(r"[^\W_]+(?:[-'’][^\W_]+)*")
_JOINT = lazy(r"^(?:and|but|so|plus|also|then) ", re.I)
# What says nothing without the rest: "between the asthma and the cats".
_DEPENDS = lazy(
    r"(?:between|because|since|as|of|with|despite|due|after|before|if|when|which|who|that|than|much|like|though|although|"
    r"it|he|she|they)\b",
    re.I,
)
_OWN = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours", "myself", "'m"})
_CLOCK = frozenset({"DATE", "TIME"})


@dataclass(frozen=True, slots=True)
class Residue:
    """Words of a statement that are in none of its facts.

    Attributes:
        nouns: nouns that say something.
        named: those that name or say who somebody is.
        counted: numbers that are no times.
        dated: the statement tells a time.
        own: it speaks of its writer, or of what is theirs.
    """

    nouns: Sequence[Token]
    named: Sequence[Token]
    counted: Sequence[Token]
    dated: bool
    own: bool

    @classmethod
    def of(cls, sentence: Sentence, told: str) -> Residue:
        """What is left of a sentence.

        Args:
            told: contents of the facts that were read out of it, lower case.
        """
        known = frozenset(form for word in _WORD.findall(told) for form in (word, singular(word)))
        fresh = [t for t in sentence if not _is_known(t, known)]
        nouns = [t for t in fresh if _telling(t)]
        return cls(
            nouns,
            [t for t in nouns if _is_name(sentence, t)],
            [t for t in fresh if t.pos == "NUM" and t.kind not in _CLOCK and t.low != "one"],
            any(t.kind in _CLOCK for t in sentence),
            any(t.low in _OWN for t in sentence),
        )

    @property
    def enough(self) -> bool:
        """Whether it is worth a note where nothing else is told: of the writer, or of somebody or something by name."""
        exact = bool(self.named or self.counted or self.dated)
        if len(self.nouns) + len(self.counted) < 2:
            return False
        return exact or self.own and len(self.nouns) > 2

    @property
    def stated(self) -> bool:
        """Whether what is left beside facts is worth a note: a name or a number with a word that says what it is."""
        return bool(self.named or self.counted) and len(self.nouns) + len(self.counted) > 1

    def within(self, part: str) -> bool:
        """Whether a part of the statement holds what is left."""
        said = frozenset(_WORD.findall(part.lower()))
        return any(t.low in said for t in (*self.named, *self.counted))


def alone(part: str) -> str:
    """A part of a statement without the word that joins it, where it can be told without the rest; else ""."""
    bare = _JOINT.sub("", part)
    return bare if has_finite_verb(bare) and not _DEPENDS.match(bare) else ""


def depends(part: str) -> bool:
    """Whether a part of a statement hangs on the rest of it."""
    return bool(_DEPENDS.match(part))


def _is_known(token: Token, known: frozenset[str]) -> bool:
    return bool({token.low, token.lemma.lower(), singular(token.low)} & known)


def _telling(token: Token) -> bool:
    idle = words("empty_noun") | words("transient") | words("output") | words("deictic")
    noun = token.pos in {"NOUN", "PROPN"} and token.kind not in _CLOCK
    return noun and token.low not in idle and token.lemma.lower() not in idle


def _is_name(sentence: Sentence, token: Token) -> bool:
    """Whether a noun names something, or is a relation, an animal or a trade; nobody who is only spoken to."""
    if token.dep in {"intj", "vocative", "npadvmod"} and token.pos == "PROPN":
        return False
    if token.pos == "PROPN" and token.text[:1].isupper():
        return token.index > 0 or bool(token.kind)
    return token.low in relations() or token.low in words("pet") or token.tag == "NN" and occupation(token.low)


__all__ = ["Residue", "alone", "depends"]
