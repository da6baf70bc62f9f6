"""Shared lore: nicknames, running jokes, rituals (DL-3)."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.patterns import Fact, Weight
from memory_pipeline.inference.builtin.wording import sentence, third

_LORE = (
    re.compile(
        r"^(?P<turn>from now on,? )(?P<thing>.{2,50}?) (?:is|are) (?:called|named|known as) (?P<value>.{2,40}?)$", re.I
    ),
    re.compile(
        r"^(?P<thing>(?:my|our|the) .{2,50}?) (?:is|are) (?:now )?(?:called|named|"
        r"known as) (?P<value>.{2,40}?)(?P<turn> from now on)$",
        re.I,
    ),
    re.compile(
        r"^(?:from now on,? )?(?:let us|we|i|our family|my family|my friends and i)(?: all| always| now| usually|"
        r" jokingly| affectionately| lovingly)* (?:call|nickname|refer to|dub|christen|named|call(?:ed)|nicknamed|"
        r"dubbed) (?P<thing>(?!me\b|you\b|it a\b|an?\b|in\b|for\b|off\b|"
        r"up\b).{2,50}?) (?:as )?[\"'](?P<value>[^\"']{2,40})[\"'](?: from now on| now)?$",
        re.I,
    ),
    re.compile(
        r"^(?:from now on,? )?let us (?:call|name|nickname|dub) (?P<thing>(?!it a\b|"
        r"the\b.*\bday\b).{2,50}?) (?P<value>(?:the )?[A-Z][\w'-]+(?: [A-Z]?[\w'-]+){0,2})(?: from now on)?$"
    ),
    re.compile(
        r"^(?:[Ww]e|I)(?: all| always| usually| jokingly| affectionately)* call (?P<thing>(?:my|our|the|that|"
        r"this) (?:[\w'-]+ ){0,3}?[\w'-]+) (?P<value>(?:the )?[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})(?:,.*)?$"
    ),
    re.compile(
        r"^(?:our|the|my|this is our)(?: little| old| favou?rite| ongoing)* (?P<kind>running (?:joke|gag)|"
        r"inside joke|in-joke|private joke|code ?word|secret (?:word|handshake)|catch ?phrase|ritual|tradition|"
        r"nickname)(?: (?:for (?P<thing>.+?)|with .+?|about (?P<about>.+?)|between .+?))? (?:is|was|"
        r"has been)(?: still| that| to| always)* (?P<value>.+)$",
        re.I,
    ),
    re.compile(
        r"^(?P<value>.+?) (?:is|has become|became) (?:our|a)(?: new| little|"
        r" favou?rite)* (?P<kind>running (?:joke|gag)|inside joke|in-joke|private joke|code ?word|catch ?phrase|"
        r"ritual|tradition)(?: (?:now|between us|with you))?$",
        re.I,
    ),
    re.compile(r"^my nickname for (?P<thing>.+?) is (?P<value>.+)$", re.I),
)


def lore(text: str) -> list[Fact]:
    """The nickname, running joke or ritual that a clause names, if it names one."""
    for pattern in _LORE:
        hit = pattern.match(text)
        if not hit:
            continue
        groups = hit.groupdict()
        value = third(groups["value"].strip(" ,.\"'"))
        if groups.get("kind"):
            about = groups.get("thing") or groups.get("about")
            content = f"shares the {groups['kind'].lower()}{f' about {third(about)}' if about else ''}: {value}"
        else:
            content = f"calls {third(groups['thing'])} {value}"
        return [
            Fact(
                MemoryType.SHARED_LORE,
                sentence(content),
                attribute="lore",
                value=value,
                weight=Weight(0.7, 0.6, 0.85),
                when="",
            )
        ]
    return []
