"""Words of the first and second person told in the third, and pronouns by what they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.grammar.clauses import Clause
from memory_pipeline.language.grammar.people import People
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import relations, words

_PERSON = {
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves", "we": "they", "us": "them",
    "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
_ASSISTANT = {"you": "the assistant", "your": "the assistant's", "yours": "the assistant's"}
_AUXILIARY = {"'m": "are", "am": "are", "'ve": "have", "'ll": "will"}
_TOLD = {**_PERSON, **_ASSISTANT, **_AUXILIARY, "yourself": "the assistant"}
# Words that point to something else.
_POINTING = frozenset({
    "it", "this", "that", "these", "those", "there", "here", "one", "ones", "him", "her", "them", "he", "she", "its",
    "his", "so", "such",
})  # fmt: skip
_SOMEBODY = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she"}
_SOMETHING = frozenset({"it", "its", "them"})

_SHORT = {**_AUXILIARY, "'re": "are", "'d": "would", "was": "were"}
_FIRST = {**_PERSON, **_ASSISTANT}
_SPOKEN = lazy(
    r"\b(?P<who>i|we)(?P<verb>'(?:m|re|ve|ll|d)\b| (?:am|was)\b)"
    rf"|\b(?P<word>{'|'.join(_FIRST)})\b(?!')",
    re.I,
)

# "Our Mutual Friend" in the middle of a sentence is a name.
_IN_TITLE = lazy(r"My|Our|Your|We|You")
_NAMED = lazy(r" [A-Z]")


def third(text: str) -> str:
    """A text that no tree is known of in the third person: "my mom and I're done" → "their mom and they are done"."""

    plain = text.replace("’", "'")

    def told(hit: re.Match[str]) -> str:
        if hit.start() and _IN_TITLE.match(hit.group(), 0) and _NAMED.match(plain, hit.end()):
            return hit.group()
        if hit.group("word"):
            return _FIRST[hit.group("word").lower()]
        return f"they {_SHORT[hit.group('verb').strip().lower()]}"

    return _SPOKEN.sub(told, plain)


def in_third_person(clause: Clause, tokens: Sequence[Token], people: People) -> str | None:
    """Tokens of a clause as text in the third person; None where one points to something that is not told."""
    inside = {t.index for t in tokens}
    out = []
    for token in tokens:
        text = _told(clause, token, people, inside)
        if text is None:
            return None
        out.append(replace(token, text=text))
    return _spaced(out)


def dangling(clause: Clause, token: Token, people: People, inside: Collection[int]) -> bool:
    """Whether a word points to something that is not told with it.

    Args:
        inside: places of the tokens that are told.
    """
    if _points(token):
        return _antecedent(clause, token, people, inside) is None
    return _vague(clause, token, people)


def _told(clause: Clause, token: Token, people: People, inside: Collection[int]) -> str | None:
    low = token.low.replace("’", "'")
    if low in _TOLD:
        return _TOLD[low]
    if low == "'re" and token.pos == "AUX":
        return "are"
    if low == "was" and (who := clause.sentence.child(token, "nsubj")) and who.low == "i":
        return "were"
    if _points(token):
        return _antecedent(clause, token, people, inside)
    return None if _vague(clause, token, people) else token.text


def _points(token: Token) -> bool:
    return token.low in _POINTING and token.pos in {"PRON", "DET", "ADV"} and token.tag not in {"IN", "EX"}


def _vague(clause: Clause, token: Token, people: People) -> bool:
    """ "something", "everyone": an object of which nobody knows what it is; "anything heavy" says it."""
    if token.low.endswith("thing") and clause.sentence.children(token, "amod"):
        return False
    if token.low in {"it", "them"} and people.thing(token.low) is not None:
        return False
    return token.pos == "PRON" and token.low in words("deictic") and token.dep in {"dobj", "pobj", "attr"}


def _antecedent(clause: Clause, token: Token, people: People, inside: Collection[int]) -> str | None:
    """What a pronoun stands for: itself where its noun is told with it, a person's label, None where nobody knows."""
    low = token.low
    if low in {"that", "this", "these", "those", "such"} and token.dep in {"det", "mark", "predet"}:
        clear = low == "that" and (token.dep != "det" or _has_relative(clause, token))
        return token.text if clear else None
    if _stands_alone(clause, token):
        return token.text
    if low not in _SOMEBODY and low not in _SOMETHING:
        return None
    earlier = [t for t in clause.sentence.tokens[: token.index] if t.index in inside and t.pos in {"NOUN", "PROPN"}]
    if low in {"it", "them"} and not earlier and token.dep in {"dobj", "pobj"}:
        thing = None if low == "it" and _of_what_happens(clause, token, inside) else people.thing(low)
        if thing is not None:
            return thing
    if (low in _SOMETHING and earlier) or _of_the_subject(clause, token):
        return token.text
    return _somebody(clause, token, people, earlier) if low in _SOMEBODY else None


