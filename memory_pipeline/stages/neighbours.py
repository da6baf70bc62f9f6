"""Finding the memories that a proposal may concern: by slot, by words and by cosine within one user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memory_pipeline.domain.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.slots import Relation, relate
from memory_pipeline.domain.supersession import Candidate, slot_of
from memory_pipeline.domain.text import content_words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.stages.context import StageContext

_SHARED_WORDS = 0.3
_ENDING = frozenset({Operation.FORGET, Operation.SUPPRESS, Operation.CLOSE_OPEN_LOOP, Operation.CONTRADICT})


class Vectors:
    """Vectors by text: what the index holds already, and the rest encoded in one batch."""

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def load(self, scopes: Iterable[Scope]) -> None:
        """Take over the vectors of some users' memories from the index."""
        from memory_pipeline.storage.index import vectors_of

        for scope in scopes:
            rows = self._ctx.index.rows("memories", scope, ["content", "vector"])
            if rows.num_rows:
                self._known.update(zip(rows["content"].to_pylist(), vectors_of(rows), strict=True))

    def encode(self, texts: Iterable[str]) -> None:
        """Encode the texts that are not known yet."""
        missing = list(dict.fromkeys(t for t in texts if t not in self._known))
        if missing:
            self._known.update(zip(missing, self._ctx.encoder.encode(missing), strict=True))

    def matrix(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (len(texts), dimensions)."""
        import numpy as np

        self.encode(texts)
        return np.stack([self._known[t] for t in texts])


def candidates(
    proposal: Proposal, memories: Iterable[MemoryVersion], vectors: Vectors, policy: Policy
) -> list[Candidate]:
    """The user's memories near a proposal, nearest first, at most as many as the policy says besides slot matches.

    Open loops are candidates of everything that may close one; what ends something sees all that shares a word with it.
    """
    living = [m for m in memories if m.status not in RETIRED]
    if not living:
        return []
    texts = vectors.matrix([proposal.content, *(m.content for m in living)])
    similarity = texts[1:] @ texts[0]
    slot, words = slot_of(proposal), content_words(f"{proposal.content} {proposal.value or ''}")
    kept, near = [], []
    for memory, cosine in zip(living, similarity.tolist(), strict=True):
        candidate = Candidate(memory, float(cosine))
        if relate(slot, slot_of(memory)) is not Relation.UNRELATED or _in_view(proposal, memory, words):
            kept.append(candidate)
        elif cosine >= policy.similarity.judge or _share(words, memory) >= _SHARED_WORDS:
            near.append(candidate)
    near.sort(key=lambda c: (-c.similarity, c.memory.memory_id))
    return sorted(kept + near[: policy.consolidation.candidates], key=lambda c: (-c.similarity, c.memory.memory_id))


def _in_view(proposal: Proposal, memory: MemoryVersion, words: frozenset[str]) -> bool:
    if proposal.operation is Operation.CLOSE_OPEN_LOOP:
        return memory.type is MemoryType.OPEN_LOOP
    return proposal.operation in _ENDING and bool(words & content_words(f"{memory.content} {memory.value or ''}"))


def _share(words: frozenset[str], memory: MemoryVersion) -> float:
    there = content_words(memory.content)
    return len(words & there) / min(len(words), len(there)) if words and there else 0.0
