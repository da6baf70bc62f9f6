"""An assistant's question or guess as a clause: about whom, by which auxiliary, what is asked; and told back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_pipeline.language.answers.first_person import told, whole
from memory_pipeline.language.answers.phrases import words
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.wording.agreement import past_of
from memory_pipeline.language.wording.inflection import third_person

_NOMINAL = ("NOUN", "PROPN", "NUM", "PRON")
_JOINABLE = ("DET", "PRON", "PROPN", "NOUN")


@dataclass(frozen=True, slots=True)
class Clause:
    """What a question asks, or a guess states.

    Attributes:
        asking: "what size", "how many hours a week"; empty where yes or no is asked.
        subject: empty where the asking words are the subject.
        auxiliary: written out ("are", "did"); empty in "you live in Osaka".
        negative: whether the question itself says not.
        rest: all after the subject and the auxiliary.
    """

    sentence: Sentence
    asking: tuple[Token, ...]
    subject: tuple[Token, ...]
    auxiliary: str
    negative: bool
    rest: tuple[Token, ...]
    inverted: bool

    @property
    def of_user(self) -> bool:
        return len(self.subject) == 1 and self.subject[0].low == "you"

    @property
    def verb(self) -> Token | None:
        """The first word of the rest that is no adverb."""
        return next(
            (t for t in self.rest if t.pos not in ("ADV", "PART", "INTJ") or t.low in words("grammar", "auxiliaries")),
            None,
        )

    def named_by(self, phrase: str) -> list[Token]:
        """The words of the clause that a phrase names; empty unless it names all its longer words."""
        wanted = [w for w in re.findall(r"[\w'-]+", phrase.lower()) if len(w) > 2 and w not in ("the", "and", "yes")]
        found = [t for w in wanted for t in (*self.subject, *self.rest) if _alike(w, t)]
        return found if found and all(any(_alike(w, t) for t in found) for w in wanted) else []


def _alike(word: str, token: Token) -> bool:
    low = token.low
    return word == low or word == token.lemma.lower() or (len(word) > 3 and word.rstrip("s") == low.rstrip("s"))


def clauses(sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence that ask or state something; of several joined by "and" each."""
    tokens = [t for t in sentence if t.pos not in ("SPACE",)]
    while tokens and (tokens[-1].pos == "PUNCT" or tokens[-1].text in "?!."):
        tokens.pop()
    while tokens and (tokens[0].pos == "PUNCT" or tokens[0].low in ("and", "but", "so")):
        tokens.pop(0)
    found: list[Clause] = []
    for part in _parts(tokens):
        clause = _clause(sentence, part)
        if clause is None and found:
            clause = None
        if clause is not None:
            found.append(clause)
    return found


def _parts(tokens: list[Token]) -> list[list[Token]]:
    cuts = [0]
    for n in range(2, len(tokens) - 2):
        after = tokens[n + 1].low
        joined = tokens[n].low in ("and", "but", ",", ";")
        if joined and (after in ("you", "your", "do", "are", "have", "does", "did", "is") or _asks(tokens[n + 1 :])):
            before_verb = after != "your" or any(t.pos in ("VERB", "AUX") for t in tokens[n + 2 : n + 5])
            if before_verb and _has_predicate(tokens[cuts[-1] : n]):
                cuts.append(n + 1)
    parts = [tokens[a:b] for a, b in zip(cuts, [*cuts[1:], len(tokens)], strict=True)]
    return [p[:-1] if p and p[-1].low in ("and", "but", ",", ";") else p for p in parts]


def _has_predicate(tokens: Sequence[Token]) -> bool:
    """Rather than "do you" of "do you and your wife …"."""
    return len(tokens) > 2 and any(t.pos in ("VERB", "AUX") for t in tokens)


def _asks(tokens: Sequence[Token]) -> bool:
    return (
        bool(tokens)
        and tokens[0].low in words("grammar", "asking")
        and len(tokens) > 1
        and tokens[1].low in words("grammar", "auxiliaries")
    )


