"""Habits, past and present, and statements with the value in front ("Blue is my favourite colour")."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.clauses import Clause, with_rest
from memory_pipeline.inference.builtin.lexicon import wordset
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import CORE, FAINT, FIRM, LIGHT, Fact
from memory_pipeline.inference.builtin.rules.matter import bare, main_part, matter
from memory_pipeline.inference.builtin.rules.people import RELATIVE
from memory_pipeline.inference.builtin.values import activity, items
from memory_pipeline.inference.builtin.wording import retell, sentence, third

_OFTEN = re.compile(
    r"\b(?:every(?: single| other)? (?:day|morning|evening|night|week|weekend|month|year|summer|winter|\w+day)|"
    r"(?:once|twice|\d+ times|\w+ times|\d+ (?:hours|days|minutes|km|miles)) (?:a|per|each) (?:day|week|month|year)|"
    r"on (?:weekends|weekdays|\w+days)|daily|weekly|(?:in the|most) (?:mornings?|evenings?)|before bed|"
    r"each (?:day|morning|week))\b",
    re.I,
)
_NO_HABIT = wordset(
    """
    think wonder try look mean have be feel get struggle consider hope want need know like love hate wish guess
    believe forget find enjoy say tell ask see hear understand seem come remember
    """
)
_VAGUE = re.compile(r"(?:it|that|this|them|so|you|your|how|what|why)\b", re.I)
_FAVOURITE = re.compile(
    r"^(?P<value>.{2,60}?) (?:is|are|was) (?:definitely |still |probably |also |by far |just )*(?:my|one of my) "
    r"(?:all[- ]time |absolute |current |new |personal )*fav(?:ou?rite|"
    r"e)?s?(?: (?P<thing>[\w -]{2,40}?))?(?: (?:ever|of all time))?$",
    re.I,
)
_HOBBIES = re.compile(
    r"^(?P<value>.{3,80}?) (?:is|are) (?:some of |one of )?(?:my|our) (?:main |biggest |favou?rite |new |big )*"
    r"(?:hobby|hobbies|pastimes?|passions?|interests)(?: of mine)?$",
    re.I,
)
_SPARE_TIME = re.compile(
    r"^in (?:my|our) (?:free|spare) time,? (?:i|we) (?:really |mostly |usually |also )*(?:enjoy |like |love |do |go )?"
    r"(?P<value>.+)$",
    re.I,
)
_RELATIVE = re.compile(rf"^(?P<name>[A-Z][\w'-]+) is (?:my|our) (?P<relation>{RELATIVE})$")
_INTRODUCED = re.compile(
    r"^(?:[Tt]his is|I am|[Tt]he name is|[Ii]t is) (?P<value>[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)?)"
    r"(?:,? (?P<age>[1-9]\d))?(?: here| speaking)?$"
)


def habits(clause: Clause) -> list[Fact]:
    """What somebody does as a rule, has been doing, or used to do, where no table knows the verb."""
    rest = main_part(clause.rest)
    if not clause.verb or not rest or GAP in rest or _VAGUE.match(rest) or clause.verb in _NO_HABIT:
        return []
    if clause.ceased and clause.mode is Mode.PRESENT:
        return [
            Fact(
                MemoryType.PREFERENCE,
                retell(clause),
                attribute="habit",
                value=matter(clause),
                negated=True,
                operation=Operation.CONTRADICT,
                weight=LIGHT,
                when="happened",
            )
        ]
    if clause.mode is Mode.FORMER and not clause.negated:
        return [_habit(clause, "former_habit")]
    clause = with_rest(clause, rest)
    regular = bool(clause.kept) or bool(_OFTEN.search(clause.rest))
    if clause.mode is Mode.PRESENT and regular and not clause.negated and not clause.phrases:
        return [_habit(clause, "habit")]
    lasting = clause.mode is Mode.ONGOING and clause.cue in {"been", "start", "begin"} and len(rest.split()) >= 2
    if lasting and not clause.negated:
        return [_habit(clause, "habit", lasting=True)]
    return []


def _habit(clause: Clause, attribute: str, *, lasting: bool = False) -> Fact:
    kind = MemoryType.PROFILE_FACT if attribute == "former_habit" else MemoryType.PREFERENCE
    return Fact(kind, retell(clause), attribute=attribute, value=matter(clause), weight=FAINT if lasting else LIGHT)


def turned(text: str) -> list[Fact]:
    """The fact of a sentence that names the value first."""
    if GAP in text:
        return []
    hit = _FAVOURITE.match(text)
    if hit:
        value, thing = third(hit.group("value")), (hit.group("thing") or "").lower()
        if re.match(r"(?:it|that|this|they|which|these|those|being|the (?:first|second|last))\b", value, re.I):
            return []
        slot = f"favorite_{bare(thing).replace(' ', '_')}" if thing else "likes"
        content = f"favorite {thing} is {value}" if thing else f"likes {value}"
        return [Fact(MemoryType.PREFERENCE, sentence(content), attribute=slot, value=value, weight=FIRM)]
    hit = _HOBBIES.match(text) or _SPARE_TIME.match(text)
    if hit:
        cut = activity(hit.group("value"))
        return [
            Fact(
                MemoryType.PROFILE_FACT,
                sentence(f"has the hobby {third(v[:1].lower() + v[1:])}"),
                attribute="hobby",
                value=v.lower(),
                weight=FIRM,
            )
            for v in (items(cut) if cut else ())
        ]
    named = _RELATIVE.match(text)
    if named:
        name, relation = named.group("name"), named.group("relation").lower()
        return [
            Fact(
                MemoryType.PROFILE_FACT,
                f"Has a {relation} called {name}.",
                attribute="family",
                value=name,
                weight=CORE,
                when="",
            )
        ]
    return []


def introduced(text: str) -> list[Fact]:
    """The name, and perhaps the age, in "I'm Ali, 41", which is one only at the start of a message."""
    hit = _INTRODUCED.match(text)
    if not hit:
        return []
    value, age = hit.group("value"), hit.group("age")
    fact = MemoryType.PROFILE_FACT
    told = [Fact(fact, f"Is called {value}.", attribute="name", value=value, weight=CORE, when="")]
    if age:
        told.append(Fact(fact, f"Is {age} years old.", attribute="age", value=age, weight=CORE, when=""))
    return told
