"""What a summary reads, within budgets: of messages, spread over the day, those that say most; of memories those that
weigh most (DL-29)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.text import content_words, estimate_tokens, names, numbers, truncate

_LINE_TOKENS = 8  # id, time and name of a line
_MEMORY_TOKENS = 5  # id and change of a memory's line
_SLICE_TOKENS = 120
_QUOTES = (("“", "”"), ("«", "»"), ("「", "」"))
_GERMAN = (("„", "“"),)


def shown_tokens(message: Message, most: int) -> int:
    """How much of a message is shown: the user's own words in full length, others' in half."""
    return most if message.role is Role.USER else max(1, most // 2)


def clipped(text: str, tokens: int) -> str:
    """The text cut to so many tokens. A quotation that is cut is closed: what others said stays marked as theirs."""
    cut = truncate(text, tokens)
    if cut == text:
        return text
    pairs = _GERMAN if "„" in cut else _QUOTES
    open_ones = [end for begin, end in pairs if cut.count(begin) > cut.count(end)]
    return cut + ('"' if cut.count('"') % 2 else "") + "".join(open_ones)


def size(message: Message, most: int) -> int:
    """Estimated tokens of a message's line."""
    return min(estimate_tokens(message.content), shown_tokens(message, most)) + _LINE_TOKENS


def memory_size(memory: MemoryVersion) -> int:
    """Estimated tokens of a memory's line."""
    return estimate_tokens(memory.content) + _MEMORY_TOKENS


def weightiest(memories: Sequence[MemoryVersion], tokens: int) -> list[MemoryVersion]:
    """As many memories as fit, in their order: the most important ones first, of equal ones the latest."""
    ranked = sorted(range(len(memories)), key=lambda n: (-memories[n].importance, -n))
    chosen = []
    for n in ranked:
        tokens -= memory_size(memories[n])
        if tokens < 0:
            break
        chosen.append(n)
    return [memories[n] for n in sorted(chosen)]


def told_order(message: Message) -> tuple[object, ...]:
    """Sort key of one user's messages over all sessions."""
    return (*message.order, message.session_id)


def select(messages: Sequence[Message], tokens: int, most: int, known: frozenset[str] = frozenset()) -> list[Message]:
    """As many messages as fit, in order: the user's own first, then the others with what is left.

    Where they do not all fit, they are cut into slices of equal size, and of each slice those are taken that say most
    new for their length. So no part of a long day is left out, and the choice depends on the messages alone.

    Args:
        tokens: budget of all lines together.
        most: of one message.
        known: content words that are told anyway.
    """
    ordered = sorted((m for m in messages if m.role is not Role.SYSTEM), key=told_order)
    chosen: list[Message] = []
    left = tokens
    for own in (True, False):
        taken = _densest([m for m in ordered if (m.role is Role.USER) is own], left, most, known)
        left -= sum(size(m, most) for m in taken)
        chosen += taken
    return sorted(chosen, key=told_order)


def _densest(group: Sequence[Message], tokens: int, most: int, known: frozenset[str]) -> list[Message]:
    total = sum(size(m, most) for m in group)
    if total <= tokens:
        return list(group)
    spread = Counter(word for m in group for word in content_words(m.content))
    chosen: list[Message] = []
    left = 0.0
    slices = max(1, tokens // _SLICE_TOKENS)
    for part in _slices(group, slices, total, most):
        left += tokens / slices
        for message in _by_news(part, most, known, spread):
            if size(message, most) <= left:
                chosen.append(message)
                left -= size(message, most)
    return chosen


def _slices(group: Sequence[Message], count: int, total: int, most: int) -> Iterator[list[Message]]:
    """Consecutive parts of about equal size."""
    part: list[Message] = []
    passed, cut = 0, 1
    for message in group:
        part.append(message)
        passed += size(message, most)
        if passed * count >= cut * total:
            yield part
            part, cut = [], passed * count // total + 1
    if part:
        yield part


def _by_news(part: Sequence[Message], most: int, known: frozenset[str], spread: Mapping[str, int]) -> list[Message]:
    """The messages that say most new for their length first: words not said before, names and numbers twice.

    Args:
        spread: in how many messages of the day a word stands; what stands in many says little.
    """
    said: set[str] = set(known)
    weight = []
    for n, message in enumerate(part):
        new = content_words(message.content) - said
        telling = names(message.content) | numbers(message.content)
        worth = sum((1 + (word in telling)) / spread[word] for word in new)
        weight.append((-worth / size(message, most), n))
        said |= new
    return [part[n] for _, n in sorted(weight)]