def _clause(sentence: Sentence, tokens: list[Token]) -> Clause | None:
    if len(tokens) < 2:
        return None
    asking: list[Token] = []
    if tokens[0].low in words("grammar", "asking") or (
        tokens[0].low in ("in", "at", "for", "with") and tokens[1].low in words("grammar", "asking")
    ):
        until = next((n for n, t in enumerate(tokens) if n and t.low in words("grammar", "auxiliaries")), None)
        if until is None:
            return _of_verb(sentence, tokens)
        asking, tokens = tokens[:until], tokens[until:]
    if tokens[0].low in words("grammar", "auxiliaries") and not (
        tokens[0].low == "have" and tokens[0].dep == "ROOT" and not asking
    ):
        return _inverted(sentence, asking, tokens)
    return _stated(sentence, tokens)


def _of_verb(sentence: Sentence, tokens: list[Token]) -> Clause | None:
    """ "What matters most to you": the asking word is the subject of a full verb."""
    if tokens[1].pos != "VERB":
        return None
    return Clause(sentence, (tokens[0],), (), "", False, tuple(tokens[1:]), True)


def _inverted(sentence: Sentence, asking: list[Token], tokens: list[Token]) -> Clause | None:
    auxiliary, after = whole(tokens[0]), tokens[1:]
    negative = bool(after) and after[0].low in ("n't", "not")
    after = after[1:] if negative else after
    subject = _subject(after)
    if not subject:
        if not asking or not after:
            return None
        return Clause(sentence, tuple(asking), (), auxiliary, negative, tuple(after), True)
    rest = tuple(after[len(subject) :])
    return _bared(Clause(sentence, tuple(asking), tuple(subject), auxiliary, negative, rest, True))


def _stated(sentence: Sentence, tokens: list[Token]) -> Clause | None:
    subject = _subject(tokens)
    if not subject:
        return None
    rest = tokens[len(subject) :]
    auxiliary, negative = "", False
    skipped = [t for t in rest[:2] if t.pos == "ADV"] if rest and rest[0].pos == "ADV" else []
    at = len(skipped)
    if at < len(rest) and _is_auxiliary(rest[at]):
        auxiliary = whole(rest[at])
        rest = [*rest[:at], *rest[at + 1 :]]
        negative = len(rest) > at and rest[at].low in ("n't", "not")
        rest = [*rest[:at], *rest[at + 1 :]] if negative else rest
    elif at >= len(rest) or rest[at].tag not in ("VBP", "VBZ", "VBD", "VB"):
        return None
    return _bared(Clause(sentence, (), tuple(subject), auxiliary, negative, tuple(rest), False))


def _is_auxiliary(token: Token) -> bool:
    """Rather than a full verb "have" or "do"."""
    low = token.low
    return low in words("grammar", "auxiliaries") and (
        low in words("grammar", "be") or token.dep in ("aux", "auxpass") or token.tag == "MD" or low.startswith("'")
    )


def _bared(clause: Clause) -> Clause:
    """Without "ever", "already" and the like."""
    left_out = words("questions", "adverbs_left_out")
    rest = tuple(t for t in clause.rest if t.low not in left_out or t.pos not in ("ADV", "INTJ"))
    subject, names = clause.subject, [t for t in clause.subject if t.pos == "PROPN"]
    if (
        not rest
        and not clause.asking
        and names
        and subject[-len(names) :] == tuple(names)
        and len(subject) > len(names)
    ):
        # "Is your dog's name Rex": the parser puts the name to the noun before it.
        subject, rest = subject[: -len(names)], tuple(names)
    return replace(clause, subject=subject, rest=rest)


