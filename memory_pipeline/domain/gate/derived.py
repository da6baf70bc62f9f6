"""Rules for one sentence of a text that was derived from messages and memories, whoever wrote it (KN-1, KN-33).

A summary, a reflection or a pattern says only what it rests on: it holds no secret and no instruction, every name and
number of it was given there, enough of its other words were said, and it does not turn a statement round. Where a rule
cannot tell, because the text is in another language than its grounds, the sentence passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cached_property

from memory_pipeline.domain.derived.derived_numbers import underived
from memory_pipeline.domain.gate.rules.fidelity import opposite
from memory_pipeline.domain.gate.rules.instructions import directive, unmasked
from memory_pipeline.domain.gate.texts.claims import Reading
from memory_pipeline.domain.gate.texts.conversation import SourceText, fold, initials_of
from memory_pipeline.domain.gate.texts.denial import turned_round
from memory_pipeline.domain.gate.texts.hinges import capitals, figures, parts, telling
from memory_pipeline.domain.gate.texts.language import (
    capital_names,
    english,
    grammar,
    nouns_have_capitals,
    without_dates,
)
from memory_pipeline.domain.gate.texts.relatedness import implied
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import Handling, Policy
from memory_pipeline.domain.proposal import Finding
from memory_pipeline.domain.sensitive import find, handled
from memory_pipeline.domain.sensitive.detection import cleaned
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import content_words, normalise, words


class Grounds:
    """What a derived text rests on.

    Args:
        texts: messages and memories, each as it was shown to whoever wrote the text.
        days: local days of the messages and memories.
        names: of who speaks.
        beyond: further texts that the user is known by; a name or number in them is no invention.
        own: those of the texts in which the user speaks or is spoken of, not an assistant's; None = all.
        told: what the user's messages and the memories claim; empty where nobody has read them.
        canaries: words of the prompt's examples.
    """

    def __init__(
        self,
        texts: Sequence[str],
        days: Sequence[date] = (),
        *,
        names: Sequence[str] = (),
        beyond: Sequence[str] = (),
        own: Sequence[str] | None = None,
        told: Sequence[Reading] = (),
        canaries: Sequence[str] = (),
    ) -> None:
        self.texts = tuple(texts)
        self.own = self.texts if own is None else tuple(own)
        self.told = tuple(told)
        self.canaries = tuple(canaries)
        self._years = frozenset(day.year for day in days)
        self._dates = [f"{day:%A %d %B %Y} {day.day} {day.month} {day.isoformat()}" for day in dict.fromkeys(days)]
        self.said = SourceText("\n".join((*self.texts, *names)))
        self.known = SourceText("\n".join((*self.texts, *names, *beyond))) if beyond else self.said

    def reaches(self, year: int) -> bool:
        """Whether a year was given, is near, or lies as many years away as were spoken of."""
        if self.known.counts(str(year)) or not self._years:
            return True
        away = min(abs(year - near) for near in self._years)
        return away <= 1 or self.known.counts(str(away))

    @cached_property
    def of_days(self) -> SourceText:
        """The days in words and figures."""
        return SourceText("\n".join(self._dates))

    def speaks(self, sentence: str) -> bool:
        """Whether some of the texts are in a sentence's language, as far as one can tell."""
        language = english(sentence)
        if language is None:
            return True
        return language in self._languages or self._languages == {None}

    @cached_property
    def _languages(self) -> frozenset[bool | None]:
        """Whether each text is English, in the terms of ``language.english``."""
        return frozenset(english(text) for text in self.texts)

    def near(self, sentence: str) -> list[str]:
        """The texts that share a word with a sentence."""
        words = content_words(sentence)
        return [text for text in self.texts if not words.isdisjoint(content_words(text))]


Rule = Callable[[str, Grounds, Policy, Reading | None], Finding | None]


