"""The lake's datasets: their columns, their version and how a partition is written.

A dataset's schema version goes into every file's metadata. Changing a noun means a new version here and a step at the
end of ``storage.parquet.migrations.MIGRATIONS``; old files stay readable.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from memory_pipeline.domain.classification import ClassByHand
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.entities import Entity
from memory_pipeline.domain.ledger.hold import Hold
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal, Verdict
from memory_pipeline.domain.window import Window
from memory_pipeline.storage.parquet.arrow_rows import arrow_schema


@dataclass(frozen=True, slots=True)
class Link:
    """A typed edge between two memories of one user (DL-20, KN-10); stored once, read both ways.

    Attributes:
        day: ledger day on which the later said of the two came into being.
        relation: what the source is to the target: supersedes, contradicts, caused_by, elaborates or related.
        weight: 1 where it is stated, else a cosine or a share of words, at most 1.
        reason: what it rests on: superseded_by, derived_from, slot, because, words, entity or similarity.
        source_words, target_words: start of the SHA-256 of the contents that it was made from; a link whose memory
            says something else by now is not shown.
    """

    link_id: str
    tenant_id: str
    user_id: str
    day: date
    source_id: str
    target_id: str
    relation: str
    weight: float
    reason: str
    source_words: str
    target_words: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One kept model reply (or one window's part of it)."""

    key: str
    tenant_id: str
    user_id: str
    day: date
    task: str
    model: str
    prompt_hash: str
    reply: str
    prompt_tokens: int
    completion_tokens: int
    usd: float
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class KeptVector:
    """The vector of one text.

    Attributes:
        key: hash of encoder and text.
        day: of what says it.
        vector: 32-bit floats, little-endian.
        tokens: of its single tokens, as ``inference.token_vectors`` packs them; None where nobody asked for them.
    """

    key: str
    tenant_id: str
    user_id: str
    day: date
    model: str
    vector: bytes
    tokens: bytes | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """An entry of the cost ledger: a paid call, or requests that cost nothing (builtin, or answered by kept replies).

    Attributes:
        call_id: of this entry alone; the same id twice is the same spending.
        day: UTC day on which it was spent, that of ``recorded_at``: a day's budget is one partition.
        event_day: local day of the messages that it was spent on; None where it was on none in particular.
        stage: the task (``extract``, ``consolidate`` …, ``answer``), or ``encode`` for vectors, which belong to nobody
            in particular (``tenant_id`` and ``user_id`` empty).
        calls: requests that a model answered, second ones for a reply that did not fit included.
        cached: requests answered by kept replies: no call, no tokens, no money.
        cached_tokens: those of ``prompt_tokens`` that the provider had cached, billed lower.
        saved_tokens, saved_usd: what the kept replies had taken when they were made.
        unfit: those of ``calls`` whose reply did not fit, was refused, or said nothing of what was asked; None = not
            known of an older entry.
    """

    call_id: str
    tenant_id: str
    user_id: str
    day: date
    event_day: date | None
    stage: str
    model: str
    calls: int
    cached: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    usd: float
    saved_tokens: int | None
    saved_usd: float | None
    run_id: str
    recorded_at: datetime
    unfit: int | None = None


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A line or a reply that was put aside, with where it stood and why."""

    quarantine_id: str
    day: date
    source: str
    line: int
    reason: str
    content: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the inbox that has been taken, by the hash of its content."""

    sha256: str
    path: str
    size: int
    day: date
    first_day: date | None
    last_day: date | None
    taken: int
    known: int
    quarantined: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Recall:
    """One item of one read, or one piece of feedback on it (``helpful`` not None).

    Attributes:
        item_id: empty where the read returned nothing.
        asked: arguments of the read that differ from the defaults, as JSON; None = none, or an older row.
    """

    recall_id: str
    tenant_id: str
    user_id: str
    day: date
    kind: str
    query: str
    item_id: str
    layer: str
    rank: int
    score: float
    helpful: bool | None
    session_id: str | None
    profile: str
    model: str
    latency_ms: float
    recalled_at: datetime
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What recalls and feedback up to a day say of an item (KN-19…21, LS-33)."""

    item_id: str
    tenant_id: str
    user_id: str
    day: date
    access_count: int
    last_access: datetime
    verified_count: int
    rated_count: int
    q_value: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One result of an evaluation. It holds figures only, nothing that a user said.

    Attributes:
        evaluation_id: of what was evaluated, against what, over which days; a repetition has the same.
        kind: ``fixtures`` or ``shadow``.
        day: UTC day on which it was made.
        candidate, base: digests of policy, prompts and models; equal where nothing was compared.
        subject: what was evaluated, in words.
        first, last: days of the recall log that were replayed; None for fixtures.
        metrics: figures by name, as JSON.
        reasons: why it did not pass; none where it did.
    """

    evaluation_id: str
    kind: str
    day: date
    candidate: str
    base: str
    subject: str
    first: date | None
    last: date | None
    metrics: str
    passed: bool
    reasons: tuple[str, ...]
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class FailedAudit:
    """An audit that what a run had staged did not pass. It holds figures only, nothing that a user said.

    Attributes:
        day: UTC day on which it was made.
        found: rows that break the rule.
        detail: the rule, or the figure and its limit.
        accepted: the rows were published all the same, because whoever started the run had said so.
    """

    audit_id: str
    day: date
    run_id: str
    name: str
    found: int
    detail: str
    accepted: bool
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class PartitionRecord:
    """What a stage made of a partition, and from what: tells stale partitions from fresh ones."""

    stage: str
    day: date
    inputs: str
    code: str
    rows: int
    run_id: str
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Dataset:
    """One dataset of the lake.

    Attributes:
        noun: dataclass of a row; it must have a ``day``, the partition.
        key: columns that identify a row, for the order of rows inside a file and for comparing partitions.
    """

    name: str
    noun: type[Any]
    key: tuple[str, ...]
    version: int = 1

    @property
    def schema(self) -> pa.Schema:
        return arrow_schema(self.noun).with_metadata(
            {"memory_pipeline.dataset": self.name, "memory_pipeline.schema_version": str(self.version)}
        )