def _subject(tokens: Sequence[Token]) -> list[Token]:
    """The noun phrase with which the tokens begin: pronoun, or determiner, adjectives, nouns, "of" and possessor."""
    if not tokens:
        return []
    if tokens[0].low in words("grammar", "pronouns") and tokens[0].pos in ("PRON", "DET", "ADV", "SCONJ"):
        nxt = tokens[1] if len(tokens) > 1 else None
        if tokens[0].pos != "DET":
            return [] if nxt is not None and nxt.low in ("and", "or", "guys", "two", "both", "all") else [tokens[0]]
    found: list[Token] = []
    noun = False
    for n, token in enumerate(tokens):
        following = tokens[n + 1].pos if n + 1 < len(tokens) else ""
        possessor = token.tag == "PRP$"
        if token.pos in _NOMINAL and not possessor and token.low not in ("you", "me", "it", "anything"):
            noun = True
        elif noun and (token.tag == "POS" or (token.low in ("of", "and") and following in _JOINABLE)):
            noun = False
        elif (
            noun
            or token.low in ("you", "me", "it")
            or not (
                possessor
                or token.pos in ("DET", "PRON", "ADJ")
                or (found and found[0].tag == "PRP$" and token.pos in ("VERB", "ADV"))
            )
        ):
            break
        found.append(token)
    return found if noun else []


def subject_told(clause: Clause) -> str:
    return told(clause.sentence, clause.subject, words("questions", "relatives"))


def statement(clause: Clause, *, negated: bool, rest: str | None = None, subject: str | None = None) -> str:
    """The clause as the user's statement, without its full stop and with its own first letter.

    Args:
        rest: in place of the clause's own.
        subject: someone else of whom it holds, in the third person.
    """
    negated = (negated or clause.negative) and not any(t.low in ("never", "longer") for t in clause.rest)
    who = subject or subject_told(clause)
    first = who == "I"
    remainder, auxiliary = clause.rest, clause.auxiliary
    still = next((t for t in remainder if t.low == "still"), None)
    if negated and still:
        remainder = tuple(t for t in remainder if t is not still)
    said = told(clause.sentence, remainder, words("questions", "relatives")) if rest is None else rest
    if not negated:
        said = re.sub(r"(?<!\w)any (?=\w)", "", said)
    tail = " anymore" if negated and still else ""
    if auxiliary in ("do", "does", "did") or not auxiliary:
        return f"{who} {_verb_form(clause, said, negated, bool(subject) and not first)}{tail}".strip()
    return (
        " ".join(p for p in (who, _agreeing(auxiliary, who, bool(subject)), "not" if negated else "", said) if p) + tail
    )


def _agreeing(auxiliary: str, who: str, other: bool) -> str:
    if who == "I":
        return {"are": "am", "were": "was", "is": "am", "has": "have"}.get(auxiliary, auxiliary)
    if other and " and " not in who:
        return {"are": "is", "am": "is", "were": "was", "have": "has"}.get(auxiliary, auxiliary)
    return auxiliary


def _verb_form(clause: Clause, said: str, negated: bool, other: bool) -> str:
    """The verb with "do" taken in: "did you move" → moved, "does she live" → lives, negated → did not move."""
    verb = clause.verb
    auxiliary = clause.auxiliary
    if verb is None:
        return said
    base = verb.lemma.lower() if not auxiliary else verb.low
    if not auxiliary:
        auxiliary = {"VBZ": "does", "VBD": "did"}.get(verb.tag, "do")
    if other and auxiliary == "do":
        auxiliary = "does"
    lead, found, after = said.partition(verb.text)
    if not found:
        return said
    if negated:
        return f"{auxiliary} not {lead}{base}{after}"
    return lead + {"do": base, "does": third_person(base), "did": past_of(base)}[auxiliary] + after


def imperative(clause: Clause, *, negated: bool) -> str:
    """What "shall I …" and "should I …" ask leave to do, as the user's order."""
    said = told(clause.sentence, clause.rest)
    return f"do not {said}" if negated else said


def unresolved(tokens: Sequence[Token]) -> bool:
    """Whether the tokens speak of an "it" or "that" whose meaning stands elsewhere."""
    return any(
        t.low in words("grammar", "unresolved") and t.pos in ("PRON", "ADV") and t.dep not in ("mark", "expl")
        for t in tokens
    )
