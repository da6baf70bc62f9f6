"""What is done or off: deeds that may keep a promise, things that are settled, plans that are dropped."""

from __future__ import annotations

import re

from memory_pipeline.domain.consolidation.plans.deeds import acted, plans_act
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.inference.builtin.directives import sentence_of
from memory_pipeline.inference.builtin.facts.context import Reading
from memory_pipeline.inference.builtin.facts.fact import Fact, closing
from memory_pipeline.language.grammar.clauses import Clause, Cue, Mood, Tense
from memory_pipeline.language.grammar.people import Kind, People
from memory_pipeline.language.syntax import Sentence, Token, written
from memory_pipeline.language.vocabulary import relations, table, words
from memory_pipeline.language.wording.rewrite import phrase, predicate, third

_IN_VAIN = lazy(
    r"\b(?:nobody|no one|no-one) (?:picked up|answered|was there)|"
    r"(?:didn't|did not|doesn't|never|won't) (?:pick up|answer|reply|respond|work|go through|open)|"
    r"no (?:answer|reply|response|luck)|voice ?mail|left (?:her |him |them )?a message|"
    r"couldn't (?:reach|get through|finish|make it)|line was (?:busy|dead)|without success|in vain|to no avail|"
    r"\bhalf of\b|\btried\b|will try again",
    re.I,
)
_DEALT_WITH = lazy(
    r"\b(?:in the (?:post|mail|bag|bin|diary)|on (?:its|their) way|done and dusted|taken care of|out of the way|"
    r"behind (?:me|us)|"
    r"off (?:my|the|our) (?:list|plate|desk)|all set|over (?:and done )?with)\b",
    re.I,
)
_IN_PLACE = lazy(
    r"\b(?:instead of me|instead|in my place|for me|for us|in the end|took over|taking over|taken over|"
    r"off my (?:hands|plate)|"
    r"on my behalf|is \w+ing .* now|already)\b",
    re.I,
)
_LIKE_NEW = lazy(r"\b(?:like new|as good as new|good as new|as it should|without a hitch|like a charm)\b", re.I)
_STILL = lazy(r"\bstill (?:haven't|have to|need)", re.I)
_OTHERS = frozenset({Kind.PERSON, Kind.NAMED, Kind.POSSESSION, Kind.OTHER})


def in_vain(said: str, following: str) -> bool:
    """Whether an act is told to have come to nothing, in the sentence itself or right after it.

    Args:
        following: the sentence with what follows it, which may say that nobody answered; what "still needs" doing
            there is something else.
    """
    return bool(_IN_VAIN.search(following.replace("’", "'")) or _STILL.search(said.replace("’", "'")))


def deeds(reading: Reading, people: People) -> list[Fact]:
    """Closings that a clause about a thing or another person tells of: "the library card is renewed", "Rome is off"."""
    clause, subject = reading.clause, reading.subject
    if clause.mood is not Mood.STATEMENT or reading.of_user or clause.subject is None or clause.negated:
        return []
    if clause.subject.low in words("deictic") | {"who", "which"} or _to_be_had(clause):
        return []
    if _dropped(clause):
        return [_close(f"Cancelled {written(clause.sentence.subtree(clause.subject))}", negated=True)]
    label = subject.label or _thing(clause, clause.subject, people)
    if taken := _taken_over(reading, people):
        return [_close(f"No longer has to {taken}", negated=True)]
    if clause.cue is Cue.NONE and label and (where := _handed_over(reading)):
        return [_close(f"{label} is {where}")]
    if clause.cue is Cue.NONE and label and _works_again(reading):
        return [_close(f"Fixed {label}")]
    if clause.cue is Cue.NONE and label and (told_about := _informed(reading, people)):
        return [_close(f"Told {label} about {told_about}")]
    if clause.cue is not Cue.NONE or not (
        _went(reading) or _done(clause) or _settled(reading) or _came(reading) or _has_now(reading)
    ):
        return []
    told = predicate(clause, subject, people, reading.timed)
    return [_close(f"{label} {told}")] if told and label else []


