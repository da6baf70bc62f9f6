"""From a query to ranked hits: sources, candidates, scores, and one place for what is said twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_pipeline.domain.policy import Policy
from memory_pipeline.inference.token_vectors import Encoding, encodings
from memory_pipeline.language.requests import asks
from memory_pipeline.retrieval.prompt.needs import also_known, hazardous_turns, needed, needed_turns, told_by
from memory_pipeline.retrieval.prompt.relevance import Evidence
from memory_pipeline.retrieval.prompt.requests import Request, Requests
from memory_pipeline.retrieval.query import Query
from memory_pipeline.retrieval.scores import periods, scoring
from memory_pipeline.retrieval.scores.candidates import Candidates, bounded, candidates, constant
from memory_pipeline.retrieval.scores.hits import Hit, hit, once
from memory_pipeline.retrieval.scores.keywords import query_terms
from memory_pipeline.retrieval.scores.late import query_tokens
from memory_pipeline.retrieval.scores.periods import Window
from memory_pipeline.retrieval.scores.proximity import Leads, moment, told_best
from memory_pipeline.retrieval.store.row import Row
from memory_pipeline.retrieval.store.sources import Opened, Source, Sources
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, SUMMARIES, Citations, UserRows
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.vectors.index import Index

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder

_QUERIES_KEPT = 256  # encodings of the last queries: a turn is often both searched for and put in context


@dataclass(frozen=True, slots=True)
class _Scored:
    table: Source
    found: Candidates
    values: scoring.Signals
    scores: npt.NDArray[np.float64]


class Searcher:
    """Finds and ranks one user's rows. Safe for threads.

    Args:
        seed: of the generator that exploring profiles draw from; None = another one each time.
    """

    def __init__(self, lake: Lake, index: Index, encoder: Encoder, policy: Policy, *, seed: int | None = None) -> None:
        self.index = index
        self.sources = Sources(lake, index, encoder, policy)
        self._encoder = encoder
        self._policy = policy
        self._requests = Requests(encoder, policy.context)
        self._seed = seed
        self._reads = count()
        self._encoded: OrderedDict[str, Encoding] = OrderedDict()
        self._lock = threading.Lock()

    def ranked(self, query: Query) -> list[Hit]:
        """The best ``query.k`` hits, best first; none for a query without text."""
        if not query.text or not query.k:
            return []
        opened = self.sources.open(query)
        hits = _in_order(self._scored(query, opened), query)
        messages = opened.table(MESSAGES)
        if messages is None or not len(messages):
            return _left_alone(islice(hits, query.k), opened)
        return _left_alone(once((_resting(h, messages) for h in hits), query.k), opened)

    def evidence(self, query: Query, request: Request) -> Evidence:
        """What a request may be answered from: the best ``query.k`` hits, memories beside the turns that they rest on,
        and the memories that the request's kinds need."""
        if not query.text or not query.k or request.greeting:
            return Evidence()
        opened = self.sources.open(query)
        hits = _left_alone(islice(_in_order(self._scored(query, opened), query), query.k), opened)
        turns = self._needed_turns(query, request, opened)
        hazards = self._hazardous(query, opened) if request.hazardous else []
        quoted = (*hits, *(turn for turn, _ in turns), *hazards)
        said = {h.row["message_key"]: h for h in quoted if h.layer == "episodic"}
        citing = {key: _resting_on(h, opened.now) for key, h in said.items()}
        cited = (row for rows in citing.values() for row in rows)
        over = (h.row for h in hits if h.layer == "semantic")
        holding = _holding([*cited, *over], opened)
        needed, also = self._needed(query, request, opened)
        return Evidence(hits, needed, also, turns, hazards, citing, holding)

    def _needed(self, query: Query, request: Request, opened: Opened) -> tuple[list[Hit], list[Hit]]:
        """The memories that the request's kinds need, the foremost first, and what else may bear on it."""
        policy = self._policy.context
        own = next((t for t in opened.tables if t.rows.name == MEMORIES and not t.shared), None)
        if own is None or not (request.kinds or request.wish):
            return [], []
        rows, vector = own.rows, self._vector(query.text)
        mask = own.mask & rows.matching("status", ("active",)) & ~bounded(rows)
        found: list[int] = []
        for kind in request.kinds:
            places = needed(rows, mask, kind, vector, query.at.timestamp(), policy)
            found += [place for place in places if place not in found]
        more = also_known(rows, mask, vector, policy) if request.wish else []
        first, also = ([hit(MEMORIES, rows.row(place)) for place in places] for places in (found, more))
        return _left_alone(first, opened), _left_alone(also, opened)

    def _needed_turns(self, query: Query, request: Request, opened: Opened) -> list[tuple[Hit, frozenset[str]]]:
        """The user's turns that say something which the request's kinds need, with the words that say it."""
        own = next((t for t in opened.tables if t.rows.name == MESSAGES), None)
        if own is None or not len(own.rows):
            return []
        vector, policy = self._vector(query.text), self._policy.context
        found = [
            (hit(MESSAGES, own.rows.row(place)), frozenset(told_by(kind)))
            for kind in request.kinds
            for place in needed_turns(own.rows, own.mask, kind, vector, policy)
        ]
        allowed = _left_alone((turn for turn, _ in found), opened)
        return [(turn, words) for turn, (_, words) in zip(allowed, found, strict=True)]

    def _hazardous(self, query: Query, opened: Opened) -> list[Hit]:
        """The user's turns that say what could hurt somebody."""
        own = next((t for t in opened.tables if t.rows.name == MESSAGES), None)
        if own is None or not len(own.rows):
            return []
        places = hazardous_turns(own.rows, own.mask, self._vector(query.text), self._policy.context)
        return _left_alone([hit(MESSAGES, own.rows.row(place)) for place in places], opened)

    def request(self, query: Query) -> Request:
        """What the text of a query asks of memory."""
        return self._requests.read(query.text, self._vector(query.text))

    def standing(self, query: Query, *, constant_only: bool) -> list[Hit]:
        """The user's own memories that the query may see, whatever it is about, oldest first.

        Args:
            constant_only: leave out what does not belong into every prompt (see ``candidates.constant``).
        """
        opened = self.sources.open(replace(query, layers=frozenset({"semantic"}), include_shared=False))
        (source,) = opened.tables
        mask = source.mask
        if constant_only:
            mask = mask & constant(source.rows, query.at.timestamp(), self._policy.context.due_within_days)
        found = [hit(MEMORIES, source.rows.row(place)) for place in np.flatnonzero(mask).tolist()]
        hits = _left_alone(found, opened)
        return sorted(hits, key=lambda h: (h.observed_at, h.id))

    def far(self, query: Query, session_id: str | None, under_way: Sequence[str]) -> frozenset[str]:
        """Ids of the boundaries that a request is far from; see ``Topics.far``."""
        topics, least = self.sources.topics(query.scope), self._policy.context.boundary_near
        return topics.far(query.text, self._vector(query.text), least, session_id, under_way)

    def picked(self, query: Query, choose: Callable[[UserRows], npt.NDArray[np.bool_]]) -> list[Hit]:
        """The user's own memories that the query may see and that are chosen, the latest first.

        Args:
            choose: which rows are wanted, shape (rows,).
        """
        (source,) = self.sources.open(replace(query, layers=frozenset({"semantic"}), include_shared=False)).tables
        places = np.flatnonzero(source.mask & choose(source.rows))
        hits = [hit(MEMORIES, source.rows.row(place)) for place in places.tolist()]
        return sorted(hits, key=lambda h: (h.observed_at, h.id), reverse=True)

    def _scored(self, query: Query, opened: Opened) -> list[_Scored]:
        vector, terms = self._vector(query.text), query_terms(query.text)
        most = max(self._policy.retrieval.candidates, query.k)
        useful, now = self.sources.usefulness(query), query.at.timestamp()
        sample = self._sample(next(self._reads))
        scored = []
        known, leads, outdated = opened.now.names, self._leads(query, opened), self._outdated(query, opened.now)
        for table in opened.tables:
            if not table.mask.any():
                continue
            found = candidates(
                table.rows, table.mask, query, vector, terms, most, leads, known, outdated, shared=table.shared
            )
            values = scoring.Signals(found, self._policy, query.weighing, now, useful, sample)
            scored.append(_Scored(table, found, values, scoring.scores(values, query.weights)))
        return scored

    def _outdated(self, query: Query, now: UserRows) -> Citations:
        """The turns behind what has been replaced and has to do with a query that does not ask for what was."""
        over = now.matching("status", ("superseded",))
        if not query.weights.get("replaced") or not over.any() or asks("past", query.text):
            return frozenset()
        near = now.vectors @ self._vector(query.text) >= self._policy.context.near
        return now.cited(over & (near | (now.keywords.scores(query_terms(query.text)) > 0)))

    @cached_property
    def _entropy(self) -> int | Sequence[int] | None:
        """What the generators are made from. Nearly all profiles draw nothing, and numpy.random takes time to load."""
        return np.random.SeedSequence(self._seed).entropy

    def _sample(self, read: int) -> Callable[[], np.random.Generator]:
        """A generator of a read's own, made when something is drawn from it."""

        @cache
        def made() -> np.random.Generator:
            return np.random.default_rng(np.random.SeedSequence(self._entropy, spawn_key=(read,)))

        return made

    def _leads(self, query: Query, opened: Opened) -> Leads:
        """The time and the links that the query's profile weighs."""
        policy = self._policy.retrieval
        window = self._window(query, opened) if query.weights.get("in_period") else None
        followed = query.weights.get("linked") and not query.historical
        links = self.sources.links_of(query.scope, opened.now) if followed else None
        weighed = query.weights.get("late") or query.weights.get("late_session")
        return Leads(policy, window, links, query_tokens(self._encoding(query.text)) if weighed else None)

    def _window(self, query: Query, opened: Opened) -> Window | None:
        """The time that the query speaks of; before or after an event it is that of the row which tells of it best."""
        asked = periods.asked(query.text, query.at, opened.now.timezone or query.timezone)
        if not isinstance(asked, periods.Event):
            return asked
        vector, terms = self._vector(asked.clause), query_terms(asked.clause)
        best, found = self._policy.retrieval.event_floor, None
        for table in (t for t in opened.tables if t.rows.name != SUMMARIES and not t.shared):
            place, score = told_best(table.rows, table.mask, vector, terms)
            if score > best:
                best, found = score, asked.window(moment(table.rows, place), query.at.timestamp())
        return found

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        return self._encoding(text).vector

    def _encoding(self, text: str) -> Encoding:
        with self._lock:
            found = self._encoded.get(text)
        if found is None:
            found = encodings(self._encoder, [text], words=True)[0]
        with self._lock:
            self._encoded[text] = found
            self._encoded.move_to_end(text)
            while len(self._encoded) > _QUERIES_KEPT:
                self._encoded.popitem(last=False)
        return found


