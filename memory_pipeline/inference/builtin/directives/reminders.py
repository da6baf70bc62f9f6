"""What the writer wants to be reminded of: "remind me on Friday to pay the rent", "don't let me forget my keys"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.inference.builtin.directives.requests import Request
from memory_pipeline.inference.builtin.directives.wording import nothing, sentence_of
from memory_pipeline.inference.builtin.facts.clause_facts import Reading
from memory_pipeline.inference.builtin.facts.fact import Fact, Weight
from memory_pipeline.language.syntax import Sentence, written
from memory_pipeline.language.vocabulary import table
from memory_pipeline.language.wording.rewrite import third

_REMINDER = Weight(0.85, 0.75, 0.92)
_ASKING = lazy(r"(?:if|when|why|how|what|who|where|which|whether|again)\b")
_DUTY = lazy(r"they (?:need|have|must|ought|should)(?: to)?\s+")
_LEAD = lazy(r"(to|about|of|that|for)\s+")


def reminders(sentence: Sentence, asked: Sequence[Request], readings: Sequence[Reading]) -> list[Fact]:
    """The open loop of a request for a reminder."""
    timed = {index for reading in readings for index in reading.timed}
    for request in asked:
        start = _start(request)
        if start is None:
            continue
        rest = [t for t in sentence.tokens[start:] if t.index not in timed]
        text = re.sub(r"^(?:please|again|also)\s+", "", third(written(rest)).strip(" ,.!?"))
        if _ASKING.match(text) or len(text) < 5 or nothing(text):
            continue
        led = _LEAD.match(text)
        text = text[led.end() :] if led else text
        how = "to" if led and led.group(1) == "to" else "of"
        if led and led.group(1) == "that":
            duty = _DUTY.match(text)
            if duty is None and any(t.tag == "VBD" for t in rest):
                continue  # what has been is nothing to be reminded of in time
            how = "to" if duty else "that"
            text = text[duty.end() :] if duty else text
        return [
            Fact(
                MemoryType.OPEN_LOOP, sentence_of(f"wants to be reminded {how} {text}"), "user", "plan", text,
                weight=_REMINDER, surface=Surface.CONTINUE, when="due",
            )
        ]  # fmt: skip
    return []


def _start(request: Request) -> int | None:
    """Where the thing to be reminded of begins; None where a request asks for no reminder."""
    low = [t.low for t in request.rest]
    if request.lemma in table("directives")["remind"] and not request.denied and low[:1] in (["me"], ["us"]):
        return request.verb.index + 2
    if request.denied and request.lemma == "let" and low[:2] == ["me", "forget"]:
        return request.verb.index + 3
    if request.denied and request.lemma == "forget" and not request.mine:
        return request.verb.index + 1
    return None


__all__ = ["reminders"]
