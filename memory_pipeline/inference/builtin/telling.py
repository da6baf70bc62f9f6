"""Choosing what of a conversation is worth repeating, and saying it in the third person or to the letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_pipeline.domain.text import content_words, estimate_tokens, joined
from memory_pipeline.inference.builtin.entities import entities
from memory_pipeline.inference.builtin.sentences import statements
from memory_pipeline.inference.builtin.utterances import Kind
from memory_pipeline.inference.builtin.verbs import FINITE, form
from memory_pipeline.inference.builtin.wording import plural

_MIN_WORDS = 4  # content words that a quotation needs to say something
_MAX_QUOTE = 180  # characters
_COVERED = 0.6  # share of a quotation's words that is already told
_OWN = re.compile(r"\b(?:i|we|my|our)\b", re.I)
_ADDRESSED = re.compile(r"(?:you|your|thanks|thank you|please)\b", re.I)
_LEADS = frozenset({"has", "no", "does", "cannot", "always", "usually", "often", "used", "never", "only", "sometimes"})
_STANDING = re.compile(r"^(?:lesson|estimate|decided|found|finding)\b", re.I)


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence for a summary.

    Attributes:
        text: without a subject for the user ("Lives in Lisbon."), as memories are worded, or a quotation.
        weight: what to keep when there is little room.
        messages, memories: ids that it states.
        day: local day, ISO.
    """

    text: str
    weight: float
    messages: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    day: str = ""
    quoted: bool = False


def quotations(
    messages: Sequence[Mapping[str, Any]], told: Iterable[str], hidden: Sequence[frozenset[str]]
) -> list[Told]:
    """The user's own statements that say something which is not told yet, to the letter, in order.

    Args:
        told: sentences that stand already.
        hidden: content words of each thing that must not be repeated (forgotten, not to be brought up).
    """
    known = [content_words(text) for text in told]
    found: list[Told] = []
    for message in messages:
        if message["role"] != "user":
            continue
        best = _best(message["content"], hidden)
        if best is None:
            continue
        quote, weight = best
        wanted = content_words(quote)
        if any(len(wanted & there) >= _COVERED * len(wanted) for there in known):
            continue
        known.append(wanted)
        found.append(Told(quote, weight, (message["id"],), (), message["created_at"][:10], quoted=True))
    return found


def _best(content: str, hidden: Sequence[frozenset[str]]) -> tuple[str, float] | None:
    """The statement of a message that says most, with its weight; None where none says enough."""
    best: tuple[float, str] | None = None
    if not _OWN.search(content):
        return None
    for statement in statements(content):
        quote = content[statement.start : statement.end].strip()
        if statement.kind is not Kind.STATEMENT or len(quote) > _MAX_QUOTE or _ADDRESSED.match(statement.text):
            continue
        meaning = content_words(statement.text)
        if len(meaning) < _MIN_WORDS or touches(meaning, hidden) or "\n" in quote:
            continue
        weight = 0.1 * min(len(meaning), 10) + 0.2 * bool(entities(quote)) + 0.1 * bool(re.search(r"\d", quote))
        if best is None or weight > best[0]:
            best = (weight, quote)
    return (best[1], min(best[0], 1.0) * 0.5) if best else None


def questions(messages: Sequence[Mapping[str, Any]]) -> list[Told]:
    """What the user asked in the last message, where it names something that "that one" may point to."""
    last = next((m for m in reversed(messages) if m["role"] == "user"), None)
    if last is None:
        return []
    content = last["content"]
    asked = [content[s.start : s.end] for s in statements(content) if s.kind is Kind.QUESTION]
    named = [q for q in asked if entities(q) and len(q) <= _MAX_QUOTE and "\n" not in q]
    return [Told(named[-1], 0.5, (last["id"],), (), last["created_at"][:10], quoted=True)] if named else []


def touches(meaning: frozenset[str], hidden: Sequence[frozenset[str]]) -> bool:
    """Whether words speak of one of the hidden things: half of its words, or more, are among them."""
    return any(words and 2 * len(meaning & words) >= len(words) for words in hidden)


def within(told: Sequence[Told], tokens: int, overhead: int = 8) -> list[Told]:
    """The weightiest that fit into so many tokens, in their order; ``overhead`` is what each costs beside its text."""
    order = sorted(range(len(told)), key=lambda n: (-told[n].weight, n))
    kept: set[int] = set()
    left = tokens
    for n in order:
        size = estimate_tokens(told[n].text) + overhead
        if size <= left:
            kept.add(n)
            left -= size
    return [told[n] for n in sorted(kept)]


def of_the_user(text: str) -> bool:
    """Whether a sentence as memories are worded speaks of the user, its subject left out."""
    first = text.split(" ", 1)[0].lower().rstrip(".")
    known = form(first)
    return (first in FINITE or first in _LEADS or bool(known and first.endswith("ed"))) and not _STANDING.match(text)


def prose(told: Sequence[Told], subject: str = "The user") -> str:
    """Sentences in a row: those about the user share a subject, three at most; quotations are marked as such.

    Args:
        subject: how the first sentence names the user, after what stands before it ("On 10 March: the user"); "" for
            quotations alone.
    """
    parts: list[str] = []
    run: list[str] = []
    before = subject[: subject.rfind(": ") + 2] if ": " in subject else ""
    named = False

    def flush() -> None:
        nonlocal named
        if run:
            who = subject if not parts and subject else "They" if named or not subject else "The user"
            parts.append(_sentence(who, run))
            run.clear()
            named = True

    for item in told:
        text = item.text.rstrip(". ")
        if item.quoted:
            flush()
            quote = '"' + item.text.rstrip(".") + '"'
            who = subject if not parts else "They" if named else "The user"
            parts.append(f"{who} said: {quote}." if subject else f"{quote}.")
            named = True
        elif of_the_user(text):
            run.append(text[:1].lower() + text[1:])
            if len(run) == 3 or "," in text:
                flush()
        else:
            flush()
            parts.append(f"{before if not parts else ''}{text}.")
    flush()
    return " ".join(parts)


def _sentence(who: str, run: Sequence[str]) -> str:
    if who == "They":
        run = [plural(text) for text in run]
    return f"{who} {joined(run)}."
