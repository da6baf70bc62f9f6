"""One user's rows of one index table, laid out for scoring: vectors, keyword index, entities, columns as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.entities import Roster
from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.wording import states_time
from memory_pipeline.retrieval.keywords import KeywordIndex
from memory_pipeline.retrieval.naming import NOBODY, MemoryNames, SpeakerNames
from memory_pipeline.retrieval.surroundings import Surroundings
from memory_pipeline.storage.projection import named, spoken

if TYPE_CHECKING:
    import numpy.typing as npt

MEMORIES, MESSAGES, SUMMARIES = "memories", "messages", "summaries"
_IDS = {MEMORIES: "memory_id", MESSAGES: "message_id", SUMMARIES: "summary_id"}
_ROWS_KEPT = 512
_ROW_BYTES = 1_500  # of a whole row as Python objects, roughly
_TAKING_BACK = ("forget", "edit")
Citations = frozenset[tuple[str, str]]  # message id, session of the memory that cites it


class UserRows:
    """The rows of one user in one table; immutable once made, and shared between threads.

    Args:
        name: ``memories``, ``messages`` or ``summaries``.
        table: columns of the table's noun, without vectors.
        vectors: shape (rows, dimensions), of length 1 (or 0 where a text was not encoded).
    """

    def __init__(self, name: str, table: pa.Table, vectors: npt.NDArray[np.float32], policy: RetrievalPolicy) -> None:
        self.name = name
        self.table = table.combine_chunks()
        self.vectors = vectors
        contents: list[str] = table.column("content").to_pylist()
        self.keywords = KeywordIndex(self._keyword_texts(contents, policy), k1=policy.bm25_k1, b=policy.bm25_b)
        lengths = np.array([max(len(text), 1) for text in contents], dtype=np.float32)
        # Measured on long messages (BEAM): a text of 3,000 characters holds a query's words by chance.
        self.brevity = np.minimum(policy.short_turn_characters / lengths, 1.0)
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._codes: dict[str, tuple[list[str], npt.NDArray[np.int64]]] = {}
        self._rows: dict[int, dict[str, Any]] = {}  # whole rows of late: a hot user's queries come back to them

    def _keyword_texts(self, contents: Sequence[str], policy: RetrievalPolicy) -> list[str]:
        """What keywords are looked for in: for a short turn also the one before it, which often names its subject.

        A turn before it that is not as short lends nothing: the words of a long reply drown those of a question
        (measured on LongMemEval: R@5 .73 with it, .83 without).
        """
        if self.name != MESSAGES:
            return list(contents)
        before = self.table.column("previous").to_pylist()
        speakers = self.table.column("speaker").to_pylist()
        return [
            f"{previous} {spoken(speaker, text)}"
            if len(text) <= policy.short_turn_characters and len(previous) < policy.previous_turn_characters
            else spoken(speaker, text)
            for previous, speaker, text in zip(before, speakers, contents, strict=True)
        ]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def nbytes(self) -> int:
        """Memory taken, in bytes, roughly."""
        objects = 200 * len(self) + _ROW_BYTES * min(len(self), _ROWS_KEPT)
        return int(self.table.nbytes) + self.vectors.nbytes + self.keywords.nbytes + objects

    # -- columns

    @property
    def ids(self) -> npt.NDArray[Any]:
        """The id that a reader is given for each row."""
        return self.values(_IDS[self.name])

    def values(self, column: str) -> npt.NDArray[Any]:
        """A column of texts or lists as an array of Python objects."""
        if column not in self._columns:
            found = np.empty(len(self), dtype=object)
            found[:] = self.table.column(column).to_pylist()
            self._columns[column] = found
        return self._columns[column]

    def numbers(self, column: str) -> npt.NDArray[np.float64]:
        """A column of numbers or truth values; None as nan."""
        if column not in self._columns:
            found = pc.cast(self.table.column(column), pa.float64()).to_numpy()
            self._columns[column] = np.asarray(found, dtype=np.float64)
        return self._columns[column]

    def seconds(self, column: str) -> npt.NDArray[np.float64]:
        """A column of times as seconds since 1970; None as nan."""
        if column not in self._columns:
            micros = pc.cast(pc.cast(self.table.column(column), pa.int64()), pa.float64(), safe=False)
            self._columns[column] = np.asarray(micros.to_numpy(), dtype=np.float64) / 1e6
        return self._columns[column]

    def has(self, column: str) -> bool:
        """Whether the table's noun has that field."""
        return column in self.table.column_names

    def matching(self, column: str, wanted: Collection[str]) -> npt.NDArray[np.bool_]:
        """Which rows have one of some texts in a column, shape (rows,)."""
        if column not in self._codes:
            coded = pc.dictionary_encode(self.table.column(column).combine_chunks())
            codes = pc.fill_null(coded.indices, len(coded.dictionary)).to_numpy()
            self._codes[column] = (coded.dictionary.to_pylist(), np.asarray(codes, dtype=np.int64))
        names, codes = self._codes[column]
        return np.array([*(name in wanted for name in names), False], dtype=bool)[codes]

    def take(self, places: Sequence[int] | npt.NDArray[np.int64]) -> list[dict[str, Any]]:
        """Whole rows at some places, in that order; not to be changed."""
        wanted = [int(place) for place in places]
        new = [place for place in wanted if place not in self._rows]
        if new:
            if len(self._rows) > _ROWS_KEPT:
                self._rows = {}
            self._rows.update(zip(new, self._read(new), strict=True))
        rows = self._rows
        return [rows[place] for place in wanted] if all(p in rows for p in wanted) else self._read(wanted)

    def _read(self, places: Sequence[int]) -> list[dict[str, Any]]:
        rows = self.table.take(pa.array(places, type=pa.int64())).to_pylist()
        return [{k: v.replace(tzinfo=UTC) if isinstance(v, datetime) else v for k, v in row.items()} for row in rows]

    # -- what stands around a row, and how it is worded

    @cached_property
    def surroundings(self) -> Surroundings:
        """Sessions, following turns, and what is typical of all rows."""
        return Surroundings(self)

    @cached_property
    def aside(self) -> npt.NDArray[np.bool_]:
        """Turns of an assistant, shape (rows,); not of a person who has that role in a conversation of two."""
        if self.name != MESSAGES:
            return np.zeros(len(self), dtype=bool)
        people = np.array([named(speaker) for speaker in self.values("speaker")], dtype=bool)
        return np.asarray((self.values("role") == "assistant") & ~people, dtype=bool)

    @cached_property
    def dated(self) -> npt.NDArray[np.bool_]:
        """Rows whose text names a time, shape (rows,)."""
        return np.array([states_time(text) for text in self.values("content")], dtype=bool)

    # -- entities

    @cached_property
    def _memory_names(self) -> MemoryNames:
        return MemoryNames(self)

    @cached_property
    def _speaker_names(self) -> SpeakerNames:
        return SpeakerNames(self)

    @property
    def roster(self) -> Roster:
        """Of one user's own memories: who and what they are about, by every name."""
        return next(iter(self._memory_names.rosters.values()), NOBODY)

    def naming(self, text: str, known: Roster = NOBODY, *, shared: bool = False) -> npt.NDArray[np.int64]:
        """Places of the rows about somebody or something that a text names (LS-10).

        Args:
            known: the reader's entities.
            shared: the rows are other users'.
        """
        places: set[int] = set()
        if self.name == MEMORIES:
            places = self._memory_names.places(text, descriptions=not shared)
        elif self.name == MESSAGES:
            places = self._speaker_names.places(text, known)
        return np.array(sorted(places), dtype=np.int64)

    # -- what rests on what

    @cached_property
    def taken_back(self) -> Citations:
        """Of memories: the messages whose words the user has forgotten or corrected."""
        sessions, ids = self.values("session_id"), self.values("taken_back")
        listed = {(i, sessions[place]) for place in range(len(self)) for i in ids[place]}
        # Rows of before these fields say it by their change alone.
        unlisted = np.array([not taken for taken in ids], dtype=bool) & (self.numbers("own_words") == 0)
        return frozenset(listed) | self._cited(unlisted & np.isin(self.values("change").astype(str), _TAKING_BACK))

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Of memories: where each stands, by its id."""
        return {memory_id: n for n, memory_id in enumerate(self.values("memory_id"))}

    @cached_property
    def forgotten(self) -> frozenset[str]:
        """Of memories: ids of those that the user has forgotten."""
        own, ids, changes = self.values("memory_id"), self.values("taken_back"), self.values("change")
        return frozenset(own[n] for n in range(len(self)) if changes[n] == "forget" or own[n] in ids[n])

    @cached_property
    def corrected(self) -> Mapping[str, float]:
        """Of memories: those of which the user has taken words back, and when they were last confirmed (seconds since
        1970): what was made of one before then may still say the old words."""
        own, ids, said = self.values("memory_id"), self.values("taken_back"), self.seconds("referenced_at")
        return {own[n]: float(said[n]) for n in range(len(self)) if ids[n] and own[n] not in self.forgotten}

    @cached_property
    def constrained(self) -> Citations:
        """Of memories: the messages behind what must not be brought up (DL-23)."""
        return self._cited((self.values("surface") == "avoid") & (self.values("status") == "active"))

    def _cited(self, mask: npt.NDArray[Any]) -> Citations:
        evidence, sessions = self.values("evidence"), self.values("session_id")
        return frozenset((i, sessions[place]) for place in np.flatnonzero(mask) for i in evidence[place])

    def places_of(self, cited: Citations) -> list[int]:
        """Of messages: where the cited ones stand.

        Message ids are unique within a session only: the one in the memory's own session is meant, or, where a memory
        was confirmed in another session, any of that id.
        """
        sessions = self.values("session_id")
        found: list[int] = []
        for message_id, session in cited:
            places = self._by_message_id.get(message_id, [])
            found += [n for n in places if sessions[n] == session] or places
        return found

    @cached_property
    def _by_message_id(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, message_id in enumerate(self.values("message_id")):
            found[message_id].append(place)
        return dict(found)
