"""Verb groups in the third person: "no longer lives", "does not eat", "has been learning"."""

from __future__ import annotations

from memory_pipeline.language.grammar.clauses import Clause, Cue, Tense
from memory_pipeline.language.wording.inflection import third_person

_BE = frozenset({"'m", "am", "'re", "are", "is", "'s", "was", "were", "be"})
# A modal verb as a memory tells it, and denied.
_MODAL = {
    "can": ("can", "cannot"),
    "could": ("may", "may not"),
    "may": ("may", "may not"),
    "might": ("may", "may not"),
    "must": ("has to", "must not"),
    "should": ("should", "should not"),
    "would": ("would", "would not"),
}


def plans(clause: Clause) -> bool:
    """Whether a clause is told as a plan: "will move", "is going to move"."""
    going_to = clause.cue is Cue.PLAN and clause.outer.lemma.lower() == "go" and clause.head is not clause.outer
    return clause.modal == "will" or going_to


def verb_phrase(clause: Clause, *, plural: bool = False) -> str:
    """The verb group in the third person: "no longer lives", "does not eat", "has been learning", "needs".

    Args:
        plural: the subject is told, and there are several: "live", "are".
    """
    outer, governed = clause.outer, clause.head is not clause.outer
    if clause.verbless and not governed:
        return ""
    lemma = outer.lemma.lower()
    denied = _denied(clause)
    if clause.cue is Cue.CEASED and governed:
        return f"no longer {_present(clause.head.lemma.lower(), plural)}"
    if clause.ceased and clause.tense is Tense.PRESENT and not clause.perfect:
        return "is no longer" if _is_be(clause) else f"no longer {_present(lemma, plural)}"
    if plans(clause):
        return f"{'does not plan' if denied else 'plans'} to {clause.head.lemma.lower() if governed else lemma}"
    if clause.modal == "would" and governed:
        return "does not want" if denied else "wants"
    if clause.modal in _MODAL:
        affirmed, refused = _MODAL[clause.modal]
        return f"{refused if denied else affirmed} {lemma}"
    if clause.passive or clause.progressive or clause.perfect:
        return _compound(clause, denied, plural)
    return _simple(clause, denied, plural)


def _simple(clause: Clause, denied: bool, plural: bool) -> str:
    """A group without auxiliaries, or with a form of "do"."""
    lemma = clause.outer.lemma.lower()
    if _is_be(clause):
        return _form_of_be(clause.tense is Tense.PAST, plural) + (" not" if denied else "")
    if clause.tense is Tense.PAST:
        if denied:
            return f"never {clause.outer.low}" if _never(clause) and clause.outer.tag == "VBD" else f"did not {lemma}"
        return "got" if lemma == "get" else clause.outer.low
    if not denied:
        return _present(lemma, plural)
    if _never(clause):
        return f"never {_present(lemma, plural)}"
    return f"{'do' if plural else 'does'} not {lemma}"


def _compound(clause: Clause, denied: bool, plural: bool) -> str:
    """A group with a form of "be", "have" or "get" as its auxiliary."""
    outer = clause.outer
    group = {a.low for a in clause.sentence.children(outer, "aux", "auxpass")}
    no = " not" if denied else ""
    if clause.perfect:
        have, been = "have" if plural else "has", " been" if "been" in group else ""
        return f"{have}{' never' if _never(clause) else no}{been} {outer.low}"
    if clause.passive and "being" in group:
        return f"{_form_of_be(clause.tense is Tense.PAST, plural)}{no} being {outer.low}"
    if clause.passive and "getting" in group:
        return f"{_form_of_be(clause.tense is Tense.PAST, plural)}{no} getting {outer.low}"
    past = clause.tense is Tense.PAST or not group.isdisjoint({"was", "were", "got"})
    return f"{'got' if 'got' in group else _form_of_be(past, plural)}{no} {outer.low}"


def _present(lemma: str, plural: bool) -> str:
    if plural:
        return "are" if lemma == "be" else lemma
    return third_person(lemma)


def _form_of_be(past: bool, plural: bool) -> str:
    if past:
        return "were" if plural else "was"
    return "are" if plural else "is"


def _is_be(clause: Clause) -> bool:
    return clause.outer.pos == "AUX" and clause.outer.low.replace("’", "'") in _BE


def _denied(clause: Clause) -> bool:
    """Whether the group itself is denied: not what it governs, and not by a verb of ceasing."""
    below = clause.head is not clause.outer and bool(clause.sentence.children(clause.head, "neg"))
    return clause.negated and clause.cue is not Cue.CEASED and not below


def _never(clause: Clause) -> bool:
    return any(t.low == "never" for t in clause.sentence.children(clause.outer, "neg", "advmod"))
