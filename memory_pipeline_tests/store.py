"""A small home made by hand: rows in a real lake and a real index, with an encoder that can be computed by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.classification import Classifier
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, evolve
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Evidence
from memory_pipeline.domain.scope import Classification
from memory_pipeline.domain.text import words
from memory_pipeline.inference.token_vectors import DIMENSIONS, STEPS, Encoding, encodings
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.messages.index_messages import indexed_messages, with_encodings
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Usefulness
from memory_pipeline.storage.vectors.index import Index, IndexedMemory, IndexedMessage, IndexedSummary
from memory_pipeline.storage.vectors.projection import indexed_memory, indexed_summary, spoken
from memory_pipeline_tests import factories

_RETRIEVAL = Settings().policies.retrieval

NOW = factories.NOON
CLASSES = Classifier(Settings.load().policies.classification)


class WordEncoder:
    """Each word has an axis of its own: the cosine of two texts is the share of words that they have in common."""

    model = "test-words"
    dimensions = 512

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (texts, 512), of length 1, or 0 for a text without words."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                axis = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:4]) % self.dimensions
                vectors[row, axis] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


class WordTokenEncoder(WordEncoder):
    """A token for each word, too: a vector that is the same for the same word and nearly at right angles to others'."""

    model = "test-word-tokens"
    gives_tokens = True

    def encodings(self, texts: Sequence[str], *, words: bool = False) -> list[Encoding]:
        """See :meth:`TokenEncoder.encodings`."""
        said = [text.lower().split() for text in texts]
        tokens = (b"".join(map(self.token, own)) for own in said)
        made = zip(self.encode(texts), tokens, said, strict=True)
        return [Encoding(vector, cut, tuple(own) if words else ()) for vector, cut, own in made]

    def token(self, word: str) -> bytes:
        """The packed token of a word."""
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:4])
        drawn = np.random.default_rng(seed).standard_normal(DIMENSIONS)
        return np.rint(drawn / np.linalg.norm(drawn) * STEPS).astype(np.int8).tobytes()


