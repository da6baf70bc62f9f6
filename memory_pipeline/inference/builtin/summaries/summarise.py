"""Summaries of days, weeks and months out of what is remembered of them. Nothing is concluded; all ids are there.

A day is told in a few sentences; a week and a month by theme, what changed first. What the user wants forgotten or not
brought up is in none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import content_words, estimate_tokens, joined
from memory_pipeline.inference.builtin.about import Sentence, lowered
from memory_pipeline.inference.builtin.summaries.gathering import SummaryPoint, gathered, visible
from memory_pipeline.inference.builtin.summaries.quoting import quotable, quotes, touches
from memory_pipeline.inference.builtin.summaries.session import rolling
from memory_pipeline.inference.builtin.summaries.telling import capital, sentences, under
from memory_pipeline.inference.builtin.summaries.themes import MONTHS, headings
from memory_pipeline.inference.replies import CalendarReply, PeriodSummary, SummaryReply
from memory_pipeline.language.wording.agreement import verb_at

_BOUNDARY = frozenset({"boundary"})
_PASSING = frozenset({"boundary", "ephemeral"})
_MOST_QUOTES = 2
_QUOTE_LESS = 2  # so many facts are told instead of a quotation
_SAYS_SOMETHING = 0.25  # what a quotation must weigh
_MORE_THAN_A_REMARK = 0.35  # the importance from which a week tells a memory
_EVENTS = "What happened"
_LISTS = frozenset({"Decided", "Found", "Learned", "Estimated"})
_ANNOUNCED = lazy(
    r"^(?:(?:decided|decision|found|finding|lesson|learned|noted|estimated?):"
    r"|(?:decided|estimated?)(?= (?:to|for) ))\s*",
    re.I,
)
_REASON = lazy(r"(?:, | )(?:because|so that|which means|so) .+$")
_MONTHS = "|".join(MONTHS)
_DATED = lazy(rf"\b(?:\d{{1,2}} (?:{_MONTHS})|(?:{_MONTHS}) \d{{4}}|(?:in|since) \d{{4}})\b")


def calendar(inputs: Mapping[str, Any]) -> CalendarReply:
    """Each period by itself, from the messages and memories that are listed for it."""
    told = []
    for asked in inputs["periods"]:
        own = {
            "label": asked["label"],
            "messages": _listed(inputs["messages"], asked["messages"]),
            "memories": _listed(inputs["memories"], asked["memories"]),
            "max_tokens": asked["max_tokens"],
            "unspoken": inputs["unspoken"],
        }
        reply = _OF_ITS_OWN.get(asked["grain"], period)(own)
        told.append(PeriodSummary(asked["period"], reply.text, reply.messages, reply.memories))
    return CalendarReply(told)


def _listed(items: Sequence[Mapping[str, Any]], spans: Iterable[tuple[str, str]]) -> list[Mapping[str, Any]]:
    """The items of some runs of ids."""
    place = {item["id"]: n for n, item in enumerate(items)}
    return [item for first, last in spans for item in items[place[first] : place[last] + 1]]


def day(inputs: Mapping[str, Any]) -> SummaryReply:
    """A day in a few sentences: what changed and happened, what was told, and at most two of the user's own."""
    on = date.fromisoformat(inputs["label"])
    facts = [replace(t, said=_on_the_day(t.said, on)) for t in _facts(inputs, _BOUNDARY)]
    return _fitting(facts, inputs, lambda told: _a_day(told, on))


def period(inputs: Mapping[str, Any]) -> SummaryReply:
    """A week or a month by themes: under each what changed comes first.

    Passing states and remarks kept as they stand are told in days only, but where there is nothing else.
    """
    year = inputs["label"][:4]
    told = _facts(inputs, _PASSING)
    weighty = [t for t in told if t.change or t.weight >= _MORE_THAN_A_REMARK]
    facts = [replace(t, said=_in_the_year(t.said, year)) for t in weighty or told]
    return _fitting([_dated(t) for t in facts], inputs, _by_theme)


def _facts(inputs: Mapping[str, Any], unsaid: frozenset[str]) -> list[SummaryPoint]:
    hidden = _hidden(inputs)
    shown = [m for m in visible(inputs["memories"], unsaid) if not touches(content_words(m["content"]), hidden)]
    return gathered(shown)


def _hidden(inputs: Mapping[str, Any]) -> list[frozenset[str]]:
    """Content words of each thing that a boundary or a forgotten memory is about."""
    memories: Sequence[Mapping[str, Any]] = inputs["memories"]
    unspoken = [m["content"] for m in memories if m["change"] in {"forget", "suppress"} or m["type"] == "boundary"]
    return [content_words(text) - {"want", "brought"} for text in (*unspoken, *inputs.get("unspoken", ()))]


