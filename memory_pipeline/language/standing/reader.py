"""Whose words the sentences of a message are: the user's own, or asked, supposed, reported, pasted, played, ordered.

In doubt they are not the user's. What is foreign is recognised by its layout (``shapes``), or because a sentence
announces a text, before it or in the turn before; the user's own voice is back behind a sign-off, a closing quotation
mark, or words that only a speaker in their own matter says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.normalisation.unfinished import heads_to_do
from memory_pipeline.language.standing.acts import acts, filler, request
from memory_pipeline.language.standing.announcements import announces, shown_work, speaks_of_work
from memory_pipeline.language.standing.letters import signature
from memory_pipeline.language.standing.off_record import UNSAID, Reach, off_record
from memory_pipeline.language.standing.sentences import Unit, units
from memory_pipeline.language.standing.shapes import shapes
from memory_pipeline.language.standing.tables import folded, row, words


class Standing(StrEnum):
    """Whose words a span is, or what is done with it; ``claim`` and ``reply`` are an assistant's: what it says of its
    user or of itself, and all else."""

    OWN = "own"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    FOREIGN = "foreign"
    INJECTION = "injection"
    REPORTED = "reported"
    REQUEST = "request"
    FILLER = "filler"
    OFF_RECORD = "off_record"
    CLAIM = "claim"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence or a part of one.

    Attributes:
        start, end: its place in the message; without bullets, outer quotation marks and emoji.
        why: a short code of the reason: "mail", "translation", "code", "quote", "dialogue", "suppose", "told" …
        listed: an item of a list, a row of a table or a "key: value" line.
        heading: the heading or the lead-in it stands under, or "".
    """

    start: int
    end: int
    standing: Standing
    why: str
    listed: bool = False
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn; ``role`` is user, assistant, system or tool."""

    role: str
    content: str


_PLAYED_TURNS = 8  # role play that nobody ends is over after so many turns of the user
_EXERCISE_TURNS = 3
_HEAD = 1200  # characters of an earlier turn that can announce something, from either end
_SHORT_ANSWER = 120
_LISTS = lazy(r"\bto[- ]?dos?\b|\blist\b")
_MINE = lazy(r"(?:and |but |so |then )*(?:i|we)\b")
_REPLY = (Standing.REPLY, "answer")
_VOICE = frozenset({Standing.OWN, Standing.REPORTED, Standing.HYPOTHETICAL, Standing.OFF_RECORD})


def spans(content: str, before: Sequence[Turn] = ()) -> list[Span]:
    """The spans of a user's message in order, not overlapping; everything with letters belongs to one.

    Args:
        before: the turns before it in the conversation, oldest first.
    """
    reader = _Reader(content)
    reader.carry(before)
    return reader.read()


def replies(content: str) -> list[Span]:
    """The spans of an assistant's message in order: what it claims of the user or of itself, and what it answers."""
    low = folded(content)
    claims = row("claim")
    return [
        Span(u.start, u.end, *((Standing.CLAIM, "about somebody") if claims.search(low, u.start, u.end) else _REPLY))
        for u in units(content, shapes(content))
        if u.start < u.end
    ]


