"""How the body of the writer reacts: "no hazelnuts, my throat closes up", "shrimp makes my lips swell".

A reaction is worth knowing only together with what brings it on, which mostly stands in another clause.
"""

from __future__ import annotations

from dataclasses import replace

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.facts.context import Reading
from memory_pipeline.inference.builtin.facts.fact import FIRM, Fact
from memory_pipeline.language.grammar.clauses import Mood, Tense
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.rewrite import third


def as_reaction(fact: Fact, reading: Reading) -> Fact:
    """A fact that tells how the writer's body reacts, with what brings that on; any other fact as it is."""
    tells = fact.type in {MemoryType.PROFILE_FACT, MemoryType.EPHEMERAL} and fact.operation is Operation.ADD
    if not tells or fact.subject != "user" or not _reacts(reading):
        return fact
    cause = _causing(reading) or _named_before(reading)
    told = _told(reading.clause.sentence, cause) if cause is not None else ""
    content = fact.content.replace(f" no {told}", "") if told else fact.content  # "no bananas" hangs on the clause
    if cause is not None and cause.low not in content.lower():
        content = f"{content.rstrip('.')} from {told}."
    elif cause is None and not _conditional(reading):
        return fact
    return replace(
        fact, type=MemoryType.PROFILE_FACT, content=content, attribute="health", value=None, weight=FIRM, dated="none"
    )


def _reacts(reading: Reading) -> bool:
    """Whether a clause tells what happens to the writer's body as a rule."""
    clause = reading.clause
    if clause.mood is not Mood.STATEMENT or clause.negated or clause.tense is Tense.PAST or clause.progressive:
        return False
    said = {
        form for t in clause.sentence.subtree(clause.outer, without=clause.apart) for form in (t.low, t.lemma.lower())
    }
    if reading.of_user:
        return bool(said & words("reaction_sign")) and reading.verb in words("reaction_verb") | words("reaction_sign")
    owned = clause.subject is not None and any(t.low == "my" for t in clause.sentence.children(clause.subject, "poss"))
    part = owned and clause.subject is not None and clause.subject.lemma.lower() in words("reaction_part")
    return part and bool(said & (words("reaction_sign") | words("reaction_of_part")))


def _causing(reading: Reading) -> Token | None:
    """ "Shrimp makes my lips swell": what makes it happen."""
    clause = reading.clause
    above = clause.sentence.head(clause.outer)
    if clause.outer.dep != "ccomp" or above.lemma.lower() not in {"make", "have", "get", "cause"}:
        return None
    cause = clause.sentence.child(above, "nsubj")
    return cause if cause is not None and cause.pos in {"NOUN", "PROPN"} else None


def _named_before(reading: Reading) -> Token | None:
    """ "I can't eat hazelnuts, my throat closes up": what a clause before it keeps away from the writer."""
    clause, s = reading.clause, reading.clause.sentence
    start = min(t.index for t in s.subtree(clause.subject or clause.head))
    kept_away = [t for t in s if t.index < start and t.pos in {"NOUN", "PROPN"} and _is_kept_away(s, t)]
    return kept_away[-1] if kept_away else None


def _is_kept_away(s: Sentence, noun: Token) -> bool:
    if any(t.low == "no" for t in s.children(noun, "det")):
        return True
    head = s.head(noun)
    if noun.dep == "pobj":
        above = s.head(head)
        return (
            head.low == "except" or head.low == "to" and {above.low, above.lemma.lower()} & words("reacting") != set()
        )
    denied = any(t.low in {"n't", "not", "never", "cannot"} for t in s.children(head, "neg", "aux"))
    return noun.dep == "dobj" and (
        denied and head.lemma.lower() in words("taken_in") or head.lemma.lower() in {"avoid", "skip"}
    )


def _conditional(reading: Reading) -> bool:
    """Whether the clause itself tells when it happens: "…, when I eat kiwi", "… from penicillin"."""
    clause, s = reading.clause, reading.clause.sentence
    below = [t.low for t in s.subtree(clause.outer)]
    return bool({"if", "when", "whenever", "after", "from"} & set(below))


def _told(s: Sentence, noun: Token) -> str:
    """The noun with what names it more closely."""
    kept = [t for t in s.children(noun, "compound", "amod") if t.index < noun.index]
    return third(written([*kept, noun]).strip())