def _of_what_happens(clause: Clause, token: Token, inside: Collection[int]) -> bool:
    """ "She leaves on Tuesday and I hate it": "it" is what the clause before tells, where that names no thing."""
    before = [t for t in clause.sentence.tokens[: token.index] if t.index not in inside]
    told = any(t.pos in {"VERB", "AUX"} and t.tag != "VB" for t in before)
    things = {"dobj", "pobj", "attr", "nsubj", "nsubjpass"}
    named = any(
        t.pos in {"NOUN", "PROPN"} and t.dep in things and t.kind not in {"DATE", "TIME", "PERSON"} for t in before
    )
    return told and not named


def _stands_alone(clause: Clause, token: Token) -> bool:
    """Uses in which the word points to nothing outside: "the dog that bites", "so tired", "there in the hall"."""
    match token.low:
        case "that":
            return token.tag in {"WDT", "WP"}
        case "so":
            return token.dep in {"advmod", "mark", "cc"}
        case "there" | "here":
            return token.dep == "advmod" and bool(clause.sentence.children(token, "prep"))
        case "one":
            return token.pos == "NUM"
    return False


def _of_the_subject(clause: Clause, token: Token) -> bool:
    """ "Anna sold her car": the subject's own, where that is not the writer."""
    own = token.low in {"his", "her", "its"} and token.dep == "poss"
    return own and clause.subject is not None and clause.subject.low not in {"i", "we"}


def _somebody(clause: Clause, token: Token, people: People, earlier: Sequence[Token]) -> str | None:
    person = people.pronoun(_SOMEBODY[token.low])
    if person is not None and person.label:
        label = person.label if person.label == person.name else f"their {person.label[:1].lower()}{person.label[1:]}"
        return f"{label}'s" if token.dep == "poss" else label
    if any(t.low in relations() or t.pos == "PROPN" for t in earlier):
        return token.text
    return _only_name(clause, token)


def _only_name(clause: Clause, token: Token) -> str | None:
    """The one person whom the sentence names before a pronoun: "I owe Sunita 80 and I said I'd pay her back"."""
    before = clause.sentence.tokens[: token.index]
    people = {t.text for t in before if t.kind == "PERSON" and t.pos == "PROPN" and t.dep != "compound"}
    if len(people) != 1:
        return None
    name = people.pop()
    return f"{name}'s" if token.dep == "poss" else name


def _has_relative(clause: Clause, token: Token) -> bool:
    """Whether a relative clause explains the noun: "that shop I told you about"."""
    s = clause.sentence
    return bool(s.children(s.head(token), "relcl"))


def _spaced(tokens: Sequence[Token]) -> str:
    """Tokens as text, with a space also between two words of which one was written out: "I" + "'m" → "they are"."""
    parts: list[str] = []
    for n, token in enumerate(tokens):
        if n and _apart(tokens[n - 1], token):
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts).strip()


def _apart(before: Token, token: Token) -> bool:
    if before.space or before.index + 1 != token.index:
        return True
    return token.text[:1].isalpha() and before.text[-1:].isalpha() and not token.text.startswith("n't")
