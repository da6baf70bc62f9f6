"""What is in the calendar, told without a plan of the writer's: moved, due, or noted in a few words."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.clauses import Clause
from memory_pipeline.inference.builtin.patterns import Fact, Weight
from memory_pipeline.inference.builtin.rules.matter import bare
from memory_pipeline.inference.builtin.verbs import Kind, form, lemma
from memory_pipeline.inference.builtin.wording import sentence, third

_PLANNED = Weight(0.7, 0.65, 0.85)
_MOVE = (
    r"(?:moved|rescheduled|postponed|pushed(?: back| out)?|shifted|delayed|deferred|brought forward|put off|changed)"
)
_TO = r"(?: back| forward)?(?: to| until| till| for)?"
_MOVED = (
    re.compile(
        r"^(?:my|our|the) (?P<what>.+?) (?:has been|have been|had been|was|were|is|are|got|will be) (?:now )?"
        rf"{_MOVE}{_TO}$",
        re.I,
    ),
    re.compile(
        rf"^(?:i|we|they|he|she) (?:have |has |had |just )*{_MOVE} (?P<what>(?:my |our |the |\w+ing ).+?){_TO}$", re.I
    ),
)
_DUE = re.compile(r"^(?:my|our|the) (?P<what>[\w' -]{3,40}?) (?:is|are|(?:will|has to|have to|must) be) due$", re.I)
_NOTED = re.compile(
    r"^(?:an? |my |our |the )?(?P<what>(?:[\w'-]+ ){0,3}?(?:appointment|appt|meeting|interview|exam|flight|deadline|"
    r"presentation|surgery|checkup|check-up|reservation|wedding|hearing|rehearsal)"
    r"(?: (?:with|at|for|in|about|to) .+)?)$",
    re.I,
)
_DUE_PHRASE = re.compile(r"\bdue\b", re.I)


def rescheduled(clause: Clause) -> list[Fact]:
    """An appointment or a plan that was put on another day: "my dentist appointment was moved to Monday"."""
    hit = next((h for pattern in _MOVED if (h := pattern.match(clause.text))), None)
    if hit is None or not clause.phrases or clause.negated:
        return []
    told = hit.group("what").strip()
    what = re.sub(r"^(?:my|our|the) ", "", told, flags=re.I)
    first, _, rest = what.partition(" ")
    known = form(first.lower())
    if known and Kind.ING in known.kind and rest and hit.re is _MOVED[1] and what == told:
        verb = lemma(first.lower())
        return [_loop(sentence(f"plans to {verb} {third(rest)}"), f"{verb} {bare(rest)}", Operation.UPDATE)]
    return [_loop(sentence(f"has {_article(third(what))}"), third(what), Operation.UPDATE)]


def dated_things(clause: Clause) -> list[Fact]:
    """Something that is due on a day ("the rent is due on the 1st"), or a note of an appointment without a verb."""
    if not clause.phrases:
        return []
    due = _DUE.match(clause.text) or (
        _DUE.match(f"{clause.text} due") if any(_DUE_PHRASE.search(p.text) for p in clause.phrases) else None
    )
    if due:
        what = third(due.group("what"))
        plural = what.endswith("s") and not what.endswith("ss")
        return [_loop(sentence(f"{what} {'are' if plural else 'is'} due"), what, Operation.ADD)]
    noted = _NOTED.match(clause.text) if not clause.verb else None
    if noted is None:
        return []
    what = _lowered(third(noted.group("what")))
    return [_loop(sentence(f"has {_article(what)}"), what, Operation.ADD)]


def _lowered(what: str) -> str:
    """A phrase without the capital that only begins a sentence; "MRI" and "McKay's" keep theirs."""
    first = what.partition(" ")[0]
    return what[:1].lower() + what[1:] if first[1:].islower() else what


def _article(what: str) -> str:
    return f"{'an' if what[:1].lower() in 'aeiou' else 'a'} {what}"


def _loop(content: str, value: str, operation: Operation) -> Fact:
    return Fact(
        MemoryType.OPEN_LOOP,
        content,
        attribute="plan",
        value=value,
        operation=operation,
        weight=_PLANNED,
        surface=Surface.CONTINUE,
        when="due",
        direction="future",
        told=True,
    )