class _Reader:
    """Walks over the units of one message and knows whether a foreign text, a part or a supposition still goes on."""

    def __init__(self, content: str) -> None:
        self.text = content
        self.low = folded(content)
        self.played = False
        self.exercise = False  # texts are being translated or corrected
        self.awaited = False  # this message is the text that was announced
        self.foreign = ""  # why the text that goes on is foreign
        self.pending = ""  # why the text that was announced will be
        self.strong = False  # it may begin within the paragraph
        self.announced = -1  # the line that announced it
        self.piece = -1  # the paragraph that speaks of a work that somebody writes
        self.world = ""  # a supposition or a dream that goes on
        self.off = -1  # the paragraph that is not to be kept
        self.signed = signature(content)
        self.found: list[Span] = []

    def carry(self, before: Sequence[Turn]) -> None:
        """Take over what earlier turns have begun."""
        mine = [n for n, turn in enumerate(before) if turn.role == "user"]
        past = [_past(_ends(before[n].content)) for n in mine[-_PLAYED_TURNS:]]
        for turn in past:
            self.played = turn.plays or (self.played and not turn.ends_play)
        said = [turn.content for turn in before if turn.role == "assistant"][-1:]
        if said and mine and not past[-1].ends_play and row("stage").search(folded(_ends(said[0]))):
            self.played = True
        self.exercise = any(turn.exercise for turn in past[-_EXERCISE_TURNS:])
        self.awaited = any(turn.relay for turn in past)
        if mine:
            self.awaited |= _awaited(past[-1].promises, before[mine[-1] + 1 :])

    def read(self) -> list[Span]:
        cut = units(self.text, shapes(self.text))
        for n, unit in enumerate(cut):
            self._one(unit, cut[n + 1] if n + 1 < len(cut) else None)
        self._look_back()
        return self.found

    def _add(self, unit: Unit, standing: Standing, why: str, start: int = -1, end: int = -1) -> None:
        a, b = (unit.start if start < 0 else start), (unit.end if end < 0 else end)
        while a < b and self.text[a] in " ,;()\t\n":
            a += 1
        while b > a and self.text[b - 1] in " ,;(\t\n":
            b -= 1
        if a < b:
            self.found.append(Span(a, b, standing, why, unit.listed, unit.heading))

    def _one(self, unit: Unit, following: Unit | None) -> None:
        low = self.low[unit.start : unit.end]
        ordered = row("injection").search(low)
        if unit.shape:
            self.pending = self.foreign = ""
            inside = ordered or row("injection_inside").search(low)
            return self._add(unit, Standing.INJECTION if inside else Standing.FOREIGN, unit.shape)
        if ordered:
            self.foreign, self.pending = self.foreign or self.pending, ""
            return self._add(unit, Standing.INJECTION, "order to the memory")
        if self._foreign(unit, low):
            return None
        if unit.paragraph != self.off:
            self.off = -1
        if self.off >= 0 and row("on_record").search(low):
            self.off = -1
        elif (reach := off_record(low)) is not None:
            return self._off_record(unit, Reach.AROUND if unit.colon else reach)
        elif self.off >= 0:
            return self._add(unit, Standing.OFF_RECORD, "off the record")
        if not unit.colon and row("phrase").search(low) and announces(low) != "strong":
            self.exercise = True
            return self._add(unit, Standing.FOREIGN, "translation")
        if row("play").search(low):
            self.played = True
            return self._add(unit, Standing.FOREIGN, "played")
        if self._announce(unit, low) and self.strong and not request(low) and unit.stop != "?":
            return self._add(unit, Standing.REQUEST, "lead")
        if row("fiction").search(low):
            return self._add(unit, Standing.FOREIGN, "fiction")
        quoted = following is not None and following.shape == "quote" and following.line == unit.line
        if quoted and row("quoting").search(low) and not _MINE.match(low):
            return self._add(unit, Standing.REPORTED, "said")
        return self._say(unit, low)

    def _foreign(self, unit: Unit, low: str) -> bool:
        """Handle a unit of a foreign text, or of a part that is played; False where the user speaks."""
        if self.played:
            if not row("play_end").search(low):
                self._add(unit, Standing.FOREIGN, "played")
                return True
            self.played = False
        if self.awaited:
            if filler(low) or row("here_it_is").search(low):
                self._add(unit, Standing.FILLER, "filler")
                return True
            self.awaited = False
            if not row("instead").search(low) and not row("resume").search(low):
                self.foreign = "text"
        if self.foreign and self._back(unit, low):
            self.foreign = ""
        elif self.pending and self._begins(unit, low):
            self.foreign, self.pending = self.pending, ""
        if self.foreign:
            inside = row("injection_inside").search(low)
            self._add(unit, Standing.INJECTION if inside else Standing.FOREIGN, self.foreign)
        return bool(self.foreign)

    def _back(self, unit: Unit, low: str) -> bool:
        """Whether the user's own voice is back behind a foreign text."""
        return bool(row("resume").search(low) or row("aside").search(low))

    def _begins(self, unit: Unit, low: str) -> bool:
        """Whether the announced text begins here."""
        if row("resume").search(low) or filler(low) or row("wants_help").search(low):
            return False
        return self.strong or unit.line != self.announced

    def _announce(self, unit: Unit, low: str) -> bool:
        """Whether the unit announces a text; notes where that may begin."""
        shown = low + (":" if unit.colon else "")
        own_list = unit.colon and _LISTS.search(low) and heads_to_do(self.text[unit.start : unit.end])
        if unit.listed and not unit.colon or own_list:
            return False
        if speaks_of_work(low):
            self.piece = unit.paragraph
        strength = announces(shown) or shown_work(unit, low, self.piece == unit.paragraph)
        if not strength and self.exercise and row("more").search(shown):
            strength = "strong"
        if not strength:
            return False
        self.exercise = True
        self.pending = "translation" if "translat" in low or "in " in low[-14:] else "text"
        self.strong = strength == "strong" or unit.colon
        self.announced = unit.line
        return True

    def _off_record(self, unit: Unit, reach: Reach) -> None:
        """The sentence alone, with the one before it, or with what follows in its paragraph, else stands before it."""
        if reach is Reach.BEFORE and self.found and self.found[-1].standing in _VOICE:
            self.found[-1] = replace(self.found[-1], standing=Standing.OFF_RECORD, why=UNSAID)
        self._add(unit, Standing.OFF_RECORD, "off the record" if reach is Reach.AROUND else UNSAID)
        self.off = unit.paragraph if reach is Reach.AROUND else -1

    def _say(self, unit: Unit, low: str) -> None:
        """A unit in the user's own voice."""
        if self.signed and unit.start >= self.signed[0]:
            return self._sign(unit, *self.signed[1:])
        if unit.colon and len(low.split()) <= 4 and not request(low):
            return self._add(unit, Standing.OWN, "lead")
        asked = unit.stop == "?" or low.endswith("?")
        suppose, dream = row("suppose").search(low), row("dream").search(low)
        opener = suppose or dream
        if opener and not opener.start() and request(low):  # "pretend you're my boss"
            self.world = "suppose" if suppose else "dream"
        noted = unit.listed or folded(unit.heading) in words("field") or heads_to_do(unit.heading)
        for act in acts(self.text, self.low, unit.start, unit.end, asked, noted):
            standing = Standing(act.kind)
            why = act.why
            if opener and standing in _VOICE and act.end > unit.start + opener.start():
                standing, why = Standing.HYPOTHETICAL, "suppose" if suppose else "dream"
                self.world = why
            elif self.world and standing in _VOICE:
                if self._real(self.low[act.start : act.end]):
                    self.world = ""
                else:
                    standing, why = Standing.HYPOTHETICAL, self.world
            if standing is Standing.QUESTION:
                self.world = ""
            self._add(unit, standing, why, act.start, act.end)
        return None

    def _sign(self, unit: Unit, start: int, end: int) -> None:
        """The formula that ends a letter, and the name of whoever signs it."""
        self._add(unit, Standing.FILLER, "filler", unit.start, min(unit.end, start))
        self._add(unit, Standing.OWN, "signed", max(unit.start, start), min(unit.end, end))

    def _real(self, low: str) -> bool:
        """Whether a sentence behind a supposition or a dream speaks of the world again."""
        if row("resume").search(low) or row("real").search(low):
            return True
        return self.world == "dream" and not row("past").search(low)

    def _look_back(self) -> None:
        """What "put that into Spanish" or "don't save that" at the end makes of the sentences before it."""
        live = [n for n, s in enumerate(self.found) if s.standing is not Standing.FILLER]
        if not live:
            return
        last = self.found[live[-1]]
        pleads = last.standing is Standing.OFF_RECORD and last.why != UNSAID
        if pleads and len(live) > 1 and not self._follows_off(live):
            self._turn(live[:-1], Standing.OFF_RECORD, "off the record", self._paragraph(last.start))
        n = next((n for n in reversed(live) if self.found[n].standing not in {Standing.QUESTION, Standing.REQUEST}), -1)
        tail = [self.found[k] for k in live if k > n] or [last]
        if any(row("back").search(self.low[s.start : s.end]) for s in tail):
            head = [k for k in live if self.found[k].end <= tail[0].start]
            if not any(self.found[k].standing is Standing.FOREIGN for k in head):
                self._turn(head, Standing.FOREIGN, "text", 0)

    def _follows_off(self, live: list[int]) -> bool:
        return self.found[live[-2]].standing is Standing.OFF_RECORD

    def _paragraph(self, place: int) -> int:
        return self.text.rfind("\n\n", 0, place) + 1

    def _turn(self, places: list[int], standing: Standing, why: str, since: int) -> None:
        for n in places:
            if self.found[n].start >= since and self.found[n].standing in _VOICE:
                self.found[n] = replace(self.found[n], standing=standing, why=why)


