"""How a verb is meant: the modes, and the predicate that a clause comes down to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """How the verb is meant."""

    PRESENT = "present"
    ONGOING = "ongoing"
    PAST = "past"
    PERFECT = "perfect"
    FORMER = "former"
    FUTURE = "future"
    DUTY = "duty"
    WISH = "wish"
    ATTEMPT = "attempt"
    POSSIBLE = "possible"
    ABLE = "able"
    UNREAL = "unreal"


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb and what follows it.

    Attributes:
        verb: lemma; "" where none was found.
        form: the verb as it stands.
        cue: the word that made the mode ("plan", "need", "will", "start"), or "".
        negated: denied; with ``ceased`` it was so before ("no longer", "stopped").
        kept: adverbs that belong to the meaning ("always", "usually").
        certainty: 1.0, less with hedges.
    """

    verb: str
    form: str
    rest: str
    mode: Mode
    cue: str = ""
    negated: bool = False
    ceased: bool = False
    kept: str = ""
    certainty: float = 1.0