def _taken_over(reading: Reading, people: People) -> str:
    """What somebody does in the writer's place: "my sister is giving the toast now", "mum did the washing for me"."""
    clause, thing = reading.clause, reading.clause.object()
    if reading.subject.kind is not Kind.PERSON or thing is None or clause.verb in words("empty_verb") | {"be", "have"}:
        return ""
    said = written(clause.sentence.subtree(clause.outer, without=clause.apart))
    if clause.modal or not _IN_PLACE.search(said) or thing.low in words("deictic"):
        return ""
    return f"{clause.head.lemma.lower()} {phrase(clause, thing, people)}"


def _handed_over(reading: Reading) -> str:
    """Where a thing is that was to go there: "the dress is back at the store", "the roller is with him again"."""
    clause, s = reading.clause, reading.clause.sentence
    if clause.verb != "be" or clause.modal or reading.subject.kind in {Kind.PERSON, Kind.PET}:
        return ""
    beside = {t.low for t in s.children(clause.head, "advmod", "prt", "prep", "acomp")}
    if "back" in beside and clause.subject is not None and clause.subject.kind != "PERSON":
        return "back"
    holder = clause.after("with")
    now = clause.adverbs() & {"now", "again", "already", "finally", "back"}
    return "with them now" if holder is not None and now and holder.pos in {"PRON", "PROPN"} else ""


def _works_again(reading: Reading) -> bool:
    """ "The alerts overlay works again", "gran's gate swings like new"."""
    clause = reading.clause
    said = written(clause.sentence.subtree(clause.outer, without=clause.apart))
    if _LIKE_NEW.search(said) and clause.tense is Tense.PRESENT and not clause.modal:
        return reading.subject.kind not in {Kind.PERSON, Kind.PET}
    mended = reading.verb in {"work", "run", "function"} and clause.tense is Tense.PRESENT
    return mended and "again" in clause.adverbs() and reading.subject.kind not in {Kind.PERSON, Kind.PET}


def _informed(reading: Reading, people: People) -> str:
    """What somebody knows now who was to be told: "the landlord knows about the mould now"."""
    clause = reading.clause
    if reading.verb != "know" or reading.subject.kind not in _OTHERS or clause.tense is not Tense.PRESENT:
        return ""
    matter = clause.after("about", "of")
    said = {t.low for t in clause.sentence.subtree(clause.outer, without=clause.apart)}
    return phrase(clause, matter, people) if matter is not None and said & {"now", "already"} else ""


def _to_be_had(clause: Clause) -> bool:
    """ "Have to get my passport renewed" tells of nothing that is done."""
    above = clause.sentence.head(clause.outer)
    below = clause.outer.dep in {"ccomp", "xcomp", "oprd"} and above.index < clause.outer.index
    return below and above.lemma.lower() in {"get", "have", "need", "want"}


def _thing(clause: Clause, subject: Token, people: People) -> str:
    """What is done, without what is only said beside it: "the table, the Italian place"."""
    alone = not clause.sentence.children(subject, "conj")
    return phrase(clause, subject, people, each=alone)


def _dropped(clause: Clause) -> bool:
    """ "Rome is off", "the concert was cancelled"."""
    known, s = table("directives"), clause.sentence
    cancelled = {clause.head.lemma.lower(), clause.verb.replace(" ", "_")} & set(known["dropped_verb"])
    if cancelled and (clause.passive or clause.tense is Tense.PAST):
        return True
    particles = {t.low for t in s.children(clause.head, "advmod", "prt", "prep") if not s.children(t, "pobj")}
    return clause.verb == "be" and bool({_state(clause), *particles} & set(known["dropped"]))


