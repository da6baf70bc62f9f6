"""What a text claims, clause by clause, as the gate's rules compare it: plain strings, whoever has read them.

The reading itself needs a parser and is done before the gate (``language.claims``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

USER = "user"


class Force(StrEnum):
    """How a clause is meant, from what is told as so to what is only asked or supposed."""

    FACT = "fact"
    DUTY = "duty"
    PROMISE = "promise"
    ATTEMPT = "attempt"
    PLAN = "plan"
    WISH = "wish"
    POSSIBLE = "possible"
    ASKED = "asked"
    SUPPOSED = "supposed"


class Voice(StrEnum):
    """Whose words the sentence is, where they are not simply the user's own."""

    OWN = ""
    FOREIGN = "foreign"
    INJECTED = "injected"
    UNRECORDED = "unrecorded"


@dataclass(frozen=True, slots=True)
class Claim:
    """One clause.

    Attributes:
        subject: USER, a person or thing as written in small letters ("sister", "max"), or "" where nobody can be told.
        kind: of the subject: user, person, pet, possession, organisation, place, product …; named of a proper name
            that may be any of these; pronoun of "he" and "she"; other.
        several: the subject is more than the one named ("we", "Ana and I").
        verb: its lemma; ``families`` are the groups of verbs it belongs to ("residence").
        sign: 1 affirmed, -1 denied, "dislike" counting as denied "like"; 0 where it cannot be told.
        former: it was so once ("used to smoke"); past: it is told of the past.
        words: the words that say what is claimed of the subject, small letters, neither the verb nor grammar.
        text: all words of the clause.
        counts: nouns that are counted, each with its number in figures ("cat", "2").
        core: the adjective or noun that it says to be or to have, small letters; "" with other verbs.
        involved: the user is in it elsewhere than as the subject ("my boss gave me …").
        narrowing: the words that narrow what it says, small letters ("fridays", "cow" of "cow's milk").
        implied: words of it that its verb says already ("alcohol" of "drinks").
        said_by_i: its subject is "I", said beside this very verb.
    """

    subject: str
    kind: str
    several: bool
    verb: str
    families: frozenset[str]
    sign: int
    force: Force
    former: bool
    past: bool
    words: tuple[str, ...]
    text: str
    counts: tuple[tuple[str, str], ...] = ()
    involved: bool = False
    core: str = ""
    narrowing: tuple[str, ...] = ()
    said_by_i: bool = False
    implied: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a content, or the sentences that a quote stands in, claims.

    Attributes:
        text: the sentences.
        names: proper names with their kinds (person, organisation, place, product …), as written.
        proper: words that are names by their place in the sentence, the first one of it too, as written.
        people: relations and names of those who were spoken of by then, small letters.
        voice: whose words the quote is; of a content always OWN.
        first_person: the quoted sentences speak of "I" or "my".
    """

    claims: tuple[Claim, ...]
    text: str
    names: tuple[tuple[str, str], ...] = ()
    people: frozenset[str] = frozenset()
    voice: Voice = Voice.OWN
    first_person: bool = False
    proper: tuple[str, ...] = ()
