"""Tense, voice, mood and denial of a verb with its auxiliaries."""

from __future__ import annotations

from dataclasses import dataclass

from memory_pipeline.language.grammar.clause import Cue, Mood, Tense
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import classes, words
from memory_pipeline.language.wording.agreement import Tense as Form
from memory_pipeline.language.wording.agreement import tense as form_of

_HAVE = frozenset({"have", "'ve", "ve", "has", "'s", "had", "'d"})
_CLEARLY_HAVE = frozenset({"been", "have", "'ve", "has", "had"})
# What may stand beside the verb of a request: "please don't call".
_WITH_REQUEST = frozenset({"do", "don't", "please", "let", "dont"})


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A verb with its auxiliaries.

    Attributes:
        auxiliaries: lower case, with straight apostrophes.
        modal: the modal verb in its full form, or "".
        cue: what governing and modal verbs make of it.
    """

    auxiliaries: tuple[str, ...]
    modal: str
    cue: Cue
    tense: Tense
    perfect: bool
    progressive: bool
    passive: bool


def verb_group(sentence: Sentence, outer: Token, head: Token, cue: Cue, subject: Token | None) -> VerbGroup:
    """Reads a verb group.

    Args:
        outer: its outermost verb, which bears the auxiliaries.
        head: the verb that carries the meaning.
        cue: what the verbs above the head make of it.
        subject: None where the group has none, of its own or carried over.
    """
    low = tuple(a.low.replace("’", "'") for a in auxiliaries(sentence, outer))
    modal = _modal(outer, low)
    passive = _passive(sentence, outer, head, low)
    perfect = _perfect(outer, low, modal, passive=passive)
    going_to = cue is Cue.PLAN and outer.lemma == "go" and outer.tag == "VBG"
    if modal == "will" or going_to:
        tense = Tense.FUTURE
    else:
        past = _past(sentence, outer, low, subject, perfect=perfect, passive=passive)
        tense = Tense.PAST if past else Tense.PRESENT
    return VerbGroup(
        auxiliaries=low,
        modal=modal,
        cue=_modal_cue(modal, cue),
        tense=tense,
        perfect=perfect,
        progressive=(outer.tag == "VBG" and bool(low)) or "getting" in low or "being" in low,
        passive=passive,
    )


def auxiliaries(sentence: Sentence, outer: Token) -> list[Token]:
    """The auxiliaries of a verb; the parser may hang one on another: "will" on the "be" of "will be pleased"."""
    found = sentence.children(outer, "aux", "auxpass")
    below = [t for aux in found for t in sentence.children(aux, "aux")]
    return sorted([*found, *below], key=lambda t: t.index)


def mood(
    sentence: Sentence, outer: Token, group: VerbGroup, subject: Token | None, *, carried: bool, unreal: bool
) -> Mood:
    """Whether a clause states, asks for something or only supposes.

    Args:
        carried: the subject stands in the clause before.
        unreal: the clause above only supposes.
    """
    if unreal or _supposed(sentence, outer, group.modal):
        return Mood.SUPPOSITION
    asks = subject is None and outer.tag == "VB" and _WITH_REQUEST.issuperset(group.auxiliaries)
    # "I moved, so update my file": the parser gives the second verb the subject of the first.
    joined = carried and outer.dep == "conj" and outer.tag == "VB" and not group.auxiliaries
    return Mood.REQUEST if asks or (joined and sentence.head(outer).tag == "VBD") else Mood.STATEMENT


def denied(sentence: Sentence, verb: Token) -> bool:
    """Whether a word of denial belongs to a verb: "not", "never", "neither"; "no" of a noun does not."""
    return any(
        word.dep == "neg" or word.low in words("deny", "clauses")
        for word in sentence.children(verb, "neg", "advmod", "det", "preconj")
        if (word.low != "no" or word.dep != "det")
        and (word.index < verb.index or verb.pos == "AUX" or _not_it(word, verb))
    )


def _not_it(word: Token, verb: Token) -> bool:
    """ "I have not the numbers"."""
    return word.dep == "neg" and word.index == verb.index + 1 and verb.lemma == "have"


def conjunction(sentence: Sentence, verb: Token) -> str:
    """The word that leads a subordinate clause in ("because", "if"), or ""."""
    found = sentence.child(verb, "mark") or sentence.child(verb, "advmod")
    if found is None or found.index > verb.index:
        return ""
    known = (words(name, "clauses") for name in ("suppose", "time", "reason"))
    return found.low if any(found.low in group for group in known) else ""


def _modal(outer: Token, low: tuple[str, ...]) -> str:
    known = classes("modal", "clauses")
    had = {"'d"} if outer.tag == "VBN" else set()  # "I'd been"
    return next((known[a] for a in low if a in known and a not in had), "")


def _modal_cue(modal: str, cue: Cue) -> Cue:
    if modal in {"may", "might"} or not cue:
        return Cue(classes("modal_cue", "clauses").get(modal, ""))
    return cue


def _passive(sentence: Sentence, outer: Token, head: Token, low: tuple[str, ...]) -> bool:
    if _bare_participle(outer, low):  # "was sold and moved", "born in Leeds"
        above = sentence.head(outer)
        return (outer.dep == "conj" and above.lemma == "be") or bool(sentence.children(above, "auxpass"))
    if outer.low == "been":  # "'s been": the parser may take "'s" for the auxiliary of a passive
        return False
    if outer.lemma == "get" and head is not outer and head.tag in {"VBN", "VBD", "JJ"}:
        return True
    return outer.tag in {"VBN", "VBD"} and bool(sentence.children(outer, "auxpass"))


def _bare_participle(outer: Token, low: tuple[str, ...]) -> bool:
    return not low and outer.tag == "VBN" and outer.pos == "VERB"


def _perfect(outer: Token, low: tuple[str, ...], modal: str, *, passive: bool) -> bool:
    if "been" in low and not modal:
        return True
    # "it's broken" is a state, "it's been broken" and "she's left" are perfects.
    have = _HAVE if not passive else _CLEARLY_HAVE
    return outer.tag == "VBN" and not _HAVE.isdisjoint(low) and not have.isdisjoint(low)


def _past(
    sentence: Sentence, outer: Token, low: tuple[str, ...], subject: Token | None, *, perfect: bool, passive: bool
) -> bool:
    if _bare_participle(outer, low):
        return not passive or sentence.head(outer).tag == "VBD"
    if not low:
        if outer.tag == "VBD":
            return not _present_as_past(sentence, outer)
        return subject is not None and _past_as_present(sentence, outer)
    if not perfect and not {"was", "were", "did"}.isdisjoint(low):
        return True
    return ("had" in low and outer.tag == "VBN") or (passive and "got" in low)


def _present_as_past(sentence: Sentence, outer: Token) -> bool:
    """Present forms that the parser takes for the past: "I brew my own cider", "I put 300 a month aside"."""
    if outer.low != outer.lemma.lower():
        return False
    if form_of(outer.low) is not Form.PAST and outer.low not in words("past_as_present", "clauses"):
        return outer.low not in words("same_in_past", "clauses")
    beside = {t.low for t in sentence.subtree(outer) if t.dep in {"npadvmod", "advmod", "det", "prep"}}
    return bool(beside & words("recurring", "clauses"))


def _past_as_present(sentence: Sentence, outer: Token) -> bool:
    """Past forms that the parser takes for the present: "I quit", "sat down and read"."""
    if outer.tag not in {"VBP", "VB"}:
        return False
    if form_of(outer.low) is Form.PAST or outer.lemma in words("same_in_past", "clauses"):
        return True
    after_past = outer.dep == "conj" and form_of(sentence.head(outer).low) is Form.PAST
    return after_past and outer.low in words("past_as_present", "clauses")


def _supposed(sentence: Sentence, outer: Token, modal: str) -> bool:
    """ "If I had a car, I could …", "I'd move"; "I'd like", "I'd rather" are wishes."""
    if outer.dep == "ROOT" and conjunction(sentence, outer) in words("condition", "clauses"):
        return True  # "If we have a second kid I'm moving out", of which the parser makes one clause
    would_rather = any(a.low in {"rather", "sooner"} for a in sentence.children(outer, "advmod"))
    if modal == "would" and outer.lemma not in words("would_wish", "clauses") and not would_rather:
        return True
    if modal not in {"would", "could", "might"}:
        return False
    under = sentence.children(outer, "advcl")
    return any(conjunction(sentence, c) in words("condition", "clauses") for c in under)
