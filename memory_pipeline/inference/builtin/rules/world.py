"""Facts about the world as somebody states them: "The capital of France is Paris", "X was founded by Y".

Each has a subject, a relation and one value at a time, so that a later statement of the same relation replaces it.
"""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.patterns import Fact, Weight
from memory_pipeline.inference.builtin.wording import sentence

_WEIGHT = Weight(0.5, 0.5, 0.8)
_PROPER = r"(?:the |The )?[A-Z0-9À-ÞŁŠŽ][^,;:?!]*?"
_ANY = (
    r"(?!(?:i|we|you|he|she|it|they|this|that|there|what|who|my|our|your|these|"
    r"those)\b)[\w'’.&À-ſ-]+(?: [\w'’.&,()À-ſ-]+){0,9}?"
)
_VALUE = r"(?P<value>[^;:?!]{1,80}?)"
_OF = re.compile(
    r"^(?:the|The) (?P<attribute>(?:name of the |official |current |chief |prime |head |original |main |"
    r"first |native )*(?!fact|point|problem|question|idea|reason|goal|purpose|way|thing|rest|best|part|kind|"
    r"number one|"
    r"answer|aim|use|lack|end|start|beginning|side|top|bottom|majority|result|cost of living|one|theme|tone|"
    r"subject|body|content)[\w-]+(?: [\w-]+){0,4}?) (?P<link>of|in|for|that (?:produced|made|owns|published|"
    r"created)) (?:the (?=[A-Z]))?(?P<subject>[A-Z0-9À-Þ].{0,80}?|[a-zà-ÿ-]+ [a-z]+) (?:is|was|are) "
    r"(?:located in (?:the (?:city|country|continent|state) of )?|the |currently |"
    r"now )*(?P<value>[A-Z0-9À-Þ].{0,80}|(?!(?:just|more|very|not|so|too|to|that|what|how|a|an|the|still|"
    r"really|quite|pretty|always|never|bad|good|great|nice|here|there)\b|\w+ (?:by|in|at|from|to|"
    r"on)\b)[a-z][\w-]+(?: [\w-]+){0,2})$"
)
_WHERE = re.compile(
    r"^The (?P<attribute>[\w-]+(?: of [\w-]+)?) (?:where|that|"
    r"in which) (?P<subject>[A-Z0-9À-Þ].{1,60}?) (?P<verb>was educated|studied|plays|works|lives|was born|"
    r"was founded|is based|performs|sings) is (?P<value>.{2,80})$"
)
_REVERSED = re.compile(
    r"^(?P<value>[A-Z0-9À-Þ][^,;:?!]{1,60}?) (?:is|was) the (?:current |new )?(?P<attribute>capital(?: city)?|"
    r"ceo|CEO|chief executive officer|president|chairperson|director|"
    r"founder|author|head|mayor|prime minister|captain|owner|coach) of (?P<subject>[A-Z0-9À-Þ].{1,60})$"
)
_OWNED = re.compile(
    r"^(?P<subject>[A-Z0-9À-Þ][^,;:?!]{1,60}?)(?:'s|’s|s'|"
    r"s’) (?P<attribute>(?!name$)(?:[\w-]+ ){0,2}(?:capital|ceo|president|chairperson|chairman|director|"
    r"author|child|children|spouse|wife|husband|father|mother|headquarters|founder|language|"
    r"religion|currency|population|leader|head|mayor|king|queen|owner|manager|coach|captain|mascot|motto|"
    r"color|colour|price|deadline|status|version|license|nationality|occupation|genre|sport|position|"
    r"birthplace|hometown|birthday|age|"
    r"job|employer|phone number|favou?rite [\w ]+)) (?:is|was) (?P<value>.{1,80})$"
)
# Relations said with a verb. The subject may be written small where the phrase is unmistakable.
_RELATIONS = tuple(
    (re.compile(rf"^(?P<subject>{subject}) {said} {_VALUE}$"), attribute)
    for subject, said, attribute in (
        (_ANY, r"(?:is|was) (?:a )?citizen of", "citizenship"),
        (_ANY, r"(?:is|was) married to", "spouse"),
        (_ANY, r"(?:was )?born in(?: the city of)?", "birthplace"),
        (_PROPER, r"(?:was born on)", "birth_date"),
        (_ANY, r"died in(?: the city of)?", "place_of_death"),
        (_ANY, r"(?:is|was) located in(?: the (?:continent|country|city|state) of)?", "location"),
        (_ANY, r"(?:is|was) (?:head)?quartered in(?: the city of)?", "headquarters"),
        (_ANY, r"(?:is|was) founded in(?: the (?:city|country) of)", "founded_in"),
        (_ANY, r"(?:is|was) founded by", "founder"),
        (_ANY, r"(?:is|was) created in(?: the (?:country|city) of)", "country_of_origin"),
        (_ANY, r"(?:is|was) (?:created|invented|designed) by", "creator"),
        (_ANY, r"(?:is|was) (?:performed|sung|recorded) by", "performer"),
        (_ANY, r"(?:is|was) (?:developed|produced|made|manufactured|built|released) by", "developer"),
        (_ANY, r"(?:is|was) (?:written|authored) by", "author"),
        (_ANY, r"(?:is|was) (?:directed) by", "director"),
        (_PROPER, r"(?:is|was) owned by", "owner"),
        (_ANY, r"(?:is|was) written in the language of", "language"),
        (_ANY, r"speaks the language of", "language"),
        (_ANY, r"(?:is|was) affiliated with the religion of", "religion"),
        (_ANY, r"(?:is|was) associated with the sport of", "sport"),
        (_ANY, r"plays the (?:position|sport|role) of", "position"),
        (_PROPER, r"plays (?:the )?(?:position )?(?:for)", "team"),
        (_ANY, r"works? in the field of", "field"),
        (_ANY, r"worked in the city of", "work_location"),
        (_PROPER, r"(?:is|was) (?:employed by|employed at)", "employer"),
        (_PROPER, r"(?:is|was) (?:best )?(?:famous|known) for", "known_for"),
        (_PROPER, r"(?:was educated at|studied at|graduated from)", "university"),
    )
)
_INITIALS = re.compile(r"\b[A-Z]\.[A-Z]$")
_CUE = re.compile(r"\b(?:is|was|are|died|born|plays?|speaks|works?|worked|studied|graduated|founded)\b")


def world(text: str) -> list[Fact]:
    """The general fact that a clause of the third person states, if it is one of the known relations."""
    if GAP in text or len(text) > 240 or not _CUE.search(text):
        return []
    # "The headquarters of Acme is located in Bonn" speaks of Acme, so the noun in front is asked before the verb.
    hit = _OF.match(text) or _OWNED.match(text) or _REVERSED.match(text) or _WHERE.match(text)
    if hit:
        return [_fact(text, hit.group("subject"), _name(hit.group("attribute")), hit.group("value"))]
    for pattern, attribute in _RELATIONS:
        hit = pattern.match(text)
        if hit:
            return [_fact(text, hit.group("subject"), attribute, hit.group("value"))]
    return []


def _name(attribute: str) -> str:
    return "_".join(attribute.lower().split())


def _fact(text: str, subject: str, attribute: str, value: str) -> Fact:
    subject, value = subject.strip(), value.strip(" .")
    if _INITIALS.search(value):
        value += "."
    return Fact(
        MemoryType.PROFILE_FACT,
        sentence(text),
        subject=subject,
        attribute=f"current_{attribute}",
        value=value,
        weight=_WEIGHT,
        when="",
    )
