"""What sets two texts apart although they share their words: opposites, replacement, another order of the words.

English; texts in other languages are told apart by their words, names and numbers alone, and by the judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import singular, words

# Words of one group exclude one another: a text with the one is never the same as a text with another in its place.
_EXCLUSIVE = tuple(
    frozenset(group.split())
    for group in (
        "on off", "onto off", "in out", "into out", "up down", "before after", "with without", "over under",
        "above below", "for against", "more less fewer", "left right", "front back",
        "inside outside indoors outdoors", "north south east west northern southern eastern western",
        "first second third fourth fifth last next", "big large huge small tiny little", "high low",
        "higher lower", "hot cold warm cool", "old young new", "early late", "long short", "fast slow",
        "full empty", "open closed", "hard soft easy", "cheap expensive", "good bad", "best worst",
        "upper lower", "top bottom", "min minimum max maximum", "near far", "increase decrease", "rise fall",
        "win lose", "won lost", "buy sell", "bought sold", "push pull", "arrive leave",
        "start stop end finish", "love dislike", "love hate", "like dislike", "like hate",
        "morning noon afternoon evening night midnight",
        "breakfast lunch dinner", "yesterday today tomorrow",
        "monday tuesday wednesday thursday friday saturday sunday", "spring summer autumn winter",
        "january february march april may june july august september october november december",
        "red orange yellow green blue purple pink brown black white grey gray", "man woman boy girl",
        "men women", "husband wife", "mother father", "mom dad", "mum dad", "brother sister", "son daughter",
        "nephew niece", "uncle aunt", "grandmother grandfather", "daily weekly monthly yearly",
        "day week month year", "short detailed lengthy", "brief detailed lengthy", "concise verbose detailed",
        "terse verbose", "formal informal casual", "serious playful funny", "hour minute second",
        "engaged married divorced single widowed separated",
        "vegetarian vegan pescatarian", "cat dog rabbit hamster goldfish parrot horse", "true false",
        "yes no",
    )
)  # fmt: skip
_REPLACES = lazy(
    r"\b(?:instead|rather than|no longer|any ?more|moved to|switched|replaced|changed to|reversed|stopped|quit|gave up|"
    r"given up|outgrown|former(?:ly)?|used to)\b",
    re.IGNORECASE,
)


def opposed(a: str, b: str) -> bool:
    """Whether each text holds a word that excludes one of the other: on and off, left and right, May and June."""
    left, right = ({singular(w) for w in words(text)} for text in (a, b))
    only_left, only_right = left - right, right - left
    return any(group & only_left and group & only_right for group in _EXCLUSIVE)


def replaces(text: str) -> bool:
    """Whether the text itself says that it takes the place of something: "instead", "no longer", "moved to"."""
    return bool(_REPLACES.search(text))


def rotated(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two sequences are equal, or one begins with an end of the other ("On Monday he left" / "He left on
    Monday"); in any other order the roles may have changed ("the dog bit the man")."""
    return len(a) == len(b) and any([*a[n:], *a[:n]] == list(b) for n in range(max(len(a), 1)))