def _done(clause: Clause) -> bool:
    """ "The report is done", "the invoice got paid"."""
    known = table("directives")
    verb = clause.head.lemma.lower()
    s = clause.sentence
    behind = s.children(clause.head, "prep", "agent")
    describing = {"of", "by", "as"} if verb in known["done_verb"] else set(known["describing"])
    described = any(t.low in describing and not _as_of(s, t) for t in behind)
    if clause.passive and not (clause.progressive or clause.modal or described) and verb not in known["no_deed"]:
        return True
    complement = clause.object()
    if complement is not None and clause.verb == "be" and (complement.tag == "VBN" or acted(complement.low)):
        return True
    over = clause.tense is Tense.PAST or clause.perfect
    if _DEALT_WITH.search(written(clause.sentence.subtree(clause.outer, without=clause.apart))):
        return True
    return _state(clause) in known["done"] or over and (verb in known["done_verb"] or _undergone(clause))


def _as_of(sentence: Sentence, token: Token) -> bool:
    """ "The form is done as of today" tells since when, "is known as" does not."""
    return token.low == "as" and any(t.low == "of" for t in sentence.children(token, "prep"))


def _undergone(clause: Clause) -> bool:
    """ "Smtp password rotated just now": a thing that does nothing of itself, with the participle of a deed."""
    subject, alone = clause.subject, clause.object() is None
    done = clause.head.low.endswith("ed") or plans_act(clause.head.lemma.lower())
    main = clause.outer.dep in {"ROOT", "conj", "parataxis"}
    if subject is None or clause.passive or not (alone and done and main) or subject.kind == "PERSON":
        return False
    acting = wordset("objects", "people") | wordset("objects", "trades") | relations().keys() | words("pet")
    by_itself = table("directives")["by_itself"]
    return subject.pos in {"NOUN", "PROPN"} and subject.low not in acting and clause.verb not in by_itself


def _settled(reading: Reading) -> bool:
    """ "The essay is in", "the application went off": what a thing is, or went, when it is dealt with."""
    clause, known, s = reading.clause, table("directives"), reading.clause.sentence
    if clause.modal or clause.subject is None or reading.subject.kind in {Kind.PERSON, Kind.PET}:
        return False
    if clause.subject.kind == "PERSON":
        return False
    beside = s.children(clause.head, "advmod", "prt", "prep", "acomp")
    where = {t.low for t in beside if not s.children(t, "pobj", "prep")}
    if clause.verb == "be":
        return bool(where & set(known["through"]))
    gone = clause.head.tag in {"VBD", "VBN"} and clause.head.lemma.lower() in {"go", "be"}
    return gone and (clause.head.low == "gone" or bool(where & set(known["through"])))


def _went(reading: Reading) -> bool:
    """ "The interview went well": what was to come is over."""
    clause = reading.clause
    past = clause.head.low in {"went", "gone"} and reading.subject.kind not in {Kind.PERSON, Kind.PET}
    told = {t.low for t in clause.sentence.children(clause.head, "advmod", "acomp", "oprd")}
    return past and bool(told & wordset("objects", "impressions"))


def _has_now(reading: Reading) -> bool:
    """ "Greta has her money": what was due to somebody is theirs."""
    thing = reading.clause.object()
    if reading.subject.kind not in {Kind.PERSON, Kind.NAMED} or reading.verb not in {"have", "get"} or thing is None:
        return False
    return any(t.low in words("definite") for t in reading.clause.sentence.children(thing, "det", "poss"))


def _came(reading: Reading) -> bool:
    """ "The plumber came"."""
    clause = reading.clause
    if clause.perfect and clause.verb == "be" and clause.subject is not None:
        after = clause.sentence.tokens[clause.head.index + 1 : clause.head.index + 2]
        ends = not after or after[0].pos in {"PUNCT", "CCONJ"}  # "has been, new valve"
        return ends and clause.subject.lemma.lower() in wordset("objects", "trades") | wordset("objects", "callers")
    past = clause.tense is Tense.PAST
    return past and reading.subject.kind in _OTHERS and reading.verb in table("directives")["came"]


def _state(clause: Clause) -> str:
    complement = clause.object()
    return complement.low if complement is not None else ""


def _close(text: str, *, negated: bool = False) -> Fact:
    return closing(sentence_of(third(text)), negated=negated)
