"""Retelling: from the first person to short sentences in the third, without a subject for the user."""

from __future__ import annotations

import re
from datetime import date, datetime, tzinfo

from memory_pipeline.inference.builtin.clauses import Clause
from memory_pipeline.inference.builtin.dates import resolve
from memory_pipeline.inference.builtin.days import Direction
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.verbs import FINITE, gerund, lemma, past, third_person

_PRONOUNS = {
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves", "we": "they", "us": "them",
    "our": "their", "ours": "theirs", "ourselves": "themselves", "you": "the assistant", "your": "the assistant's",
    "yours": "the assistant's",
}  # fmt: skip
_PRONOUN = re.compile(r"\b(" + "|".join(sorted(_PRONOUNS, key=len, reverse=True)) + r")\b(?!')(?! and cream)", re.I)
_AM = re.compile(r"\b(I|we) (am|was)\b", re.I)
_CUES = {
    Mode.FUTURE: "Plans to", Mode.DUTY: "Needs to", Mode.WISH: "Wants to", Mode.ATTEMPT: "Is trying to",
    Mode.POSSIBLE: "May", Mode.ABLE: "Can", Mode.FORMER: "Used to", Mode.UNREAL: "Would",
}  # fmt: skip
_CUE_WORDS = {
    "should": "Should", "hope": "Hopes to", "promise": "Promised to", "consider": "Is considering",
    "think": "Is thinking about", "decide": "Decided to", "look": "Is looking to", "dream": "Dreams of",
}  # fmt: skip
_GERUND_CUES = frozenset({"consider", "think", "dream"})


def third(text: str) -> str:
    """First-person words turned to the third: "my mom and I" → "their mom and they"."""
    if '"' in text:
        return "".join(part if n % 2 else _third(part) for n, part in enumerate(re.split(r'("[^"]*")', text)))
    return _third(text)


def _third(text: str) -> str:
    text = _AM.sub(lambda m: f"they {'are' if m.group(2).lower() == 'am' else 'were'}", text)
    return _PRONOUN.sub(lambda m: _PRONOUNS[m.group().lower()], text)


def sentence(text: str) -> str:
    """Capitalised, with a full stop."""
    text = text.replace(" ,", ",").strip(" ,;:-").rstrip(".!?")
    if text.count('"') % 2:
        text = text.replace('"', "")
    return text[:1].upper() + text[1:] + "." if text else ""


def told_of(subject: str, content: str) -> str:
    """A subjectless sentence with its subject: ("brother", "Lives in Oslo.") → "Brother lives in Oslo."."""
    return subject[:1].upper() + subject[1:] + " " + content[:1].lower() + content[1:]


def retell(clause: Clause) -> str:
    """The clause as a sentence of the third person without subject and dates; "" where it has no verb."""
    if not clause.verb:
        return ""
    rest = third(clause.rest)
    kept = f"{clause.kept} " if clause.kept else ""
    return sentence(" ".join(f"{_verb_phrase(clause, kept)} {rest}".split()))


def _verb_phrase(clause: Clause, kept: str) -> str:
    mode, verb = clause.mode, clause.verb
    denied = "no longer " if clause.ceased else "not " if clause.negated else ""
    if clause.ceased and mode in {Mode.PRESENT, Mode.ONGOING}:
        return f"{kept}no longer {third_person(verb)}" if verb != "be" else "is no longer"
    if mode is Mode.PRESENT:
        if verb == "be":
            return f"is {denied}{kept}"
        return f"does not {kept}{verb}" if denied else f"{kept}{third_person(verb)}"
    if mode is Mode.ONGOING:
        return f"is {denied}{kept}{gerund(verb)}" if verb != "be" else f"has {denied}been"
    if mode is Mode.PAST:
        if verb == "be":
            return f"was {denied}"
        shown = clause.form.lower()
        shown = past(verb) if lemma(shown) != verb or shown.endswith("ing") or shown == verb else shown
        return f"did not {kept}{verb}" if denied else f"{kept}{shown}"
    if mode is Mode.PERFECT:
        never = "never " if denied == "not " else denied
        return f"has {never}{kept}{clause.form.lower()}"
    cue = _CUE_WORDS.get(clause.cue, "Has to" if clause.cue == "have" else _CUES[mode])
    if clause.cue == "look" and mode is not Mode.WISH:
        cue = "Is considering" if mode is Mode.POSSIBLE else _CUES[mode]
    shown = verb
    if clause.cue in _GERUND_CUES or cue == "Is considering":
        shown = clause.form.lower() if clause.form.endswith("ing") else gerund(verb)
    if denied and cue == "Can":
        return f"cannot {shown}"
    if denied:
        return f"does not plan to {shown}" if mode is Mode.FUTURE else f"does not {_negatable(cue)} {shown}"
    return f"{cue} {kept}{shown}"


def _negatable(cue: str) -> str:
    return {"Wants to": "want to", "Needs to": "need to", "Has to": "have to"}.get(cue, "intend to")


def deny(content: str, *, ceased: bool) -> str:
    """ "Lives in Lisbon." → "Does not live in Lisbon." or "No longer lives in Lisbon."."""
    first, _, rest = content.partition(" ")
    low = first.lower()
    if ceased:
        return f"{first} no longer {rest}" if low == "is" else sentence(f"no longer {low} {rest}")
    if low in {"is", "was", "can", "has"} and (low != "has" or rest.startswith("been ")):
        return f"{first} not {rest}"
    return sentence(f"does not {lemma(low)} {rest}")


def formerly(content: str) -> str:
    """ "Lives in Lisbon." → "Used to live in Lisbon."."""
    first, _, rest = content.partition(" ")
    return sentence(f"used to {lemma(first.lower())} {rest}")


def plural(text: str) -> str:
    """ "lives in Lisbon" → "live in Lisbon", to follow "they" or "you"."""
    first, space, rest = text.partition(" ")
    special = {"is": "are", "was": "were", "has": "have", "does": "do"}
    if first in special:
        return special[first] + space + rest
    if first in {"always", "usually", "often", "never", "sometimes", "only"}:
        return first + space + plural(rest)
    if text.startswith("no longer "):
        return "no longer " + plural(text.removeprefix("no longer "))
    return (lemma(first) if first in FINITE and first.endswith("s") else first) + space + rest


def with_dates(content: str, clause: Clause, now: datetime, zone: tzinfo, direction: Direction) -> str:
    """The sentence with the clause's dates spelt out, so that it keeps its meaning when it is read later."""
    said: list[str] = []
    starts: list[date] = []  # "next Friday, April 10" names one day twice
    for phrase in clause.phrases:
        when = resolve(phrase, now, zone, direction)
        words = str(when) if when else third(phrase.text)
        if not when or all(when.start != other for other in starts):
            said.append(words)
        starts += [when.start] if when else []
    return sentence(" ".join([content.rstrip("."), *said])) if said else content
