"""What people say of themselves without a verb, written out: "vegan 3 years here", "Nurse, 34, Leeds", "off coffee"."""

from __future__ import annotations

import calendar
import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.language.vocabulary import occupation, relations, table, words

_PIECE = lazy(r"(?:\s*[,;/|]\s+(?:and\s+)?|\s+[-–—]\s+)(?![^()]*\))")  # "2 horses (Biscuit, Tango)" is one
_GREETING = lazy(
    r"^(?:hi+|hey+|hello|hiya|yo|morning|evening|good (?:morning|evening|afternoon))(?: there)?[,.! ]+", re.I
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_IN_WORDS = rf"(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)}))?"
_AGE = lazy(rf"^(?:age[d]? )?(?P<age>1[4-9]|[2-9]\d|{_IN_WORDS})(?: ?(?:m|f|nb|yo|y/o|years? old|yrs? old))?$", re.I)
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
# "2 horses (Biscuit, Tango)", "a three-legged cat"
_COUNTED = lazy(
    r"^(?:an?|[1-9]\d?|one|two|three|four|five|six)(?: (?!of\b)[a-z][\w-]*){0,2}? (?P<what>[a-z][\w-]*)"
    r"(?= \([^()]*\)$|$)",
    re.I,
)
_OF_ONESELF = lazy(r" here$", re.I)
_CLASS = lazy(r"(?<!P)<([a-z]+)>")
_MONTHS_AND_DAYS = frozenset(name.lower() for name in (*calendar.month_name, *calendar.day_name) if name)
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
    if len(pieces) > 1 and _NAMED.match(pieces[0]) and not told[0] and _AGE.match(pieces[1]):
        told[0] = f"My name is {pieces[0]}"  # "Alastair, seventy-one, Leith"
    known = [one for one in told if one]
    if not told or not told[0] or len(known) < _FEWEST and not _OF_ONESELF.search(pieces[0]):
        return []
    return [one or _with_subject(piece) for one, piece in zip(told, pieces, strict=True)]


def _with_subject(piece: str) -> str:
    """ "Teach English in Nagoya", among other things that somebody tells of themselves: it is they who do."""
    first, _, rest = piece.partition(" ")
    return f"I {first.lower()} {rest}" if rest and first.lower() in table("repair")["present"] else piece


def _piece(text: str, *, first: bool) -> str:
    """One thing that somebody tells of themselves in a list, as a statement."""
    age, place, low = _AGE.match(text), _PLACE.match(text), text.lower()
    if age:
        return f"I am {_in_digits(age['age'])} years old"
    if low in words("nationality") | words("diet") | words("religion") or low in _STATES:
        return f"I am {low.capitalize() if low in words('nationality') else low}"
    job = _job(text)
    if job:
        return job
    counted = _COUNTED.match(text)
    if counted and _kept(counted["what"].lower()):
        return f"I have {text}"
    if place and not first and is_place(place["place"]):
        return f"I live in {place['place']}"
    return fragment(text)


def _kept(noun: str) -> bool:
    """Whether those who are counted are somebody's own: animals, relatives."""
    return any(word in words("pet") or word in relations() for word in (noun, noun.removesuffix("s")))


def _in_digits(age: str) -> str:
    """ "Seventy-one" → "71"."""
    tens, _, ones = age.lower().replace("-", " ").partition(" ")
    if tens not in _TENS:
        return age
    return str(10 * (_TENS.index(tens) + 2) + (_ONES.index(ones) + 1 if ones else 0))


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
    return told + (f" and I live in {hit['place']}" if hit["place"] and is_place(hit["place"]) else "")


def is_place(name: str) -> bool:
    """Whether a name behind "in" may be that of a place: no month, no language."""
    low = name.lower()
    return (
        low.split()[0] not in _MONTHS_AND_DAYS
        and low not in words("language") | words("nationality")
        and not name.isupper()
    )


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
