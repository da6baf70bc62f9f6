"""Classes of words that rows of the table ask for: "occupation", "place", "number", and those that words.toml lists."""

from __future__ import annotations

from collections.abc import Callable

from memory_pipeline.language.grammar.clauses import Clause
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import category, medicine, occupation, relations, words

_LISTED = frozenset({"diet", "nationality", "religion", "language", "pet", "body", "organ", "appliance"})
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_TIMES = frozenset({"DATE", "TIME"})
_SPANS = frozenset({"year", "month", "week", "day", "decade", "while", "age"})  # "a nurse for ten years"
_NO_NAMES = frozenset({"DATE", "GPE", "LOC", "NORP", "LANGUAGE"})
_SHORT_ING = 5  # letters: "thing", "ring"
_OLDEST = 120  # years
_TOOLS = frozenset(
    {
        "browser",
        "cloud",
        "database",
        "editor",
        "framework",
        "operating_system",
        "package_manager",
        "phone",
        "programming_language",
        "shell",
    }
)


def qualified(clause: Clause, token: Token) -> bool:
    """ "Anything spicy", of what is denied: it says what is meant."""
    return token.low == "anything" and clause.negated and bool(clause.sentence.children(token, "amod"))


def of_class(name: str, token: Token | None, clause: Clause) -> Token | None:
    """The word that makes a phrase one of a class, None where it is none.

    Args:
        name: a class, or ``=word=word`` for those words themselves.
        token: head of the phrase.

    Raises:
        KeyError: there is no such class.
    """
    if token is None:
        return None
    if name.startswith("="):
        wanted = frozenset(name[1:].split("="))
        return _first([token, *clause.sentence.children(token, "acomp", "oprd")], wanted)
    if name == "nationality" and token.low not in words(name) | {"student"} and _occupation(token, clause):
        return None  # an English teacher need not be English
    if name in _LISTED:
        return _first(_near(token, clause), words(name))
    if name == "medicine":
        return next((t for t in _near(token, clause) if medicine(t.low) or medicine(t.lemma)), None)
    return token if _TESTS[name](token, clause) else None


def _first(tokens: list[Token], wanted: frozenset[str]) -> Token | None:
    return next((t for t in tokens if t.low in wanted or t.lemma.lower() in wanted), None)


def _near(token: Token, clause: Clause) -> list[Token]:
    """A word with those that qualify it: "type 2 diabetes", "inflammation of the knee"."""
    s = clause.sentence
    near = [token, *s.children(token, "compound", "amod", "nmod", "npadvmod", "nummod")]
    return near + [t for prep in s.children(token, "prep") if prep.low == "of" for t in s.children(prep, "pobj")]


def _condition(token: Token, clause: Clause) -> bool:
    near = _near(token, clause)
    if _first(near, words("condition")) is not None:
        return True
    lemma = token.lemma.lower()
    if lemma in words("ailment") and any(t.low in words("body") | {"blood", "heart", "panic"} for t in near):
        return True
    return lemma in words("body") and any(t.low in words("ailing") for t in near)


def _allergy(token: Token, clause: Clause) -> bool:
    return token.lemma.lower() == "allergy"


def _occupation(token: Token, clause: Clause) -> bool:
    s = clause.sentence
    if token.pos not in {"NOUN", "PROPN", "ADJ"} or not occupation(token.low) or s.children(token, "poss"):
        return False
    return not any(t.low in words("judging") for t in s.children(token, "amod"))


def _relation(token: Token, clause: Clause) -> bool:
    return token.low in relations()


def _number(token: Token, clause: Clause) -> bool:
    """ "34", "34 years old"."""
    if token.pos == "NUM":
        return token.text.isdigit() and int(token.text) <= _OLDEST or token.text.isalpha()
    counted = clause.sentence.children(token, "npadvmod")
    return token.low == "old" and any(t.lemma in {"year", "month"} for t in counted)


def _name(token: Token, clause: Clause) -> bool:
    named = token.pos == "PROPN" or token.kind == "PERSON"
    return named and token.text[:1].isupper() and token.kind not in _NO_NAMES


def _proper(token: Token, clause: Clause) -> bool:
    return token.text[:1].isupper() and token.kind not in _TIMES


def _organisation(token: Token, clause: Clause) -> bool:
    if token.low in words("deictic") | words("no_organisation") or token.lemma.lower() in _SPANS:
        return False
    return token.pos in {"NOUN", "PROPN"} and token.kind not in _TIMES


def _firm(token: Token, clause: Clause) -> bool:
    """What is written like the name of a firm, and no person: "Saguaro Realty", "DPD"."""
    named = token.pos == "PROPN" or token.text[:1].isupper()
    if not named or token.kind in {"PERSON", "GPE", "LOC", *_TIMES}:
        return bool(named) and token.low in words("firm")
    return token.kind == "ORG" or token.low in words("firm") or token.text.isupper() and len(token.text) > 1


def _gpe(token: Token, clause: Clause) -> bool:
    return token.kind == "GPE"


def _place(token: Token, clause: Clause) -> bool:
    return token.kind in _PLACES or token.text[:1].isupper() or _small_origin(token, clause)


def _small_origin(token: Token, clause: Clause) -> bool:
    """ "from tampere", of somebody who writes no capitals: one bare word that is no everyday thing to come from."""
    s = clause.sentence
    bare = token.dep in {"pobj", "pcomp"} and s.head(token).low == "from" and not s.children(token)
    if not bare or token.tag not in {"NN", "NNP", "JJ", "RB", "FW"}:  # nobody knows what kind of word "tampere" is
        return False
    small = not any(t.text[:1].isupper() and t.low != "i" and t.index for t in s)
    return small and token.low not in words("no_origin") | words("no_home") | words("deictic") | relations().keys()


def _settled(token: Token, clause: Clause) -> bool:
    """Where one may live, also in lower case: "lisbon", "the countryside"."""
    if token.low in words("no_home") | {"own"} or token.kind in _TIMES or clause.sentence.child(token, "case"):
        return False  # "on my own", "at my sister's"
    return token.pos in {"NOUN", "PROPN", "ADJ"}


def _noun(token: Token, clause: Clause) -> bool:
    if token.low in words("deictic") and not qualified(clause, token):
        return False
    return token.pos != "PRON" or token.low == "anything" or token.low in {"everything", "nothing", "nobody"}


def _tool(token: Token, clause: Clause) -> bool:
    whole = " ".join(t.low for t in [*clause.sentence.children(token, "compound", "nmod"), token])
    return category(whole) in _TOOLS or token.pos == "PROPN" and token.kind in {"ORG", "PRODUCT"}


def _ware(token: Token, clause: Clause) -> bool:
    """A tool that a table knows: who moves to it does not live there."""
    whole = " ".join(t.low for t in [*clause.sentence.children(token, "compound", "nmod"), token])
    return category(whole) in _TOOLS


def _activity(token: Token, clause: Clause) -> bool:
    return token.tag == "VBG" or token.tag == "NN" and token.low.endswith("ing") and len(token.low) > _SHORT_ING


_TESTS: dict[str, Callable[[Token, Clause], bool]] = {
    "condition": _condition,
    "ware": _ware,
    "allergy": _allergy,
    "occupation": _occupation,
    "relation": _relation,
    "number": _number,
    "name": _name,
    "proper": _proper,
    "organisation": _organisation,
    "firm": _firm,
    "gpe": _gpe,
    "place": _place,
    "settled": _settled,
    "noun": _noun,
    "any": _noun,
    "tool": _tool,
    "activity": _activity,
}
