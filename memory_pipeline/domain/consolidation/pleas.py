"""What a plea to forget something, or not to bring it up, is about, and what is open again once it is taken back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion
from memory_pipeline.domain.passage import source
from memory_pipeline.domain.proposal import MemoryType, Proposal, Surface
from memory_pipeline.domain.reading.topic_wordings import topics
from memory_pipeline.domain.reading.topics import Topic, beside, speaks, touches


def closing(proposal: Proposal, memories: Iterable[MemoryVersion]) -> tuple[Topic, ...]:
    """The topics of a plea, with the names that what is remembered has for them."""
    found = topics(proposal.value, proposal.content)
    said = [text for m in memories for text in (m.content, *(e.quote for e in m.evidence))] if found else []
    return tuple(topic.called({name for text in said for name in beside(topic, text)}) for topic in found)


def speaks_of(memory: MemoryVersion, topic: Topic) -> bool:
    """Whether a memory speaks of a topic, or was read out of a clause that does."""
    if touches(topic, memory.content, subject=memory.subject, attribute=memory.attribute, value=memory.value):
        return True
    return not memory.own_words and any(speaks(topic, source(memory.content, e.quote)) for e in memory.evidence)


def reopened(proposal: Proposal, memories: Sequence[MemoryVersion]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the boundaries that a proposal lifts, and of the memories that were suppressed with their topics alone;
    what was suppressed by hand stays so.

    Args:
        memories: those that stand, from before the proposal.
    """
    said, wanted = proposal.value or proposal.content, topics(proposal.value, proposal.content)
    boundaries = [(m, topics(m.value, m.content)) for m in memories if m.type is MemoryType.BOUNDARY]
    lifted = {
        memory.memory_id
        for memory, about in boundaries
        if any(speaks(topic, memory.value or memory.content) for topic in wanted) or any(speaks(t, said) for t in about)
    }
    opened = [topic for memory, about in boundaries if memory.memory_id in lifted for topic in about]
    closed = [topic for memory, about in boundaries if memory.memory_id not in lifted for topic in about]
    silent = {
        memory.memory_id
        for memory in memories
        if _silent(memory)
        and any(speaks_of(memory, topic) for topic in opened)
        and not any(speaks_of(memory, topic) for topic in closed)
    }
    return tuple(sorted(lifted)), tuple(sorted(silent))


def _silent(memory: MemoryVersion) -> bool:
    """Whether a memory is not to be brought up, and not by hand."""
    kept = memory.surface is Surface.AVOID and memory.type is not MemoryType.BOUNDARY
    return kept and memory.cause is not Cause.MANUAL


__all__ = ["closing", "reopened", "speaks_of"]
