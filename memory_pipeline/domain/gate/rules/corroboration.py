"""Rules for the content: what it says was said, in these words or others, somewhere in the conversation.

A quote may stand in its message and the content still say something else altogether. So the names, numbers and dates
that a memory hinges on must have been said, and most of its other words too, by anybody in the conversation that the
extractor saw. Dates that follow from "last week" are no inventions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_pipeline.domain.gate.gate_input import ENDING, GateInput
from memory_pipeline.domain.gate.rules.ending_claims import unsaid
from memory_pipeline.domain.gate.texts.addition import added_words
from memory_pipeline.domain.gate.texts.calendar_days import other_weekdays, unfounded
from memory_pipeline.domain.gate.texts.conversation import Conversation, SourceText, aliases, fold, initials_of
from memory_pipeline.domain.gate.texts.entailment import framing, strays
from memory_pipeline.domain.gate.texts.hinges import capitals, figures, parts, telling
from memory_pipeline.domain.gate.texts.language import (
    capital_names,
    english,
    nouns_have_capitals,
    number_words,
    without_dates,
)
from memory_pipeline.domain.gate.texts.numerals import is_number_word, is_scale, spelled
from memory_pipeline.domain.gate.texts.relatedness import implied, same_matter, tied_to
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import DERIVED_TYPES, Finding, Operation, Proposal
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import words

_LETTERS = lazy(r"[^\W\d_]+")
_PRONOUNS = frozenset({"i", "i'm", "i'd", "i'll", "i've"})


def invented(given: GateInput) -> Finding | None:
    """The names, numbers and dates that it hinges on were said (KN-1); figure: the share of them that was.

    Names are held against the conversation only where both are in the same language: another one may well write them
    otherwise. Of a memory made from memories only the names are looked at: its numbers are counts.
    """
    conversation, proposal = Conversation(given), given.proposal
    if conversation.empty or given.hosted and _ends(given):
        return None  # what ends something names it in the words of what is remembered
    names = _names(given)
    missing = _unnamed(names, given, conversation)
    hinges = len(names)
    if proposal.type not in DERIVED_TYPES:
        numbers, dates, days = _numbers(proposal), _dates(proposal), _days(given, conversation)
        hinges += len(numbers) + len(dates) + len(days)
        missing += [n for n in numbers if not any(said.counts(n) for said in conversation)]
        spelled_out = _spelled_out(given)
        hinges += len(spelled_out)
        missing += [n for n in _uncounted(spelled_out, conversation) if n not in given.known]
        if dates and not any(said.timed or said.english is False for said in conversation):
            missing += [date for date in dates if not _of_the_day(date, given)]
        missing += days
    share = 1.0 - len(missing) / hinges if hinges else 1.0
    low = given.policy.min_known_names
    detail = f"nobody said {', '.join(missing[:5])}" if missing else "its names, numbers and dates were said"
    return Finding("invented", share >= low, round(share, 2), low, detail)


def unknown(given: GateInput) -> list[str]:
    """The names, numbers and additions, folded, that nobody said in the conversation.

    Where the user said them in another one before, they are no inventions.
    """
    conversation = Conversation(given)
    if conversation.empty or given.hosted and _ends(given):
        return []
    names = _unnamed(_names(given), given, conversation)
    if not given.hosted or given.proposal.type in DERIVED_TYPES:
        return names
    added = sorted({other for word in added_words(given) for other in same_matter(word)} - framing())
    return list(dict.fromkeys([*names, *_uncounted(_spelled_out(given), conversation), *added]))


def _spelled_out(given: GateInput) -> list[str]:
    """The number words of an English content, without "one", which is mostly none."""
    content = given.proposal.content
    return [] if english(content) is False else [w for w in words(content) if is_number_word(w) and not is_scale(w)]


def _uncounted(spelled_out: Sequence[str], conversation: Conversation) -> list[str]:
    """Those that nobody said; the eldest of five has four siblings."""
    runs = [(word, int(list(spelled([word]))[-1])) for word in spelled_out]
    return [
        word
        for word, number in runs
        if not any(said.counts(str(number)) or _one_of(number + 1, said) for said in conversation)
    ]


def _one_of(number: int, said: SourceText) -> bool:
    return any(map(said.has, wordset("restating", "one_of"))) and said.counts(str(number))


def _ends(given: GateInput) -> bool:
    operation = given.proposal.operation
    return operation in ENDING and operation is not Operation.REINFORCE


def _unnamed(names: set[str], given: GateInput, conversation: Conversation) -> list[str]:
    """The names that nobody said, in full or in short."""
    content = given.proposal.content
    missing = [name for name in sorted(names - given.known) if not any(said.has(name) for said in conversation)]
    if not missing or not conversation.speaks(content):
        return []
    short = initials_of(content)
    return [
        name
        for name in missing
        if not any(
            said.abbreviates(name) or any(map(said.has, (*short.get(name, ()), *aliases(name))))
            for said in conversation
        )
    ]


def unsupported(given: GateInput) -> Finding | None:
    """Enough of what it says was said, in these words or their kin (KN-1); figure: the share of its content words.

    Two words may well put a whole sentence in other words ("Is vegetarian."), so of short contents no share is asked
    for: only that they have to do with what they quote.
    """
    conversation, content = Conversation(given), given.proposal.content
    if given.proposal.type in DERIVED_TYPES or conversation.empty:
        return None
    wanted = telling(content)
    if detail := _beside(given, wanted, conversation):
        return Finding("unsupported", False, 0.0, given.policy.min_known_words, detail)
    if (given.quotes or given.hosted) and given.proposal.operation in ENDING:
        return None  # what it ends was said another time, and its quote says that it is over
    if len(wanted) < given.policy.min_judged_words or given.hosted and not given.quotes:
        return None
    read = given.content is not None
    known = sum(any(said.has(word) or read and implied(word, said) for said in conversation) for word in wanted)
    share = known / len(wanted)
    low = given.policy.min_known_words
    if share < low and (not conversation.speaks(content) or not share and english(content) is None):
        return None  # it is, or may be, in another language
    return Finding("unsupported", share >= low, round(share, 2), low, "words of it that stand in the conversation")


def _beside(given: GateInput, wanted: Sequence[str], conversation: Conversation) -> str:
    """Why a content is beside its quote, "" where it is not, or where nobody can tell."""
    if not given.quotes and not given.hosted:
        return ""
    operation = given.proposal.operation
    names = _names(given)
    hinges = [*names, *_numbers(given.proposal), *_dates(given.proposal)]
    if _ends(given):
        return unsaid(given)
    if wanted and not tied_to(given, wanted, hinges):
        return "no word of it has to do with its quote"
    if operation is Operation.REINFORCE or not given.quotes and not conversation.speaks(given.proposal.content):
        return ""
    found = strays(given, names)
    return f"nothing that was said comes to “{found}”" if found else ""


def _names(given: GateInput) -> set[str]:
    """What is written as a name in content, value and entities, folded; the first word of a sentence is none.

    German writes every noun with a capital: there only what stands where a name does, or is said to be one, is.
    """
    proposal = given.proposal
    plain = without_dates(proposal.content)
    if _german(given):
        found = {fold(name) for name in capital_names(plain)}
    else:
        found = set(capitals(plain, sentence=True))
        if proposal.value is not None:
            found.update(capitals(without_dates(proposal.value), sentence=False))
    for entity in proposal.entities:
        found.update(capitals(without_dates(entity), sentence=False))
    return found - _PRONOUNS


def _german(given: GateInput) -> bool:
    content = given.proposal.content
    if english(content):
        return False
    return nouns_have_capitals(content) or any(nouns_have_capitals(m.content) for _, m in given.cited())


def _numbers(proposal: Proposal) -> list[str]:
    """The numbers in figures that are no part of a date, and in words of another language than English."""
    texts = [without_dates(text) for text in dict.fromkeys((proposal.content, proposal.value or ""))]
    found = [number for text in texts for number in figures(text)]
    if english(proposal.content) is not True:
        values = number_words()
        found += [values[word] for text in texts for word in _LETTERS.findall(fold(text)) if word in values]
    return list(dict.fromkeys(found))


def _dates(proposal: Proposal) -> list[str]:
    return list(dict.fromkeys(d for text in (proposal.content, proposal.value or "") for d in parts(text).dates))


def _days(given: GateInput, conversation: Conversation) -> list[str]:
    """The days by date that nobody said, and that cannot be reckoned from what was said."""
    if not given.hosted:
        return []
    sent = {message.day for message in given.messages.values()} if not given.session else {m.day for m in given.session}
    content = given.proposal.content
    other = other_weekdays(content, [message.content for _, message in given.own()])
    return [*unfounded(content, [said.text for said in conversation], sent), *other]


def _of_the_day(date: str, given: GateInput) -> bool:
    """Whether a date names the year, the month or the day on which a cited message was sent."""
    for _, message in given.cited():
        at = message.created_at
        names = {f"{at:%Y}", f"{at:%B}".lower(), f"{at:%b}".lower(), f"{at:%A}".lower()}
        tokens = set(re.findall(r"[a-z]+|\d{4}", date.lower()))
        if tokens and tokens <= names:
            return True
    return False
