"""How a clause is meant, as the gate compares it: affirmed or denied, told or only supposed, and what narrows it.

English; the words stand in ``tables/claims.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from memory_pipeline.domain.gate.texts.claims import Force
from memory_pipeline.language.grammar.clauses import Clause, Cue, Mood, Tense
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.tables import read as table

_FORCES = {
    Cue.DUTY: Force.DUTY,
    Cue.WISH: Force.WISH,
    Cue.PLAN: Force.PLAN,
    Cue.PROMISE: Force.PROMISE,
    Cue.ATTEMPT: Force.ATTEMPT,
    Cue.CONSIDERED: Force.POSSIBLE,
    Cue.POSSIBLE: Force.POSSIBLE,
}
NEGATORS = frozenset({"not", "n't", "never", "no", "nor", "neither", "none", "nobody", "nothing", "without", "nt"})
_WHETHER = frozenset({"if", "whether"})
_NARROWING = frozenset({"compound", "amod", "nmod", "poss"})


def sign(clause: Clause, verb: str, own: Sequence[Token]) -> int:
    """1 affirmed, -1 denied, 0 where a denial above the clause, a second one or a turn of phrase leaves it open."""
    s = clause.sentence
    for above in s.ancestors(clause.outer):
        if any(c.dep == "neg" for c in s.children(above)) or above.lemma.lower() in word_list("doubting"):
            return 0
        if above.lemma.lower() in word_list("denying"):
            return 0
    lows = [t.low for t in own]
    absent = sum(low == "no" or low in {"none", "nothing", "nobody"} for low in lows) if not clause.negated else 0
    denials = clause.negated + bool(absent) + (verb in word_list("denying"))
    negating = [t for t in own if t.low in NEGATORS and not _of_another(clause, t)]
    if len(negating) > 1 or any(low in word_list("turning") or low.endswith("-free") for low in lows):
        return 1 if not denials and not negating else 0
    commas = [t.index for t in own if t.text == "," and t.index > clause.head.index]
    if commas and any(t.index > commas[0] for t in negating):
        return 0
    if negating and not denials:
        return 0  # "not" belongs to something else: "Karim, not Max, cooks"
    return -1 if denials % 2 else 1


def _of_another(clause: Clause, negator: Token) -> bool:
    """Whether a denial belongs to another verb beside the clause's ("I don't drink, haven't for a decade")."""
    governor = clause.sentence.head(negator)
    group = {clause.head.index, clause.outer.index, negator.index}
    return negator.dep == "neg" and governor.pos in {"VERB", "AUX", "ADP"} and governor.index not in group


def force(clause: Clause, meant: Force) -> Force:
    """How a clause is meant.

    Args:
        meant: how the sentence around it is.
    """
    s = clause.sentence
    path = [clause.outer, *s.ancestors(clause.outer)]
    for token in path:
        mark = s.child(token, "mark")
        if mark is not None and mark.low in _WHETHER:
            return Force.SUPPOSED
        if token is not clause.outer and token.lemma.lower() in word_list("wishing") and _above(s, token):
            return Force.WISH
    if meant in {Force.SUPPOSED, Force.WISH} and not _told_beside(clause):
        return meant
    if clause.mood is Mood.SUPPOSITION:
        return Force.FACT if clause.negated else Force.WISH
    if meant is Force.ASKED and _inverted(s) and _is_asked(s, path):
        return Force.ASKED
    if clause.modal == "could" or _missed(clause):
        return Force.POSSIBLE
    if clause.cue is Cue.DUTY and clause.tense is Tense.PAST:
        return Force.FACT  # who had to, did
    if clause.modal == "will":
        return Force.PROMISE if clause.cue is Cue.PLAN else _FORCES.get(clause.cue, Force.FACT)
    return _FORCES.get(clause.cue, Force.FACT)


def _told_beside(clause: Clause) -> bool:
    """Whether a clause is told as so, and only the one behind "but" supposed ("I'm vegan but I'd kill for one")."""
    s = clause.sentence
    if clause.modal or any(t.low in _WHETHER | word_list("supposing_aloud") for t in s):
        return False
    beside = [t for t in s if t.dep == "conj" and s.head(t).index == clause.outer.index]
    return any(t.low == "but" for t in s.children(clause.outer, "cc")) and any(
        a.tag == "MD" for t in beside for a in s.children(t, "aux")
    )


def _missed(clause: Clause) -> bool:
    """Whether something nearly came about, or is no more than an idea: "nearly signed up", "toying with the idea"."""
    s = clause.sentence
    if any(t.low in word_list("missing") for t in s.children(clause.head, "advmod")):
        return True
    idea = {t.lemma.lower() for p in s.children(clause.head, "prep") for t in s.children(p, "pobj")}
    return clause.head.lemma.lower() in word_list("toying") and bool(idea & word_list("ideas"))


def narrowing(clause: Clause) -> Iterator[str]:
    """The words that narrow what a clause says, small letters: "Fridays" of "on Fridays", "cow" of "cow's milk".

    Leaving one out of what is affirmed says less; of what is denied, more.
    """
    s = clause.sentence
    hosts = {clause.head.index: clause.head, clause.outer.index: clause.outer}
    nouns = [t for host in hosts.values() for t in s.children(host, "dobj", "attr", "acomp", "pobj")]
    for host in (*hosts.values(), *nouns):
        for prep in s.children(host, "prep"):
            if prep.low in word_list("restricting"):
                yield from (t.low for t in s.subtree(prep) if t.pos in {"NOUN", "PROPN", "NUM", "VERB"})
    for noun in nouns:
        beside = list(s.children(noun, *_NARROWING))
        beside += [t for token in beside for t in s.children(token, *_NARROWING)]
        for token in beside:
            if token.pos in {"NOUN", "PROPN", "ADJ", "VERB"} and token.low not in word_list("emphatic"):
                yield token.low


def _inverted(sentence: Sentence) -> bool:
    """Whether it has a question's order of words; "I started a shop, cool, huh?" tells."""
    root = sentence.root
    if any(t.tag in {"WP", "WRB", "WDT", "WP$"} and t.index <= root.index for t in sentence):
        return True
    who = sentence.child(root, "nsubj", "nsubjpass", "expl")
    if who is None:
        return True
    return who.index > root.index or any(t.index < who.index for t in sentence.children(root, "aux", "auxpass"))


def _above(sentence: Sentence, verb: Token) -> bool:
    """Whether a verb governs a clause of its own ("I hope I get in")."""
    return sentence.child(verb, "ccomp", "xcomp") is not None


def _is_asked(sentence: Sentence, path: Sequence[Token]) -> bool:
    """Whether a clause is what a question asks; "since I'm vegan" beside one is told."""
    for token in path:
        if token.head == token.index:
            return True
        if token.dep == "ccomp" and sentence.head(token).lemma.lower() not in word_list("supposing"):
            return False
        if token.dep not in {"ccomp", "conj", "xcomp"}:
            return False
    return True


@cache
def word_list(name: str) -> frozenset[str]:
    return frozenset(table("claims")["words"][name].split())


@cache
def known_verbs() -> frozenset[str]:
    return word_list("denying").union(*(verbs.split() for verbs in table("claims")["family"].values()))


@cache
def families(verb: str) -> frozenset[str]:
    return frozenset(name for name, verbs in table("claims")["family"].items() if verb in verbs.split())