def _left_alone(hits: Iterable[Hit], opened: Opened) -> list[Hit]:
    """The hits; each that must not be brought up is marked so, and so are the turns that it rests on (DL-23)."""
    closed = [opened.topics.marked(t.rows).avoided(t.rows) for t in opened.tables if not t.shared]
    messages = opened.table(MESSAGES)
    turns = _turns(messages, opened.now.constrained) if messages is not None else frozenset[str]()
    avoided = frozenset().union(turns, *closed)
    if not avoided:
        return list(hits)
    return [replace(h, surface="avoid") if not avoided.isdisjoint(_keys(h)) else h for h in hits]


def _keys(found: Hit) -> tuple[str, ...]:
    return tuple(found.rests_on) if found.layer == "episodic" else (found.id,)


def _resting_on(turn: Hit, now: UserRows) -> list[Row]:
    """The memories that rest on a turn, whatever their state; ids of messages are unique within a session only."""
    rows = [now.row(place) for place in now.citing.get(turn.id, ())]
    return [row for row in rows if row["session_id"] == turn.row["session_id"]] or rows


def _holding(memories: Iterable[Mapping[str, Any]], opened: Opened) -> dict[str, Hit]:
    """Which of some memories, and of those in their place, hold and may be said, by their ids."""
    own = next((t for t in opened.tables if t.rows.name == MEMORIES and not t.shared), None)
    if own is None:
        return {}
    found: dict[str, Hit] = {}
    closed = opened.topics.marked(own.rows).avoided(own.rows)
    for memory_id in {i for m in memories for i in (m["memory_id"], m["superseded_by"]) if i}:
        place = own.rows.place.get(memory_id)
        if place is not None and own.mask[place] and memory_id not in closed:
            row = own.rows.row(place)
            if row["status"] == "active" and row["surface"] != "avoid":
                found[memory_id] = hit(MEMORIES, row)
    return found


