"""The user's own sentences worth repeating to the letter: whole statements about themselves, and no more than a few."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import content_words, names, words
from memory_pipeline.inference.builtin.summaries.themes import stems
from memory_pipeline.inference.builtin.voice import own_text
from memory_pipeline.language.tables import read
from memory_pipeline.language.wording.agreement import tense

_MIN_WORDS = 4  # content words that a quotation needs to say something
_MAX_QUOTE = 160  # characters
_MOST_COMMAS = 3  # more make a list
_COVERED = 0.5  # share of a quotation's words that is already told
_END = lazy(r"(?<=[.!?…])[\"')\]]*\s+(?=[^\s])|\n+")
_OPENING = lazy(r"^(?:(?:and|but|so|also|well|anyway|then|by the way|btw|for the record|fyi)\b[,:]?\s+)+", re.I)
_CODE = lazy(r"`|https?://\S+|[{}<>=|]|\w\(|^\s*(?:[-*#>]|\d+[.)])", re.S)
_QUOTED = lazy(r"[\"“”«»]")
_ALLOWED = lazy(r"\b(?:[A-Z]\.|e\.g\.|i\.e\.|Mrs?\.|Ms\.|Dr\.|St\.|vs\.|approx\.|etc\.)$")
_EMOJI = lazy(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F]")


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a message, with what it weighs among others, 0 to 0.5."""

    message: str
    text: str
    weight: float
    day: str


def quotes(
    messages: Sequence[Mapping[str, Any]],
    told: Iterable[str],
    hidden: Sequence[frozenset[str]],
    most: int,
    least: float = 0.0,
) -> list[Quote]:
    """The user's own statements that say more than what is told already, the best ones, in their order.

    Args:
        told: sentences that stand already.
        hidden: content words of each thing that must not be repeated (forgotten, not to be brought up).
        most: how many at most.
        least: what each must weigh.
    """
    known = [stems(text) for text in told]
    everything: frozenset[str] = frozenset().union(*known)
    found: list[tuple[int, Quote]] = []
    for n, message in enumerate(messages):
        if message["role"] != "user":
            continue
        for text in statements(message["content"]):
            meant = stems(text)
            if touches(content_words(text), hidden) or len(meant & everything) >= _COVERED * len(meant):
                continue
            found.append((n, Quote(message["id"], text, _weight(text), message["created_at"][:10])))
    best: list[tuple[int, Quote]] = []
    for n, quote in sorted(found, key=lambda f: (-f[1].weight, f[0])):
        fresh = all(len(stems(quote.text) & stems(q.text)) < _COVERED * len(stems(quote.text)) for _, q in best)
        if len(best) < most and fresh and quote.weight >= least and all(quote.message != q.message for _, q in best):
            best.append((n, quote))
    return [quote for _, quote in sorted(best, key=lambda f: f[0])]


def statements(content: str) -> list[str]:
    """The sentences of a message in which the user states something of themselves: no question, no request, no list."""
    found = (_OPENING.sub("", text) for text in split(_EMOJI.sub("", own_text(content))))
    return [text for text in found if _is_statement(text)]


def split(content: str) -> list[str]:
    """A text's sentences, without what surrounds them; abbreviations end none."""
    parts: list[str] = []
    start = 0
    for match in _END.finditer(content):
        if _ALLOWED.search(content[: match.start()]) and "\n" not in match.group():
            continue
        parts.append(content[start : match.end()])
        start = match.end()
    parts.append(content[start:])
    return [text for part in parts if (text := part.strip())]


def asked(content: str) -> list[str]:
    """The sentences of a message that ask."""
    return [text for text in split(content) if text.endswith("?")]


def _is_statement(text: str) -> bool:
    spoken = [word.lower().replace("’", "'") for word in re.findall(r"[\w'’-]+", text)]
    listed = read("summaries")["words"]
    if not spoken or len(text) > _MAX_QUOTE or text.endswith(("?", ":")) or text.count(",") > _MOST_COMMAS:
        return False
    if spoken[0] in _class(listed["asking"]) or not set(spoken) & _class(listed["own"]):
        return False
    unmeant = (*listed["ironic"].split("|"), *listed["wondering"].split("|"))
    if any(phrase in " ".join(spoken) for phrase in unmeant):
        return False
    if set(spoken) & _class(listed["addressed"]) or _CODE.search(text) or text.count("(") != text.count(")"):
        return False
    return len(content_words(text)) >= _MIN_WORDS and _has_verb(spoken) and not wants_silence(text)


@cache
def _class(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _has_verb(spoken: Sequence[str]) -> bool:
    """Whether somebody does something there: "I" or "we" and a verb, or a verb in the third person or the past."""
    if any(word.startswith(("i'", "we'")) for word in spoken) or "am" in spoken or "are" in spoken:
        return True
    pairs = zip(spoken, spoken[1:], strict=False)
    return any(tense(word) is not None or (before in {"i", "we"} and len(word) > 1) for before, word in pairs)


def _weight(text: str) -> float:
    """What a sentence says: names and figures, first-hand, not too short; a fragment in small letters says less."""
    said = min(len(content_words(text)), 9) / 9
    first_hand = words(text)[:1] in (["i"], ["we"], ["my"], ["our"]) or text.lower().startswith(("i'", "we'", "i’"))
    named = bool(names(text)) or any(c.isdigit() for c in text)
    vague = bool({"he", "she", "they", "it", "him", "them", "this", "that", "those", "these"} & set(words(text)))
    return round(0.5 * (0.4 * said + 0.3 * first_hand + 0.3 * named - 0.3 * vague), 4)


def wants_silence(text: str) -> bool:
    """Whether a sentence asks to keep something silent, or to forget it."""
    low = " ".join(text.lower().replace("’", "'").split())
    return any(lead.strip() in low for lead in read("summaries")["words"]["silence"].split("|"))


def silenced(messages: Iterable[Mapping[str, Any]]) -> list[frozenset[str]]:
    """What the user wants kept silent, in so many words, as content words of each thing."""
    asking = content_words(read("summaries")["words"]["silence"].replace("|", " "))
    found = [
        content_words(text) - asking
        for message in messages
        if message["role"] == "user"
        for text in split(message["content"])
        if wants_silence(text)
    ]
    return [meant for meant in found if meant]


def touches(meaning: frozenset[str], hidden: Sequence[frozenset[str]]) -> bool:
    """Whether words speak of one of the hidden things: half of its words, or more, are among them."""
    return any(thing and 2 * len(meaning & thing) >= len(thing) for thing in hidden)


def quotable(text: str) -> str:
    """A sentence between quotation marks, its own turned into single ones, its final stop left to what follows."""
    inner = _QUOTED.sub("'", text.strip()).rstrip(".")
    return f'"{inner}"'
