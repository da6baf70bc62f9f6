"""What people say of themselves without a verb, written out: "vegan 3 years here", "Nurse, 34, Leeds", "off coffee"."""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.language.vocabulary import occupation, relations, table, words

_PIECE = lazy(r"\s*[,;/|]\s+(?:and\s+)?|\s+[-–—]\s+")
_GREETING = lazy(
    r"^(?:hi+|hey+|hello|hiya|yo|morning|evening|good (?:morning|evening|afternoon))(?: there)?[,.! ]+", re.I
)
_AGE = lazy(r"^(?:age[d]? )?(?P<age>1[4-9]|[2-9]\d)(?: ?(?:m|f|nb|yo|y/o|years? old|yrs? old|yrs|years))?$", re.I)
_PLACE = lazy(
    r"^(?:(?:from|in|based in|living in|near|over in|here in) )?(?P<place>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2})$"
)
_NAMED = lazy(r"^(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]+)$")
_JOB = lazy(
    r"^(?:(?:an?|the|freelance|former|retired) )?(?P<job>[A-Za-z][\w/&+'-]*(?: [a-z][\w/&+'-]*){0,4}?)(?P<here> here)?"
    r"(?: (?:at|for|with) (?P<org>(?:an? |the )?[\w&'.-]+(?: [\w&'.-]+){0,3}?))?"
    r"(?: in (?P<firm>(?:an?|the) [a-z][\w'-]*(?: [a-z][\w'-]*)?))?"
    r"(?: (?:here )?(?:in|from|based in|near) (?P<place>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2}))?"
    r"(?:,? (?:for )?\d+ (?:years?|yrs?)(?: now)?)?$"
)
_OF_ONESELF = lazy(r" here$", re.I)
_CLASS = lazy(r"(?<!P)<([a-z]+)>")
_NO_JOB = words("no_job", "fragments")
_FEWEST = 2  # pieces that somebody who introduces themselves in passing tells


def fragment(text: str) -> str:
    """The statement that a fragment makes; "" of any other text."""
    plain = text.strip(" .!,;")
    for says, told in _rows():
        hit = says.match(plain)
        if hit:
            said = {name: (found or "").strip(" ,") for name, found in hit.groupdict().items()}
            for name in {"what", "which"} & said.keys():
                if said[name] and hit.start(name) == 0 and said[name][1:].islower():
                    said[name] = said[name].lower()  # a capital because it stands first
            return " ".join(told.format(**(said | {"rest": hit.groupdict().get("rest") or ""})).split())
    return ""


def introduction(text: str) -> list[str]:
    """The statements of somebody who introduces themselves in a list: "Backend dev here, 34, Pune"; [] of other texts.

    What tells something else stays as it stands.
    """
    plain = _GREETING.sub("", text.strip(" .!,;"))
    pieces = [piece for piece in _PIECE.split(plain) if piece]
    told = [_piece(piece, first=n == 0) for n, piece in enumerate(pieces)]
    known = [one for one in told if one]
    if not told or not told[0] or len(known) < _FEWEST and not _OF_ONESELF.search(pieces[0]):
        return []
    return [one or piece for one, piece in zip(told, pieces, strict=True)]


def _piece(text: str, *, first: bool) -> str:
    """One thing that somebody tells of themselves in a list, as a statement."""
    age, place, low = _AGE.match(text), _PLACE.match(text), text.lower()
    if age:
        return f"I am {age['age']} years old"
    if low in words("nationality") | words("diet") | words("religion") or low in _STATES:
        return f"I am {low.capitalize() if low in words('nationality') else low}"
    job = _job(text)
    if job:
        return job
    if place and not first and _is_place(place["place"]):
        return f"I live in {place['place']}"
    return fragment(text)


def _job(text: str) -> str:
    hit = _JOB.match(text)
    if hit is None or not occupation(hit["job"].split()[-1].lower()):
        return ""
    said = hit["job"].lower().split()
    if said[0] in _NO_JOB or len(said) == 1 and said[0] in relations() and not (hit["here"] or hit["org"]):
        return ""
    job = " ".join(word if word.isupper() else word.lower() for word in hit["job"].split())
    told = f"I work as {'an' if job[:1] in 'aeiou' else 'a'} {job}"
    told += f" at {hit['org']}" if hit["org"] else ""
    if hit["firm"]:
        return f"{told} in {hit['firm']}{' in ' + hit['place'] if hit['place'] else ''}"
    return told + (f" and I live in {hit['place']}" if hit["place"] else "")


def _is_place(name: str) -> bool:
    return name.lower() not in words("language") | words("nationality") and not name.isupper()


_STATES = frozenset({"single", "married", "divorced", "widowed", "retired", "pregnant", "self-employed", "unemployed"})


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((lazy(_filled(row["says"]), re.I), row["told"]) for row in table("fragments")["fragment"])


def _filled(says: str) -> str:
    """A pattern with the alternatives of its classes; a group may have the name of one."""
    return _CLASS.sub(lambda hit: f"(?:{_classes()[hit[1]]})", says)


@cache
def _classes() -> dict[str, str]:
    """Alternatives of each class that stands in the rows; "_" in a listed word is a space."""
    listed = {name: text.split() for name, text in table("fragments")["classes"].items()}
    known = {
        "diet": words("diet"),
        "medicine": words("medicine"),
        "occasion": words("occasion"),
        "seen": words("seen") - words("occasion"),
        "caller": wordset("objects", "trades") | wordset("objects", "callers"),
    }
    known["medicine"] |= {rf"\w{{3,}}{ending}" for ending in words("medicine_ending")}
    named = {name: [word for word in sorted(of, key=len, reverse=True)] for name, of in known.items()}
    return {name: "|".join(word.replace("_", " ") for word in of) for name, of in (listed | named).items()}
