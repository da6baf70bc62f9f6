"""The user's own hand → memories: effective at once, in the ledger as ``manual``, and done again by every replay.

Nothing here asks a model, so nothing waits for one. Each act is done on the user's ledger while no other process writes
to it, and on the state that a replay would find: time has passed, then the act is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory_pipeline.domain.consolidation.supersession import Action, Candidate, decide
from memory_pipeline.domain.consolidation.tense import ends_later
from memory_pipeline.domain.derived.pattern import absorbed
from memory_pipeline.domain.ledger.curation import WORDS, as_proposal, covers
from memory_pipeline.domain.ledger.memory import RETIRED, Change, MemoryVersion, Status
from memory_pipeline.domain.proposal import Surface
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.domain.sensitive import screen
from memory_pipeline.errors import CurationError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.hand.statement import Fact, first_version, reworded
from memory_pipeline.stages.hand.user_memories import Desk
from memory_pipeline.stages.publication.one_writer import one_writer
from memory_pipeline.stages.publication.publish import index_memories
from memory_pipeline.stages.summaries.summary_store import raise_class


def remember(ctx: StageContext, scope: Scope, fact: Fact) -> MemoryVersion:
    """Remember what the user states.

    The same fact in the same words, or in fewer, is confirmed; in more words the memory takes them over; a new value
    of a slot that holds one ends the old one.

    Raises:
        CurationError: the gate's rules for what is safe to keep turn it away; the message says which.
    """
    with one_writer(ctx.settings, [scope]):
        desk = Desk.of(ctx, scope)
        timezone = desk.timezone()
        at, day = desk.moment(None, timezone)
        new = first_version(ctx, scope, fact, at, day, timezone)
        known = _same(desk, new)
        if known is None:
            made = desk.do(new)
        elif covers(known.content, new.content) and new.due_at in (None, known.due_at):
            made = desk.act(known, Change.REINFORCE, "remembered again by the user")
        else:
            words = _words(new) | {"due_at": new.due_at or known.due_at}
            made = desk.act(known, Change.EDIT, "remembered by the user in other words", words)
        if fact.pinned and not made.pinned:
            made = desk.act(made, Change.PIN, "pinned by the user")
        desk.file()
        return made


def _same(desk: Desk, new: MemoryVersion) -> MemoryVersion | None:
    """The memory that states the same already, and that loses nothing in the new words or says all of them."""
    others = [Candidate(m, 0.0) for m in desk.state.values()]
    decision = decide(as_proposal(new), others, desk.ctx.policy.similarity)
    if decision.action not in (Action.REINFORCE, Action.MERGE):
        return None
    known = desk.state[decision.targets[0]]
    return known if covers(known.content, new.content) or covers(new.content, known.content) else None


def edit(
    ctx: StageContext, scope: Scope, memory_id: str, content: str, slot: Mapping[str, str | None] | None = None
) -> MemoryVersion:
    """Put a memory in the user's words. What it said before is never shown again, nor the messages that said it.

    Args:
        slot: ``subject``, ``attribute``, ``value``, where they are not to be read out of the words.

    Raises:
        NotFound: the user has no such memory.
        CurationError: it has ended, or the words are not safe to keep.
    """
    with one_writer(ctx.settings, [scope]):
        desk = Desk.of(ctx, scope)
        memory = _living(desk.find(memory_id), "edited")
        at, _ = desk.moment(memory, memory.timezone)
        words = reworded(ctx, memory, content, at, slot or {})
        if words == memory:
            return _confirmed(desk, memory)
        made = desk.act(memory, Change.EDIT, "edited by the user", _words(words))
        desk.file()
        return made


def _words(version: MemoryVersion) -> dict[str, Any]:
    return {name: getattr(version, name) for name in WORDS}


def forget(ctx: StageContext, scope: Scope, memory_id: str) -> MemoryVersion:
    """Forget a memory, and what it had taken the place of in other words. Forgetting twice changes nothing.

    A pattern's members come back instead: they were said, and the pattern was not (KN-24).

    Raises:
        NotFound: the user has no such memory.
    """
    with one_writer(ctx.settings, [scope]):
        desk = Desk.of(ctx, scope)
        memory = desk.find(memory_id)
        if memory.forgotten:
            return _confirmed(desk, memory)
        replaced = (m for m in desk.state.values() if m.superseded_by == memory_id and not m.forgotten)
        for other in [m for m in replaced if not ends_later(m, desk.ctx.now)]:
            if covers(memory.content, other.content) and not absorbed(other):
                desk.act(other, Change.FORGET, "forgotten by the user with what took its place")
        made = desk.act(memory, Change.FORGET, "forgotten by the user")
        desk.file()
        return made


def pin(ctx: StageContext, scope: Scope, memory_id: str) -> MemoryVersion:
    """Keep a memory in every prompt, and out of time's reach (DL-18, DL-27).

    Raises:
        NotFound: the user has no such memory.
        CurationError: it has ended.
    """
    return _mark(ctx, scope, memory_id, Change.PIN, "pinned")


def unpin(ctx: StageContext, scope: Scope, memory_id: str) -> MemoryVersion:
    """Treat a memory like any other again. See :func:`pin`."""
    return _mark(ctx, scope, memory_id, Change.UNPIN, "unpinned")


def suppress(ctx: StageContext, scope: Scope, memory_id: str) -> MemoryVersion:
    """Keep a memory in mind, and never bring it up (DL-23). See :func:`pin`."""
    return _mark(ctx, scope, memory_id, Change.SUPPRESS, "suppressed")


def classify(ctx: StageContext, scope: Scope, memory_id: str, classification: Classification) -> MemoryVersion:
    """Give a memory a class (KN-27). What it is confirmed by later can only make that stricter.

    Raises:
        NotFound: the user has no such memory.
        CurationError: it has ended, or it states what the policy restricts, and the class is below that.
    """
    with one_writer(ctx.settings, [scope]):
        desk = Desk.of(ctx, scope)
        memory = _living(desk.find(memory_id), "classified")
        wanted = replace(memory, classification=classification)
        least = screen(as_proposal(wanted), ctx.policy.gate).classification
        if not classification.permits(least):
            raise CurationError(
                f"memory {memory_id} cannot be {classification}: it states what the policy keeps {least} "
                "([gate.sensitive])"
            )
        if memory.classification is classification:
            return _confirmed(desk, memory)
        made = desk.act(
            memory, Change.CLASSIFY, f"classified {classification} by the user", {"classification": classification}
        )
        desk.file()
        raise_class(ctx, scope, classification, lambda told: memory_id in told.memory_ids)
        return made


def _mark(ctx: StageContext, scope: Scope, memory_id: str, change: Change, done_to_it: str) -> MemoryVersion:
    with one_writer(ctx.settings, [scope]):
        desk = Desk.of(ctx, scope)
        memory = _living(desk.find(memory_id), done_to_it)
        if _is_marked(memory, change):
            return _confirmed(desk, memory)
        made = desk.act(memory, change, f"{done_to_it} by the user")
        desk.file()
        return made


def _is_marked(memory: MemoryVersion, change: Change) -> bool:
    if change is Change.SUPPRESS:
        return memory.surface is Surface.AVOID
    stale = memory.status is Status.STALE
    return memory.pinned and not stale if change is Change.PIN else not memory.pinned


def _confirmed(desk: Desk, memory: MemoryVersion) -> MemoryVersion:
    """Nothing to change; an index that lags behind, because a process died between the two, is brought up."""
    index_memories(desk.ctx, [memory.memory_id])
    return memory


def _living(memory: MemoryVersion, done_to_it: str) -> MemoryVersion:
    if memory.status not in RETIRED:
        return memory
    if memory.forgotten:
        advice = "it is forgotten; say it anew with `memory-pipeline remember`"
    elif memory.superseded_by:
        advice = f"it is {memory.status}, and {memory.superseded_by} has taken its place"
    else:
        advice = f"it is {memory.status} ({memory.reason})"
    raise CurationError(f"memory {memory.memory_id} cannot be {done_to_it}: {advice}")