DATASETS = {
    d.name: d
    for d in (
        Dataset("messages", Message, ("tenant_id", "user_id", "session_id", "created_at", "ordinal", "message_id"), 2),
        # Classes that users have given their messages: an input of the stages that go by classes.
        Dataset("message_classes", ClassByHand, ("tenant_id", "user_id", "recorded_at", "class_id")),
        # What a message said before it was edited; "messages" holds what it says now.
        Dataset("message_revisions", Message, ("tenant_id", "user_id", "session_id", "message_id", "recorded_at"), 2),
        # What was proposed before a day was extracted anew: versions that rested on it can still be explained.
        Dataset("former_proposals", Proposal, ("tenant_id", "user_id", "observed_at", "window_id", "ordinal")),
        Dataset("windows", Window, ("tenant_id", "user_id", "session_id", "ordinal")),
        Dataset("proposals", Proposal, ("tenant_id", "user_id", "observed_at", "window_id", "ordinal"), version=2),
        Dataset("verdicts", Verdict, ("tenant_id", "user_id", "proposal_id"), version=2),
        Dataset("memory_versions", MemoryVersion, ("tenant_id", "user_id", "memory_id", "version"), version=2),
        # What rollbacks put back: a further input of the fold that makes memories; see ``domain.ledger.hold``.
        Dataset("holds", Hold, ("tenant_id", "user_id", "day", "recorded_at", "hold_id")),
        Dataset("links", Link, ("tenant_id", "user_id", "source_id", "target_id", "relation"), version=2),
        Dataset("entities", Entity, ("tenant_id", "user_id", "name", "kind", "entity_id")),
        Dataset("summaries", Summary, ("tenant_id", "user_id", "grain", "start"), version=4),
        Dataset("replies", Reply, ("tenant_id", "user_id", "key")),
        Dataset("vectors", KeptVector, ("tenant_id", "user_id", "key"), version=2),
        Dataset("costs", Cost, ("tenant_id", "user_id", "call_id"), version=3),
        Dataset("quarantined", Quarantined, ("source", "line", "quarantine_id")),
        Dataset("sources", Source, ("sha256",)),
        Dataset("recalls", Recall, ("tenant_id", "user_id", "recall_id", "rank"), version=2),
        Dataset("usefulness", Usefulness, ("tenant_id", "user_id", "item_id")),
        Dataset("evaluations", Evaluation, ("kind", "recorded_at", "evaluation_id")),
        Dataset("audits", FailedAudit, ("run_id", "name", "audit_id")),
        Dataset("made", PartitionRecord, ("stage", "day", "recorded_at")),
    )
}
