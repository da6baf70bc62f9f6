"""Who does what in a clause: the subject, the mode of the verb, negation, certainty, and what follows the verb.

"I've really been living in Lisbon" and "I live in Lisbon" come out alike (verb "live", rest "in Lisbon"), so that one
rule serves both and the mode says how they differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory_pipeline.inference.builtin.date_phrases import Phrase, find
from memory_pipeline.inference.builtin.fillers import ADVERBIAL, ANYMORE, FILLER, SOFTENER, unled, untrailed
from memory_pipeline.inference.builtin.lexicon import NOT_NAMES
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.predicates import predicate
from memory_pipeline.inference.builtin.verbs import FINITE, FORMS, Kind


@dataclass(frozen=True, slots=True)
class Clause:
    """A parsed clause.

    Attributes:
        text: the clause without fillers, hedges and date phrases.
        subject: ``I``, ``we``, ``he`` …, a name, or the noun phrase after "my" (then ``possessed``).
        verb: lemma; "" where no verb was found.
        form: the verb as it stands.
        rest: what follows the verb.
        cue: the word that made the mode ("plan", "need", "will"), or "".
        negated: denied; with ``ceased`` it was so before ("no longer", "stopped").
        certainty: 1.0, less with hedges.
        corrects: it puts something right ("actually", "no, …").
        urged: the writer asks for it to be remembered.
        implied: bool: the subject was left out.
    phrases: its date phrases.
        dated: the clause with its date phrases.
    """

    text: str
    subject: str = ""
    verb: str = ""
    form: str = ""
    rest: str = ""
    mode: Mode = Mode.PRESENT
    cue: str = ""
    negated: bool = False
    ceased: bool = False
    possessed: bool = False
    implied: bool = False
    kept: str = ""
    certainty: float = 1.0
    corrects: bool = False
    urged: bool = False
    phrases: tuple[Phrase, ...] = ()
    dated: str = ""


_HEAD = re.compile(
    r"(?P<we>(?:me and (?:my|our) (?:[\w'-]+ ){1,3}?|(?:my|our) [\w' -]+? and i |"
    r"(?-i:[A-Z]\w+) and i )(?=[a-z]))|(?P<i>(?:i|we)\b)|(?P<they>he|she|they)\b|(?P<my>(?:my|our|both of my|"
    r"one of my|all of my) )",
    re.I,
)
# "For my sister's birthday, I …": what stands before the subject says when or why.
_WHO = re.compile(r",? (?:who|that|which|also|just|really|still|now|always|recently|currently|actually)$", re.I)
# "Need to call mom tomorrow": people leave themselves out.
_LEFT_OUT = frozenset({"need", "have", "going", "planning", "hoping"})
_SAME_IN_PAST = frozenset({"put", "read", "set", "cut", "hit", "let", "hurt", "spread"})
_PAST_TIME = re.compile(r"\b(?:yesterday|last|ago|earlier|back in|on \w+ \d)", re.I)
# "on Sunday, not Friday": the second date is not meant.
_NOT_THEN = re.compile(r"(?:,? (?:and )?not|,? instead of|,? rather than)\s*$", re.I)
_SPACE = re.compile(r"\s+")


def parse(text: str) -> Clause:
    """The clause of a statement in plain spelling; ``verb`` is empty where it has no subject and verb that we know."""
    clause = _without_fillers(Clause(text))
    dated = clause.text
    found = find(dated)
    bare = dated
    phrases: tuple[Phrase, ...] = ()
    for phrase in reversed(found):
        denied = _NOT_THEN.search(bare[: phrase.start]) if len(found) > 1 else None
        bare = bare[: denied.start() if denied else phrase.start] + " " + bare[phrase.end :]
        phrases = phrases if denied else (phrase, *phrases)
    bare = SOFTENER.sub("", bare)
    bare = untrailed(_SPACE.sub(" ", bare).replace(" ,", ",").strip(" ,.!;:-…"))
    bare = unled(ADVERBIAL.sub("", bare), FINITE)
    clause = replace(clause, text=bare, phrases=phrases, dated=dated)
    if phrases:
        clause = replace(_without_fillers(clause), dated=dated)
    return _with_subject(clause)


def with_rest(clause: Clause, rest: str) -> Clause:
    """The clause with another rest; itself where that is the one it has."""
    return clause if rest == clause.rest else replace(clause, rest=rest)


def _without_fillers(clause: Clause) -> Clause:
    text, certainty, corrects, urged = clause.text, clause.certainty, clause.corrects, clause.urged
    for _ in range(8):
        hit = FILLER.match(text)
        if not hit or hit.end() == 0 or (hit.end() == len(text) and not text[: hit.end()].strip()):
            break
        certainty *= 0.7 if hit.group("hedge") else 1.0
        corrects = corrects or bool(hit.group("correct"))
        urged = urged or bool(hit.group("urge"))
        text = text[hit.end() :]
    text = text.strip()
    if text == clause.text:
        return clause
    return replace(clause, text=text, certainty=certainty, corrects=corrects, urged=urged)


def _with_subject(clause: Clause) -> Clause:
    text = clause.text
    head = _HEAD.match(text)
    if head and head.group("my"):
        return _possessed(clause, text[head.end() :].split(" "))
    if head:
        subject = (
            "we"
            if head.group("we") or head.group().lower() == "we"
            else "I"
            if head.group("i")
            else head.group().lower()
        )
        return _predicate(replace(clause, subject=subject), text[head.end() :].split())
    words = text.split(" ")
    first = words[0].lower().strip(",") if words else ""
    known = FORMS.get(first)
    if (
        known
        and Kind.PAST in known.kind
        and not known.kind & (Kind.BASE | Kind.S)
        and first not in {"was", "were", "based", "said"}
        and (first != "had" or words[1:2] in (["a"], ["an"]))
    ):
        return _predicate(replace(clause, subject="I", implied=True), words)
    if (
        first
        in {"been", "allergic", "working", "living", "learning", "studying", "moving", "building", "training", "based"}
        and len(words) > 1
    ):
        verb = "have" if first == "been" else "am"
        return _predicate(replace(clause, subject="I", implied=True), [verb, *words])
    if first in _LEFT_OUT and words[1:2] == ["to"] and len(words) > 2:
        lead = ["am"] if first.endswith("ing") else []
        return _predicate(replace(clause, subject="I", implied=True), [*lead, first, *words[1:]])
    if words[0][:1].isupper():
        return _named(clause, words)
    if (
        first == "not"
        and len(words) > 2
        and words[1].lower() in {"going", "doing", "attending", "a", "an", "into", "much"}
    ):
        return _predicate(replace(clause, subject="I", implied=True), ["am", *words])
    return clause


def _possessed(clause: Clause, words: list[str]) -> Clause:
    for n, word in enumerate(words[:9]):
        low = word.lower().strip(",")
        if n and low in FINITE:
            noun = _WHO.sub("", " ".join(words[:n]).strip(" ,"))
            return _predicate(replace(clause, subject=noun, possessed=True), words[n:])
        if (
            n
            and low in {"live", "work", "love", "like", "have", "do", "want", "need", "call"}
            and words[n - 1].lower().endswith("s")
        ):
            noun = _WHO.sub("", " ".join(words[:n]).strip(" ,"))
            return _predicate(replace(clause, subject=noun, possessed=True), words[n:])
    return replace(clause, subject=" ".join(words), possessed=True)


def _named(clause: Clause, words: list[str]) -> Clause:
    count = 0
    while (
        count < min(5, len(words)) and words[count][:1].isupper() and words[count].lower().strip(",.") not in NOT_NAMES
    ):
        count += 1
        if words[count - 1].endswith(","):
            break
    while count > 1 and words[count - 1].lower() in FINITE:
        count -= 1
    if not count or count >= len(words) or words[count].lower() not in FINITE:
        return clause
    return _predicate(replace(clause, subject=" ".join(words[:count]).strip(",")), words[count:])


def _predicate(clause: Clause, words: list[str]) -> Clause:
    found = predicate(words)
    if found is None:
        return clause
    mode = found.mode
    if (
        mode is Mode.PRESENT
        and found.form.lower() in _SAME_IN_PAST
        and any(_PAST_TIME.search(p.text) for p in clause.phrases)
    ):
        mode = Mode.PAST
    return replace(
        clause,
        verb=found.verb,
        form=found.form,
        rest=_SPACE.sub(" ", ANYMORE.sub("", found.rest)).strip(" ,.!") if found.negated else found.rest.strip(" ,.!"),
        mode=mode,
        cue=found.cue,
        negated=found.negated or bool(ANYMORE.search(found.rest)),
        ceased=found.ceased
        or bool(ANYMORE.search(found.rest))
        or (found.negated and bool(ANYMORE.search(clause.dated))),
        kept=found.kept,
        certainty=clause.certainty * found.certainty,
    )