@dataclass(frozen=True, slots=True)
class _Past:
    """What an earlier turn of the user has begun or ended, and whether it ends before the text that it announces."""

    plays: bool
    ends_play: bool
    exercise: bool
    relay: bool
    promises: bool


@lru_cache(maxsize=512)
def _past(content: str) -> _Past:
    low = folded(content)
    begun = max((m.start() for m in row("play").finditer(low)), default=-1)
    ended = max((m.start() for m in row("play_end").finditer(low)), default=-1)
    reader = _Reader(content)
    reader.read()
    given = any(s.standing in {Standing.FOREIGN, Standing.INJECTION} for s in reader.found)
    return _Past(
        plays=begun > ended,
        ends_play=ended >= 0,
        exercise=reader.exercise,
        relay=bool(row("relay").search(low)),
        promises=not given and (bool(reader.pending) or bool(row("promise").search(low))),
    )


def _awaited(promises: bool, since: Sequence[Turn]) -> bool:
    """Whether the next message is the text that the user has announced: nobody, or only a "sure", came between."""
    answers = [turn.content for turn in since if turn.role == "assistant"]
    if not promises or not answers:
        return promises
    low = folded(_ends(answers[-1]))
    return bool(row("ask_text").search(low)) or (len(low) <= _SHORT_ANSWER and bool(row("agree").search(low)))


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _HEAD else f"{text[:_HEAD]}\n{text[-_HEAD:]}"
