"""What people note as still to do, or as done, without saying so in a sentence.

"To do: ring the vet, stamps" says "I need to ring the vet" and "I need to take care of stamps"; "GP still to do" that
they need to see to it; "tickets bought" that the tickets are bought.
"""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.consolidation.plans.deeds import acted, plans_act
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.language.vocabulary import relations, table, words

_HEADED = lazy(r"^(?P<heading>[^:\n]{2,60}?)\s*(?::|\s[-–—])\s+(?P<rest>\S.*)$", re.S)
_BREAK = lazy(
    r"\s*;\s*|\s+\(?\d{1,2}[.)]\s+(?=[A-Za-z])|\s+[-–•*]\s+|,\s+(?:and\s+|then\s+|also\s+)?|\s+(?:and|then|plus)\s+(?:to\s+)?"
)
_NUMBER = lazy(r"^\(?\d{1,2}[.)]? (?=[A-Za-z])")
_DONE = lazy(
    r"^(?P<what>(?:[\w'/-]+ ){0,3}?"
    r"(?!(?:is|are|was|were|has|have|had|got|been|be|not|never|just|to|and|or|who|which)\b)[\w'-]{2,}) "
    r"(?:all |just |now |finally )?(?P<done>[a-z]{3,})"
    r"(?P<rest>(?: (?:now|today|just now|yesterday|already|finally|at last|this morning|last night|for .{2,20}))?"
    r"[.!]*)$"
)
_MORE = lazy(r"^(?:and|plus|also|then)(?: (?:also|then|to))?,? ", re.I)
_ASKS = lazy(r"\?|\b(?:me|us|please|pls)\b", re.I)
_OPEN = lazy(r"\([^)]*$")
_WANTING = lazy(r"^\W*(?:i )?(?:need|want|request)", re.I)
_MOST = 12  # items
_FEWEST = 3  # acts of a list of duties; two are told by the clauses that they are
_BOUND = lazy(
    r"^(?P<bound>(?:i|we)(?: still| also| really)* (?:(?:need|have|ought) to|must|should)) (?P<rest>[a-z]+ \S.*)$",
    re.I | re.S,
)
_POINTS = lazy(r"\b(?:it|them|him|her|that|this|there|because|so|if|or)\b", re.I)


def to_do(text: str, heading: str = "") -> list[str]:
    """The items of a list of what is to be done, each as a statement; [] of any other text.

    Args:
        heading: what stands over the list; without one the text itself must begin with it ("to do: …").
    """
    if not heading or not heads_to_do(heading):
        headed = _HEADED.match(text)
        if headed is None or not heads_to_do(headed.group("heading")) or not _lists(headed.group("rest")):
            return []
        heading, text = headed.group("heading"), headed.group("rest")
    return _duties(heading, text)


def duties(text: str) -> list[str]:
    """ "I need to send the slides, ring the vet and find a plumber": each as a duty.

    [] where there are fewer, or where one points to another ("find the form and send it").
    """
    bound = _BOUND.match(text)
    found = _items(bound["rest"].strip(" .!")) if bound and _acts(bound["rest"]) else []
    if bound is None or len(found) < _FEWEST or any(_POINTS.search(item) for item in found):
        return []
    return [f"{bound['bound']} {item}." for item in found[:_MOST]]


def _duties(heading: str, text: str) -> list[str]:
    items = _items(_NUMBER.sub("", text.strip(" .!…*-")))
    if items and _WANTING.match(heading) and _is_to_be_written(items[0]):
        return []
    return [_duty(item) for item in items[:_MOST] if len(item) > 2]


def _is_to_be_written(item: str) -> bool:
    """ "Need: title for poster": what is asked of the assistant."""
    first = re.sub(r"^(?:an?|some|the|\d+) ", "", item.lower()).split(" ", 1)[0]
    return first in words("ordered") | words("output") | words("manner_of_order")


def heads_to_do(text: str) -> bool:
    """Whether a text is the heading of a list of what is to be done: "to do", "things left for this week"."""
    low = text.lower().strip(" :*-–—.,")
    return bool(_heading().fullmatch(low))