def secret(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """It states nothing of a class that the policy withholds, nor of one that it restricts unless that was shown."""
    plain = cleaned(sentence)
    withheld = handled(policy.gate, Handling.REJECT, Handling.MASK)
    restricted = handled(policy.gate, Handling.RESTRICT)
    for span in find(sentence):
        shown = plain[span.start : span.end] in grounds.said.text
        if span.kind in withheld or span.kind in restricted and not shown:
            return _failed("secret", f"states {span.kind.replace('_', ' ')}")
    return None


def instruction(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """It is not aimed at the memory or the assistant (KN-33)."""
    found = directive(sentence, policy.gate.max_blob)
    return _failed("instruction", found) if found else None


def canary(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """No word of the prompt's examples stands in it."""
    folded = unmasked(sentence)
    found = next((c for c in grounds.canaries if c.casefold() in folded), None)
    return _failed("canary", f"copied from the prompt: {found}") if found else None


def invented(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """Its names, numbers and dates were given, or its numbers follow from numbers that were."""
    missing = [*_unnamed(sentence, grounds, reading), *_foreign(sentence, grounds)]
    return _failed("invented", f"nobody said {', '.join(missing[:5])}") if missing else None


def unsupported(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """Enough of its other words were said, in these or their kin; figure: the share of them."""
    aside = grammar().union(() if nouns_have_capitals(sentence) else _names(sentence))
    wanted = [word for word in telling(without_dates(sentence)) if word not in aside]
    if len(wanted) < policy.derived.min_judged_words:
        return None
    said, own = grounds.said, english(sentence) is True
    known = sum(said.has(word) or own and implied(word, said) or said.compounds(word) for word in wanted)
    share, low = known / len(wanted), policy.derived.min_known_words
    if share >= low or not grounds.speaks(sentence) or not share and english(sentence) is None:
        return None
    return Finding("unsupported", False, round(share, 2), low, "words of it that stand in what it rests on")


def contrary(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """It neither denies what was told, nor affirms what was denied."""
    least = policy.derived.min_same_claim
    if reading is not None:
        found = opposite(reading, grounds.told, least)
    else:
        found = "" if english(sentence) else turned_round(sentence, grounds.own, least)
    return _failed("contrary", f"what it rests on says the opposite of “{found}”") if found else None


RULES: tuple[Rule, ...] = (secret, instruction, canary, invented, unsupported, contrary)


def objection(sentence: str, grounds: Grounds, policy: Policy, reading: Reading | None = None) -> Finding | None:
    """The first rule that a sentence breaks; None when it stands.

    Args:
        reading: what the sentence claims, where somebody has read it.
    """
    return next((f for rule in RULES if (f := rule(sentence, grounds, policy, reading)) is not None), None)


def _failed(code: str, detail: str) -> Finding:
    return Finding(code, False, None, None, detail)


_SEVERAL = 2
_DIGIT = lazy(r"\d")
_YEAR = lazy(r"(?<![\d.,:])(?:19|20)\d\d(?![\d.,:]\d|\d)")
_PRONOUNS = frozenset({"i", "i'm", "i'd", "i'll", "i've"})


def _names(sentence: str) -> Iterator[str]:
    found = dict.fromkeys(capitals(without_dates(sentence), sentence=True))
    return (name for name in found if name not in _PRONOUNS)


def _unnamed(sentence: str, grounds: Grounds, reading: Reading | None) -> list[str]:
    """The names that nobody gave, in full or in short.

    In another language some are written otherwise, hardly all of them; German writes any noun like a name, so there
    only what stands where a name does counts.

    Args:
        reading: it tells a name at the beginning of the sentence from any other first word.
    """
    said, names = grounds.known, list(dict.fromkeys((*_names(sentence), *_first(sentence, reading))))
    missing = [name for name in names if not said.has(name)]
    if not missing:
        return []
    short = initials_of(sentence)
    missing = [n for n in missing if not (said.abbreviates(n) or any(map(said.has, short.get(n, ()))))]
    same = grounds.speaks(sentence)
    if nouns_have_capitals(sentence):
        standing = {fold(name) for name in capital_names(without_dates(sentence))}
        return [name for name in missing if name in standing] if same else []
    return missing if same or len(missing) >= _SEVERAL and len(missing) == len(names) else []


def _first(sentence: str, reading: Reading | None) -> list[str]:
    """The first word where it is a name; "Health: …" is none."""
    word = sentence.split(maxsplit=1)[0]
    proper = reading is not None and word.isalpha() and word in reading.proper
    return list(capitals(word, sentence=False)) if proper else []


def _foreign(sentence: str, grounds: Grounds) -> list[str]:
    """The numbers and dates that were not given and do not follow."""
    plain = without_dates(sentence)
    numbers = [n for n in dict.fromkeys(figures(plain)) if not (grounds.known.counts(n) or grounds.of_days.counts(n))]
    if numbers:
        near = grounds.near(sentence)
        if wordset("languages", "arithmetic").isdisjoint(words(sentence)) and "%" not in sentence:
            near = [_DIGIT.sub("", text) for text in near]  # it may count them, and reckons with nothing that they say
        left = {normalise(n) for n in underived(parts(plain).plain, near)}
        numbers = [n for n in numbers if n in left]
    dates: Sequence[str] = ()
    if grounds.said.english is not False and not grounds.said.timed:
        dates = [d for d in parts(sentence).dates if not all(map(grounds.of_days.has, d.lower().split()))]
    return [*numbers, *dates, *(year for year in _YEAR.findall(sentence) if not grounds.reaches(int(year)))]
