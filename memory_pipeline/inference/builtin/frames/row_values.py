"""The values that a row of the table takes from a clause: which words, and where they are cut off."""

from __future__ import annotations

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.facts.context import Reading, listed
from memory_pipeline.inference.builtin.frames.table import Hit
from memory_pipeline.inference.builtin.frames.word_classes import qualified
from memory_pipeline.language.grammar.clauses import Clause
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.inflection import gerund

_ENDS = {
    "place": lazy(r" with | since | because | near | for | where | and | which | \(| as | but "),
    "over": lazy(r" over | to | than | rather than | instead of |, not "),
    "noun": lazy(r",| and | but | so | \(|;| at | for | in | with | on | by | from "),
    "head": lazy(r",| and | but | so | \(|;"),
}
_WITHIN = lazy(r"\b(?:in|near|outside) ((?:[A-Z][\w'’.-]+(?:,? )?)+)")
_OF_ALLERGY = lazy(r"\b(?:severe|bad|mild|serious|slight|terrible|nasty|strong|allerg(?:y|ies)|to|an?)\b")
_OF_NAMES = frozenset({"de", "van", "von", "der", "al", "la"})


def values(reading: Reading, hit: Hit) -> list[tuple[Token | None, str]]:
    """The values of a row, each with the word it starts from; none where a clause only points to them.

    Several where a list states one fact each. Without a word for it, the value is the one that the row gives.
    """
    fixed = str(hit.row.get("is", ""))
    if hit.value is None:
        return [(None, fixed)]
    found: list[tuple[Token | None, str]] = []
    for token in _group(reading.clause, hit, hit.value):
        if token.low in words("deictic") and not (fixed or qualified(reading.clause, token)):
            continue
        text = _value(reading, hit, token)
        if text:
            found.append((token, text))
    return found or ([(None, fixed)] if fixed else [])


def untimed(reading: Reading, text: str) -> str:
    """A text without the time expressions of its clause."""
    for time in reading.times:
        if time.first or time.relation in {"every", "for"}:
            text = text.replace(time.text, "").strip(" ,")
    return " ".join(text.split())


def cut(how: str | None, text: str) -> str:
    """A value up to where something else begins; what that is depends on the kind of value.

    Args:
        how: "place", "name", "over", "noun", "allergy", "head", "number", or None for all of the text.
    """
    if how == "place":
        inner = _WITHIN.search(text) if text[:1].islower() else None
        return (inner.group(1) if inner else _ENDS[how].split(text, maxsplit=1)[0]).strip(" ,")
    if how == "name":
        return _name(text)
    if how == "allergy":
        return " ".join(_OF_ALLERGY.sub(" ", text).split()) or text
    if how == "number":
        return next((w.strip(",.") for w in text.split() if any(c.isdigit() for c in w)), text.split(" ")[0])
    return _ENDS[how].split(text, maxsplit=1)[0].strip(" ,") if how in _ENDS else text


def _group(clause: Clause, hit: Hit, value: Token) -> list[Token]:
    group = [_called(clause, value)] if hit.row.get("cut") == "name" else [value]
    if not hit.row.get("each") or hit.row.get("cut") == "place":
        return group
    group += listed(clause, value)
    return group + _loose(clause, value) if clause.verb == "be" else group


def _loose(clause: Clause, value: Token) -> list[Token]:
    """Bare words behind a value that the parser took for verbs: "allergic to nuts, shellfish and pollen"."""
    s = clause.sentence
    joined = s.children(clause.head, "conj")
    return [t for t in joined if t.tag in {"VB", "VBP"} and not s.children(t) and t.index > value.index]


def _value(reading: Reading, hit: Hit, token: Token) -> str:
    row, clause = hit.row, reading.clause
    text = reading.named(token, each=bool(row.get("each")))
    text = cut(row.get("cut"), untimed(reading, text) or text)
    activity = hit.row.get("take") != "with" and _activity(clause, token)
    if activity and text.startswith(token.lemma):
        text = gerund(token.lemma) + text[len(token.lemma) :]
    return text + _region(clause, token) if text and row.get("cut") == "place" else text


def _activity(clause: Clause, token: Token) -> bool:
    """ "like to cook and bake", "learn to weld"."""
    first = clause.sentence.head(token) if token.dep == "conj" else token
    to = any(t.tag == "TO" for t in clause.sentence.children(first))
    return first.dep == "xcomp" and to and token.tag in {"VB", "VBP", "NN"}


def _called(clause: Clause, token: Token) -> Token:
    """ "someone new named Clara": the name."""
    for child in clause.sentence.children(token, "acl"):
        if child.lemma in {"call", "name"} and (said := clause.sentence.child(child, "oprd", "dobj", "attr")):
            return said
    return token


def _region(clause: Clause, token: Token) -> str:
    """ ", Connecticut" behind "Berlin"."""
    after = clause.sentence.tokens[token.index + 1 : token.index + 3]
    if len(after) < 2 or after[0].text != "," or after[1].pos != "PROPN" or not after[1].text[:1].isupper():
        return ""
    return f", {after[1].text}" if after[1].kind in {"GPE", "LOC"} else ""


def _name(text: str) -> str:
    """The first word, and the capitalised ones that follow it."""
    kept: list[str] = []
    for word in text.split():
        if kept and not word[:1].isupper() and word.lower() not in _OF_NAMES:
            break
        kept.append(word.strip(",.'\""))
    return " ".join(kept)