@dataclass
class Store:
    """A home under a folder, seen by one user; every method writes at once."""

    home: Path
    encoder: Any = field(default_factory=WordEncoder)
    user_id: str = "alice"
    tenant_id: str = "default"

    def __post_init__(self) -> None:
        self.settings = Settings(home=str(self.home))
        self.lake = Lake(self.settings.path("lake"))
        self.index = Index.open(self.settings, self.encoder)
        self._numbers = count(1)

    def of(self, user_id: str, tenant_id: str = "default") -> Store:
        """The same home, seen by another user."""
        other = copy(self)
        other.user_id, other.tenant_id = user_id, tenant_id
        return other

    def reader(self, **given: Any) -> MemoryReader:
        """A reader whose time is ``NOW`` unless another ``clock`` is given."""
        return MemoryReader(self.settings, **{"encoder": self.encoder, "clock": lambda: NOW, "seed": 7, **given})

    @property
    def owner(self) -> dict[str, str]:
        """The arguments that say whose memory is meant."""
        return {"user_id": self.user_id, "tenant_id": self.tenant_id}

    # -- memories

    def memory(self, content: str, **given: Any) -> MemoryVersion:
        """Version 1 of a memory, in the ledger and in the index; ``evidence`` may be message ids."""
        return self.memories([(content, given)])[0]

    def memories(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> list[MemoryVersion]:
        """Several at once: one write."""
        made = [self._version(content, **given) for content, given in rows]
        self._put(made)
        return made

    def change(self, version: MemoryVersion, change: Change, at: datetime | None = None, **given: Any) -> MemoryVersion:
        """The next version of a memory."""
        at = at or version.changed_at + timedelta(days=1)
        given = {"changed_at": at, "day": at.date(), "recorded_at": at, **given}
        following = evolve(version, change=change, **given)
        self._put([following])
        return following

    def _version(self, content: str, **given: Any) -> MemoryVersion:
        at = given.pop("at", NOW - timedelta(days=10))
        recorded_at = given.pop("recorded_at", at)
        cited = (e if isinstance(e, Evidence) else Evidence(e, content) for e in given.pop("evidence", ()))
        memory_id = given.pop("memory_id", f"mem_{next(self._numbers)}")
        plain = {
            **self.owner,
            "session_id": "s-1",
            "memory_id": memory_id,
            "lineage_id": memory_id,
            "subject": None,
            "confidence": 0.9,
            "salience": 0.5,
            "importance": 0.5,
            "evidence": tuple(cited),
            "proposal_id": None,
        }
        made = factories.memory(factories.proposal(content, at), **{**plain, **given})
        return replace(made, recorded_at=recorded_at)

    def _put(self, versions: Sequence[MemoryVersion]) -> None:
        self.lake.append("memory_versions", versions)
        rows = [indexed_memory(v) for v in versions]
        self.index.upsert("memories", to_table(rows, IndexedMemory), self.encoder.encode([r.content for r in rows]))

    # -- messages and summaries

    def message(self, content: str, **given: Any) -> Message:
        """A turn, in the log and in the index."""
        return self.messages([(content, given)])[0]

    def messages(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Message]:
        """Several at once: one write."""
        made, previous = [], []
        for content, given in rows:
            given = dict(given)
            previous.append(given.pop("previous", ""))
            at = given.pop("at", NOW - timedelta(days=10))
            plain = {**self.owner, "session_id": "s-1", "message_id": f"m-{next(self._numbers)}", "recorded_at": at}
            made.append(factories.message(content, at, **{**plain, **given}))
        self.lake.append("messages", made)
        self._index_turns([_indexed_message(m, p) for m, p in zip(made, previous, strict=True)])
        return made

    def _index_turns(self, turns: Sequence[IndexedMessage]) -> None:
        texts = [spoken(t.speaker, t.content) for t in turns]
        self.index.upsert("messages", *with_encodings(to_table(turns, IndexedMessage), encodings(self.encoder, texts)))

    def conversation(self, *turns: tuple[str, str], **given: Any) -> list[Message]:
        """A session of turns, role and content, a minute apart, indexed in view of each other; one write."""
        at = given.pop("at", NOW - timedelta(days=10))
        plain = {**self.owner, "session_id": "s-1", "recorded_at": at, **given}
        made = [
            factories.message(
                content,
                at + timedelta(minutes=n),
                **{"role": Role(role), "message_id": f"m-{next(self._numbers)}", **plain},
            )
            for n, (role, content) in enumerate(turns)
        ]
        self.lake.append("messages", made)
        self._index_turns([row for row, _ in indexed_messages(made, _RETRIEVAL, CLASSES)])
        return made

    def summary(self, text: str, start: date, grain: Grain = Grain.DAY, **given: Any) -> Summary:
        """A calendar summary, in the lake and in the index."""
        at = given.pop("at", datetime.combine(start, datetime.min.time(), UTC) + timedelta(hours=20))
        plain: dict[str, Any] = {
            "summary_id": identifier("sum", self.tenant_id, self.user_id, grain, start.isoformat()),
            **self.owner,
            "grain": grain,
            "start": start,
            "text": text,
            "message_ids": (),
            "memory_ids": (),
            "input_hash": "",
            "observed_at": at,
            "prompt_hash": "",
            "model": "test",
            "run_id": "run-1",
            "recorded_at": at,
            "classification": Classification.INTERNAL,
            "domains": (),
            "agent_ids": (),
        }
        made = Summary(**{**plain, **given})
        there = self.lake.read("summaries", Summary, days=[start])
        self.lake.replace("summaries", start, [*there, made])
        row = indexed_summary(made)
        self.index.upsert("summaries", to_table([row], IndexedSummary), self.encoder.encode([row.content]))
        return made

    def usefulness(self, item_id: str, day: date, **given: Any) -> None:
        """What reads until a day say of an item."""
        plain: dict[str, Any] = {
            "item_id": item_id,
            **self.owner,
            "day": day,
            "access_count": 0,
            "last_access": datetime.combine(day, datetime.min.time(), UTC),
            "verified_count": 0,
            "rated_count": 0,
            "q_value": 0.5,
        }
        self.lake.append("usefulness", [Usefulness(**{**plain, **given})])


def _indexed_message(message: Message, previous: str) -> IndexedMessage:
    ((row, _),) = indexed_messages([message], _RETRIEVAL, CLASSES)
    return replace(row, previous=previous)
