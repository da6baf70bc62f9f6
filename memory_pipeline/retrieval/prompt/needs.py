"""Which memories a kind of request needs, by attribute, type and words, over all rows of a user at once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.policy import ContextPolicy
from memory_pipeline.language.requests import Kind
from memory_pipeline.retrieval.scores.candidates import NAMES, VITAL, hazards, vital
from memory_pipeline.retrieval.scores.keywords import stems

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.retrieval.store.user_rows import UserRows

    Mask = npt.NDArray[np.bool_]

_DAY = 86_400
_USER = ("user",)
EATEN = ("allergy", "intolerance", "diet")  # what others must not be served; their operations are another matter
_PASSING = ("ephemeral", "reflection", "pattern")
_ABOUT_SOMEBODY = ("profile_fact", "preference")


def needed(
    rows: UserRows, mask: Mask, kind: Kind, vector: npt.NDArray[np.float32], at: float, policy: ContextPolicy
) -> list[int]:
    """Places of the memories that a kind of request needs: what could hurt somebody first, all of it; then the nearest
    to the request, as many as the policy allows.

    Args:
        mask: rows that may be read, shape (rows,).
        vector: of the request, shape (dimensions,).
        at: the moment of the read, seconds since 1970.
    """
    own = rows.matching("subject", _USER)
    belongs = mask & _belongs(rows, kind)
    if kind.recent:
        belongs &= rows.seconds("observed_at") >= at - policy.recent_days * _DAY
    if not kind.others:
        belongs &= own | ~rows.matching("type", _ABOUT_SOMEBODY)
    harmful = np.zeros_like(mask)
    if kind.vital:
        harmful = mask & vital(rows)
    if kind.others == "vital":
        harmful |= mask & rows.matching("attribute", EATEN)
    near = np.maximum(rows.vectors @ vector, 0.0) + rows.numbers("importance")
    rest = _best(np.where(belongs & ~harmful, near, 0.0), policy.whole_items if kind.whole else policy.kind_items)
    return [*_best(np.where(harmful, near, 0.0), len(rows)), *rest]


def also_known(rows: UserRows, mask: Mask, vector: npt.NDArray[np.float32], policy: ContextPolicy) -> list[int]:
    """Places of what is known of the user that may bear on any request: the nearest to it, of equals the weightiest.
    What could hurt the user has its own place in the block.

    Args:
        mask: rows that may be read, shape (rows,).
        vector: of the request, shape (dimensions,).
    """
    lasting = mask & rows.matching("subject", _USER)
    lasting &= ~rows.matching("type", _PASSING) & ~rows.matching("attribute", (*NAMES, *VITAL))
    near = np.maximum(rows.vectors @ vector, 0.0) + policy.also_importance * rows.numbers("importance")
    return _best(np.where(lasting, near, 0.0), policy.also_items)


def needed_turns(
    rows: UserRows, mask: Mask, kind: Kind, vector: npt.NDArray[np.float32], policy: ContextPolicy
) -> list[int]:
    """Places of the users' turns that say something a kind of request needs, the nearest to the request first.

    Args:
        rows: messages.
        mask: rows that may be read, shape (rows,).
        vector: of the request, shape (dimensions,).
    """
    if not kind.tells:
        return []
    told = mask & ~rows.aside & (rows.keywords.scores(told_by(kind)) > 0)
    return _best(np.where(told, 1.0 + rows.vectors @ vector, 0.0), policy.kind_turns)


def hazardous_turns(rows: UserRows, mask: Mask, vector: npt.NDArray[np.float32], policy: ContextPolicy) -> list[int]:
    """Places of the users' turns that say what could hurt somebody, the nearest to the request first.

    Args:
        rows, mask, vector: as in :func:`needed_turns`.
    """
    told = mask & ~rows.aside & (rows.keywords.scores(sorted(hazards())) > 0)
    return _best(np.where(told, 1.0 + rows.vectors @ vector, 0.0), policy.hazard_turns)


@cache
def _told_by(tells: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stems(tells)))


def told_by(kind: Kind) -> tuple[str, ...]:
    """Stems of the words by which a text belongs to a kind of request."""
    return _told_by(kind.tells)


def _belongs(rows: UserRows, kind: Kind) -> Mask:
    """Which memories have to do with the kind, shape (rows,)."""
    attributes = kind.attributes
    if kind.favourites:
        attributes |= {name for name in rows.coded("attribute")[0] if name.startswith("favorite_")}
    found: Mask = rows.matching("attribute", attributes) | rows.matching("type", kind.types)
    if kind.tells:
        found = found | (rows.keywords.scores(told_by(kind)) > 0)
    if kind.others == "all":
        found = found | (rows.matching("type", _ABOUT_SOMEBODY) & ~rows.matching("subject", _USER))
    return found


def _best(values: npt.NDArray[np.float64], most: int) -> list[int]:
    """Places of the highest values, highest first, those of 0 left out."""
    order = np.argsort(-values, kind="stable")[:most]
    return [place for place in order.tolist() if values[place] > 0]
