"""Finding the memories that a proposal may concern: by slot, by words and by cosine within one user."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memory_pipeline.domain.consolidation.endings.ended_relations import concerns, endings
from memory_pipeline.domain.consolidation.endings.exclusion import excludes
from memory_pipeline.domain.consolidation.endings.replacement import given_up
from memory_pipeline.domain.consolidation.equivalence import slot_of
from memory_pipeline.domain.consolidation.naming import kinds_of_word, lines
from memory_pipeline.domain.consolidation.plans.fulfilment import fit
from memory_pipeline.domain.consolidation.plans.open_loops import may_end
from memory_pipeline.domain.consolidation.pleas import closing, speaks_of
from memory_pipeline.domain.consolidation.slots import attribute
from memory_pipeline.domain.consolidation.supersession import Candidate
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion, Status
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import content_words, normalise
from memory_pipeline.inference.vector_cache import OwnedText

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.stages.context import StageContext

_SHARED_WORDS = 0.3
_ENDING = frozenset({Operation.FORGET, Operation.SUPPRESS, Operation.CLOSE_OPEN_LOOP, Operation.CONTRADICT})
_PLEADING = frozenset({Operation.FORGET, Operation.SUPPRESS})
_ROOM = 256
_BLOCK = 1024  # rows of a product: OpenBLAS spreads one of 1,200 over threads, which wait spinning (4 ms for 0.2)
_SAID = 400  # characters of a message


class Encodable(Protocol):
    """What has a content that can be encoded, and a day."""

    @property
    def tenant_id(self) -> str: ...

    @property
    def user_id(self) -> str: ...

    @property
    def day(self) -> date: ...

    @property
    def content(self) -> str: ...


class Vectors:
    """Vectors by text: what the index holds already, and the rest from the kept ones or encoded in one batch."""

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def load(self, scopes: Iterable[Scope], *, living: bool = False) -> None:
        """Take over the vectors of some users' memories from the index.

        Args:
            living: only of memories that have not ended.
        """
        from memory_pipeline.storage.vectors.index import vectors_of

        statuses = [str(s) for s in Status if s not in RETIRED] if living else None
        for rows in self._ctx.index.rows_of("memories", scopes, ["content", "vector"], statuses):
            if rows.num_rows:
                self._known.update(zip(rows["content"].to_pylist(), vectors_of(rows), strict=True))

    def encode(self, texts: Iterable[str]) -> None:
        """Encode the texts that are not known yet."""
        missing = list(dict.fromkeys(t for t in texts if t not in self._known))
        if missing:
            self._known.update(zip(missing, self._ctx.encoder.encode(missing), strict=True))

    def prepare(self, said: Iterable[Encodable]) -> None:
        """Have the vectors of contents ready: of those that are not known yet the kept ones, or encoded and kept."""
        missing = {s.content: OwnedText(Scope(s.tenant_id, s.user_id), s.day, s.content) for s in said}
        missing = {text: owned for text, owned in missing.items() if text not in self._known}
        if missing:
            self._known.update(zip(missing, self._ctx.vectors.encode(list(missing.values())), strict=True))

    def of(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a text, encoded when it is not known yet."""
        if text not in self._known:
            self.encode([text])
        return self._known[text]

    @property
    def dimensions(self) -> int:
        return self._ctx.encoder.dimensions


class _Words(NamedTuple):
    """The words of a memory: with those of its value, and of its content alone."""

    all: frozenset[str]
    content: frozenset[str]


