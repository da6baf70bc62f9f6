"""What is certified of an erasure: figures and places, no content, and no name of a user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_pipeline.domain.plain import Record


@dataclass(frozen=True, eq=False)
class ErasedSubject(Record):
    """One user of whom something was erased.

    Attributes:
        pseudonym: by which nobody can tell who it was without asking for this very user.
        extent: ``user`` for all that there was, ``messages`` for some of it.
        messages: how many messages were named; None for a user as a whole.
        memories_reached: how many memories rested on them; 0 for a user as a whole.
    """

    pseudonym: str
    extent: str
    messages: int | None
    memories_reached: int


@dataclass(frozen=True, eq=False)
class ErasureProof(Record):
    """What a search of the whole home has come to, after the erasure.

    Attributes:
        rows_left: rows of what was to be erased that are still there.
        hits: places where an erased text was found; ``where`` names some of them.
        files, bytes, decoded_bytes: that were searched, as they lie and decoded.
        undecoded: some files that could only be searched as they lie.
        foreign_files: files that none of the home's stores owns, that hold it and were to be kept.
        traces: how many traces of the erased texts were looked for.
        shared_with_others, too_short: traces that could not be told apart from what others say.
    """

    rows_left: int
    hits: int
    where: tuple[str, ...]
    files: int
    bytes: int
    decoded_bytes: int
    undecoded: tuple[str, ...]
    foreign_files: tuple[str, ...]
    traces: int
    shared_with_others: int
    too_short: int


@dataclass(frozen=True, eq=False)
class ProviderDeletions(Record):
    """What the model provider has deleted of the batches that asked about the erased messages.

    Attributes:
        pending: batches that are not deleted yet, each with ``key``, ``batch_id``, ``url`` and ``why``.
    """

    batches: int
    files_deleted: int
    batches_stopped: int
    pending: tuple[Mapping[str, str | None], ...]


@dataclass(frozen=True, eq=False)
class ErasureCertificate(Record):
    """What an erasure removed and made anew, with the proof.

    Attributes:
        reason: ``request`` or ``retention``.
        policy_version: of the retention table in force.
        removed: rows, files and bytes that were there when it began, by store.
        done: what was taken away on the way, by name.
        made_anew: partitions that were made anew from what is left, by stage.
        tombstones, kept: what is left of it on purpose, in words.
        complete: False while the provider has not deleted all that it was asked to.
    """

    schema_version: int
    erasure_id: str
    reason: str
    subjects: tuple[ErasedSubject, ...]
    began_at: datetime
    completed_at: datetime
    policy_version: str
    removed: Mapping[str, int]
    done: Mapping[str, int]
    made_anew: Mapping[str, int]
    tombstones: str
    kept: str
    proof: ErasureProof
    provider: ProviderDeletions
    complete: bool
