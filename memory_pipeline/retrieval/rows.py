"""One user's rows of one index table, laid out for scoring: vectors, keyword index, entity names, columns as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.text import STOPWORDS, normalise, words
from memory_pipeline.retrieval.keywords import KeywordIndex
from memory_pipeline.storage.projection import spoken

if TYPE_CHECKING:
    import numpy.typing as npt

_LONGEST_NAME = 4  # words
MEMORIES, MESSAGES, SUMMARIES = "memories", "messages", "summaries"
_IDS = {MEMORIES: "memory_id", MESSAGES: "message_id", SUMMARIES: "summary_id"}
Citations = frozenset[tuple[str, str]]  # message id, session of the memory that cites it
# Words of these must not be shown: the user took back or corrected what was made of them.
_TAKEN_BACK = frozenset({"forget", "edit"})


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

    def _keyword_texts(self, contents: Sequence[str], policy: RetrievalPolicy) -> list[str]:
        """What keywords are looked for in: for a short turn also the one before it, which often names its subject."""
        if self.name != MESSAGES:
            return list(contents)
        before = self.table.column("previous").to_pylist()
        speakers = self.table.column("speaker").to_pylist()
        return [
            f"{previous} {spoken(speaker, text)}"
            if len(text) <= policy.short_turn_characters
            else spoken(speaker, text)
            for previous, speaker, text in zip(before, speakers, contents, strict=True)
        ]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def nbytes(self) -> int:
        """Memory taken, in bytes, roughly."""
        return int(self.table.nbytes) + self.vectors.nbytes + self.keywords.nbytes + 200 * len(self)

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

    def take(self, places: Sequence[int] | npt.NDArray[np.int64]) -> list[dict[str, Any]]:
        """Whole rows at some places, in that order."""
        rows = self.table.take(pa.array(places, type=pa.int64())).to_pylist()
        return [{k: v.replace(tzinfo=UTC) if isinstance(v, datetime) else v for k, v in row.items()} for row in rows]

    # -- entities

    @cached_property
    def _named(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, names in enumerate(self._names()):
            for name in {normalise(n) for n in names}:
                if name and name != "user" and name not in STOPWORDS:
                    found[name].append(place)
        return {name: tuple(places) for name, places in found.items()}

    @cached_property
    def _unspaced(self) -> Sequence[str]:
        """Names that may stand in a text without spaces around them."""
        return [name for name in self._named if not name.isascii()]

    def _names(self) -> Sequence[Sequence[str]]:
        if self.name == MEMORIES:
            subjects = self.values("subject")
            return [[*e, *([s] if s else [])] for e, s in zip(self.values("entities"), subjects, strict=True)]
        if self.name == MESSAGES:
            return [[s] if s else [] for s in self.values("speaker")]
        return []

    def naming(self, text: str) -> npt.NDArray[np.int64]:
        """Places of the rows about somebody or something that a text names (LS-10)."""
        tokens = words(text)
        spans = {
            " ".join(tokens[start : start + size])
            for size in range(1, _LONGEST_NAME + 1)
            for start in range(len(tokens) - size + 1)
        }
        folded = normalise(text)
        named = (spans & self._named.keys()).union(name for name in self._unspaced if name in folded)
        return np.array(sorted({place for name in named for place in self._named[name]}), dtype=np.int64)

    # -- what rests on what

    @cached_property
    def taken_back(self) -> Citations:
        """Of memories: the messages behind what the user has forgotten or edited."""
        return self._cited(np.isin(self.values("change").astype(str), list(_TAKEN_BACK)))

    @cached_property
    def forgotten(self) -> frozenset[str]:
        """Of memories: ids of those that the user has forgotten."""
        return frozenset(self.values("memory_id")[self.values("change") == "forget"])

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