class Neighbourhood:
    """One user's living memories, ready to be searched: a matrix of vectors beside an index of slots and the texts.

    Kept up to date one version at a time, so that a proposal costs one product of matrix and vector, whatever was
    changed before it.
    """

    def __init__(self, vectors: Vectors, memories: Iterable[MemoryVersion]) -> None:
        import numpy as np

        living = [m for m in memories if m.status not in RETIRED]
        vectors.prepare(living)
        self._vectors = vectors
        self._matrix: npt.NDArray[np.float32] = np.zeros((len(living) + _ROOM, vectors.dimensions), dtype=np.float32)
        self._rows: list[MemoryVersion | None] = []
        self._place: dict[str, int] = {}
        self._slots: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._texts: dict[int, str] = {}
        self._words_of: dict[int, _Words] = {}
        self._word_places: dict[str, set[int]] = defaultdict(set)
        self._loops: dict[int, MemoryVersion] = {}
        for memory in living:
            self.put(memory)

    def copy(self) -> Neighbourhood:
        """As it is now; what is put into one is not in the other."""
        twin = object.__new__(Neighbourhood)
        twin._vectors = self._vectors
        twin._matrix = self._matrix.copy()
        twin._rows = list(self._rows)
        twin._place = dict(self._place)
        twin._slots = defaultdict(set, {key: set(places) for key, places in self._slots.items()})
        twin._texts = dict(self._texts)
        twin._words_of = dict(self._words_of)
        twin._word_places = self._word_places  # grows only, and what it finds is held against the words told
        twin._loops = dict(self._loops)
        return twin

    @property
    def open_loops(self) -> list[MemoryVersion]:
        """Every open loop that still waits."""
        return list(self._loops.values())

    def put(self, memory: MemoryVersion) -> None:
        """Take in the next version of a memory; a retired one is searched no more."""
        place = self._place.get(memory.memory_id)
        if place is not None:
            self._remove(place)
        if memory.status in RETIRED:
            return
        if place is None:
            place = self._place[memory.memory_id] = len(self._rows)
            self._rows.append(None)
            self._grow()
        self._rows[place] = memory
        self._matrix[place] = self._vectors.of(memory.content)
        if (key := slot_of(memory).key) is not None:
            self._slots[key].add(place)
        self._texts[place] = f"{normalise(memory.content)} {normalise(memory.value or '')} "
        told = self._words_of[place] = _Words(_words(memory), content_words(memory.content))
        for word in told.all:
            self._word_places[word].add(place)
        if memory.type is MemoryType.OPEN_LOOP:
            self._loops[place] = memory

    def _remove(self, place: int) -> None:
        memory = self._rows[place]
        if memory is None:
            return
        if (key := slot_of(memory).key) is not None:
            self._slots[key].discard(place)
        self._texts.pop(place, None)
        self._loops.pop(place, None)
        self._words_of.pop(place, None)
        self._rows[place] = None
        self._matrix[place] = 0.0

    def _grow(self) -> None:
        import numpy as np

        if len(self._rows) > len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])

    def candidates(self, proposal: Proposal, policy: Policy, message: str = "") -> list[Candidate]:
        """The memories near a proposal, nearest first, at most as many as the policy says besides slot matches.

        Open loops are candidates of everything that may close one; what ends something sees all that shares a word
        with it.

        Args:
            message: what was said with it, which tells what an ending means that names nothing.
        """
        import numpy as np

        if not self._rows:
            return []
        similarity = said = self._cosines(proposal.content)
        telling = any(ending.kinds for ending in endings(proposal.content))
        for text in {proposal.evidence[0].quote, message[:_SAID]} - {""} if telling else ():
            said = np.maximum(said, self._cosines(text))
        words = content_words(f"{proposal.content} {proposal.value or ''}")
        kept = self._same_slot(proposal) | self._in_view(proposal, words)
        near = set(np.flatnonzero(similarity >= policy.similarity.judge).tolist())
        near |= {p for p in self._sharing(words) if _share(words, self._words_of[p].content) >= _SHARED_WORDS}
        if telling:
            near |= set(np.argsort(-said, kind="stable")[: policy.consolidation.candidates].tolist())
        ordered = sorted(near - kept, key=lambda p: (-similarity[p], self._id(p)))[: policy.consolidation.candidates]
        found = [
            Candidate(memory, float(similarity[p]), float(said[p]))
            for p in (*kept, *ordered)
            if (memory := self._rows[p]) is not None
        ]
        return sorted(found, key=lambda c: (-c.similarity, c.memory.memory_id))

    def _cosines(self, text: str) -> npt.NDArray[np.float32]:
        """Of a text with every place."""
        import numpy as np

        vector, found = self._vectors.of(text), np.empty(len(self._rows), dtype=np.float32)
        for start in range(0, len(found), _BLOCK):
            end = min(start + _BLOCK, len(found))
            np.matmul(self._matrix[start:end], vector, out=found[start:end])
        return found

    def like(self, memory: MemoryVersion) -> list[MemoryVersion]:
        """The other memories of a memory's slot, and those that hold all of its words."""
        words = _words(memory)
        places = self._same_slot(memory) | {p for p in self._sharing(words) if words <= self._words_of[p].all}
        return [m for p in sorted(places) if (m := self._rows[p]) is not None and m.memory_id != memory.memory_id]

    def _same_slot(self, statement: Proposal | MemoryVersion) -> set[int]:
        key = slot_of(statement).key
        if key is None:
            return set()
        known = attribute(key[1])
        found = set(self._slots.get(key, ()))
        for other in filter(None, (known.opposite, known.beside)):
            found |= self._slots.get((key[0], other), set())
        return found

    def _in_view(self, proposal: Proposal, words: frozenset[str]) -> set[int]:
        old = frozenset(w for told in given_up(proposal.content) for w in content_words(told))
        if proposal.operation is Operation.CLOSE_OPEN_LOOP:
            told_over = bool(old) or bool(endings(proposal.content))
            loops = set(self._loops) | (self._sharing(words) if proposal.negated or told_over else set())
            return loops | self._over(proposal) if told_over else loops
        lifting = proposal.operation is Operation.CONTRADICT and proposal.type is MemoryType.BOUNDARY
        if proposal.operation in _PLEADING or lifting:
            return self._sharing(words) | self._speaking(proposal)
        if proposal.operation in _ENDING:
            return self._sharing(words) | self._over(proposal)
        excluded = self._excluded(proposal)
        if endings(proposal.content):
            return self._sharing(words | old) | self._over(proposal) | excluded
        corrected = words if proposal.operation is Operation.UPDATE else frozenset()
        return excluded | (self._sharing(old | corrected) if old or corrected else set())

    def _excluded(self, proposal: Proposal) -> set[int]:
        """Places of what cannot be so beside a proposal, whatever its words are."""
        rows = [old for old, _ in excludes(proposal.content)]
        return {p for p, text in self._texts.items() if any(old.search(text) for old in rows)} if rows else set()

    def _speaking(self, proposal: Proposal) -> set[int]:
        """Places of what speaks of the topic that is to be forgotten or left alone, in whatever words."""
        there = [m for m in self._rows if m is not None]
        about = closing(proposal, there)
        return {self._place[m.memory_id] for m in there if any(speaks_of(m, topic) for topic in about)}

    def _over(self, proposal: Proposal) -> set[int]:
        """Places of what an ending is about although it shares no word with it: "was laid off", the job."""
        attributes = concerns(proposal.content)
        leading = [f" {lead} " for lead in attributes if " " in lead]
        stems = {stem(w) for w in content_words(proposal.content)}
        names, kinds = _names(proposal.content), frozenset(map(stem, content_words(proposal.content)))
        return {
            p
            for p, memory in enumerate(self._rows)
            if memory is not None
            and (
                memory.attribute in attributes
                or not stems.isdisjoint(_stems(memory.content))
                or not names.isdisjoint(_names(memory.content))
                or not kinds.isdisjoint(_kinds(memory.content))
                or any(lead in f" {self._texts[p]}" for lead in leading)
            )
        }

    def _sharing(self, words: frozenset[str]) -> set[int]:
        """Places of the memories that hold one of some words."""
        told = self._words_of
        likely = {p for word in words for p in self._word_places.get(word, ())}
        return {p for p in likely if p in told and not words.isdisjoint(told[p].all)}

    def _id(self, place: int) -> str:
        memory = self._rows[place]
        return memory.memory_id if memory is not None else ""


