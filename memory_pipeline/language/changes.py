"""Changes that people note in passing, written out: "choir has switched to Tuesdays", "no more wigs, only braids"."""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.vocabulary import occupation, table

_STARTS = lazy(
    r"^(?P<job>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}) (?:at|with|for) (?P<org>(?:the )?[\w&'.-]+(?: [A-Z][\w&'.-]*)*), "
    r"(?:i )?start(?:s|ed|ing)? (?P<when>.+)$",
    re.I,
)
_NAMES = frozenset({"org", "place"})


def changed(text: str) -> str:
    """The statement that a note of a change makes; "" of any other text."""
    plain = text.rstrip(" .!")
    begun = _STARTS.match(plain)
    if begun and occupation(begun["job"].split()[-1].lower()):
        return f"I work as a {begun['job'].lower()} at {begun['org']} from {begun['when']}"
    for says, told in _rows():
        hit = says.match(plain)
        if hit:
            said = {name: found or "" for name, found in hit.groupdict().items()}
            said |= {name: said[name][:1].upper() + said[name][1:] for name in _NAMES & said.keys()}
            return " ".join(told.format(**said).split())
    return ""


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((lazy(row["says"], re.I), row["told"]) for row in table("changes")["changed"])
