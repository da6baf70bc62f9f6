"""A message cut into sentences: at stops, line breaks, bullets, dashes, semicolons and emoji, and at lead-ins' colons.

Abbreviations, decimals, times, initials and addresses stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.standing.tables import any_word, folded, row, words

EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d\u2b50\u2b06\u2190-\u21ff"


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or the part of one that somebody may say by themselves.

    Attributes:
        start, end: its place in the message, bullets, outer quotation marks and emoji left out.
        paragraph: number of its paragraph; blank lines part paragraphs.
        line: number of its line.
        opens_line: nothing but a bullet stands before it in its line.
        colon: a colon stands right behind it.
        stop: the mark that ends it ("." "?" "\\n" …), or "".
        listed: an item of a list, a row of a table, or a "key: value" line.
        heading: what it stands under.
        shape: why the layout alone says that it is foreign, else "".
    """

    start: int
    end: int
    paragraph: int
    line: int
    opens_line: bool
    colon: bool = False
    stop: str = ""
    listed: bool = False
    heading: str = ""
    shape: str = ""


_CLAUSE = any_word("clause")
_LEAD = r"(?:(?:and|but|so|also|then|because|since|plus|or|anyway|btw|by the way|for the record|ok|though)[, ]+)*"
_NEXT = lazy(rf"{_LEAD}(?:{_CLAUSE}(?![\w’])|anyway|btw|by the way|for the record|can |could |what|how |is |are )")
_STOP = lazy(
    rf"[.!?…。！？]+[\"”’')\]*_]*(?=\s|$|[{EMOJI}])|[{EMOJI}]+|;(?=\s)|\s*—\s*|\s[–-]{{1,2}}\s"
    r"|\s(?::['-]?[)(DPp/]|;-?\)|<3|xD)+(?=\s|$)"
)
_COLON = lazy(r":\s")
_LETTERS = lazy(r"(?:[a-z]\.)+[a-z]")
_BULLET = lazy(r"[ \t]*(?:[-*•·‣◦–—+]|\(?\d{1,3}[.)]|[a-h]\)|\[[ xX]?\])[ \t]+(?:\[[ xX]?\][ \t]+)?")
_COUNTED = lazy(r"^(?P<number>\d{1,2})[ \t]+(?=[A-Za-z])", re.M)
_EDGE = rf"\s>*•·\-–—#,;:.!?…)\]\"'“”„«»’|_~=+{EMOJI}"
_LEFT = lazy(rf"[{_EDGE}([‘]*(?:\(?\d{{1,3}}[.)](?=\s)\s*)?[{_EDGE}([‘]*")
_RIGHT = lazy(rf"[\s,;:([\"“”„«»|_~*=+\-–—{EMOJI}]")
_WORD = lazy(r"[^\W\d_]")
_WRAPPED = 50  # a line shorter than this was ended by whoever wrote it, not by a mail program
_KEY_WORDS = 5


def units(text: str, shaped: Sequence[tuple[int, int, str]]) -> list[Unit]:
    """The sentences of a message in order, cut at the edges of its shaped stretches, which stay as whole lines.

    Args:
        shaped: (start, end, why) of stretches whose layout says what they are, in order, not overlapping.
    """
    low = folded(text)
    found: list[Unit] = []
    place = paragraph = line = 0
    shapes = list(shaped)
    counted = _counted(text)
    heading = ""
    while place <= len(text):
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        while end < len(text) and _runs_on(text, place, end):
            following = text.find("\n", end + 1)
            end = len(text) if following < 0 else following
        if not text[place:end].strip():
            paragraph += 1
            heading = "" if found and found[-1].listed else heading
        else:
            bullet = _BULLET.match(text, place, end) or place in counted
            fresh = list(_line(text, low, place, end, paragraph, line, shapes))
            listed = bool(bullet) or _row_of_table(text, place, end)
            if listed:
                fresh = [replace(u, listed=True, heading=heading) for u in fresh]
            elif fresh:
                heading = _heading(text, fresh)
            found.extend(fresh)
        line += 1
        place = end + 1
        while shapes and shapes[0][1] <= place:
            shapes.pop(0)
    return found


def _counted(text: str) -> frozenset[int]:
    """Where the lines begin that only a number without a full stop counts: 1, 2 and so on, one below the other."""
    found: list[int] = []
    for hit in _COUNTED.finditer(text):
        if int(hit.group("number")) == len(found) + 1:
            found.append(hit.start())
    return frozenset(found) if len(found) > 1 else frozenset()


def _runs_on(text: str, start: int, end: int) -> bool:
    after = text[end + 1 : end + 2]
    open_ended = end - start >= _WRAPPED and text[end - 1] not in ".!?:;"
    return open_ended and after.islower() and not text[start:end].isspace()


