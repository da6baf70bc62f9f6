"""What belongs to the user: "my rent is 1,180" fills a slot of theirs, "rent went up" moves it."""

from __future__ import annotations

from dataclasses import replace

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.facts.appointments import appointment
from memory_pipeline.inference.builtin.facts.context import Reading, listed, names
from memory_pipeline.inference.builtin.facts.fact import CORE, IDLE, LIGHT, PLAIN, Fact, faint, idle, open_loop
from memory_pipeline.inference.builtin.facts.happenings import worth_of_event
from memory_pipeline.language.grammar.clauses import Cue, Tense
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import medicine, words

_FAVOURITE = frozenset({"favourite", "favorite"})
_CORE = frozenset({"name", "birthday", "blood type", "pronouns", "blood group"})
# Slots of the user's that are not qualified: one has them once, or for good.
_UNQUALIFIED = frozenset({"name", "birthday", "occupation", "hometown", "employer", "pronouns"})
_NEWLY = lazy(r"^(?:(?:brand )?new|current|present|latest|next) ")
_PLACING = ("in", "at", "on", "from", "with", "under", "about", "by", "near", "for", "between", "behind", "above")
_SAME_SLOT = {"birth_date": "birthday", "date_of_birth": "birthday", "job": "occupation"}


def possession(reading: Reading) -> list[Fact]:
    """What a clause states of something of the user's."""
    clause, content = reading.clause, reading.told
    if not content:
        return []
    moved = _moved_to(reading) or appointment(reading) or _wanting(reading, content)
    if moved is not None:
        return [moved]
    called = _called(reading, content)
    if called is not None:
        return [called]
    if _noun(reading) in words("secret") or reading.verb in words("impression_verb"):
        return [idle(content, "user")]
    if clause.verb == "be":
        return _being(reading, content)
    if clause.tense is Tense.PAST:
        event = faint(content, "user")
        return [replace(event, type=MemoryType.EPISODIC_EVENT, when="happened", weight=worth_of_event(reading))]
    return [replace(faint(content, "user"), weight=LIGHT)]


def _noun(reading: Reading) -> str:
    return reading.clause.subject.lemma.lower() if reading.clause.subject else ""


def _moved_to(reading: Reading) -> Fact | None:
    """ "Rent went up to 1,240": a figure of the user's that changed."""
    clause, subject = reading.clause, reading.subject
    if reading.verb not in words("change") or clause.negated:
        return None
    target = clause.after("to", "at")
    if target is None:
        return None
    moved = reading.verb in {"move", "relocate"} and target.pos == "PROPN" and target.kind not in {"DATE", "TIME"}
    if not moved and not any(t.pos == "NUM" for t in clause.sentence.subtree(target)):
        return None
    value = reading.named(target, each=True)
    if any(map(medicine, subject.key.split())):
        dose = f"{subject.key} {value}"
        content, slot, value, weight = f"Takes {dose}.", "medication", dose, CORE
    else:
        content = f"{subject.label} {'are' if subject.plural else 'is'} {'in ' if moved else ''}{value}."
        slot, weight = f"current_{subject.key.replace(' ', '_')}", PLAIN
    return Fact(
        MemoryType.PROFILE_FACT,
        content,
        "user",
        slot,
        value,
        operation=Operation.UPDATE,
        weight=weight,
        dated="span",
    )


def _wanting(reading: Reading, content: str) -> Fact | None:
    """ "My passport needs renewing by May": what is to be done to something, by a day."""
    clause = reading.clause
    needed = clause.cue is Cue.DUTY or reading.verb in {"need", "require"} and clause.object() is not None
    return open_loop(content, "plan") if needed and not clause.negated and reading.ahead() else None


