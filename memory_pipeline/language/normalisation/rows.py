"""Rows of tables, items of lists and lists of figures about their writer, each as a statement."""

from __future__ import annotations

import re

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.normalisation.dropped_subjects import lowered, with_subject
from memory_pipeline.language.normalisation.splices import has_finite_verb
from memory_pipeline.language.vocabulary import occupation, relations, table, words

_NOTHING = frozenset({"none", "no", "n/a", "nothing", "-"})
_FIGURE = lazy(
    r"^(?:and |my |the |our )?(?P<what>[a-z]+(?: [a-z]+){0,2}?)(?: (?:is|at|of|about|around|now))* "
    r"(?P<figure>[€$£]?\d[\d.,:/]*\s?(?:k|%|€|mg|kg)?(?: .{0,40})?)$",
    re.I,
)
# Rows that list names: "Kids: Noa 7, Ben 4".
_OFFSPRING = lazy(
    r"^(?:(?:i|we)(?: have|'ve got|'ve)? )?(?:got )?(?P<count>\d|two|three|four|five|six)(?: \w+)?? "
    r"(?P<what>kids|children|boys|girls|sons|daughters|cats|dogs|(?:guinea )?pigs|hens|rabbits|ferrets|budgies|rats|"
    r"goats|horses|ponies|kittens|puppies|parrots|tortoises|hamsters|gerbils|lizards|geckos|snakes)"
    r"(?:[:,(]| -| called| named)\s+"
    r"(?P<names>[\w'-]+[ (]*\d{0,2}\)?(?:(?:,| and| &| n)+ [\w'-]+[ (]*\d{0,2}\)?)+)\)?$",
    re.I,
)
_BETWEEN = lazy(r",? (?:and|&|n) ", re.I)
_CALLED = {
    "boys": "boy",
    "girls": "girl",
    "kids": "child",
    "children": "child",
    "sons": "son",
    "daughters": "daughter",
    "cats": "cat",
    "dogs": "dog",
}
_NAME_AND_AGE = lazy(r"^(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]+) ?\(?(?P<age>\d{1,2})?(?: ?(?:yo|years?(?: old)?|yrs?))?\)?$")
_VERB = lazy(
    r"\b(?:is|are|was|were|have|has|had|'ve|'m|went|go|goes|got|do|does|did|want|need|can|will|run|ran|\w+ed)\b", re.I
)
_COMPLETE = lazy(r"(?:I|my|we|our|he|she|they|it|the|please|never|always|don't|no)\b", re.I)


def row(text: str) -> list[str] | None:
    """ "Allergies: penicillin, bee stings" as a statement; None where what stands before the colon is no known key."""
    key, _, value = text.partition(":")
    low, value = key.strip(" *-•_").lower().removeprefix("my "), value.strip(" *_.")
    frame = table("repair")["row"].get(low) if value else None
    if frame is None:
        return None
    if low in _CALLED and (named := _names(_CALLED[low], value)):
        return named
    if value.lower() in _NOTHING:
        return [f"I have no {low}."]
    return [frame.format(value=_listed(value))]


def offspring(text: str) -> list[str]:
    """ "Two boys, Nico 14 and Rafa 11", "three kids: seren 12, owain 8, bethan 5": who they are; [] of other texts."""
    hit = _OFFSPRING.match(text.strip(" .!"))
    if hit is None:
        return []
    what = hit["what"].lower()
    one = _CALLED.get(what) or re.sub(r"ies$", "y", what).removesuffix("s")
    named = _names(one, _BETWEEN.sub(", ", hit["names"]).title())
    return [f"I have {hit['count']} {what}.", *named] if named else []


def _names(what: str, value: str) -> list[str]:
    """ "Noa 7, Ben (4)" of a row about children: who there is, and how old they are; [] where not all are names."""
    hits = [_NAME_AND_AGE.match(part.strip()) for part in re.split(r",|;|/|&|\band\b", value) if part.strip()]
    told = []
    for hit in hits:
        if hit is None:
            return []
        told.append(f"I have a {what} called {hit['name']}.")
        told += [f"{hit['name']} is {hit['age']} years old."] if hit["age"] else []
    return told


def figures(text: str) -> list[str]:
    """A list of figures with their names: "salary 3,450 net, rent 1,180" → a statement each; [] of any other text."""
    if re.match(r"(?:i|we|he|she|they)\b", text, re.I) or _VERB.search(text) and not text.lower().startswith("numbers"):
        return []
    parts = re.split(r",(?!\d)\s*(?:and\s+)?", text.rstrip(".! "))
    hits = [_FIGURE.match(p.strip()) for p in parts]
    if not any(h and words("figure").intersection(h.group("what").lower().split()) for h in hits):
        return []
    out = []
    for part, hit in zip(parts, hits, strict=True):
        if hit:
            out.append(f"My {hit.group('what')} is {hit.group('figure').removesuffix(' now')}.")
        elif has_finite_verb(part):
            out.append(part)
    return out


def items(text: str) -> list[str]:
    """The items that an entry of a list holds, as statements: "two kids; vegan" → "I have two kids", "I am vegan"."""
    return [_item(part) for part in re.split(r"\s*;\s*", text) if part]


def _item(text: str) -> str:
    """An item of a list about its writer: "two kids" → "I have two kids", "night shifts" stays as it is."""
    said = with_subject(text)
    if said != text or _COMPLETE.match(text):
        return said
    first = text.split(" ", 1)[0].lower().strip(",.")
    low = [w.strip(",.()").lower() for w in text.split()[:5]]
    if len(low) < 4 and any(first in words(name) for name in ("diet", "nationality", "religion", "condition")):
        return f"I am {text}"
    if any(w in relations() or w in words("pet") for w in low) and not text.endswith(":"):
        counted = first.isdigit() or first in words("number") or first in {"a", "an"}
        return f"I have {lowered(text)}" if counted else text
    if any(occupation(w) for w in low[:3]):
        article = "" if first in {"a", "an"} else "an " if first[:1] in "aeiou" else "a "
        return f"I am {article}{lowered(text)}"
    return text


def _listed(value: str) -> str:
    """ "penicillin, bee stings/pollen" → "penicillin, bee stings and pollen"."""
    parts = [p.strip() for p in re.split(r",|/|;", value) if p.strip()]
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else value