def _words(memory: MemoryVersion) -> frozenset[str]:
    return content_words(f"{memory.content} {memory.value or ''}")


@lru_cache(maxsize=65536)
def _stems(content: str) -> frozenset[str]:
    """The stems of a memory's words: "Smokes." is meant by "gave up smoking"."""
    return frozenset(map(stem, content_words(content))) | {stem(normalise(content).partition(" ")[0])}


@lru_cache(maxsize=65536)
def _names(content: str) -> frozenset[int]:
    """The lines of synonyms that the words of a text stand in."""
    return frozenset(n for word in content_words(content) for n in lines(word))


@lru_cache(maxsize=65536)
def _kinds(content: str) -> frozenset[str]:
    """The kinds, by their stems, of what the words of a text name: of "Corolla" a car."""
    return frozenset(kind for word in content_words(content) for kind in kinds_of_word(word))


def _share(words: frozenset[str], there: frozenset[str]) -> float:
    return len(words & there) / min(len(words), len(there)) if words and there else 0.0


def near_loops(
    proposal: Proposal, loops: Sequence[MemoryVersion], vectors: Vectors, policy: Policy
) -> list[MemoryVersion]:
    """The open loops that a statement may have to do with: in cosine, in a word, or as a deed that fulfils one."""
    if not loops:
        return []
    words = content_words(proposal.content)
    vector = vectors.of(proposal.content)
    return [
        loop
        for loop in loops
        if may_end(proposal, loop)
        and (
            words & content_words(loop.content)
            or float(vectors.of(loop.content) @ vector) >= policy.similarity.link
            or fit(proposal.content, loop.content) > 0.0
        )
    ]
