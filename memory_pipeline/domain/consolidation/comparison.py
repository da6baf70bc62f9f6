"""How two statements stand to each other by their words alone: the same, more or less detailed, changed, denied, other.

Consolidation compares by the words as they stand, and only where a cosine brings two texts near; the embedded judge by
words without inflection. Each brings features of its own, and a tolerance; the rules are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory_pipeline.domain.consolidation.contrast import rotated
from memory_pipeline.domain.text import overlap


@dataclass(frozen=True, slots=True)
class Features:
    """A statement taken apart, as far as it is compared.

    Attributes:
        stems: its content words, in whatever form is compared.
        objects: those of them that say whose or which thing it is about.
        order: its content words as they follow one another.
        names: proper names, lower case.
        numbers: its numbers.
        dates: its date phrases, where they are told apart from its words and numbers.
        denied: how many negations it holds.
        replaces: it says itself that it takes the place of something.
    """

    stems: frozenset[str]
    objects: frozenset[str]
    order: tuple[str, ...]
    names: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    denied: int
    replaces: bool


class Comparison(StrEnum):
    """How a new statement stands to an old one."""

    SAME = "same"
    MORE = "more"
    LESS = "less"
    DENIED = "denied"
    REPLACED = "replaced"
    OTHER_DATE = "other_date"
    OTHER_NUMBER = "other_number"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far the words of two statements may differ; overlaps are Jaccard's, from 0 to 1.

    Attributes:
        near: overlap below which they are other statements, unless the new one contains the old one.
        alike: overlap from which words in one order say the same; None where the words must be equal.
        part: overlap from which a statement with fewer words says less of the same.
        changed: overlap from which one denies the other, or gives it another date.
        contained: words that a statement must have for a longer one to contain it.
        exact: what contains another may have no further numbers, and both replace something or neither does.
    """

    near: float
    alike: float | None
    part: float
    changed: float
    contained: int
    exact: bool


def compare(new: Features, old: Features, within: Tolerance) -> Comparison:
    """How ``new`` stands to ``old``, two statements about one subject whose words do not exclude one another."""
    shared = overlap(new.stems, old.stems)
    contains = len(old.stems) >= within.contained and old.stems <= new.stems
    if shared < within.near and not contains:
        return Comparison.OTHER
    return _difference(new, old, shared, contains, within) or _extent(new, old, shared, contains, within)


def _difference(new: Features, old: Features, shared: float, contains: bool, within: Tolerance) -> Comparison | None:
    """What sets two statements apart beside their words; None where nothing does."""
    if new.replaces != old.replaces and (new.replaces or within.exact):
        return Comparison.REPLACED
    if not _agree(new.names, old.names, exact=within.exact, contains=contains):
        return Comparison.OTHER
    if new.denied != old.denied:
        return Comparison.DENIED if shared >= within.changed else Comparison.OTHER
    if new.dates != old.dates and new.dates and old.dates:
        return Comparison.OTHER_DATE if shared >= within.changed else Comparison.OTHER
    if new.numbers != old.numbers and (within.exact or not (contains and old.numbers <= new.numbers)):
        return Comparison.OTHER_NUMBER if shared >= within.near else Comparison.OTHER
    return None


def _agree(new: frozenset[str], old: frozenset[str], *, exact: bool, contains: bool) -> bool:
    """Whether no name stands against another one: those of one statement are among those of the other."""
    if exact:
        return nested(new, old)
    return new == old or not new or not old or (contains and old <= new)


def _extent(new: Features, old: Features, shared: float, contains: bool, within: Tolerance) -> Comparison:
    """Which of two statements that nothing sets apart says more."""
    if new.stems == old.stems:
        if not rotated(new.order, old.order):
            return Comparison.OTHER
        return Comparison.MORE if says_more(new, old) else Comparison.SAME
    both = new.stems & old.stems
    if within.alike is not None and shared >= within.alike:
        orders = ([word for word in order if word in both] for order in (new.order, old.order))
        if rotated(*orders):
            return Comparison.SAME
    if contains:
        return Comparison.MORE
    return Comparison.LESS if new.stems < old.stems and shared >= within.part else Comparison.OTHER


def says_more(new: Features, old: Features) -> bool:
    """Whether ``new`` holds every word and number of ``old``, and a further word or date."""
    further = new.stems > old.stems or (new.stems == old.stems and new.dates > old.dates)
    return further and old.numbers <= new.numbers


def one_number(new: Features, old: Features) -> bool:
    """Whether two statements have the same words in the same order, with one number in the place of another."""
    return new.order == old.order and len(new.numbers ^ old.numbers) == 2


def equal_facts(new: Features, old: Features, *, named: bool) -> bool:
    """Whether equal values mean equal facts: not where the rest of the words tells things apart, by a number ("50 mg",
    "75 mg"), a name, or what it takes the place of.

    Args:
        named: the values are names, so that another word for whose it is tells two things apart, too.
    """
    if new.replaces and not old.replaces or not nested(new.names, old.names):
        return False
    pairs = ((new.numbers, old.numbers), (new.dates, old.dates))
    if any(a and b and not nested(a, b) for a, b in pairs):
        return False
    return not named or nested(new.objects, old.objects)


def nested(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether one of two sets is a part of the other."""
    return a <= b or b <= a


__all__ = ["Comparison", "Features", "Tolerance", "compare", "nested", "one_number", "equal_facts", "says_more"]
