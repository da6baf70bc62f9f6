"""A fact as the user writes it → a memory version, turned away when it is not safe to keep.

Of the gate's rules those hold that protect the store: secrets, injected instructions, the prompt's own examples, length
and dates. What asks for evidence in a transcript, or how sure an extractor is, does not: the user is the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from memory_pipeline.domain.gate import GateInput, examine
from memory_pipeline.domain.ledger.curation import as_proposal
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, memory_id, seal
from memory_pipeline.domain.proposal import DERIVED_TYPES, Finding, MemoryType, Surface
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.domain.sensitive.screening import screen
from memory_pipeline.errors import CurationError
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.hand.hand_written import read, slot_after

SESSION = "manual-memory"
"""The session of what the user adds by hand (RX-7)."""

# Rules about how a proposal was come by.
_OF_EXTRACTION = frozenset({"confidence", "salience", "quality", "surprise", "grounding", "own_words", "echo"})


@dataclass(frozen=True, slots=True)
class Fact:
    """What the user states, and what of it is not to be read out of the words (None).

    Attributes:
        due_at: until when an open loop waits, UTC.
        valid_from, valid_until: when it is true, UTC.
    """

    content: str
    type: MemoryType | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    entities: tuple[str, ...] | None = None
    importance: float | None = None
    surface: Surface | None = None
    pinned: bool = False
    due_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    agent_id: str | None = None
    domain: str | None = None
    shared: bool = False
    classification: Classification = Classification.INTERNAL


def first_version(ctx: StageContext, scope: Scope, fact: Fact, at: datetime, day: date, timezone: str) -> MemoryVersion:
    """Version 1 of the memory that a fact makes.

    Args:
        at, day: when it is stated, UTC, and the local day.

    Raises:
        CurationError: it is not safe to keep, or of a type that only the pipeline makes.
    """
    content = _text(ctx, fact.content)
    reading = read(content, at, timezone)
    salience, importance = ctx.policy.curation.salience, ctx.policy.curation.importance
    if reading is not None:
        salience, importance = max(salience, reading.salience), max(importance, reading.importance)
    kind = fact.type or (reading.type if reading else None)
    kind = kind or (MemoryType.OPEN_LOOP if fact.due_at else MemoryType.PROFILE_FACT)
    if kind in DERIVED_TYPES:
        raise CurationError(f"a {kind} is made out of memories, not by hand; leave the type out or choose another")
    surface = reading.surface if reading and reading.type is kind else Surface.SPEAK
    slot = (fact.subject, fact.attribute, fact.value)
    if fact.attribute is None and reading is not None:
        slot = (fact.subject or reading.subject, reading.attribute, reading.value)
    new_id = memory_id(scope.tenant_id, scope.user_id, f"{SESSION}:{at.isoformat()}", *slot, content)
    version = MemoryVersion(
        version_id="",
        memory_id=new_id,
        lineage_id=new_id,
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        session_id=SESSION,
        agent_id=fact.agent_id,
        domain=fact.domain,
        shared=fact.shared,
        classification=fact.classification,
        version=1,
        change=Change.ADD,
        cause=Cause.MANUAL,
        reason="remembered by the user",
        type=kind,
        status=Status.ACTIVE,
        content=content,
        subject=slot[0] or "user",
        attribute=slot[1],
        value=slot[2],
        negated=reading.negated if reading else False,
        entities=fact.entities if fact.entities is not None else reading.entities if reading else (),
        confidence=ctx.policy.curation.confidence,
        salience=salience,
        importance=importance if fact.importance is None else fact.importance,
        surface=fact.surface or (Surface.AVOID if kind is MemoryType.BOUNDARY else surface),
        pinned=fact.pinned,
        reinforcements=0,
        observed_at=at,
        referenced_at=at,
        valid_from=fact.valid_from or (reading.valid_from if reading else None),
        valid_until=fact.valid_until or (reading.valid_until if reading else None),
        due_at=fact.due_at or (reading.due_at if reading else None),
        changed_at=at,
        day=day,
        timezone=timezone,
        review_on=None,
        evidence=(),
        derived_from=(),
        superseded_by=None,
        proposal_id=None,
        previous_version_id=None,
        run_id=ctx.run_id,
        asserted=True,
        recorded_at=ctx.now,
        own_words=True,
    )
    return seal(_safe(ctx, version))


def reworded(
    ctx: StageContext, memory: MemoryVersion, content: str, at: datetime, slot: Mapping[str, str | None]
) -> MemoryVersion:
    """A memory in other words, unsealed; the very same when they are what it says already.

    Args:
        at: when it is edited, UTC.
        slot: ``subject``, ``attribute``, ``value``, where they are not to be read out of the words.

    Raises:
        CurationError: the words are not safe to keep.
    """
    text = _text(ctx, content)
    reading = read(text, at, memory.timezone)
    found = slot_after(memory, text, reading)
    if text == memory.content and not any(slot.values()):
        return memory
    edited = replace(
        memory,
        content=text,
        subject=slot.get("subject") or found.subject,
        attribute=slot.get("attribute") or found.attribute,
        value=slot.get("value") or found.value,
        negated=found.negated,
        entities=reading.entities if reading else tuple(e for e in memory.entities if e in text),
        due_at=(reading.due_at if reading else None) or memory.due_at,
    )
    return _safe(ctx, edited)


def _text(ctx: StageContext, content: str) -> str:
    """The words on one line; what is far too long is not even looked at."""
    if not isinstance(content, str) or not content.strip():
        raise CurationError("there is no text: write what is to be remembered, in one sentence")
    low, high = ctx.policy.gate.min_length, ctx.policy.gate.max_length
    text = " ".join(content.split())
    if len(text) > high:
        raise CurationError(f"{len(text):,} characters are too many: a memory is one sentence of {low} to {high}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CurationError(f"the text cannot be stored: {error.reason} at character {error.start}") from error
    return text


def _safe(ctx: StageContext, version: MemoryVersion) -> MemoryVersion:
    """The version, classified as the policy asks for what it holds.

    Raises:
        CurationError: a rule that protects the store turns it away.
    """
    policy = ctx.policy.gate
    proposal = as_proposal(replace(version, evidence=()))
    screened = screen(proposal, policy)
    failed = [f for f in examine(GateInput(proposal, {}, policy, canaries=CANARIES)) if not f.passed]
    reason = next((_advice(ctx, f) for f in failed if f.code not in _OF_EXTRACTION), None)
    if reason is None and replace(screened, classification=proposal.classification) != proposal:
        reason = "it holds a secret or a number that the policy keeps out of memory; leave that out"
    if reason is not None:
        raise CurationError(f"not kept: {reason}")
    return replace(version, classification=screened.classification)


def _advice(ctx: StageContext, failed: Finding) -> str:
    match failed.code:
        case "length":
            figures = ctx.policy.gate
            return (
                f"{failed.detail}; a memory is one sentence of {figures.min_length} to {figures.max_length} characters"
            )
        case "instruction":
            return "it is addressed to the memory system; memory holds facts about the user, not orders"
        case "canary":
            return f"it is an example of the prompts ({failed.detail})"
        case _:
            return f"{failed.detail} (rule {failed.code}); leave that out"
