"""Changes that people note in passing, written out: "choir has switched to Tuesdays", "no more wigs, only braids"."""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.consolidation.endings.studies import fields
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.normalisation.fragments import is_place
from memory_pipeline.language.vocabulary import occupation, table, words

_STARTS = lazy(
    r"^(?P<job>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}) (?:at|with|for) (?P<org>(?:the )?[\w&'.-]+(?: [A-Z][\w&'.-]*)*), "
    r"(?:i )?start(?:s|ed|ing)? (?P<when>.+)$",
    re.I,
)
_SELF = lazy(r"^(?P<job>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?) (?:here )?in (?P<where>[^,;\d]{3,40})$", re.I)
# "They made me sous chef", "just got promoted to shift lead": a parser reads the role as a clause of its own.
_RAISED = lazy(
    r"^(?:(?:i(?:'ve)? )?(?:(?:just|finally|recently|have|was|am|got|been|being|getting) )*"
    r"(?P<how>promoted|appointed|made|named)"
    r"|(?:they(?:'ve)?|work|management"
    r"|(?:my|the|our) [a-z][\w'-]*(?: [a-z][\w'-]*){0,3}?)"
    r"(?: (?:have|has|just|finally|recently))* (?P<done>promoted|appointed|made|named) me) (?P<into>to be |to |as )?"
    r"(?:an? |the )?(?P<job>[a-z][\w'-]*(?: (?:of )?(?:the )?[a-z][\w'-]*){0,3}?)"
    r"(?P<rest>,.*| (?:at|in|on|last|this|since|from|as of|with|for|yesterday|today|now|so|and|but|after)\b.*)?$",
    re.I,
)
_SURE = frozenset({"promoted", "appointed"})
_DETERMINED = lazy(r"(?:the|my|our|an?|his|her|their|this|that|i|we)\b|.*\b(?:is|are|was|were|has|have|and)\b", re.I)
_NAMES = frozenset({"org", "place"})


def changed(text: str) -> str:
    """The statement that a note of a change makes; "" of any other text."""
    plain = text.rstrip(" .!")
    begun = _STARTS.match(plain)
    if begun and occupation(begun["job"].split()[-1].lower()):
        return f"I work as a {begun['job'].lower()} at {begun['org']} from {begun['when']}"
    himself = _SELF.match(plain)
    if himself and _own_trade(himself["job"].lower().split()) and _at_home(plain, himself["where"]):
        return f"I work as a {himself['job'].lower()} and I live in {himself['where']}"
    raised = _RAISED.match(plain)
    if raised and (_trade(raised["job"]) or _to_a_role(raised)):
        return f"I became {raised['job']}{raised['rest'] or ''}"
    for says, told in _rows():
        hit = says.match(plain)
        if hit:
            said = {name: found or "" for name, found in hit.groupdict().items()}
            if "what" in said and hit.start("what") == 0 and said["what"][1:].islower():
                said["what"] = said["what"].lower()  # a capital because it stands first
            said |= {name: said[name][:1].upper() + said[name][1:] for name in _NAMES & said.keys()}
            return " ".join(told.format(**said).split())
    return ""


def _at_home(plain: str, where: str) -> bool:
    """Whether "nurse in Leeds" tells where somebody is at home; "nurse in training" and "waiter in a hotel" do not."""
    if _DETERMINED.match(plain) or _DETERMINED.match(where) or not is_place(where):
        return False
    return not where.split()[0].lower().endswith("ing") or where[0].isupper()


def _own_trade(job: list[str]) -> bool:
    """Whether words name one's trade ("backend developer"), and not who is wanted ("need a vet", "good plumber")."""
    return occupation(job[-1]) and not words("wanting").intersection(job[:-1])


def _trade(job: str) -> bool:
    return occupation(job.lower().partition(" of ")[0].split()[-1])


def _to_a_role(raised: re.Match[str]) -> bool:
    """Whether a role is named that may be no known trade ("to team lead"), and no place ("to the Leeds office")."""
    sure = (raised["how"] or raised["done"]).lower() in _SURE
    return sure and bool(raised["into"]) and raised["job"].islower()


def _filled(says: str, known: dict[str, str]) -> str:
    for name, alternatives in known.items():
        says = says.replace(name, alternatives)
    return says


def _endings() -> list[str]:
    return [rf"\w{{3,}}{ending}" for ending in sorted(words("medicine_ending"))]


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    studied = "|".join(sorted(fields(), key=len, reverse=True))
    parts = "|".join(sorted(words("body"), key=len, reverse=True))
    medicines = "|".join([*sorted(words("medicine"), key=len, reverse=True), *_endings()])
    known = {"<field>": studied, "<body>": parts, "<medicine>": medicines}
    rows = ((_filled(row["says"], known), row["told"]) for row in table("changes")["changed"])
    return tuple((lazy(says, re.I), told) for says, told in rows)
