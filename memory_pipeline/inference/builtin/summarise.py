"""Summaries out of what was said: of sessions, days, weeks, months. Nothing is concluded; every sentence has its ids.

What the user wants forgotten or not brought up is in none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from typing import Any

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.domain.slots import attribute as slot_attribute
from memory_pipeline.domain.text import content_words
from memory_pipeline.inference.builtin.extract import read_window
from memory_pipeline.inference.builtin.telling import Told, prose, questions, quotations, touches, within
from memory_pipeline.inference.replies import CalendarReply, PeriodSummary, SummaryReply

_UNSPOKEN = frozenset({"boundary", "ephemeral"})
_HIDDEN_CHANGES = frozenset({"forget", "suppress", "archive", "expire", "stale", "unpin", "pin"})
_OVER = frozenset({"supersede", "contradict"})
_QUOTED = "In their words"
_HEADINGS = 20  # tokens of days or themes, roughly
_SENTENCE = 3  # tokens of "They said: "
_THEMES = {
    "profile_fact": "About themselves",
    "preference": "Tastes",
    "protocol": "How to answer",
    "shared_lore": "Between us",
    "episodic_event": "What happened",
    "open_loop": "Plans",
    "decision": "At work",
    "finding": "At work",
    "correction": "At work",
    "estimate": "At work",
}


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
        reply = _GRAINS[asked["grain"]](own)
        told.append(PeriodSummary(asked["period"], reply.text, reply.messages, reply.memories))
    return CalendarReply(told)


def _listed(items: Sequence[Mapping[str, Any]], spans: Iterable[tuple[str, str]]) -> list[Mapping[str, Any]]:
    """The items of some runs of ids."""
    place = {item["id"]: n for n, item in enumerate(items)}
    return [item for first, last in spans for item in items[place[first] : place[last] + 1]]


def rolling(inputs: Mapping[str, Any]) -> SummaryReply:
    """A conversation so far, for whoever reads only its next messages (NM-29)."""
    messages = inputs["messages"]
    if not messages:
        return SummaryReply(text="", messages=[], memories=[])
    facts, hidden = _facts(messages, inputs.get("unspoken", ()))
    quotes = quotations(messages, [f.text for f in facts], hidden)
    # What was said last is what "that one" will point to.
    recent = [
        Told(q.text, q.weight + 0.4 * (n + 1) / len(quotes), q.messages, (), q.day, True) for n, q in enumerate(quotes)
    ]
    order = {m["id"]: n for n, m in enumerate(messages)}
    told = sorted([*facts, *recent, *questions(messages)], key=lambda t: order[t.messages[0]])
    return _reply(within(told, inputs["max_tokens"]), "The user")


def _facts(messages: Sequence[Mapping[str, Any]], unspoken: Iterable[str]) -> tuple[list[Told], list[frozenset[str]]]:
    """What the messages state as extraction reads it, the last word on each slot, and what to keep silent about."""
    home = datetime.fromisoformat(messages[0]["created_at"]).tzinfo
    assert home is not None  # times in inputs carry their offset
    drafts = read_window({"messages": messages, "context": ()}, home)
    ending = {Operation.FORGET, Operation.SUPPRESS}
    hidden = [content_words(d.value or d.content) for d in drafts if d.operation in ending]
    hidden += [_named(text) for text in unspoken]
    last: dict[object, Told] = {}
    for n, draft in enumerate(drafts):
        silent = draft.operation in ending or str(draft.type) in _UNSPOKEN or draft.type is MemoryType.BOUNDARY
        if silent or draft.operation is Operation.CLOSE_OPEN_LOOP or touches(content_words(draft.content), hidden):
            continue
        said = Told(draft.content, draft.importance, tuple(e.message for e in draft.evidence))
        key: object = (draft.subject, draft.attribute) if _single(draft.attribute) else n
        last.pop(key, None)
        last[key] = said
    return list(last.values()), hidden


def _single(attribute: str | None) -> bool:
    return slot_attribute(attribute).single


def day(inputs: Mapping[str, Any]) -> SummaryReply:
    """A day: what its memories say happened, then what else the user said that day."""
    told = _told(inputs)
    start = date.fromisoformat(inputs["label"])
    return _reply(told, f"On {start.day} {start:%B %Y}: the user")


def period(inputs: Mapping[str, Any]) -> SummaryReply:
    """A week by its days, a month by its themes."""
    told = _told(inputs)
    if not told:
        return _reply([], "")
    if "W" in inputs["label"]:
        told = sorted(told, key=lambda t: t.day)
        parts = [prose(list(group), f"On {_weekday(on)}: the user") for on, group in groupby(told, key=lambda t: t.day)]
        return _cited(" ".join(parts), told)
    kinds = {m["id"]: _THEMES.get(m["type"], "Also") for m in inputs["memories"]}
    themes = list(dict.fromkeys([*_THEMES.values(), "Also", _QUOTED]))

    def theme(item: Told) -> str:
        return kinds[item.memories[0]] if item.memories else _QUOTED

    ordered = sorted(told, key=lambda t: (themes.index(theme(t)), t.day))
    parts = [
        f"{name}: {prose(list(group), '' if name == _QUOTED else 'the user')}"
        for name, group in groupby(ordered, key=theme)
    ]
    return _cited(" ".join(parts), ordered)


def _weekday(day_: str) -> str:
    on = date.fromisoformat(day_)
    return f"{on:%A}, {on.day} {on:%B}"


def _told(inputs: Mapping[str, Any]) -> list[Told]:
    memories: Sequence[Mapping[str, Any]] = inputs["memories"]
    hidden = [
        _named(m["content"]) for m in memories if m["change"] in {"forget", "suppress"} or m["type"] == "boundary"
    ]
    hidden += [_named(text) for text in inputs.get("unspoken", ())]
    facts = []
    for memory in memories:
        if memory["type"] in _UNSPOKEN or memory["change"] in _HIDDEN_CHANGES:
            continue
        if touches(content_words(memory["content"]), hidden):
            continue
        facts.append(Told(_worded(memory), memory["importance"] + 0.2, (), (memory["id"],), memory["day"]))
    quotes = quotations(inputs["messages"], [f.text for f in facts], hidden)
    kept = within([*facts, *quotes], max(inputs["max_tokens"] - _HEADINGS, 0), _SENTENCE)
    return [t for t in kept if t.memories] + [t for t in kept if not t.memories]


def _named(content: str) -> frozenset[str]:
    """What a boundary or a forgotten memory is about."""
    return content_words(content) - {"want", "brought"}


def _worded(memory: Mapping[str, Any]) -> str:
    content: str = memory["content"]
    bare = content.rstrip(".")
    if memory["change"] in _OVER:
        return f'It no longer holds what was remembered: "{bare}"'
    if memory["change"] == "close":
        return f'Settled: "{bare}"'
    return content


def _reply(told: Sequence[Told], subject: str) -> SummaryReply:
    return _cited(prose(told, subject), told)


def _cited(text: str, told: Sequence[Told]) -> SummaryReply:
    messages = dict.fromkeys(m for t in told for m in t.messages)
    memories = dict.fromkeys(m for t in told for m in t.memories)
    return SummaryReply(text=text, messages=list(messages), memories=list(memories))


_GRAINS = {"day": day, "week": period, "month": period, "session": rolling}