def undone(text: str) -> str:
    """The statement that a note of something undone makes; "" of any other text."""
    for says, told in _undone():
        hit = says.match(text.rstrip(" .!"))
        if hit is None or _names_nothing(hit.groupdict().get("what") or ""):
            continue
        rest = text[hit.end() :] if hit.end() < len(text.rstrip(" .!")) else ""
        made = told.format(**{name: _small((found or "").strip(" ,")) if name != "rest" else found or ""
                              for name, found in hit.groupdict().items()})  # fmt: skip
        return " ".join(f"{made}{rest}".split())
    return ""


def _small(part: str) -> str:
    """A part of a sentence without the capital of an article: "The publisher" behind "to give"."""
    return part[:1].lower() + part[1:] if part.startswith(("The ", "My ", "Our ")) else part


def _names_nothing(what: str) -> bool:
    """ "That", "two things": what nobody can see to without knowing more."""
    said = what.lower().split()
    return bool(said) and (" ".join(said) in words("deictic") or said[-1] in words("no_thing", "to_do"))


def done(text: str) -> str:
    """ "Tickets bought" as a statement: "Tickets are bought"; "" of any other text."""
    hit = _DONE.match(text)
    if hit is None or not acted(hit.group("done").lower()):
        return ""
    *_, noun = hit.group("what").lower().split()
    acting = wordset("objects", "people") | wordset("objects", "trades") | wordset("objects", "be") | relations().keys()
    first = hit.group("what").split(" ", 1)[0]
    if noun in acting or noun in words("no_thing", "to_do") or first in {"I", "We", "i", "we", "not", "Not"}:
        return ""
    if " " not in hit.group("what") and noun != hit.group("what") and not noun.endswith("s"):
        return ""  # "Ana called" is what somebody did
    return f"{hit.group('what')} {'are' if noun.endswith('s') else 'is'} {hit.group('done')}{hit.group('rest')}"


def another_duty(text: str) -> str:
    """ "And review the draft", behind a duty, as one more of them; "" of any other text."""
    hit = _MORE.match(text)
    if hit is None or not _acts(text[hit.end() :]) or _ASKS.search(text):
        return ""
    return _duty(text[hit.end() :].rstrip(" .!"))


def asks_for_list(text: str) -> bool:
    """Whether a turn ends by asking what there is to do."""
    return bool(_asked().search(text))


def _lists(text: str) -> bool:
    """Whether what stands behind a colon is a list, and no sentence of its own: "I have to say: she is right"."""
    first = text.split(" ", 1)[0].lower().strip(",.")
    return first not in {"i", "we", "he", "she", "it", "they", "you", "there", "that's", "it's", "i'm", "what", "how"}


def _items(text: str) -> list[str]:
    """The parts of a list; where its first names an act, only what names another one begins a part."""
    acts = _acts(text)
    found, start = [], 0
    for cut in _BREAK.finditer(text):
        following = text[cut.end() :]
        inside = _OPEN.search(text[: cut.start()])
        if inside or not following or acts and not _acts(following) or not acts and cut.group().strip() == "plus":
            continue
        found.append(text[start : cut.start()])
        start = cut.end()
    return [part.strip(" ,.") for part in [*found, text[start:]]]


def _acts(text: str) -> bool:
    """Whether an item begins with a verb: "ring the vet", "post parcel"."""
    said = text.split()
    first = said[0].lower().strip(",.:") if said else ""
    if len(said) < 2 or first in words("no_verb", "to_do"):
        return False
    return plans_act(first) or said[1].lower() in words("behind_verb", "to_do") and first.isalpha()


def _duty(item: str) -> str:
    item = re.sub(r"^(?:to|i need to|i have to|need to|must)\s+", "", item, flags=re.I)
    small = item if item[:2].isupper() or not _acts(item) else item[:1].lower() + item[1:]
    return f"I need to {small}." if _acts(item) else f"I need to take care of {small}."


@cache
def _heading() -> re.Pattern[str]:
    return lazy("|".join(f"(?:{row})" for row in table("to_do")["heading"]))


@cache
def _asked() -> re.Pattern[str]:
    return lazy(table("to_do")["asked"], re.I)


@cache
def _undone() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((lazy(row["says"], re.I), row["told"]) for row in table("to_do")["undone"])
