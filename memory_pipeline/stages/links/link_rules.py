"""The links of one user: what the ledger, slots and wording say, and of each memory its nearest older ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memory_pipeline.domain.entities import Entity
from memory_pipeline.domain.links import LinkKind, Remembered, Tie, denied, elaborates, ledger_links, reasons, specific
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.text import content_words
from memory_pipeline.stages.consolidation.similar import Near, near_to, similar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.stages.consolidation.neighbours import Vectors


class Ties:
    """One user's memories, and the links between them. Memories are named by their place, oldest first.

    Args:
        entities: of the same user.
        vectors: hold those of the memories' contents, or encode them.
    """

    def __init__(
        self, memories: Sequence[Remembered], entities: Sequence[Entity], vectors: Vectors, policy: Policy
    ) -> None:
        self.memories = memories
        self.place = {m.memory_id: n for n, m in enumerate(memories)}
        self._entities = entities
        self._vectors = vectors
        self._policy = policy

    @cached_property
    def matrix(self) -> npt.NDArray[np.float64]:
        """Vectors of the memories, shape (memories, dimensions), in double precision."""
        import numpy as np

        self._vectors.encode(m.content for m in self.memories)
        return np.array([self._vectors.of(m.content) for m in self.memories], dtype=np.float64)

    @cached_property
    def sharing(self) -> list[tuple[int, int]]:
        """Pairs (newer, older) that name the same specific entity, in order."""
        pairs = set()
        for entity in self._entities:
            if specific(entity, self._policy.links):
                places = sorted(self.place[i] for i in entity.memory_ids)
                pairs |= {(newer, older) for n, newer in enumerate(places) for older in places[:n]}
        return sorted(pairs)

    @cached_property
    def stated(self) -> list[Tie]:
        """What the ledger says, of all memories."""
        return _once(ledger_links(self.memories))

    def newer_near(self, places: Collection[int]) -> set[int]:
        """Memories that are newer than one of some, and near enough to be linked to it."""
        wanted = set(places)
        found = {newer for newer, older in self.sharing if older in wanted}
        return found | near_to(self.matrix, sorted(wanted), self._policy.similarity.link)

    def of(self, newer: Collection[int]) -> list[Tie]:
        """Every link whose newer end is one of some memories, each pair once."""
        wanted = set(newer)
        if not wanted:
            return []
        near = similar(
            self.matrix,
            sorted(wanted),
            [pair for pair in self.sharing if pair[0] in wanted],
            floor=self._policy.similarity.link,
            sharing_floor=self._policy.links.entity_floor,
            most=self._policy.consolidation.max_links,
        )
        said = [tie for tie in self.stated if pair(tie)[0] in wanted]
        said = _once([*said, *denied(self.memories, wanted), *reasons(self.memories, wanted, self._policy.links)])
        return said + self._worded(near, set(map(pair, said)))

    def _worded(self, near: Near, taken: set[tuple[int, int]]) -> list[Tie]:
        """Pairs that are near each other: the fuller one elaborates, or they are just related."""
        memories = self.memories
        words = {n: content_words(memories[n].content) for n in {*near.newer.tolist(), *near.older.tolist()}}
        found = []
        columns = (column.tolist() for column in (near.newer, near.older, near.cosine, near.shared))
        for newer, older, cosine, shared in zip(*columns, strict=True):
            if (newer, older) in taken:
                continue
            if words[newer] > words[older] and elaborates(memories[newer], memories[older]):
                found.append(Tie(newer, older, LinkKind.ELABORATES, cosine, "words"))
            elif words[older] > words[newer] and elaborates(memories[older], memories[newer]):
                found.append(Tie(older, newer, LinkKind.ELABORATES, cosine, "words"))
            else:
                found.append(Tie(newer, older, LinkKind.RELATED, cosine, "entity" if shared else "similarity"))
        return found


def pair(tie: Tie) -> tuple[int, int]:
    """The places of a link's ends, the newer one first."""
    return max(tie.source, tie.target), min(tie.source, tie.target)


def _once(found: Iterable[Tie]) -> list[Tie]:
    """One tie a pair: what the ledger states goes before what slots say, and that before wording."""
    kept: dict[tuple[int, int], Tie] = {}
    for tie in found:
        kept.setdefault(pair(tie), tie)
    return list(kept.values())
