"""Which of the rows that a read may see go into the ranking: those that similarity, keywords or names bring up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.reading.wording import asks_for_time, asks_the_assistant
from memory_pipeline.language.requests import hazard_words
from memory_pipeline.retrieval.query import Query
from memory_pipeline.retrieval.scores.keywords import stems
from memory_pipeline.retrieval.scores.late import late, session_best
from memory_pipeline.retrieval.scores.proximity import Leads, in_period, linked
from memory_pipeline.retrieval.store.naming import MemoryNames
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, Citations, UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float64]

VITAL = ("allergy", "intolerance", "health", "medication", "diet")
"""Attributes of the user that every prompt holds, silently: leaving one out may do harm."""

NAMES = ("name", "preferred_name", "nickname")
"""Attributes of the user by which a greeting calls them."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows of one table that go into the ranking.

    Attributes:
        places: where they stand in ``rows``; the other arrays belong to them, in that order.
        similarity, keyword: 0 to 1.
        named: whether the query names an entity that they are about.
        session, following, distinct: see ``domain.reading.ranking``.
        aside: turns of the assistant, where the query does not ask for its words.
        replaced: turns whose memory another has replaced, where the query does not ask for what was.
        dated: texts that name a time, where the query asks for one.
        in_period, linked, late, late_session: see ``domain.reading.ranking``.
    """

    rows: UserRows
    places: npt.NDArray[np.int64]
    similarity: Floats
    keyword: Floats
    named: Mask
    session: Floats
    following: Floats
    distinct: Floats
    aside: Mask
    replaced: Mask
    dated: Mask
    in_period: Floats
    linked: Floats
    late: Floats
    late_session: Floats


@cache
def hazards() -> frozenset[str]:
    """Stems of words that say what could hurt somebody."""
    return frozenset(stems(sorted(hazard_words())))


def vital(rows: UserRows) -> Mask:
    """Of memories: what could hurt the user if it were not in view, by its attribute or by its words."""
    found = rows.matching("attribute", VITAL) | (rows.keywords.scores(sorted(hazards())) > 0)
    return found & rows.matching("subject", ("user",))


def constant(rows: UserRows, at: float, within_days: int) -> Mask:
    """Of memories: what a prompt block holds whatever the turn is about.

    Pinned memories (DL-18), what must not be brought up (DL-23), open loops that are due by then or overdue, how to
    answer (protocols), what could hurt the user if it were not in view (allergies, health, diet), and the user's name.
    """
    own = vital(rows) | (rows.matching("attribute", NAMES) & rows.matching("subject", ("user",)))
    # A day more than asked for: how many days off it is, the user's own calendar says.
    due = rows.matching("type", ("open_loop",)) & (rows.seconds("due_at") <= at + (within_days + 1) * 86_400)
    mask: Mask = (rows.numbers("pinned") == 1) | bounded(rows) | due | rows.matching("type", ("protocol",)) | own
    return mask


def bounded(rows: UserRows) -> Mask:
    """Of memories: what must not be brought up, and the wish itself (DL-23)."""
    return rows.matching("surface", ("avoid",)) | rows.matching("type", ("boundary",))


def candidates(
    rows: UserRows,
    mask: Mask,
    query: Query,
    vector: npt.NDArray[np.float32],
    terms: list[str],
    most: int,
    leads: Leads,
    known: MemoryNames,
    outdated: Citations = frozenset(),
    *,
    shared: bool = False,
) -> Candidates:
    """The allowed rows nearest in meaning, those that share most of the query's rare words, those about what it names,
    those of the sessions that answer it, those of the time it speaks of, and memories linked to the best.

    Similarity is exact over all rows: inside one user that is faster than an approximate index, and finds everything.

    Args:
        vector: of the query, shape (dimensions,).
        most: rows that each arm may bring.
        known: by the reader's memories, who and what these are about.
        outdated: turns behind memories that others have replaced.
        shared: the rows are other users'.
    """
    similarity = np.minimum(np.maximum(rows.vectors @ vector, 0.0), 1.0).astype(np.float64)
    keyword = (rows.keywords.scores(terms) * rows.brevity).astype(np.float64)
    named = np.zeros(len(rows), dtype=bool)
    named[rows.naming(query.text, known, shared=shared)] = True
    # What the read may not see lends nothing to its neighbours either.
    around = rows.surroundings
    session = around.session(np.where(mask, (similarity + keyword) / 2, 0.0))
    following = around.following(np.where(mask, similarity, 0.0))
    taken = np.zeros(len(rows), dtype=bool)
    # Somebody may be named in every other row; of these the ones that say most of the query come in.
    # A session that answers lifts what says some of it, not what says nothing.
    either = similarity + keyword
    lifted = np.where(either > 0, either + session, 0.0)
    arms = [similarity, keyword, lifted, np.where(named, 1.0 + either, 0.0)]
    period = linking = np.zeros(len(rows))
    if leads.window is not None:
        period = in_period(rows, leads.window, leads.policy)
        arms.append(np.where(period == 1, 1.0 + either, 0.0))
    if leads.links is not None and rows.name == MEMORIES and not shared:
        linking = linked(rows, np.where(mask, either / 2, 0.0), leads.policy, leads.links)
        arms.append(linking)
    for arm in arms:
        taken[_best(np.where(mask, arm, 0.0), most)] = True
    places = np.flatnonzero(taken)
    nothing = np.zeros(len(places), dtype=bool)
    lately = late(rows, places, mask, leads.query, leads.policy, similarity[places], keyword[places])
    return Candidates(
        rows,
        places,
        similarity[places],
        keyword[places],
        named[places],
        session[places],
        following[places],
        around.distinct[places],
        nothing if asks_the_assistant(query.text) else rows.aside[places],
        _replaced(rows, outdated)[places] if outdated and not shared else nothing,
        rows.dated(places) if asks_for_time(query.text) else nothing,
        period[places],
        linking[places],
        lately,
        session_best(around.sessions[places], lately),
    )


def _replaced(rows: UserRows, outdated: Citations) -> Mask:
    """Which rows are turns behind what has been replaced, shape (rows,)."""
    mask = np.zeros(len(rows), dtype=bool)
    if rows.name == MESSAGES:
        mask[rows.places_of(outdated)] = True
    return mask


def _best(scores: Floats, most: int) -> npt.NDArray[np.int64]:
    """Places of the highest scores, those of 0 left out."""
    places = np.arange(len(scores)) if len(scores) <= most else np.argpartition(-scores, most - 1)[:most]
    return places[scores[places] > 0]