def _row_of_table(text: str, start: int, end: int) -> bool:
    row = text[start:end].strip()
    return row.count("|") >= 2 and row.startswith("|")


def _heading(text: str, fresh: list[Unit]) -> str:
    last = fresh[-1]
    heads = last.colon or (len(fresh) == 1 and not last.stop and len(text[last.start : last.end].split()) <= 6)
    return text[last.start : last.end] if heads and not last.shape else ""


def _line(
    text: str, low: str, start: int, end: int, paragraph: int, line: int, shapes: list[tuple[int, int, str]]
) -> Iterator[Unit]:
    """The units of a line, its shaped stretches as one unit each."""
    place, first = start, True
    for from_, until, why in shapes:
        if from_ >= end:
            break
        if until <= place:
            continue
        for unit in _prose(text, low, place, max(place, from_), paragraph, line, first):
            first = False
            yield unit
        a, b = _trimmed(text, max(place, from_), min(until, end))
        while b > a and text[b - 1] in "'’\"”":
            b -= 1
        if a < b:
            yield Unit(a, b, paragraph, line, first, shape=why)
            first = False
        place = min(until, end)
    yield from _prose(text, low, place, end, paragraph, line, first)


def _prose(text: str, low: str, start: int, end: int, paragraph: int, line: int, first: bool) -> Iterator[Unit]:
    place = start
    for stop in _STOP.finditer(text, start, end):
        mark = stop.group().strip()
        if mark == "." and _abbreviated(low, text, stop.start(), stop.end(), start):
            continue
        if mark in {"-", "--", "–", "—"} and not _NEXT.match(low, stop.end(), end):
            continue
        for unit in _parted(text, low, place, stop.end(), paragraph, line, first, mark[:1]):
            first = False
            yield unit
        place = stop.end()
    yield from _parted(text, low, place, end, paragraph, line, first, "")


def _parted(
    text: str, low: str, start: int, end: int, paragraph: int, line: int, first: bool, stop: str
) -> Iterator[Unit]:
    """A sentence whole, or what leads in and what follows its colon."""
    heading = ""
    colon = _COLON.search(text, start, end) if ":" in text[start:end] else None
    if colon and not (first and _key(text, low, start, colon.start(), colon.end(), end)):
        a, b = _trimmed(text, start, colon.start())
        if a < b:
            yield Unit(a, b, paragraph, line, first, colon=True)
            first, start, heading = False, colon.end(), text[a:b]
            colon = None
    elif colon:
        a, b = _trimmed(text, start, end)
        if a < b:
            yield Unit(a, b, paragraph, line, first, stop=stop, listed=True)
        return
    a, b = _trimmed(text, start, end)
    if a < b:
        ends = bool(text[b:end].strip().startswith(":")) or (not stop and text[a:b].endswith(":"))
        yield Unit(a, b, paragraph, line, first, colon=ends, stop=stop, heading=heading)


def _key(text: str, low: str, start: int, colon: int, after: int, end: int) -> bool:
    """Whether a "key: value" row stands here: a short key without a verb's subject, a value that is no clause."""
    key = low[start:colon].split()
    if len(key) > _KEY_WORDS or not text[after:end].strip(" \"'“”„«*_"):
        return False
    if text[after : after + 1] in '"“„«':
        return False
    label = " ".join(key).strip(" -*•·>#_|")
    verbal = any(k in words("clause") and k not in {"my", "our"} for k in key)
    if verbal or label in words("speaker") or label in words("filler_core"):
        return False
    if label not in words("field") and _names_text(label):
        return False
    value = _LEFT.match(low, after, end)
    return not _NEXT.match(low, value.end() if value else after, end)


def _names_text(label: str) -> bool:
    return any(row(group).search(f"{label}:") for group in ("announce_noun", "announce_weak", "announce"))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The place without bullets, quotation marks and emoji; an empty one where nothing has letters or digits."""
    left = _LEFT.match(text, start, end)
    a, b = (left.end() if left else start), end
    while b > a and _RIGHT.match(text[b - 1]):
        b -= 1
    if b > a and not _WORD.search(text, a, b) and not any(c.isdigit() for c in text[a:b]):
        return a, a
    return a, b


def _abbreviated(low: str, text: str, dot: int, after: int, start: int) -> bool:
    word = low[max(start, dot - 8) : dot].rsplit(None, 1)[-1:] or [""]
    last = word[0].lstrip('("’')
    if last.isdigit():
        return not low[max(start, dot - 8) : dot].replace(last, "", 1).strip() and dot - start <= 4
    if last in words("abbreviation_last"):
        following = text[after : after + 2].strip()
        return following[:1].isdigit() or (following[:1].islower() and last != "no")
    return (
        last in words("abbreviation")
        or bool(_LETTERS.fullmatch(last))
        or (len(last) == 1 and last.isalpha() and text[dot - 1].isupper() and last != "i")
    )