def _called(reading: Reading, content: str) -> Fact | None:
    """ "Our product is called Lumen": the name of a thing, one at a time."""
    clause = reading.clause
    name = clause.sentence.child(clause.head, "oprd", "attr", "dobj")
    if clause.head.lemma.lower() not in {"call", "name"} or not clause.passive or name is None or clause.negated:
        return None
    slot, value = f"current_{_NEWLY.sub('', reading.subject.key).replace(' ', '_')}", reading.named(name)
    if reading.subject.plural or not value:
        return None
    return Fact(
        MemoryType.PROFILE_FACT, content, "user", slot, value, weight=LIGHT, names=names(reading.subject, value)
    )


def _being(reading: Reading, content: str) -> list[Fact]:
    clause, key = reading.clause, reading.subject.key
    complement = clause.object() or clause.after(*_PLACING)
    if complement is None:
        return [idle(content, key)]
    if complement.pos == "ADJ" and not _lasting(reading, complement):
        return [replace(faint(content, "user"), weight=IDLE)]
    if _noun(reading) in words("empty_noun") | words("no_attribute"):
        return [idle(content, key)]
    if key in words("toolset") and listed(reading.clause, complement):
        return _tools(reading, complement)
    if key in words("pastime"):
        return _hobbies(reading, complement)
    return [_attribute(reading, content, complement)]


def _lasting(reading: Reading, adjective: Token) -> bool:
    """Whether an adjective says more than a judgement: an illness, a nationality, something named or counted."""
    if adjective.low in words("condition") | words("diet") | words("nationality"):
        return True
    inside = reading.clause.sentence.subtree(adjective)
    exact = any(t.pos in {"PROPN", "NUM"} or t.text[:1].isupper() for t in inside)
    return exact or reading.subject.key.split(" ")[0] in _FAVOURITE


def _hobbies(reading: Reading, complement: Token) -> list[Fact]:
    told = [reading.named(t, each=True) for t in (complement, *listed(reading.clause, complement))]
    return [Fact(MemoryType.PROFILE_FACT, f"Has {one} as a hobby.", "user", "hobby", one) for one in told if one]


def _tools(reading: Reading, complement: Token) -> list[Fact]:
    """ "Our stack is Python 3.12, FastAPI and Postgres": each may be replaced alone."""
    # what is said beside one of them ("…, deployed on Fly.io") is no part of its name
    told = [reading.named(t, each=True).split(",")[0] for t in (complement, *listed(reading.clause, complement))]
    return [
        Fact(MemoryType.PROFILE_FACT, f"Uses {one}.", "user", "tool", one, names=names(reading.subject, one))
        for one in told
        if one
    ]


def _is_called(reading: Reading, value: str) -> str:
    """ "My name is Ada", "his name is Gravy": the user's own name, or that of whom it is told."""
    owner, owned, _ = reading.subject.label.rpartition("'s ")
    return f"{owner} is called {value}." if owned else f"Is called {value}."


def _attribute(reading: Reading, content: str, complement: Token) -> Fact:
    key = reading.subject.key
    whose, noun = key.rsplit("'s ", 1) if "'s " in key else ("user", key)
    favourite = noun.split(" ")[0] in _FAVOURITE
    value = reading.named(complement) or complement.text  # "240 since this month"
    slot = _NEWLY.sub("", noun).replace("favourite", "favorite").replace(" ", "_")
    slot = _SAME_SLOT.get(slot, slot)
    # "My savings are 900": a figure is one at a time, whatever the number of the noun.
    counted = any(c.isdigit() for c in value)
    one = counted or not reading.subject.plural or noun in words("one_set")
    if slot not in _UNQUALIFIED and not favourite and one:
        slot = f"{'preferred' if slot in words('one_of_a_kind') else 'current'}_{slot}"
    return Fact(
        MemoryType.PREFERENCE if favourite else MemoryType.PROFILE_FACT,
        _is_called(reading, value) if noun == "name" else content,
        whose,
        slot,
        value,
        reading.clause.negated,
        operation=Operation.UPDATE if reading.changed else Operation.ADD,
        weight=CORE if noun in _CORE else PLAIN,
        names=names(reading.subject, value),
    )
