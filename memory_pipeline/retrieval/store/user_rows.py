"""One user's rows of one index table, laid out for scoring: vectors, keyword index, entities, columns as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.reading.wording import states_time
from memory_pipeline.language.standing import Standing
from memory_pipeline.retrieval.scores.keywords import KeywordIndex
from memory_pipeline.retrieval.store.columns import Columns
from memory_pipeline.retrieval.store.naming import MemoryNames, SpeakerNames
from memory_pipeline.retrieval.store.row_context import Surroundings
from memory_pipeline.retrieval.store.token_rows import TokenRows
from memory_pipeline.storage.vectors.projection import has_name, spoken

if TYPE_CHECKING:
    import numpy.typing as npt

MEMORIES, MESSAGES, SUMMARIES = "memories", "messages", "summaries"
_IDS = {MEMORIES: "memory_id", MESSAGES: "message_id", SUMMARIES: "summary_id"}
_MADE_BYTES = 900  # a row's share of keywords, columns and objects
_TAKING_BACK = ("forget", "edit")
Citations = frozenset[tuple[str, str]]  # message id, session of the memory that cites it


class UserRows(Columns):
    """The rows of one user in one table; immutable once made, and shared between threads.

    Args:
        name: ``memories``, ``messages`` or ``summaries``.
        table: columns of the table's noun, without vectors.
        vectors: shape (rows, dimensions), of length 1 (or 0 where a text was not encoded).
        tokens: the packed tokens of each row; None where the table holds none.
    """

    def __init__(
        self,
        name: str,
        table: pa.Table,
        vectors: npt.NDArray[np.float32],
        policy: RetrievalPolicy,
        tokens: pa.BinaryArray | None = None,
    ) -> None:
        super().__init__(table)
        self.name = name
        self.vectors = vectors
        self.tokens = None if tokens is None else TokenRows(tokens)
        self._policy = policy
        self._dated = np.full(len(self), -1, dtype=np.int8)  # where it is not known yet
        self.marked: tuple[object, Any] | None = None  # what the user's topics make of the rows, and which topics
        self.topics: tuple[object, Any] | None = None  # of memories: what they close, and over which turns

    @property
    def nbytes(self) -> int:
        """Memory taken, in bytes, roughly: what is made of the rows when it is first needed counts as if it were."""
        tokens = 0 if self.tokens is None else self.tokens.nbytes
        return int(self.table.nbytes) + self.vectors.nbytes + tokens + _MADE_BYTES * len(self)

    # -- keywords

    @cached_property
    def keywords(self) -> KeywordIndex:
        """BM25 over the rows' texts."""
        return KeywordIndex(self._keyword_texts(), k1=self._policy.bm25_k1, b=self._policy.bm25_b)

    @cached_property
    def brevity(self) -> npt.NDArray[np.float32]:
        """What the keywords of each row count for, 0 to 1, shape (rows,).

        Measured on long messages (BEAM): a text of 3,000 characters holds a query's words by chance.
        """
        share = self._policy.short_turn_characters / np.maximum(self._lengths, 1).astype(np.float32)
        return np.minimum(share, 1.0, dtype=np.float32)

    @property
    def short(self) -> npt.NDArray[np.bool_]:
        """Which rows' texts are short, shape (rows,)."""
        return np.asarray(self._lengths <= self._policy.short_turn_characters, dtype=bool)

    @property
    def _lengths(self) -> npt.NDArray[np.int32]:
        """Characters of each text, shape (rows,)."""
        found: npt.NDArray[np.int32] = pc.utf8_length(self._arrays["content"]).to_numpy(zero_copy_only=False)
        return found

    def _keyword_texts(self) -> list[str]:
        """What keywords are looked for in: for a short turn also the one before it, which often names its subject.

        A turn before it that is not as short lends nothing: the words of a long reply drown those of a question
        (measured on LongMemEval: R@5 .73 with it, .83 without).
        """
        contents: list[str] = self._arrays["content"].to_pylist()
        if self.name != MESSAGES:
            return contents
        before = self._arrays["previous"].to_pylist()
        speakers = self._arrays["speaker"].to_pylist()
        short, short_before = self._policy.short_turn_characters, self._policy.previous_turn_characters
        return [
            f"{previous} {spoken(speaker, text)}"
            if len(text) <= short and len(previous) < short_before
            else spoken(speaker, text)
            for previous, speaker, text in zip(before, speakers, contents, strict=True)
        ]

    @property
    def ids(self) -> npt.NDArray[Any]:
        """The id that a reader is given for each row."""
        return self.values(_IDS[self.name])

    @cached_property
    def timezone(self) -> str:
        """Of memories: the zone that the user was last in, as far as one of them says; else empty."""
        if not len(self):
            return ""
        return self._arrays["timezone"][int(np.argmax(self.seconds("observed_at")))].as_py() or ""

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
        people = [name for name in self.coded("speaker")[0] if has_name(name)]
        aside: npt.NDArray[np.bool_] = self.matching("role", ("assistant",)) & ~self.matching("speaker", people)
        return aside

    @cached_property
    def off_record(self) -> npt.NDArray[np.bool_]:
        """Of turns: those that hold a sentence that is not to be kept, shape (rows,)."""
        found = np.zeros(len(self), dtype=bool)
        spans = self._arrays["spans"]
        told = pc.equal(pc.struct_field(pc.list_flatten(spans), "standing"), Standing.OFF_RECORD.value)
        found[pc.list_parent_indices(spans).to_numpy()[np.asarray(told.to_numpy(zero_copy_only=False), bool)]] = True
        return found

    def dated(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether the texts of some rows name a time, shape (places,)."""
        contents = self._arrays["content"]
        for place in places[self._dated[places] < 0].tolist():
            self._dated[place] = states_time(contents[place].as_py())
        return np.asarray(self._dated[places] == 1, dtype=bool)

    # -- entities

    @cached_property
    def names(self) -> MemoryNames:
        """Of memories: who and what they are about."""
        return MemoryNames(self)

    @cached_property
    def _speaker_names(self) -> SpeakerNames:
        return SpeakerNames(self)

    def naming(self, text: str, known: MemoryNames, *, shared: bool = False) -> npt.NDArray[np.int64]:
        """Places of the rows about somebody or something that a text names (LS-10).

        Args:
            known: by the reader's memories.
            shared: the rows are other users'.
        """
        places: set[int] = set()
        if self.name == MEMORIES:
            places = self.names.places(text, descriptions=not shared)
        elif self.name == MESSAGES:
            places = self._speaker_names.places(text, known)
        return np.array(sorted(places), dtype=np.int64)

    # -- what rests on what

    @cached_property
    def taken_back(self) -> Citations:
        """Of memories: the messages whose words the user has forgotten or corrected."""
        sessions, ids = self._arrays["session_id"], self._arrays["taken_back"]
        listed = {(i, sessions[n].as_py()) for n in self._listing.tolist() for i in ids[n].as_py()}
        # Rows of before these fields say it by their change alone.
        unlisted = self.matching("change", _TAKING_BACK) & (self.numbers("own_words") == 0)
        unlisted[self._listing] = False
        return frozenset(listed) | self.cited(unlisted)

    @cached_property
    def _listing(self) -> npt.NDArray[np.int64]:
        """Where memories stand that list what the user has taken back: few, if any."""
        lengths = pc.fill_null(pc.list_value_length(self._arrays["taken_back"]), 0)
        return np.flatnonzero(lengths.to_numpy(zero_copy_only=False))

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Of memories: where each stands, by its id."""
        return {memory_id: n for n, memory_id in enumerate(self.values("memory_id"))}

    @cached_property
    def derivations(self) -> Sequence[tuple[int, npt.NDArray[np.int64], bool]]:
        """Of memories: where those stand that were made from others, where these others stand, and whether all of them
        are here."""
        lengths = pc.fill_null(pc.list_value_length(self._arrays["derived_from"]), 0).to_numpy(zero_copy_only=False)
        ids = self._arrays["derived_from"]
        found = []
        for n in np.flatnonzero(lengths).tolist():
            made_of = ids[n].as_py()
            places = [self.place[i] for i in made_of if i in self.place]
            found.append((n, np.array(places, dtype=np.int64), len(places) == len(made_of)))
        return found

    @cached_property
    def forgotten(self) -> frozenset[str]:
        """Of memories: ids of those that the user has forgotten."""
        own, ids = self._arrays["memory_id"], self._arrays["taken_back"]
        gone = {own[n].as_py() for n in np.flatnonzero(self.matching("change", ("forget",))).tolist()}
        return frozenset(gone | {i for n in self._listing.tolist() if (i := own[n].as_py()) in ids[n].as_py()})

    @cached_property
    def corrected(self) -> Mapping[str, float]:
        """Of memories: those of which the user has taken words back, and when they were last confirmed (seconds since
        1970): what was made of one before then may still say the old words."""
        own, said = self._arrays["memory_id"], self.seconds("referenced_at")
        return {i: float(said[n]) for n in self._listing.tolist() if (i := own[n].as_py()) not in self.forgotten}

    @cached_property
    def constrained(self) -> Citations:
        """Of memories: the messages behind what must not be brought up (DL-23)."""
        return self.cited(self.matching("surface", ("avoid",)) & self.matching("status", ("active",)))

    def cited(self, mask: npt.NDArray[Any]) -> Citations:
        """Of memories: the messages behind some of them."""
        evidence, sessions = self._arrays["evidence"], self._arrays["session_id"]
        return frozenset((i, sessions[n].as_py()) for n in np.flatnonzero(mask).tolist() for i in evidence[n].as_py())

    def places_of(self, cited: Citations) -> list[int]:
        """Of messages: where the cited ones stand.

        Message ids are unique within a session only: the one in the memory's own session is meant, or, where a memory
        was confirmed in another session, any of that id.
        """
        found: list[int] = []
        if not cited:
            return found
        sessions = self.values("session_id")
        for message_id, session in cited:
            places = self._by_message_id.get(message_id, [])
            found += [n for n in places if sessions[n] == session] or places
        return found

    @cached_property
    def citing(self) -> Mapping[str, list[int]]:
        """Of memories: where those stand that rest on a message, by its id, whatever their state."""
        evidence = self._arrays["evidence"]
        ids = pc.dictionary_encode(pc.list_flatten(evidence))
        places = pc.list_parent_indices(evidence).to_numpy()
        codes = ids.indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(ids.dictionary) + 1)).tolist()
        ordered = places[order]
        return {name: ordered[starts[n] : starts[n + 1]].tolist() for n, name in enumerate(ids.dictionary.to_pylist())}

    @cached_property
    def _by_message_id(self) -> Mapping[str, list[int]]:
        return self.places_by("message_id")