def _in_order(scored: Sequence[_Scored], query: Query) -> Iterator[Hit]:
    """All candidates, best first, the newer one first among equals; a row is read when its turn comes."""
    for n, place in _order(scored, query.min_score):
        part = scored[n]
        row = part.table.rows.row(int(part.found.places[place]))
        signals = scoring.Explained(part.values, query.weights, place)
        yield hit(part.table.rows.name, row, float(part.scores[place]), signals, shared=part.table.shared)


def _order(scored: Sequence[_Scored], least: float | None) -> list[tuple[int, int]]:
    """Table and place of each candidate that scores no less, by score, time and id."""
    if not scored:
        return []
    sizes = [len(part.scores) for part in scored]
    scores = np.concatenate([part.scores for part in scored])
    event = np.concatenate([part.values.event for part in scored])
    tables = np.repeat(np.arange(len(scored)), sizes)
    places = np.concatenate([np.arange(size) for size in sizes])
    order = np.lexsort((-event, -scores))
    if least is not None:
        order = order[scores[order] >= least]
    found = list(zip(tables[order].tolist(), places[order].tolist(), strict=True))
    alike = (np.diff(scores[order]) == 0) & (np.diff(event[order]) == 0)
    for first, last in _runs(alike):
        found[first:last] = sorted(found[first:last], key=lambda at: (_id(scored[at[0]], at[1]), *at))
    return found


def _runs(alike: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last + 1 of the entries in a row of which each is like the next."""
    if alike.any():
        edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]]).astype(np.int8)))
        yield from zip(edges[::2].tolist(), (edges[1::2] + 1).tolist(), strict=True)


def _id(part: _Scored, place: int) -> str:
    return str(part.found.rows.ids[part.found.places[place]])


def _resting(found: Hit, messages: UserRows) -> Hit:
    """The hit; a memory of the user's own with the turns that it rests on.

    What the user has put in own words is not what its turns say: neither stands for the other.
    """
    if found.layer != "semantic" or not found.evidence or found.row["own_words"]:
        return found
    session: str = found.row["session_id"]
    return replace(found, rests_on=_turns(messages, frozenset((i, session) for i in found.evidence)))


def _turns(messages: UserRows, cited: Citations) -> frozenset[str]:
    return frozenset(messages.values("message_key")[messages.places_of(cited)]) if cited else frozenset()
