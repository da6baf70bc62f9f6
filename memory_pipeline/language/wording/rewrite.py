"""A clause told in the third person, its subject left out where it is the user: "Lives in Leeds with their mother."

What cannot stand alone is refused: a pronoun whose noun is elsewhere, a verb whose object was cut off.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import takewhile

from memory_pipeline.language.grammar.clauses import Clause, Cue
from memory_pipeline.language.grammar.people import People, Subject
from memory_pipeline.language.grammar.verb_groups import auxiliaries
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.third_person import dangling, in_third_person, third
from memory_pipeline.language.wording.verb_phrases import plans, verb_phrase

_ASKING = frozenset({"WP", "WRB", "WDT", "WP$"})
_TRAILING = frozenset({"because", "since", "when", "as"})
_LEADING = frozenset({"and", "but", "so", "or"})
# What a clause can do without, and what it can where it hangs on the head itself.
_OPTIONAL = frozenset({"advcl", "relcl", "prep", "acl", "appos", "parataxis", "npadvmod", "advmod"})
_WRITER = frozenset({"i", "we"})
_OPTIONAL_AT_HEAD = frozenset({"conj", "ccomp"})
_JOINED = frozenset({"conj", "cc", "preconj", "relcl", "advcl", "parataxis"})


def predicate(clause: Clause, subject: Subject, people: People, without: Collection[int] = ()) -> str:
    """What a clause says of its subject, without the subject and without a full stop; "" where it must be refused.

    Args:
        without: tokens that are told in another way, as times are.
    """
    text = remainder(clause, people, without)
    if text is None:
        return ""
    verb = verb_phrase(clause, plural=subject.plural and bool(subject.label))
    how_often, _, rest = text.partition(" ")
    if how_often in words("before_verb", "rewrite") and verb and rest and not (clause.verbless or _simple_be(verb)):
        *group, last = verb.split(" ")
        verb, text = " ".join([*group, how_often, last]), rest
    return " ".join(f"{verb} {text}".split()).strip(" ,;:-–—").replace(" ,", ",").replace(",,", ",")


def _simple_be(verb: str) -> bool:
    return verb in {"is", "are", "was", "were"} or verb.endswith(" not")


def remainder(clause: Clause, people: People, without: Collection[int] = ()) -> str | None:
    """What stands beside subject and verb; None where it points to something that is not told with it.

    Args:
        without: tokens that are told in another way, as times are.
    """
    if _asks_for_what(clause):
        return None
    told = [t for t in _beside_verb(clause) if t.index not in without]
    inside = {t.index for t in told}
    for token in list(told):
        if token.index in inside and dangling(clause, token, people, inside):
            cut = _optional_part(clause, token)
            if cut is None:
                return None
            gone = {t.index for t in clause.sentence.subtree(cut)}
            told = [t for t in told if t.index not in gone]
            inside -= gone
            if not told and cut.dep == "prep":  # "the prescription runs through the doctor here": "runs" says nothing
                return None
    while told and (told[-1].dep in {"punct", "cc"} or told[-1].low in _TRAILING):
        told.pop()
    return in_third_person(clause, told, people)


def _asks_for_what(clause: Clause) -> bool:
    """ "(I told you) how much debt I have", "(that is) where I get my tickets": what is missing is not told."""
    s, outer = clause.sentence, clause.outer
    start = clause.subject.index if clause.subject is not None and not clause.carried else outer.index
    fronted = [t for t in s.subtree(outer, without=clause.apart) if t.tag in _ASKING and t.index < start]
    return any(t.head in {outer.index, clause.head.index} or _leads_phrase(clause, t) for t in fronted)


def _leads_phrase(clause: Clause, token: Token) -> bool:
    """Whether a word of asking belongs to a phrase of the verb ("how much debt"), not to a clause of its own."""
    heads = {clause.outer.index, clause.head.index}
    between = takewhile(lambda t: t.index not in heads, clause.sentence.ancestors(token))
    return not any(t.pos in {"VERB", "AUX"} for t in between)


def sentence(subject: Subject, text: str) -> str:
    """A sentence of a subject and what is said of it: capitalised, with a full stop; "" of nothing."""
    if not text:
        return ""
    text = text.strip(" ,;:-–—").rstrip(".!?").strip()
    if text.count('"') % 2:
        text = text.replace('"', "")
    if text.count(")") != text.count("("):
        text = text.replace("(", "").replace(")", "")
    full = f"{subject.label} {text}" if subject.label else text
    return full[:1].upper() + full[1:] + "."


def phrase(clause: Clause, token: Token, people: People, *, bare: bool = False, each: bool = False) -> str:
    """A noun phrase or an activity below a token, told in the third person; "" where it must be refused.

    Args:
        bare: without articles and possessives at its beginning.
        each: without what is joined to it by "and".
    """
    s = clause.sentence
    cut: set[int] = set()
    if each:
        cut = {c.index for c in s.children(token, *_JOINED)}
        cut |= {c.index for c in s.children(token, "appos") if not c.text[:1].isupper()}
    tokens = [t for t in s.subtree(token, without=cut | clause.apart) if t.index not in cut]
    while bare and tokens and (tokens[0].dep in {"det", "poss", "predet", "case"} or tokens[0].low in {"some", "both"}):
        tokens.pop(0)
    while tokens and tokens[-1].dep in {"punct", "cc"}:
        tokens.pop()
    if tokens and tokens[0].tag == "TO" and token.dep == "xcomp":
        tokens.pop(0)
    return (in_third_person(clause, tokens, people) or "").strip(" ,;:")


def _optional_part(clause: Clause, token: Token) -> Token | None:
    """The largest part around a word that the clause can do without."""
    best = None
    for one in [token, *clause.sentence.ancestors(token)]:
        if one.index in {clause.outer.index, clause.head.index}:
            break
        at_head = one.dep in _OPTIONAL_AT_HEAD and one.head == clause.head.index
        at_head = at_head or _addressed(clause, one)
        if one.dep in _OPTIONAL or at_head:
            best = one
    return best


def _addressed(clause: Clause, token: Token) -> bool:
    """Whether a word only tells to whom something was promised or is to be sent: "promised her I'd call"."""
    if clause.cue is Cue.NONE:
        return False
    if token.head == clause.outer.index != clause.head.index and clause.cue is Cue.PROMISE:
        return token.dep in {"dobj", "dative"}
    return token.dep == "dative" and clause.sentence.child(clause.head, "dobj") is not None


def _beside_verb(clause: Clause) -> list[Token]:
    """The tokens beside subject and verb group: what stood behind the verb first, then what led in."""
    s, outer = clause.sentence, clause.outer
    hidden = _hidden(clause)
    verb = max(outer.index, clause.head.index if clause.head.index in hidden else outer.index)
    kept = [t for t in s.subtree(outer, without=clause.apart) if t.index not in hidden]
    before = [t for t in kept if t.index < verb and t.dep != "punct"]
    subject = -1 if clause.subject is None or clause.carried else clause.subject.index
    adverbs = [t for t in before if t.dep == "advmod" and not s.children(t) and t.index > subject]
    lead = [t for t in before if t not in adverbs]
    if lead and lead[0].low in _LEADING:
        lead = lead[1:]
    if clause.subject is not None and clause.subject.low not in _WRITER:
        # "Adding this to the list, my prescription runs out": it is the writer who adds.
        aside = {t.index for t in lead if t.dep == "advcl" and t.tag == "VBG" and s.child(t, "nsubj", "mark") is None}
        lead = [t for t in lead if t.index not in aside and not aside & {a.index for a in s.ancestors(t)}]
    behind = [t for t in kept if t.index > verb and not _joins_another(clause, t)]
    while behind and behind[-1].dep in {"punct", "cc"}:
        behind.pop()
    return [*adverbs, *behind, *map(_lowered, lead)]


def _lowered(token: Token) -> Token:
    """A word that leads in without the capital of its place: "if they eat nuts" behind what happens then."""
    small = token.index == 0 and token.pos in {"SCONJ", "ADP", "ADV", "DET"} and token.text[:1].isupper()
    return replace(token, text=token.text[:1].lower() + token.text[1:]) if small else token


def _hidden(clause: Clause) -> set[int]:
    """Subject, verb group, and words that say nothing more."""
    s, outer = clause.sentence, clause.outer
    hidden = {outer.index} | {t.index for t in s.children(outer, "neg", "intj", "preconj", "mark")}
    hidden |= {t.index for t in auxiliaries(s, outer)}
    hidden |= {t.index for t in s.children(outer, "cc") if t.index < outer.index}
    stated = s.child(outer, "nsubj", "nsubjpass") if clause.carried else clause.subject
    if stated is not None:
        hidden |= {t.index for t in s.subtree(stated)}
    if clause.head is not outer and (clause.cue is Cue.CEASED or plans(clause)):
        hidden |= {clause.head.index} | {t.index for t in s.children(clause.head, "aux", "auxpass")}
        if clause.cue is Cue.CEASED:
            hidden |= {t.index for t in s.children(outer, "prt")}
    inside = [t for t in s.subtree(outer, without=clause.apart) if t.index not in hidden]
    idle = words("idle", "rewrite")
    hidden |= {
        t.index for t in inside if t.low in idle and t.dep in {"advmod", "intj", "cc", "npadvmod"} and not s.children(t)
    }
    return hidden | _no_longer(inside) if clause.ceased else hidden


def _no_longer(tokens: list[Token]) -> set[int]:
    """Words of "no longer" and "any more", which the verb phrase tells."""
    found = {t.index for t in tokens if t.low in {"anymore", "longer"}}
    for token, following in zip(tokens, tokens[1:], strict=False):
        if token.low in {"no", "any"} and following.low in {"longer", "more"}:
            found |= {token.index, following.index}
    return found


def _joins_another(clause: Clause, token: Token) -> bool:
    """Whether a conjunction joins only what is not told with this clause."""
    s = clause.sentence
    head = s.head(token)
    if token.dep != "cc" or head.index not in clause.apart | {clause.outer.index, clause.head.index}:
        return False
    return all(c.index < token.index or c.index in clause.apart for c in s.children(head, "conj"))


__all__ = ["phrase", "predicate", "remainder", "sentence", "third", "verb_phrase"]
