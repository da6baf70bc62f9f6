"""What happened to somebody, and how somebody feels just now."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.builtin.clauses import Clause, with_rest
from memory_pipeline.inference.builtin.lexicon import CONDITIONS, MOODS, wordset
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import FAINT, LIGHT, PASSING, PLAIN, Fact, Weight
from memory_pipeline.inference.builtin.rules.matter import main_part, matter, of_the_moment
from memory_pipeline.inference.builtin.wording import retell, third

# Worth keeping without a date; what else happened needs one.
_NOTABLE = wordset(
    """
    attend visit buy get adopt win finish complete graduate meet join start sign launch publish sell break lose
    travel go fly run celebrate host pass fail receive earn climb hike paint bake cook build plant write read
    watch take volunteer participate perform organize organise donate make interview return spend marry propose
    move renovate install upgrade repair record release compete develop race train camp ski swim sail bring throw give
    present submit book order apply enroll enrol register discuss negotiate drive ride have teach help miss play
    learn sing create design accumulate purchase rent
    """
)
_NAMED = re.compile(r"\b(?:called|named) [\"']?[A-Z][\w'&-]*(?: (?:[A-Z][\w'&-]*|on|in|at|of|the|near))*")
_BOOKING = wordset("sign register book schedule enroll enrol reserve")
_INTRANSITIVE = wordset("graduate retire move run swim hike ski climb vote marry elope")
_NO_EVENT = wordset(
    """
    think wonder say tell ask want feel know hope need like love hate notice realize realise mean hear remember
    forget use mention seem look have
    """
)
_GOTTEN = (
    r"(?:(?:him|her|them) (?=an? ))?"
    r"(?:an?|my|our|two|three|four|\d+|new|vaccinated|accepted|promoted|hired|engaged|married|admitted|invited|elected|"
    r"certified|approved|pre-approved|divorced|laid off|fired|selected|rejected)\b"
    r"(?! (?:few|lot|bit|feeling|idea|kick|error|message|problem))"
)
SMALL = re.compile(
    r"(?:it|that|this|(?:them|him|her|you)\b(?! (?:an?|the|some|two|three|\d))|yeah|yes|both|nothing|all|everything|"
    r"(?:really |so |very |pretty )*(?:well|great|good|fine|okay|smoothly|badly)|some|something|someone|anything|"
    r"a few more|a lot|so|it all|more|better|to know|your|stuck|lost|confused|used to|through|rid|into|worried|"
    r"the (?:best|same|way|idea|point|right|first|following|error|hang)|"
    r"an? (?:look|bit|question|problem|error|issue|hard time|great time|good time|feeling|few questions|lot)|"
    r"curious|started|"
    r"done|ready|tired|sick|bored|upset|mad|angry|interested|error)\b",
    re.I,
)
"""What a verb may be followed by without anything having happened: "got it", "took a look"."""

_MOOD = re.compile(
    rf"^(?:(?:so|really|very|super|pretty|kind of|a bit|a little|extremely|quite|just|too|absolutely|totally|"
    rf"feeling|in|still|"
    rf"such|completely|incredibly|not) )*(?P<mood>{MOODS})\b",
    re.I,
)
# Said of the conversation more often than of life, unless nothing follows.
_PLEASED = re.compile(
    r"(?:happy|excited|thrilled|proud|grateful|relieved|lost|down|full|late|hot|cold|mad|sick|stuck)$", re.I
)
_ALL_OF_IT = re.compile(r"(?:everything|everyone|everybody|my life|life)\b", re.I)


def events(clause: Clause) -> list[Fact]:
    """What happened to the writer: dated, or with a verb worth keeping."""
    if clause.mode not in {Mode.PAST, Mode.PERFECT} or clause.negated or GAP in clause.rest or not clause.verb:
        return []
    if clause.verb in {"find", "discover", "open", "found"} and (named := _NAMED.search(clause.rest)):
        return [_event(with_rest(clause, clause.rest[: named.end()]), "event", None, LIGHT)]
    clause = with_rest(clause, main_part(clause.rest))
    if clause.verb in _BOOKING and clause.phrases and _is_booked(clause):
        return [
            Fact(
                MemoryType.OPEN_LOOP,
                retell(clause),
                attribute="plan",
                value=matter(clause),
                weight=Weight(0.7, 0.65, 0.85),
                surface=Surface.CONTINUE,
                when="due",
                direction="future",
                told=True,
            )
        ]
    dated = bool(clause.phrases)
    if clause.verb == "be":
        return _been(clause)
    if not clause.rest and clause.verb not in _INTRANSITIVE:
        return []
    if SMALL.match(clause.rest) and not (dated and len(clause.rest.split()) > 3):
        return []
    if clause.verb in _NO_EVENT and not (dated and clause.verb in {"have", "hear", "ask"}):
        return []
    if not dated:
        vague = clause.verb == "get" and not re.match(_GOTTEN, clause.rest, re.I)
        if vague or clause.verb not in _NOTABLE or len(clause.rest.split()) < 2:
            return []
    return [_event(clause, "event", None, LIGHT if dated else FAINT)]


def _is_booked(clause: Clause) -> bool:
    """Whether the date is that of what was booked, not of the booking: "signed up for a race on April 19"."""
    first = clause.phrases[0]
    if re.search(r"\b(?:ago|last|yesterday|today|earlier|past|this morning)\b", first.text, re.I):
        return False
    return first.text.lower().startswith("for ") or clause.verb == "sign" or clause.mode is Mode.PERFECT


def _been(clause: Clause) -> list[Fact]:
    trip = re.match(r"to (?P<value>(?:the )?[A-Z].+)", clause.rest)
    if clause.mode is Mode.PERFECT and trip:
        return [_event(clause, "visited", trip.group("value"), PLAIN)]
    if clause.phrases and re.match(r"(?:in|at|on) ", clause.rest):
        return [_event(clause, "event", None, LIGHT)]
    return []


def _event(clause: Clause, attribute: str, value: str | None, weight: Weight) -> Fact:
    return Fact(
        MemoryType.EPISODIC_EVENT,
        retell(clause),
        attribute=attribute,
        value=value or matter(clause),
        weight=weight,
        when="happened",
        told=True,
    )


def moods(clause: Clause) -> list[Fact]:
    """States of the day: kept apart from who somebody is (DL-10)."""
    if clause.verb in {"hate", "love"} and _ALL_OF_IT.match(clause.rest) and of_the_moment(clause):
        return [_mood(clause, f"{clause.verb} {third(clause.rest)}")]
    feeling = clause.verb in {"be", "feel", "get"} and clause.mode in {Mode.PRESENT, Mode.ONGOING, Mode.PERFECT}
    hit = _MOOD.match(clause.rest) if feeling and not clause.possessed else None
    if not hit or len(clause.rest.split()) > 14 or re.match(CONDITIONS, hit.group("mood"), re.I):
        return []
    after = clause.rest[hit.end() :].strip()
    if re.match(r"(?:to|of|for you|by|with you)\b", after):
        return []
    if _PLEASED.match(hit.group("mood")) and after and not re.match(r"(?:today|right now|again|and\b)", after):
        return []
    return [_mood(clause, hit.group("mood").lower())]


def _mood(clause: Clause, value: str) -> Fact:
    return Fact(
        MemoryType.EPHEMERAL,
        retell(clause),
        attribute="mood",
        value=value,
        negated=clause.negated,
        weight=PASSING,
        surface=Surface.ADAPT,
        when="",
    )
