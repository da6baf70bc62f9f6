"""What is still to come: duties, plans, wishes, promises."""

from __future__ import annotations

from memory_pipeline.domain.consolidation.plans.deeds import plans_act
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.tables import wordset
from memory_pipeline.inference.builtin.facts.context import OPEN, Reading, of_the_assistant
from memory_pipeline.inference.builtin.facts.fact import FAINT, IDLE, PLAIN, Fact, Weight, closing, idle, open_loop
from memory_pipeline.language.grammar.clauses import Clause, Cue, Tense
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import relations, words
from memory_pipeline.language.wording.rewrite import predicate, remainder, sentence, verb_phrase

_TENTATIVE = frozenset({"will", "should", "could"})
_YET = lazy(r"\b(?:still|yet)\b ?")
_BINDING = frozenset({Cue.DUTY, Cue.PLAN, Cue.PROMISE})
_TELLING = 5  # words of a promise that says what is promised
_OBLIGING = frozenset({"should", "must", "shall"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_UNDONE = frozenset({"should", "could", "would", "might"})


def to_come(reading: Reading) -> bool:
    """Whether a clause tells what the user has still to do, by its cue, its verb or its time."""
    return reading.of_user and (
        reading.clause.cue in OPEN
        or _going_ahead(reading)
        or _outstanding(reading)
        or _needed(reading)
        or _awaited(reading)
    )


def plan(reading: Reading) -> list[Fact]:
    """What the user has still to do, or does not mean to do."""
    clause = reading.clause
    if _threatened(reading):
        return []
    if _outstanding(reading):
        beside = _beside(reading)
        return [open_loop(f"Still has to {reading.verb} {_YET.sub('', beside).strip()}.")] if beside else []
    if _needed(reading) or _awaited(reading) or _not_to_be_forgotten(reading):
        return [open_loop(reading.told)] if reading.told else []
    content = sentence(reading.subject, _intention(reading))
    bare_wish = clause.cue is Cue.WISH and clause.head is clause.outer
    if not content or bare_wish:
        return []
    if _tried(reading):
        return [idle(content, reading.subject.key)]
    if clause.negated:
        return [_dropped(reading, content)]
    owed = clause.cue is Cue.DUTY and _of_people(reading)  # "must write a letter for the landlord"
    if not reading.dated and not owed and (_empty(reading) or clause.cue is not Cue.PROMISE and _pointed(reading)):
        return [idle(content, reading.subject.key)]
    if clause.cue is Cue.WISH and not reading.dated and reading.verb in words("goal"):
        complement = clause.object()
        value = reading.named(complement) if complement is not None else ""
        return [open_loop(content, "goal", f"{reading.verb} {value}".strip())]
    return [open_loop(content, "plan" if clause.cue is Cue.PLAN else None, weight=_weight(reading))]


def joined_duty(reading: Reading, before: Reading | None) -> list[Fact]:
    """ "I need to pay the bill and pick up the parcel": what is joined to a duty is one as well, to a wish, too."""
    if before is None or not before.of_user or before.clause.negated:
        return []
    wished = before.clause.cue is Cue.WISH and before.clause.tense is not Tense.PAST
    verb = "Wants" if wished else "Needs" if before.clause.cue in _BINDING else ""
    clause = reading.clause
    plain = clause.cue is Cue.NONE and clause.tense is Tense.PRESENT and not (clause.progressive or clause.perfect)
    joined = clause.carried and clause.link == "and" and clause.head.tag in {"VB", "VBP"} and not clause.modal
    if not (verb and plain and joined) or clause.negated or clause.passive or not plans_act(reading.verb):
        return []
    beside = _beside(reading)
    return [open_loop(f"{verb} to {reading.verb} {beside}.", weight=_weight(before))] if beside else []


def _going_ahead(reading: Reading) -> bool:
    """ "I'm moving to Barcelona next month": going on in form, to come by its time or its verb."""
    clause = reading.clause
    if clause.perfect or clause.negated or clause.tense is not Tense.PRESENT:
        return False
    if clause.passive and clause.verb != "marry":
        return False
    if not clause.progressive:
        ahead = reading.ahead("day", "week", "month", "part", "hour")
        begun = ahead and clause.verb in words("life_event") | words("journey") | {"go"}
        return clause.cue is Cue.NONE and (begun or reading.within and _errand(reading))
    if clause.head is not clause.outer:
        return False
    return reading.verb in words("journey") or reading.ahead() and not reading.passing


def _errand(reading: Reading) -> bool:
    """ "I buy the tickets this week": one act, with something that is named or known."""
    thing = reading.clause.object()
    if thing is None or reading.verb not in wordset("acts", "errands") or reading.habitual:
        return False
    known = reading.clause.sentence.children(thing, "det", "poss")
    return thing.pos == "PROPN" or any(t.low in words("definite") | {"my", "our"} for t in known)


def _threatened(reading: Reading) -> bool:
    """ "… or I'll lose my streak", "otherwise I'll fail": what comes of not doing something else."""
    clause = reading.clause
    if clause.modal not in {"will", "'ll"}:
        return False
    return threatened(clause)


def threatened(clause: Clause) -> bool:
    """ "… or I'm a bad mother": what is so where something else is not done."""
    subject = clause.sentence.child(clause.head, "nsubj")
    if subject is None:
        return False
    before = [t.low for t in clause.sentence.tokens[: subject.index] if t.text != ","]
    return before[-1:] in (["or"], ["else"], ["otherwise"])


def _outstanding(reading: Reading) -> bool:
    """ "I still haven't found an oven engineer", "I haven't sent the form yet"."""
    clause = reading.clause
    if not (clause.perfect and clause.negated) or clause.ceased or clause.cue is not Cue.NONE or clause.modal:
        return False
    still = clause.adverbs() & {"still", "yet"}
    thing = clause.object() or clause.after("to", "for", "from", "with", "about")  # "replied to the headmaster"
    return bool(still) and plans_act(reading.verb) and thing is not None and thing.pos in {"NOUN", "PROPN"}


def _needed(reading: Reading) -> bool:
    """ "We need two cooks before we open on the 17th": what is to be had by a day, and nobody could write."""
    clause, thing = reading.clause, reading.clause.object()
    if reading.verb != "need" or clause.negated or clause.cue is not Cue.NONE or not reading.ahead():
        return False
    if thing is None or thing.pos not in {"NOUN", "PROPN"} or clause.tense is not Tense.PRESENT:
        return False
    asked = words("empty_noun") | words("output") | words("ordered")
    return thing.lemma.lower() not in asked


def _awaited(reading: Reading) -> bool:
    """ "I'm waiting on the surveyor's report", "awaiting Dana's answer": what somebody is still to send or say."""
    clause = reading.clause
    if (
        reading.verb not in {"wait", "await"}
        or not clause.progressive
        or clause.tense is not Tense.PRESENT
        or clause.negated
    ):
        return False
    on, thing = clause.after("on"), clause.object() if reading.verb == "await" else clause.after("on", "for")
    if thing is None or thing.pos not in _NOUNS:
        return False
    of_somebody = any(t.dep == "poss" or t.low in {"of", "from"} for t in clause.sentence.children(thing))
    return thing.pos == "PROPN" or of_somebody or thing is on and _definite(reading, thing)  # no "for the bus"


def _not_to_be_forgotten(reading: Reading) -> bool:
    """ "I mustn't forget Mum's present": what is denied is that it be forgotten."""
    thing = reading.clause.object()
    binding = reading.clause.cue is Cue.DUTY or reading.clause.modal in _OBLIGING
    return reading.clause.negated and reading.verb == "forget" and binding and thing is not None and thing.pos in _NOUNS


def _definite(reading: Reading, thing: Token) -> bool:
    """Whether a noun names one thing that is known: "the report", "my results", "Dana's answer"."""
    beside = reading.clause.sentence.children(thing, "det", "poss")
    return any(t.low in words("definite") or t.dep == "poss" for t in beside)


def _obliged(reading: Reading) -> bool:
    """ "I should get the boiler serviced": an act that one ought to do, with a thing that is known."""
    clause = reading.clause
    seen_to = clause.sentence.child(clause.head, "ccomp") if reading.verb in {"get", "have"} else None
    thing = clause.sentence.child(seen_to, "nsubj", "nsubjpass") if seen_to is not None else clause.object()
    if clause.modal not in _OBLIGING or clause.perfect or thing is None or thing.pos not in _NOUNS:
        return False
    return _definite(reading, thing) and (seen_to is not None or plans_act(reading.verb)) and not _pointed(reading)


def _intention(reading: Reading) -> str:
    clause = reading.clause
    told = predicate(clause, reading.subject, reading.people, reading.timed)
    if clause.cue is Cue.NONE and clause.tense is Tense.PRESENT:
        head = verb_phrase(clause)
        return f"plans to {reading.verb}{told.removeprefix(head)}" if told.startswith(head) else ""
    return told


def _tried(reading: Reading) -> bool:
    """ "I tried to call", "I should have called", "I was supposed to call": nothing is to come of it."""
    clause = reading.clause
    past_attempt = clause.cue in {Cue.ATTEMPT, Cue.DUTY} and clause.tense is Tense.PAST
    return past_attempt or clause.perfect and clause.modal in _UNDONE


def _dropped(reading: Reading, content: str) -> Fact:
    clause = reading.clause
    if clause.cue in {Cue.PLAN, Cue.PROMISE} or clause.ceased and clause.cue is Cue.DUTY:
        return closing(content, negated=True)
    weight = IDLE if clause.cue is Cue.DUTY else FAINT
    return Fact(MemoryType.PROFILE_FACT, content, "user", negated=True, weight=weight)


def _empty(reading: Reading) -> bool:
    """Whether the verb plans nothing: "I have to say", "I'll see"."""
    promised = reading.clause.cue is Cue.PROMISE and len(_beside(reading).split()) >= _TELLING
    if promised or reading.verb not in words("empty_verb") | words("no_plan") or reading.specific:
        return False
    if reading.verb in {"get", "have"} and reading.clause.sentence.child(reading.clause.head, "ccomp") is not None:
        return False  # "get the tyres changed"
    complement = reading.clause.object()
    inside = reading.clause.sentence.subtree(reading.clause.head, without=reading.clause.apart)
    if any(t.pos == "NUM" and t.index not in reading.all_timed for t in inside):
        return False  # "go down to four days a week"
    concrete = complement is not None and complement.pos in {"NOUN", "PROPN"}
    if complement is not None and complement.lemma.lower() in words("empty_noun") | words("output"):
        concrete = False
    return not concrete or reading.clause.modal in _TENTATIVE


def _beside(reading: Reading) -> str:
    return remainder(reading.clause, reading.people, reading.timed) or ""


def _pointed(reading: Reading) -> bool:
    """Whether it is about something that only the conversation knows: "I'll try that", "I'll use your list"."""
    complement = reading.clause.object()
    return complement is not None and (
        complement.low in words("deictic") or of_the_assistant(reading.clause, complement)
    )


def _of_people(reading: Reading) -> bool:
    """Whether it is to be done with or for somebody of the user's, or with somebody of a trade."""
    inside = reading.clause.sentence.subtree(reading.clause.head, without=reading.clause.apart)
    return any(t.low in relations() or t.low in words("one_at_a_time") for t in inside)


def _weight(reading: Reading) -> Weight:
    clause = reading.clause
    tentative = clause.modal in _TENTATIVE and not reading.dated and not reading.specific
    bound = clause.modal != "could" and _errand(reading) or _obliged(reading)
    if tentative and not _of_people(reading) and not bound:
        return IDLE
    return FAINT if clause.cue in {Cue.POSSIBLE, Cue.CONSIDERED} else PLAIN
