"""What an extractor thinks worth keeping, and what the gate said of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from memory_pipeline.domain.scope import Classification


class MemoryType(StrEnum):
    """Kinds of memory (DL-3, DL-4) and, for agents at work, KN-18."""

    PROFILE_FACT = "profile_fact"
    PREFERENCE = "preference"
    EPISODIC_EVENT = "episodic_event"
    OPEN_LOOP = "open_loop"
    SHARED_LORE = "shared_lore"
    PROTOCOL = "protocol"
    BOUNDARY = "boundary"
    REFLECTION = "reflection"
    PATTERN = "pattern"
    EPHEMERAL = "ephemeral"
    DECISION = "decision"
    FINDING = "finding"
    CORRECTION = "correction"
    ESTIMATE = "estimate"


WORK_TYPES = frozenset({MemoryType.DECISION, MemoryType.FINDING, MemoryType.CORRECTION, MemoryType.ESTIMATE})
DERIVED_TYPES = frozenset({MemoryType.REFLECTION, MemoryType.PATTERN})


class Operation(StrEnum):
    """What a proposal asks for (DL-7, and forget/suppress of DL-35)."""

    ADD = "add"
    UPDATE = "update"
    REINFORCE = "reinforce"
    CONTRADICT = "contradict"
    CLOSE_OPEN_LOOP = "close_open_loop"
    FORGET = "forget"
    SUPPRESS = "suppress"


class Surface(StrEnum):
    """How a memory may be used in an answer (DL-21)."""

    SPEAK = "speak"
    ADAPT = "adapt"
    AVOID = "avoid"
    CONTINUE = "continue"
    FACT_CHECK = "fact_check"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A message and the words in it that a memory rests on."""

    message_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """One candidate memory or one change to a memory, with where it came from.

    Attributes:
        proposal_id: derived from the window and the proposal's own content, so that another prompt or model that finds
            the same finds the same id, and nothing that rests on it has to be made anew.
        content: one short sentence in the third person ("Lives in Lisbon.", RX-6); for the operations that end
            something (contradict, close_open_loop, forget, suppress) it names what is ended.
        subject, attribute, value: the slot, e.g. ("user", "residence", "Lisbon"); None where there is none.
        negated: the statement denies the value ("no longer lives in Berlin").
        entities: names of people, places, things.
        confidence, salience, importance: 0 to 1 (importance after NM-35).
        observed_at: time of the message that says it, UTC.
        valid_from, valid_until, due_at: UTC, when stated.
        day: the local day of the window, the partition.
        prompt_hash, model: what made it.
        reply_key: under which the model's reply on its window is kept, with what it cost; None in old rows.
    """

    proposal_id: str
    tenant_id: str
    user_id: str
    session_id: str
    agent_id: str | None
    domain: str | None
    shared: bool
    classification: Classification
    window_id: str
    day: date
    ordinal: int
    operation: Operation
    type: MemoryType
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    confidence: float
    salience: float
    importance: float
    surface: Surface
    observed_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None
    evidence: tuple[Evidence, ...]
    prompt_hash: str
    model: str
    reply_key: str | None = None


class Outcome(StrEnum):
    ACCEPTED = "accepted"
    MERGED = "merged"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule measured.

    Attributes:
        code: the rule's name, e.g. ``confidence``.
        passed: whether the proposal met it.
        figure: what was measured, None for rules without a figure.
        threshold: what was asked for, None likewise.
        detail: one clause for a reader.
    """

    code: str
    passed: bool
    figure: float | None
    threshold: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a proposal. Every proposal has exactly one; rejected ones stay visible (DL-14).

    Attributes:
        reason: code of the rule that rejected it, or the consolidation's decision
            (add, reinforce, merge, supersede, contradict, close, forget, suppress; no_target when it would end
            or confirm something and nothing that is remembered is clearly meant).
        memory_id: the memory it made or changed, None when none was.
        reply_key: under which the reply of the judge that was asked about it is kept; None where rules decided.
    """

    verdict_id: str
    proposal_id: str
    tenant_id: str
    user_id: str
    day: date
    outcome: Outcome
    reason: str
    findings: tuple[Finding, ...]
    memory_id: str | None
    reply_key: str | None = None
