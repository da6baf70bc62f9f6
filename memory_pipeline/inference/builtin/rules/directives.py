"""What the writer asks of the assistant: what to leave alone, to forget, to recall in time; and shared lore."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.patterns import CORE, FIRM, Fact, Weight
from memory_pipeline.inference.builtin.rules.lore import lore
from memory_pipeline.inference.builtin.rules.manners import POLITE, manners
from memory_pipeline.inference.builtin.rules.matter import bare
from memory_pipeline.inference.builtin.wording import sentence, third

_TOPIC = (
    r"(?P<value>.+?)(?: (?:again|any ?more|to me|with me|please|ever|ever again|, never|never|from now on|"
    r"in (?:our|this|any) conversations?|around me|in front of me))*$"
)
_BOUNDARIES = (
    re.compile(
        POLITE + r"(?:(?:never|do not|don't|stop|no more|avoid|quit)(?: ever)? )(?:mention(?:ing)?|bring(?:ing)? up|"
        r"talk(?:ing)? about|discuss(?:ing)?|ask(?:ing)?(?: me)? about|remind(?:ing)? me (?:of|about)|"
        r"refer(?:ring)? to|"
        r"speak(?:ing)? (?:of|about)|joke about|joking about|jokes about|comment(?:ing)? on|"
        r"touch(?:ing)? on)(?! (?:it|that|this)\b(?! (?:again|ever)))(?: the (?:topic|"
        r"subject) of)? " + _TOPIC,
        re.I,
    ),
    re.compile(
        POLITE
        + r"(?:never|do not|don't|stop) bring(?:ing)? (?P<value>.+?) up(?: (?:again|any ?more|with me|ever|please|"
        r"from now on))*$",
        re.I,
    ),
    re.compile(
        r"^(?:i )?(?:really |just |also )*(?:do not|don't|never|no longer|would rather not|prefer not to|"
        r"would prefer not to)(?: ever)?(?: (?:want|wish|like|care))?(?: to)? (?:talk about|discuss|"
        r"be reminded (?:of|about)|hear about|get into|go into|be asked about|speak about|bring up|"
        r"think about)(?: the (?:topic|subject) of)? " + _TOPIC,
        re.I,
    ),
    re.compile(
        r"^let us (?:not|never|avoid)(?: ever)? (?:talk(?:ing)? about|discuss(?:ing)?|bring(?:ing)? up|"
        r"mention(?:ing)?|go(?:ing)? (?:there )?(?:into|about)) " + _TOPIC,
        re.I,
    ),
    re.compile(
        r"^(?:the (?:topic|subject) of )?(?P<value>.+?) (?:is|are) (?:strictly |completely |"
        r"totally )?(?:off[- ]limits|a no-go|a (?:taboo|forbidden|sore|touchy|sensitive) (?:topic|subject)|taboo|"
        r"not up for discussion)(?: (?:for me|with me|please))*$",
        re.I,
    ),
    re.compile(
        r"^i (?:am not|do not feel) (?:comfortable|ready)(?: with)? (?:talking about|discussing|to talk about|"
        r"to discuss) " + _TOPIC,
        re.I,
    ),
)
_FORGET = (
    re.compile(
        POLITE + r"forget (?:about )?(?!to\b|it\b|that\b\s*$|this\b\s*$|that i\b|about it\b|about that\b\s*$|"
        r"all (?:previous|prior)|everything\s*$)(?P<value>.+)$",
        re.I,
    ),
    re.compile(
        POLITE
        + r"(?:delete|remove|erase|wipe|clear|drop|scrub|undo) (?:everything |anything |all )?(?:(?:of )?(?:that |"
        r"what )?(?:i (?:said|told you|mentioned|shared|wrote)|you (?:know|remember|have|saved|stored))(?: to you|"
        r" earlier| before)?) (?:about|on|regarding) (?P<value>.+)$",
        re.I,
    ),
    re.compile(
        POLITE + r"(?:forget|delete|remove|erase|wipe|clear|drop|scrub) (?:the fact )?(?:that )?(?P<value>(?:i|we) "
        r"(?!(?:ever |even |just )*(?:said|told|asked|mentioned|wrote|shared|talked|brought)\b).+)$",
        re.I,
    ),
    re.compile(
        POLITE
        + r"(?:delete|remove|erase|wipe|clear|drop|scrub) (?:everything|anything|all|the (?:memory|memories|note|"
        r"notes|fact|facts|entry|info|information|part|bit|thing|data)|any (?:memory|memories|mention|info|"
        r"notes?))(?: you have)? (?:about|of|on|regarding|that|with) (?P<value>.+)$",
        re.I,
    ),
    re.compile(
        POLITE + r"(?:delete|remove|erase|wipe|clear) (?P<value>(?:my|that|the) .+?) from (?:your )?memory$", re.I
    ),
    re.compile(
        POLITE + r"(?:do not|don't|stop) (?:remember(?:ing)?|stor(?:e|ing)|keep(?:ing)? track of|sav(?:e|"
        r"ing))(?: (?:anything|what i (?:said|told you)))?(?: about)? (?!me\b|it\b|that\b(?! (?:my|our))|this\b|"
        r"to\b)(?P<value>.+)$",
        re.I,
    ),
)
_TOLD = re.compile(
    r"[ ,]*\b(?:that |which |what )?(?:i|we) (?:have )?(?:told|said|mentioned|talked|shared|were talking|"
    r"discussed|brought up|asked)(?: (?:to )?you)?(?: about)?(?: earlier| before| yesterday| last time|"
    r" last week)?\b[ ,]*",
    re.I,
)
_REMIND = re.compile(
    POLITE
    + r"(?:remind me|do not let me forget|don't let me forget|set a reminder(?: for me)?|do not forget to remind me|"
    r"give me a reminder|help me remember|ping me|nudge me)(?: (?:again|please))*,? (?:to |about |that i (?:need|"
    r"have) to |of |for )(?P<value>.+)$",
    re.I,
)


def directives(text: str) -> list[Fact]:
    """Protocols, boundaries, requests to forget, reminders and shared lore in a clause without its dates."""
    if GAP in text:
        return []
    for read in (_forget, _boundary, _reminder, lore, manners):
        found = read(text)
        if found:
            return found
    return []


def _forget(text: str) -> list[Fact]:
    for pattern in _FORGET:
        hit = pattern.match(text)
        if not hit:
            continue
        value = _TOLD.sub(" ", hit.group("value")).strip(" ,.")
        value = re.sub(
            r"^(?:that|the|my|our|about|everything about|anything about|everything|what)\s+",
            "",
            re.sub(r"^about ", "", value, flags=re.I),
            flags=re.I,
        ).strip()
        value = re.sub(
            r"^(?:about|thing about|stuff about)\s+|^(?:i|we) (?:am|are|have|had|do)\s+", "", value, flags=re.I
        )
        if not value or value.lower() in {"it", "that", "this", "me", "what", "you"}:
            return []
        return [
            Fact(
                MemoryType.PROFILE_FACT,
                sentence(f"anything about {third(value)}"),
                value=third(value),
                operation=Operation.FORGET,
                weight=FIRM,
                surface=Surface.AVOID,
                when="",
            )
        ]
    return []


def _boundary(text: str) -> list[Fact]:
    for pattern in _BOUNDARIES:
        hit = pattern.match(text)
        if not hit:
            continue
        value = hit.group("value").strip(" ,.")
        value = re.sub(r"^(?:anything (?:about|related to)|the (?:topic|subject) of|about)\s+", "", value, flags=re.I)
        if (
            value.lower() in {"it", "that", "this", "them", "him", "her", "me"}
            or len(value.split()) > 12
            or len(value) < 2
        ):
            return []
        thing = third(value)
        return [
            Fact(
                MemoryType.BOUNDARY,
                sentence(f"does not want {thing} to be brought up"),
                attribute="avoid_topic",
                value=_own(value),
                weight=CORE,
                surface=Surface.AVOID,
            ),
            Fact(
                MemoryType.BOUNDARY,
                sentence(f"anything about {third(_own(value))}"),
                attribute="avoid_topic",
                value=_own(value),
                operation=Operation.SUPPRESS,
                weight=CORE,
                surface=Surface.AVOID,
                when="",
            ),
        ]
    return []


def _own(value: str) -> str:
    return re.sub(r"^(?:my|our|the)\s+", "", value, flags=re.I)


def _reminder(text: str) -> list[Fact]:
    hit = _REMIND.match(text)
    if not hit:
        return []
    value = third(hit.group("value").strip(" ,."))
    of_a_thing = re.search(r"\b(?:about|of|for) " + re.escape(hit.group("value")), text)
    return [
        Fact(
            MemoryType.OPEN_LOOP,
            sentence(f"wants to be reminded {'of' if of_a_thing else 'to'} {value}"),
            attribute="plan",
            value=bare(value),
            weight=Weight(0.85, 0.75, 0.92),
            surface=Surface.CONTINUE,
            when="due",
            direction="future",
            told=True,
        )
    ]
