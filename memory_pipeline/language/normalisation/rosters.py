"""Those whom somebody lists with what is so of them, each thing as a statement: "one boy, Mateo, six, he has epilepsy".

A roster begins with whom it is about ("my mother", "two kids", "one dog"). What stands beside them between commas or in
brackets is told of the one it stands behind: a name, an age, what they are or have, what they do. A part that is
nothing of the kind, and none that begins anew, leaves the text as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.normalisation.splices import has_finite_verb
from memory_pipeline.language.vocabulary import medicine, occupation, relations, table, words
from memory_pipeline.language.wording.agreement import tense

_CUT = lazy(
    r"\s*(?:[,;:(]|(?<=\s)[-–—](?=\s))\s*|\)\s*[,;]?\s*|\s+(?=(?:and|&) (?:[A-ZÀ-Þ]|(?:the|our) (?:baby|little)))"
)
_AND = lazy(r"^(?:and|&|plus|also) ", re.I)
_NAME = lazy(
    r"^(?:(?:the |our )?(?:baby|little|wee|big|young) )?"
    r"(?P<name>(?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-ZÀ-Þ][a-zà-ÿ'-]{1,14})(?: (?P<rest>\S.*))?$"
)
_ANEW = lazy(
    r"^(?:(?:and|but|so|because|since|which|plus) )*(?:i|we|i'm|we're|i've|we've|my|our|it|it's|that|this|so)\b", re.I
)
_NAMES = lazy(r"^[A-ZÀ-Þ][a-zà-ÿ'-]+(?: (?:and|&) [A-ZÀ-Þ][a-zà-ÿ'-]+)+$")
_FELT = lazy(r"^(?:[a-z-]+ )?[a-z]+(?:ed|id|y|less|ous|ful|ive|ic) (?:of|to|by|at|about|with|in|for) \S", re.I)
_WITH_WRITER = lazy(r"^and (?:i|me|we|my|our)\b", re.I)
_PRONOUN = lazy(r"^(?:and |but )?(?:(?P<short>he|she)'s|(?P<who>he|she|they|who)) (?P<does>\S.*)$", re.I)
_WITH = lazy(r"^with (?P<what>(?:an? )?\S.*)$", re.I)
_WORD = lazy(r"[\w'-]+")
_ADJECTIVE = ("ic", "ac", "ed", "ive", "less")
_FEWEST = 2  # parts of a roster
_LONGEST = 6  # words of what somebody is or has


@dataclass(slots=True)
class _One:
    """Somebody listed.

    Attributes:
        word: what they are to the writer, in the singular: "boy".
        told: what is so of them, as predicates.
    """

    word: str
    name: str = ""
    told: list[str] = field(default_factory=list)

    @property
    def statements(self) -> Iterator[str]:
        who = f"My {self.word} {self.name}".strip()
        if self.name and not self.told:
            yield f"My {self.word} is called {self.name}."
        for one in self.told:
            yield f"{who} {one}."


def roster(text: str) -> tuple[list[str], str]:
    """The statements of a roster, and what is said behind it; ([], "") of any other text."""
    plain = text.strip(" .!")
    cuts = [*(m.span() for m in _CUT.finditer(plain)), (len(plain), len(plain))]
    pieces, start = [], 0
    for end, behind in cuts:
        if plain[start:end].strip():
            pieces.append((plain[start:end].strip(), start))
        start = behind
    for n in range(len(pieces) - 1):
        led = plain[: pieces[n][1]].strip(" ,;:(")
        if led and not has_finite_verb(led):
            continue  # "Plumber, 45, two kids, a dog, Oslo": of themselves
        told, left = _from(pieces[n:], plain)
        if told:
            return ([f"{led}.", *told] if led else told), left
    return [], ""


def _from(pieces: Sequence[tuple[str, int]], plain: str) -> tuple[list[str], str]:
    """The statements of a roster that begins with the first of some pieces."""
    pieces = _named_first(pieces) if len(pieces) > 1 else pieces
    head = _head().match(_AND.sub("", pieces[0][0]))
    if head is None or len(pieces) < _FEWEST:
        return [], ""
    marked = plain[: pieces[1][1]].rstrip().endswith((":", "("))
    if not (head["own"] or head["count"] or marked and pieces[0][1] == 0):
        return [], ""
    return _read(head, pieces[1:], plain)


def _named_first(pieces: Sequence[tuple[str, int]]) -> Sequence[tuple[str, int]]:
    """ "Sam, my partner, …" as "my partner Sam, …"."""
    (first, at), (second, _) = pieces[:2]
    named, owned = _NAME.match(first), _head().match(second)
    if named and not named["rest"] and owned and owned["own"] and not owned["name"] and len(pieces) > _FEWEST:
        return [(f"{second} {first}", at), *pieces[2:]]
    return pieces


def _read(head: re.Match[str], pieces: Sequence[tuple[str, int]], plain: str) -> tuple[list[str], str]:
    word, several = _singular(head["who"].lower()), _is_plural(head["who"].lower())
    listed: list[_One] = [] if several else [_One(word, head["name"] or "")]
    left = ""
    for piece, at in pieces:
        if _WITH_WRITER.match(piece):
            return [], ""  # "my brother, John, and I went to Rome"
        part = _AND.sub("", piece)
        named = _name(part)
        if named and (several or not listed[-1].name and not listed[-1].told):
            if several:
                listed.append(_One(word, named["name"]))
            listed[-1].name = named["name"]
            part = named["rest"] or ""
        if not part:
            continue
        said = _said(part) if listed else ""
        if listed and listed[-1].told and _NAMES.match(part):
            listed[-1].told[-1] += f", {part}"  # "has two kids, Tom and Ana"
        elif said:
            listed[-1].told.append(said)
        elif _ANEW.match(piece):
            left = plain[at:]
            break
        else:
            return [], ""
    if not any(one.told or one.name and one.name != head["name"] for one in listed):
        return [], ""
    counted = [f"I have {head['count'].lower()} {head['who'].lower()}."] if several and head["count"] else []
    first = [f"I have a {one.word} called {one.name}." for one in listed if head["count"] and not several and one.name]
    return [*counted, *first, *(told for one in listed for told in one.statements)], left


def _name(part: str) -> re.Match[str] | None:
    """A name, alone or with what is so of whoever bears it right behind it: "Nora 9", "Finn is six"."""
    hit = _NAME.match(part)
    if hit is None or hit["name"].lower().removesuffix("'s") in _no_names():
        return None
    return hit if not hit["rest"] or _said(hit["rest"]) else None


def _said(part: str) -> str:
    """What a part says of somebody, as a predicate; "" where it says nothing of the kind."""
    age = _age().match(part)
    if age:
        return f"is {age['age'].lower()} years old"
    spoken = _PRONOUN.match(part)
    if spoken:
        return _of_pronoun(spoken)
    held = _WITH.match(part)
    if held and _touches(held["what"], "condition", "body"):
        return f"has {held['what']}"
    said = part.split()
    if len(said) > 1 and tense(said[0]) is not None and said[0].islower() and not _is_noun(said):
        return part
    if len(said) > _LONGEST or part[:1].isupper() and part.lower() not in words("nationality"):
        return ""
    return _being(part, [word.lower() for word in said])


def _of_pronoun(spoken: re.Match[str]) -> str:
    if spoken["short"]:
        aged = _said(spoken["does"]) if _age().match(spoken["does"]) else ""
        return aged or f"is {spoken['does']}" if not _participle(spoken["does"]) else f"has {spoken['does']}"
    does = str(spoken["does"])
    return does if tense(does.split(" ", 1)[0]) is not None or does.startswith(("can", "won't", "doesn't")) else ""


def _participle(text: str) -> bool:
    return text.split(" ", 1)[0].lower() in {"been", "had", "got"}


def _being(part: str, said: list[str]) -> str:
    """ "A paramedic", "dyslexic", "allergic to nuts", "arthritic hips": what somebody is or has."""
    bare = said[1:] if said[0] in {"a", "an", "also", "both"} else said
    if not bare:
        return ""
    known = words("nationality") | words("diet") | words("religion") | _states()
    if bare[0] in known and len(bare) <= 2 or bare[0] in {"allergic", "intolerant", "pregnant", "deaf", "blind"}:
        return f"is {part}"
    if _FELT.match(part) or bare[0] in {"on", "off"} and any(map(medicine, bare)):
        return f"is {part}"  # "scared of fireworks"
    if _trade(bare):
        return f"is {'' if said[0] in {'a', 'an'} else _article(bare[0])}{part}"
    if bare[-1] in words("condition") and bare[-1].endswith(_ADJECTIVE):
        return f"is {part}"
    return f"has {part}" if _touches(part, "condition", "body") or any(map(medicine, bare)) else ""


def _trade(bare: list[str]) -> bool:
    """Whether the first noun, up to a preposition, is what somebody does for a living."""
    end = next((n for n, word in enumerate(bare) if word in {"in", "at", "with", "for", "from", "near"}), len(bare))
    return 0 < end <= 3 and occupation(bare[end - 1]) and bare[end - 1] not in relations().keys() - words("occupation")


def _article(word: str) -> str:
    return "an " if word[:1] in "aeiou" else "a "


def _touches(text: str, *named: str) -> bool:
    said = [word.lower().removesuffix("'s") for word in _WORD.findall(text)]
    forms = {form for word in said for form in (word, word.removesuffix("s"))}
    return len(said) <= _LONGEST and any(forms & words(name) for name in named)


def _is_noun(said: list[str]) -> bool:
    """ "Twins now", "hips and knees": a plural that has the form of a verb."""
    return said[0].lower() in words("body") | words("condition") | relations().keys() or said[1] in {"and", "or", "now"}


def _is_plural(word: str) -> bool:
    return word in table("rosters")["several"] or word.endswith("s") and _singular(word) != word


def _singular(word: str) -> str:
    irregular = table("rosters")["several"]
    if word in irregular:
        return str(irregular[word])
    one = word.removesuffix("ies") + "y" if word.endswith("ies") else word.removesuffix("s")
    return one if one in relations() or one in words("pet") else word


@cache
def _age() -> re.Pattern[str]:
    """ "Six", "now 14", "nine months old"."""
    return lazy(
        rf"^(?:(?:is |he's |she's |now |aged? |just )*)(?P<age>\d{{1,3}}|{table('rosters')['number']})"
        r"(?P<unit> (?:months?|weeks?)(?: old)?)?(?: ?(?:yo|y/o|(?:years?|yrs?)(?: old)?))?(?: now)?$",
        re.I,
    )


@cache
def _states() -> frozenset[str]:
    return frozenset(table("rosters")["states"].split())


@cache
def _no_names() -> frozenset[str]:
    """Words in capitals that are nobody's name."""
    listed = words("nationality") | words("language") | words("religion") | words("condition")
    return listed | words("medicine") | frozenset(table("rosters")["no_names"].split()) | relations().keys()


@cache
def _head() -> re.Pattern[str]:
    """Whom a roster is about: "my mother", "I have two small boys", "one dog", "kids"."""
    who = "|".join(
        sorted({*relations(), *words("pet"), *table("rosters")["several"]} - _never(), key=len, reverse=True)
    )
    young = "|".join(table("rosters")["young"].split())
    count = r"an?|one|two|three|four|five|six|seven|\d{1,2}|both"
    return lazy(
        rf"^(?:(?:(?:i|we)(?: have|'ve| 've)?(?: got)?|there's|there are|got|it's) )?"
        rf"(?:(?P<own>my|our|the(?= (?:{young})\b)) |(?P<count>{count}) )?(?:(?!ex\b)[a-z-]+ )?"
        rf"(?P<who>{who})(?:,? (?:called |named )?(?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]{{1,14}})))?$",
        re.I,
    )


@cache
def _never() -> frozenset[str]:
    """Relations that are as often things or groups, of which no roster is made."""
    return frozenset(table("rosters")["no_heads"].split())


__all__ = ["roster"]
