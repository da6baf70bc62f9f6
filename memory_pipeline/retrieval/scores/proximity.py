"""How near a user's rows lie to the time that a question speaks of, and to the memories that answer it best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.retrieval.scores.late import QueryTokens
from memory_pipeline.retrieval.scores.periods import Window
from memory_pipeline.retrieval.store.links import Links
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

_DAY = 86_400.0
_LONGEST = 30 * _DAY  # of a window, as far as what lies outside of it fades by its length
LinksOf = Callable[[Iterable[str]], Links]


@dataclass(frozen=True, slots=True)
class Leads:
    """What leads to rows besides the query's words.

    Attributes:
        window: the time asked for; None = any.
        links: of memories by their ids; None = they are not followed.
        query: its tokens; None = they are not weighed, or there are none.
    """

    policy: RetrievalPolicy
    window: Window | None = None
    links: LinksOf | None = None
    query: QueryTokens | None = None


def in_period(rows: UserRows, window: Window, policy: RetrievalPolicy) -> Floats:
    """1 for rows of the time asked for, less the further they lie from it, shape (rows,).

    A row lies where it was said; a memory also where it is due and where it is valid, from its first day to its last,
    or on its first where it has no last: nearest counts.
    """
    said = rows.seconds("created_at" if rows.name == MESSAGES else "observed_at")
    gap = _gap(said, said, window)
    if rows.name == MEMORIES:
        begins, ends, due = rows.seconds("valid_from"), rows.seconds("valid_until"), rows.seconds("due_at")
        gap = np.fmin(gap, _gap(begins, np.where(np.isnan(ends), begins, ends), window))
        gap = np.fmin(gap, _gap(due, due, window))
    fades = policy.period_fades_days * _DAY + policy.period_fades_share * min(window.end - window.start, _LONGEST)
    return np.asarray(np.exp(-np.nan_to_num(gap, nan=np.inf) / fades), dtype=np.float64)


def _gap(first: Floats, last: Floats, window: Window) -> Floats:
    """Seconds between spans and the window, 0 where they meet; nan for spans that are not known."""
    # The window's end is no part of it: what begins there is a microsecond off, which is nothing.
    return np.maximum(np.maximum(window.start - last, first - window.end), 0.0)


def moment(rows: UserRows, place: int) -> float:
    """When what a row tells of was: from when it holds, else when it was said; seconds since 1970."""
    if rows.name == MEMORIES and not np.isnan(begins := rows.seconds("valid_from")[place]):
        return float(begins)
    return float(rows.seconds("created_at" if rows.name == MESSAGES else "observed_at")[place])


def told_best(rows: UserRows, mask: Mask, vector: npt.NDArray[np.float32], terms: Sequence[str]) -> tuple[int, float]:
    """Place of the row that says most of an event, and how much: the mean of similarity and keyword, 0 to 1.

    What an assistant says of it is left out.

    Args:
        mask: rows that may be seen, shape (rows,).
        vector: of the event's words, shape (dimensions,).
    """
    if not mask.any():
        return 0, 0.0
    similarity = np.clip(rows.vectors @ vector, 0.0, 1.0)
    scores = np.where(mask & ~rows.aside, (similarity + rows.keywords.scores(terms) * rows.brevity) / 2, 0.0)
    place = int(np.argmax(scores))
    return place, float(scores[place])


def linked(rows: UserRows, scores: Floats, policy: RetrievalPolicy, links: LinksOf) -> Floats:
    """Of memories: the weight of the link to one of the best, times its score; 0 without one, shape (rows,).

    Args:
        scores: how well each answers the query, 0 to 1, and 0 for what may not be seen, shape (rows,).
    """
    found = np.zeros(len(rows), dtype=np.float64)
    best = np.argsort(-scores, kind="stable")[: policy.linked_from]
    ids = rows.values("memory_id")
    score_of = {ids[n]: float(scores[n]) for n in best if scores[n] > 0}
    reached: dict[str, float] = {}
    for memory_id, ends in links(score_of).items():
        for end in ends:
            reached[end.memory_id] = max(reached.get(end.memory_id, 0.0), end.weight * score_of[memory_id])
    for memory_id, value in reached.items():
        if (place := rows.place.get(memory_id)) is not None:
            found[place] = min(value, 1.0)
    return found
