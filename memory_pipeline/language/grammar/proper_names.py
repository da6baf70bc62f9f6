"""Proper names in a sentence: in full, and whether one may be somebody's."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import relations, words

# Places in a clause where a bare "mum" is somebody.
PLACES = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "ROOT", "conj"})
_IN_NAMES = frozenset({"and", "&", ",", "of", "de", "van", "von", "der", "al"})
_NAME = 3  # letters of a name
_PERSONS = frozenset({"PERSON", ""})


def full_name(sentence: Sentence, token: Token, without: Iterable[Token] = ()) -> str:
    """A proper name in full: "Anna Maria" around "Maria"; several joined by "and" where they are listed."""
    left_out = {t.index for t in without}
    parts = {
        t.index: t
        for t in sentence.subtree(token, without=left_out)
        if t.index not in left_out
        and t.dep not in {"poss", "case"}
        and (t.pos == "PROPN" or t.text[:1].isupper() or t.low in _IN_NAMES)
    }
    first = last = token.index
    while first - 1 in parts:
        first -= 1
    while last + 1 in parts:
        last += 1
    name = [parts.get(i, token) for i in range(first, last + 1)]
    while name and not name[0].text[:1].isupper():
        name.pop(0)
    while name and not name[-1].text[:1].isupper() and name[-1].index != token.index:
        name.pop()
    return written(name).strip(" ,&") if name else token.text


def may_be_somebody(sentence: Sentence, token: Token) -> bool:
    """Whether a word is a name in a place of a clause where people stand: no place, no firm that one works at. In lower
    case it is one where it does something, or something is done with it, and nothing stands before it: "darlene filed",
    "I broke up with isla"."""
    if token.dep not in PLACES | {"dative"} or token.low in words("deictic") or len(token.text) < _NAME:
        return False
    head = sentence.head(token)
    acts = token.dep in {"nsubj", "nsubjpass"} and head.lemma.lower() != "be"
    if token.pos == "PROPN" and token.text[:1].isupper():
        held = token.dep == "pobj" and head.low not in {"with", "and", "about", "to", "by", "from"}
        return not held and (token.index > 0 or acts)
    bare = sentence.child(token, "det", "poss", "amod", "compound", "nummod") is None
    together = token.dep == "pobj" and head.low == "with"
    return token.tag in {"NN", "NNP"} and (acts or together) and bare and token.low not in relations()


def is_stranger(sentence: Sentence, token: Token) -> bool:
    """Whether a clause is about somebody by name, without a word of whom they belong to: "Rahel is in room 12"."""
    named = token.pos == "PROPN" and token.text[:1].isupper() and token.kind in _PERSONS and len(token.text) >= _NAME
    return named and token.dep == "nsubj" and not sentence.children(token, "det", "poss")
