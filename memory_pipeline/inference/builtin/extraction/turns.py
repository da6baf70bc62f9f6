"""What there is to read in a user's turn: its own statements, written out, each with its place and its standing.

A short answer is joined to the question it answers; a fragment ("in Lisbon!") to the sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from memory_pipeline.domain.gate.rules.instructions import directive
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.extraction.corrections import Correction, corrected
from memory_pipeline.inference.builtin.extraction.drafts import Source
from memory_pipeline.inference.builtin.extraction.work_notes import may_be_work, work_notes
from memory_pipeline.inference.builtin.facts.fact import Fact
from memory_pipeline.language.answers import answered, remainder
from memory_pipeline.language.identify import english
from memory_pipeline.language.normalisation.doses import with_medicine
from memory_pipeline.language.normalisation.repair import restriction, sentences, spelled
from memory_pipeline.language.normalisation.unfinished import another_duty, asks_for_list
from memory_pipeline.language.standing import Span, Standing, Turn, spans, told_before
from memory_pipeline.language.syntax import Parser

_ASKED = 600  # characters of the assistant's message that a reply may answer
_NOTE = 400  # characters of a note of work
_BLOB = 200  # characters of a run of letters that may hide instructions
_TURNS = 4  # earlier turns that tell whose words a text is
_OPINION = 0.65  # certainty of a note of work that is an opinion
_READ = frozenset({Standing.OWN, Standing.REQUEST, Standing.QUESTION, Standing.REPORTED})
_UNSURE = lazy(r"\W*(?:i (?:think|guess|believe)|maybe|perhaps|probably)\b", re.I)
_URGED = lazy(
    r"(?<!n't )(?<!n’t )(?<!not )(?<!never )\b(?:remember|note|keep in mind|bear in mind|don't forget|"
    r"make a note|for the record|for future reference|fyi)\b"
    r"(?: that)?[\s,:]+(?=(?:i|my|we|our|the|[A-Z]\w+ (?:is|was|has|lives))\b)",
    re.I,
)
_CONTINUES = lazy(
    r"(?:in|at|from|with|since|starting|until|near|for) "
    r"(?:(?!\b(?:i|we|my|is|are|am|it|you|he|she|they)\b)[\w'’.,:-]+[ !.]*){1,6}$",
    re.I,
)
_DUTY = lazy(
    r"\b(?:need|have|has|got|ought|promised|agreed|remember|want|plan|gotta) to\b|\b(?:must|should|gotta)\b|"
    r"\b(?:promised|said|told)\b.*\b(?:i|we)(?:['’]d|['’]ll| would| will)\b",
    re.I,
)
_JOKING = lazy(r"(?:nah |no |lol |haha )*(?:jk|j/k|just kidding|only kidding|kidding|just joking|only joking)\b", re.I)
_KNOWN = lazy(
    r"^(?:oh |and |btw |hey )*(?:did|have|do) (?:you|i) (?:know|tell you|told you|mention(?:ed)?|hear|say)"
    r"(?: that| about)?[,:]?\s+(?=(?:my|our|i|we|the)\b)",
    re.I,
)
_ASIDE = lazy(
    r"^(?P<own>(?:i|we|my|our)\b.{8,}?),\s*(?:so|what|how|can|could|should|is|are|any|which|where|do|does|will|would)\b"
    r"[^,]*\?+$",
    re.I | re.S,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence to read.

    Attributes:
        text: written out in full, for the parser.
        correction: what it puts right, where it says so ("41, not 42").
        note: the note of work that it is as a whole; then it is not parsed.
        following: its words and those after it: whether a deed came to nothing is told there.
    """

    text: str
    source: Source
    standing: Standing
    correction: Correction | None = None
    note: Fact | None = None
    following: str = ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a message, or what an answer says.

    Attributes:
        asked: what stands for the heading of a list that answers a question.
    """

    text: str
    source: Source
    standing: Standing
    span: Span | None = None
    asked: str = ""


def statements(
    message: Mapping[str, Any], before: Sequence[Mapping[str, Any]], subject: str, home: tzinfo, parser: Parser
) -> list[Statement]:
    """The statements of a user's message, in order; none of a message that is not English.

    Args:
        before: earlier messages of the conversation.
        subject: "user", or the writer's name where several people write.
    """
    content: str = message["content"]
    if not english(content) or directive(content, _BLOB):
        return []
    now = datetime.fromisoformat(message["created_at"]).astimezone(home)
    source = Source(message["id"], content.strip(), subject, now, home)
    parts = [*_answers(content, before, source, parser), *_own(content, before, source, parser)]
    found = [replace(s, text=with_medicine(s.text, content)) for part in parts for s in _written(part)]
    quotes = [s.source.quote for s in found]
    return [replace(s, following=" ".join(dict.fromkeys(quotes[n : n + 2]))) for n, s in enumerate(found)]


def _answers(content: str, before: Sequence[Mapping[str, Any]], source: Source, parser: Parser) -> Iterator[_Part]:
    """What a reply says, written out with the questions of the assistant that it answers."""
    last = before[-1] if before else None
    if last is None or last["role"] != "assistant":
        return
    for answer in answered(last["content"][-_ASKED:], content, parser):
        quote = content[answer.start : answer.end].strip() or content.strip()
        yield _Part(answer.text, replace(source, quote=quote), Standing.OWN)


def _own(content: str, before: Sequence[Mapping[str, Any]], source: Source, parser: Parser) -> list[_Part]:
    """The spans to read, without what an answer has said already."""
    last = before[-1] if before else None
    rest, asked = content, ""
    if last is not None and last["role"] == "assistant":
        rest = remainder(last["content"][-_ASKED:], content, parser)
        asked = "to do" if asks_for_list(last["content"][-_ASKED:]) else ""
    found: list[_Part] = []
    for span in spans(content, [Turn(m["role"], m["content"]) for m in before[-_TURNS:]]):
        text = rest[span.start : span.end].strip(" ,;")
        if _JOKING.match(text) and found:  # "next boss is the theory test … nah jk"
            found.pop()
        if span.standing is Standing.OFF_RECORD and (topic := told_before(text)):
            # What was told at another time is in no sentence of this turn: it is to be forgotten by its name.
            told = replace(source, quote=content[span.start : span.end].strip())
            found.append(_Part(f"Please forget about {topic}.", told, Standing.REQUEST, span))
            continue
        if span.standing not in _READ or not any(c.isalpha() for c in text) or "[withheld" in text:
            continue
        standing = Standing.OWN if span.standing is Standing.QUESTION and _tells(text) else span.standing
        earlier = found[-1] if found else None
        if earlier is not None and earlier.standing is Standing.OWN is standing and _CONTINUES.match(text):
            assert earlier.span is not None  # answers are read apart
            whole = content[earlier.span.start : span.end].strip()
            joined = f"{earlier.text.rstrip(' .!,;')} {text}"
            found[-1] = replace(earlier, text=joined, source=replace(source, quote=whole))
            continue
        more = another_duty(text) if earlier is not None and _DUTY.search(earlier.text) else ""
        if more and earlier is not None and earlier.standing is Standing.OWN:
            text, standing = more, Standing.OWN
        quote, urged = content[span.start : span.end].strip(), bool(_URGED.search(text))
        if earlier is not None and earlier.span is not None and earlier.standing is not Standing.OWN is standing:
            # "Suggest three soups, no leeks because I react to those": the reason is told with what it is for.
            text = restriction(content[earlier.span.start : span.end]) or text
        heading = asked if span.listed else ""
        found.append(_Part(text, replace(source, quote=quote, urged=urged), standing, span, heading))
    return found


def _tells(question: str) -> bool:
    """Whether a question tells what it asks about: "did you know my sister is getting married?"."""
    return bool(_KNOWN.match(question) or _ASIDE.match(question))


def _stated(text: str) -> str:
    """What is stated, without the question around it."""
    aside = _ASIDE.match(text)
    if aside:
        return aside.group("own")
    known = _KNOWN.match(text)
    return text[known.end() :].rstrip("? ") if known else text


def _written(part: _Part) -> Iterator[Statement]:
    """The sentences of a stretch, or the note of work that it is as a whole."""
    note = _note(part.text) if part.standing is Standing.OWN else None
    if note is not None:
        sure = _OPINION if _UNSURE.match(part.text) else 1.0
        yield Statement(part.text, replace(part.source, certainty=sure), part.standing, note=note)
        return
    listed, heading = (part.span.listed, part.span.heading or part.asked) if part.span else (False, "")
    for text in sentences(_stated(part.text), listed=listed, heading=heading):
        plain, correction = corrected(_URGED.sub("", text))
        # The parser was trained on edited text: without a full stop it takes "eat gluten" for two verbs.
        ended = plain if plain[-1:] in ".!?" else f"{plain.rstrip(' ,;:')}."
        yield Statement(ended, part.source, part.standing, correction)


def _note(text: str) -> Fact | None:
    """Notes of work take the sentence as a whole: its "because" is what makes them worth keeping."""
    if not may_be_work(text) or len(text) > _NOTE:
        return None
    candidates = [spelled(text), *sentences(text)[:1]]
    return next((notes[0] for candidate in candidates if (notes := work_notes(candidate))), None)
