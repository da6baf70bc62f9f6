"""A conversation so far, for whoever reads only its next messages: what it states, and the user's own sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_pipeline.domain.consolidation.slots import attribute as slot_attribute
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.domain.text import content_words, estimate_tokens, names
from memory_pipeline.inference.builtin.about import Sentence, sentence
from memory_pipeline.inference.builtin.summaries.gathering import SummaryPoint
from memory_pipeline.inference.builtin.summaries.quoting import asked, quotable, quotes, silenced, touches
from memory_pipeline.inference.builtin.summaries.telling import sentences
from memory_pipeline.inference.replies import SummaryReply

_UNSPOKEN = frozenset({MemoryType.BOUNDARY, MemoryType.EPHEMERAL})
_ENDING = frozenset({Operation.FORGET, Operation.SUPPRESS})
_QUOTES = 4
_RECENT = 0.4  # what the last message weighs more than the first: "that one" points to what was said last
_QUESTION = 0.5
_MAX_QUESTION = 180  # characters


def rolling(inputs: Mapping[str, Any]) -> SummaryReply:
    """What a conversation states, as extraction reads it, and what else the user said (NM-29)."""
    messages = inputs["messages"]
    if not messages:
        return SummaryReply(text="", messages=[], memories=[])
    facts, hidden = _facts(messages, inputs.get("unspoken", ()))
    return _told([*facts, *_spoken(messages, [f.said.text for f in facts], hidden)], inputs)


def own_words(inputs: Mapping[str, Any]) -> SummaryReply:
    """The same from the user's own sentences alone, in their order, without reading what they mean."""
    messages = inputs["messages"]
    hidden = [_named(text) for text in inputs.get("unspoken", ())] + silenced(messages)
    return _told(_spoken(messages, (), hidden, most=len(messages)), inputs)


def _spoken(
    messages: Sequence[Mapping[str, Any]], told: Iterable[str], hidden: Sequence[frozenset[str]], most: int = _QUOTES
) -> list[SummaryPoint]:
    found = quotes(messages, told, hidden, most)
    quoted = [
        SummaryPoint(
            Sentence("", quotable(q.text)), q.weight + _RECENT * n / len(found), (q.message,), (), q.day, "", True
        )
        for n, q in enumerate(found, 1)
    ]
    return quoted + _questions(messages, hidden)


def _questions(messages: Sequence[Mapping[str, Any]], hidden: Sequence[frozenset[str]]) -> list[SummaryPoint]:
    """What the user asked in the last message, where it names something that "that one" may point to."""
    last = next((m for m in reversed(messages) if m["role"] == "user"), None)
    if last is None:
        return []
    named = [q for q in asked(last["content"]) if names(q) and len(q) <= _MAX_QUESTION]
    named = [q for q in named if not touches(content_words(q), hidden)]
    said = Sentence("", quotable(named[-1])) if named else None
    return [SummaryPoint(said, _QUESTION, (last["id"],), (), last["created_at"][:10], "", True)] if said else []


def _facts(
    messages: Sequence[Mapping[str, Any]], unspoken: Iterable[str]
) -> tuple[list[SummaryPoint], list[frozenset[str]]]:
    """What the messages state, the last word on each slot, and what to keep silent about."""
    from memory_pipeline.inference.builtin.extraction.extract import read_window

    home = datetime.fromisoformat(messages[0]["created_at"]).tzinfo
    assert home is not None  # times in inputs carry their offset
    drafts = read_window({"messages": messages, "context": ()}, home)
    hidden = [content_words(d.value or d.content) for d in drafts if d.operation in _ENDING]
    hidden += [_named(text) for text in unspoken] + silenced(messages)
    last: dict[object, SummaryPoint] = {}
    for n, draft in enumerate(drafts):
        silent = draft.operation in _ENDING or draft.type in _UNSPOKEN or draft.operation is Operation.CLOSE_OPEN_LOOP
        if silent or touches(content_words(draft.content), hidden):
            continue
        said = sentence({"content": draft.content, "subject": draft.subject})
        key: object = (draft.subject, draft.attribute) if slot_attribute(draft.attribute).single else n
        last.pop(key, None)
        last[key] = SummaryPoint(said, draft.importance, tuple(e.message for e in draft.evidence))
    return list(last.values()), hidden


def _named(content: str) -> frozenset[str]:
    return content_words(content) - {"want", "brought"}


def _told(told: list[SummaryPoint], inputs: Mapping[str, Any]) -> SummaryReply:
    """In the order of the conversation, what weighs least left out until it fits."""
    order = {m["id"]: n for n, m in enumerate(inputs["messages"])}
    told = sorted(told, key=lambda t: (t.quoted, order[t.messages[0]]))
    while told:
        text = _text(told)
        if estimate_tokens(text) <= inputs["max_tokens"]:
            messages = sorted({m for t in told for m in t.messages}, key=order.__getitem__)
            return SummaryReply(text=text, messages=messages, memories=[])
        lightest = min(range(len(told)), key=lambda n: (told[n].weight, n))
        told = [t for n, t in enumerate(told) if n != lightest]
    return SummaryReply(text="", messages=[], memories=[])


def _text(told: Sequence[SummaryPoint]) -> str:
    parts = sentences([t for t in told if not t.quoted])
    words = [t.said.text for t in told if t.quoted]
    if words:
        who = "They" if parts else "The user"
        parts.append(f"{who} said: {' '.join(words)}.")
    return " ".join(parts)