def _fitting(
    facts: Sequence[SummaryPoint], inputs: Mapping[str, Any], compose: Callable[[Sequence[SummaryPoint]], str]
) -> SummaryReply:
    """The weightiest of what there is to tell that fits, composed; reasons are left out before facts are."""
    contents = [m["content"] for m in inputs["memories"]]
    most = max(0, _MOST_QUOTES - len(facts) // _QUOTE_LESS)
    said = quotes(inputs["messages"], contents, _hidden(inputs), most, _SAYS_SOMETHING)
    told = [
        *facts,
        *(SummaryPoint(Sentence("", quotable(q.text)), q.weight, (q.message,), (), q.day, "", True) for q in said),
    ]
    if estimate_tokens(compose(told)) > inputs["max_tokens"]:
        told = [replace(t, said=replace(t.said, text=_REASON.sub("", t.said.text))) for t in told]
    while told:
        text = compose(told)
        if estimate_tokens(text) <= inputs["max_tokens"]:
            return _cited(text, told)
        lightest = min(range(len(told)), key=lambda n: (told[n].weight, -n))
        told = [t for n, t in enumerate(told) if n != lightest]
    return _cited("", [])


def _a_day(told: Sequence[SummaryPoint], on: date) -> str:
    """What changed, what happened, and the rest by theme."""
    order = headings()
    facts = [t for t in told if not t.quoted]
    facts.sort(key=lambda t: (not t.change, t.heading != _EVENTS, order.index(t.heading), t.day))
    parts = sentences(facts)
    own = any(t.said.of_user for t in facts)
    words = [t.said.text for t in told if t.quoted]
    if words:
        parts.append(f"{'They' if own else 'The user'} said {joined(words)}.")
    label = f"{on.day} {on:%B %Y}"
    return f"{label}: {_small(parts[0])} {' '.join(parts[1:])}".strip() if parts else ""


def _by_theme(told: Sequence[SummaryPoint]) -> str:
    parts: list[str] = []
    subject = "the user"
    for name, group in under([t for t in told if not t.quoted], headings()):
        ordered = sorted(group, key=lambda t: (not t.change, not t.said.text.startswith("plans to "), t.closed, t.day))
        if name in _LISTS:
            parts.append(f"{name}: {'; '.join(_unannounced(t.said) for t in ordered)}.")
            continue
        texts = sentences(ordered, subject=subject, follow="")
        if subject and any(t.said.of_user for t in ordered):
            subject = ""
        parts.append(f"{name}: {' '.join([_small(texts[0]), *texts[1:]])}")
    words = [t.said.text for t in told if t.quoted]
    if words:
        parts.append(f"In their words: {joined(words)}.")
    return " ".join(parts).replace("Plans: plans to", "Plans: to")


def _unannounced(said: Sentence) -> str:
    """Under a heading that says so already: "decided: pgbouncer", "Lesson: look at the pool" without that word."""
    text = _ANNOUNCED.sub("", " ".join(filter(None, (said.who, said.text))))
    return _small(text or said.text)


def _small(text: str) -> str:
    """A sentence after a colon: without its capital, where that is no name's."""
    first = text.split(" ", 1)[0]
    return lowered(text) if first in {"The", "Their"} or verb_at(text.split()) is not None else text


def _on_the_day(said: Sentence, on: date) -> Sentence:
    """Without the date that the summary bears already."""
    spelt = rf" on {on.day} {on:%B}(?: {on.year})?(?! (?:to|and|or)\b)(?!\w)"
    return _in_the_year(replace(said, text=re.sub(spelt, "", said.text)), str(on.year))


def _in_the_year(said: Sentence, year: str) -> Sentence:
    """Days and months of the summary's own year without that year."""
    return replace(said, text=re.sub(rf"\b({_MONTHS}) {year}\b", r"\1", said.text))


def _dated(told: SummaryPoint) -> SummaryPoint:
    """What happened or changed, with the day on which it was told where it names no day."""
    happened = told.heading == _EVENTS or told.said.text.startswith(("moved from", "went from"))
    if not happened or _DATED.search(told.said.text):
        return told
    on = date.fromisoformat(told.day)
    return replace(told, said=replace(told.said, text=f"{told.said.text} ({on.day} {on:%B})"))


def _cited(text: str, told: Sequence[SummaryPoint]) -> SummaryReply:
    messages = dict.fromkeys(m for t in told for m in t.messages)
    memories = dict.fromkeys(m for t in told for m in t.memories)
    return SummaryReply(text=capital(text), messages=list(messages), memories=list(memories))


_OF_ITS_OWN = {"day": day, "session": rolling}
