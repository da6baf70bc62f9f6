"""What the opening of a reply says to the question before it: yes, no, done, neither, or the value asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.answers.phrases import alternatives, closing, opening, plain, table, words

MOST_WORDS = 10  # of a value
_SENTENCE_END = lazy(r"[!?\n]|(?<!\b[DMS]r)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<!\b[A-Z])\.(?!\w)|\s[-–—]\s")
_VERB = r"(?:is|are|am|do|does|did|have|has|was|were|can|will|would)"
_ECHO = lazy(
    rf"[\W_]*(?:i|we|he|she|they|it|that)(?: {_VERB}|'(?:s|m|ve|re|d)|"
    rf"(?P<n>(?: {_VERB} not| {_VERB}n't| can't| won't|'(?:m|s|re) not)))(?=[\s,]*(?:$|[.!,;\n)]))",
    re.I,
)
# "no pork" denies nothing that was asked.
_NO_THING = lazy(
    r"\W*no\s+(?!i\b|i'|he\b|she\b|we\b|they\b|you\b|it\b|it's|that|"
    r"my\b|not\b|the\b|an?\b|no\b|sorry|thanks|thank|"
    r"lol|haha|sir|never|just|only|actually|longer|more\b|way\b|"
    r"of course|and\b|but\b|absolutely|definitely|unfortunately)\w",
    re.I,
)
_SEGMENT = lazy(r"[^,;\n.!]+")
_NAMED_LAST = lazy(r"^(?P<named>\S.*?)[\s:]+(?P<word>yes|yep|yeah|yup|no|nope|nah|correct|right|wrong)\W*$", re.I)
_NAMED_FIRST = lazy(
    r"^(?P<word>yes|yep|yeah|no|nope) (?:to|on|about|for)\s+(?:the |my |a |an )?(?P<named>\S.*?)\W*$", re.I
)


class Stance(StrEnum):
    """What a reply begins with."""

    YES = "yes"
    WILLING = "willing"
    DONE = "done"
    NO = "no"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Opening:
    """A stance, the words that express it, and where they stand: characters of the reply."""

    stance: Stance
    words: str
    start: int
    end: int

    @property
    def denies(self) -> bool:
        return self.stance is Stance.NO


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A part of a reply that says yes or no to what it names: "nurse no"."""

    named: str
    yes: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Value:
    """A phrase of a reply, and where it stands: characters of the reply."""

    text: str
    start: int
    end: int


def opened(reply: str) -> Opening | None:
    """The stance with which a reply begins, or None where it begins with something else."""
    text = plain(reply)
    at = _after(opening("replies", "leads"), text, 0)
    for begin in (0, at):
        if opening("replies", "nothing").match(text, begin) or _NO_THING.match(text, begin):
            return Opening(Stance.NOTHING, "", begin, begin)
    start = len(text) - len(text.lstrip())
    for begin in (0, at):
        for stance in (Stance.DONE, Stance.NO, Stance.YES, Stance.WILLING):
            if hit := opening("replies", stance.value).match(text, begin):
                return _whole(text, stance, hit.group().strip(" ,.!").lower(), start, hit.end())
        if hit := _ECHO.match(text, begin):
            return _whole(text, Stance.NO if hit.group("n") else Stance.YES, "", start, hit.end())
    return None


def _whole(text: str, stance: Stance, said: str, start: int, end: int) -> Opening:
    """The stance with its repetitions; nothing where a reservation or the contrary follows."""
    while True:
        contrary = opening("replies", "yes" if stance is Stance.NO else "no").match(text, end)
        if contrary and not _SENTENCE_END.search(text[end : contrary.end()]):
            return Opening(Stance.NOTHING, "", start, end)
        more = next((h for s in (stance, Stance.YES, Stance.WILLING, Stance.DONE) if s is stance or stance is not
                     Stance.NO if (h := opening("replies", s.value).match(text, end))), None)  # fmt: skip
        more = more or _ECHO.match(text, end)
        if more is None or _SENTENCE_END.search(text[end : more.end()].rstrip(".! ")):
            break
        if stance is not Stance.NO and (
            opening("replies", Stance.DONE.value).match(text, end) or stance is Stance.WILLING
        ):
            stance = Stance.DONE if opening("replies", Stance.DONE.value).match(text, end) else stance
        end = more.end()
    if stance is not Stance.NO and opening("replies", "reservations").match(text[end:].partition(".")[0]):
        return Opening(Stance.NOTHING, "", start, end)
    if text[end : end + 1] == "?" and said not in ("why not",):
        return Opening(Stance.NOTHING, "", start, end)
    return Opening(stance, said, start, end)


def named(reply: str) -> list[NamedThing]:
    """Parts of a reply's first sentence that each say yes or no to what they name; the last may say something else."""
    text = plain(reply)
    begun = opened(reply)
    found: list[NamedThing] = []
    for hit in _SEGMENT.finditer(text[:300]):
        part = hit.group().strip()
        if begun is not None and begun.end >= hit.start() + len(hit.group().rstrip()):
            return []
        inner = _NAMED_LAST.match(part) or (_NAMED_FIRST.match(part) if len(part.split()) <= 4 else None)
        if inner and len(inner.group("named").split()) <= 4:
            yes = inner.group("word").lower() in ("yes", "yep", "yeah", "yup", "correct", "right")
            found.append(NamedThing(inner.group("named"), yes, hit.start() + hit.group().index(part), hit.end()))
        elif found:
            break
    return found


def value(reply: str, start: int = 0) -> Value | None:
    """The short phrase that a reply gives, without fillers; None where there is none, or it begins like a sentence."""
    text = plain(reply)
    at = _after(opening("replies", "value_leads"), text, start)
    while at < len(text) and not (text[at].isalnum() or text[at] in "€$£\"'"):
        at += 1
    end_hit = _SENTENCE_END.search(text, at)
    end = end_hit.start() if end_hit else len(text)
    broken = re.search(r"[\s,]+" + alternatives(table("replies")["breaks"]), text[at:end], re.I)
    if end_hit and end_hit.group() == "?" and not broken:
        return None
    end = at + broken.start() if broken else end
    while hit := closing("replies", "value_tails").search(text, at, end):
        end = hit.start()
    phrase = _first_parts(text[at:end]).strip(" ,;:()\"'!")
    first = re.match(r"[\w']+", phrase)
    if not phrase or not first:
        return None
    if first.group().lower() in words("replies", "valueless") and phrase[first.end() : first.end() + 1] != "/":
        return None
    if len(phrase.split()) > MOST_WORDS:
        return None
    begin = text.index(phrase, at)
    return Value(reply[begin : begin + len(phrase)], begin, begin + len(phrase))


def _first_parts(phrase: str) -> str:
    """A list in full; of other phrases with commas only what is short enough to be part of one answer."""
    parts = phrase.split(",")
    kept = [parts[0]]
    for part in parts[1:]:
        if len(part.split()) > 4:
            break
        kept.append(part)
    return ",".join(kept)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    while hit := pattern.match(text, at):
        at = hit.end()
    return at
