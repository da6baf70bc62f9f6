"""What a read may see: its scope as one mask over a user's rows, before anything is ranked, the same for every layer.

Each guard is a function of a table's rows and the read. ``GUARDS`` says which of them hold for a layer; a row passes
only if all of them let it through. A row whose class is not known counts as one of the strictest, and a summary of
which it is not known what it tells of is told to no read of one domain or agent. Tenant and user were settled when the
rows were fetched (``cache.HotRows``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.classification import STRICTEST
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.scope import Classification
from memory_pipeline.retrieval.query import MESSAGE, Query
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, SUMMARIES, UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

Guard = Callable[[UserRows, Query], "Mask"]
_HOLDING = (Status.ACTIVE, Status.STALE)
_PUBLIC = (Classification.PUBLIC,)


def allowed(rows: UserRows, query: Query, *, shared: bool = False) -> Mask:
    """Which rows the read may see at all, shape (rows,).

    Args:
        shared: the rows are other users', of whom nothing but what they share is shown (KN-11).
    """
    mask = _all(rows)
    for guard in GUARDS[rows.name]:
        mask &= guard(rows, query)
    if shared:
        mask &= others(rows, query)
    return mask


# -- of every layer


def types(rows: UserRows, query: Query) -> Mask:
    """What is of a type that the read asks for."""
    if query.types is None:
        return _all(rows)
    if rows.name == MESSAGES:
        return np.full(len(rows), MESSAGE in query.types)
    if rows.name == SUMMARIES:
        return rows.matching("grain", _grains(query.types))
    return rows.matching("type", query.types)


def session(rows: UserRows, query: Query) -> Mask:
    """What was said in the session that the read is restricted to; calendar summaries are of none (DL-34)."""
    if query.session_id is None:
        return _all(rows)
    return rows.matching("session_id", (query.session_id,)) if rows.has("session_id") else ~_all(rows)


def classification(rows: UserRows, query: Query) -> Mask:
    """What is of a class that the read's ceiling permits (KN-27)."""
    if query.ceiling is STRICTEST:
        return _all(rows)
    return rows.matching("classification", permitted(query.ceiling))


def domain(rows: UserRows, query: Query) -> Mask:
    """What belongs to the read's domain, or to none, or is public (KN-31)."""
    return _all(rows) if query.domain is None else _placed(rows, "domain", query.domain) | _public(rows)


def agent(rows: UserRows, query: Query) -> Mask:
    """What belongs to the read's agent or to none; of memories also what is shared."""
    if query.agent_id is None:
        return _all(rows)
    placed = _placed(rows, "agent_id", query.agent_id)
    return placed | (rows.numbers("shared") == 1) if rows.has("shared") else placed


# -- of memories


def layer(rows: UserRows, query: Query) -> Mask:
    """Reflections for reads of the narrative layer, all others for those of the semantic one."""
    narrative = rows.matching("type", ("reflection",))
    return (narrative & ("narrative" in query.layers)) | (~narrative & ("semantic" in query.layers))


def status(rows: UserRows, query: Query) -> Mask:
    """Memories in a state that the read asks for, but none that was pruned."""
    return rows.matching("status", query.statuses) & ~rows.matching("change", ("prune",))


def kept(rows: UserRows, query: Query) -> Mask:
    """What the user has not had forgotten: archived, too, but no state and no detail reaches it."""
    return ~rows.matching("memory_id", rows.forgotten) if rows.forgotten else _all(rows)


def derivation(rows: UserRows, query: Query) -> Mask:
    """What was made only from memories that class, domain and agent of the read let through.

    What was made from memories of several domains bears the name of none, and one of them may have got a stricter class
    since. Where some of them are no longer there, it must bear the name of the read's own domain and agent.
    """
    mask = _all(rows)
    placed = query.domain is not None or query.agent_id is not None
    if not rows.derivations or (query.ceiling is STRICTEST and not placed):
        return mask
    seen = classification(rows, query) & domain(rows, query) & agent(rows, query)
    named = _named(rows, "domain", query.domain) & _named(rows, "agent_id", query.agent_id)
    for place, sources, complete in rows.derivations:
        mask[place] = bool(seen[sources].all()) and (complete or bool(named[place]))
    return mask


def validity(rows: UserRows, query: Query) -> Mask:
    """What was true at the moment of the read (KN-32)."""
    moment = query.at.timestamp()
    begins, ends = rows.seconds("valid_from"), rows.seconds("valid_until")
    lasts = np.isnan(ends) | (moment <= ends)
    if query.named:  # what replaced a memory has ended it: asked for as such, it is no longer meant to hold
        lasts |= ~rows.matching("status", _HOLDING)
    found: Mask = (np.isnan(begins) | (begins <= moment)) & lasts
    return found


def others(rows: UserRows, query: Query) -> Mask:
    """Of other users' rows: memories that they share."""
    if rows.name != MEMORIES:
        return ~_all(rows)
    own = rows.matching("user_id", (query.scope.user_id,))
    found: Mask = (rows.numbers("shared") == 1) & ~own
    return found


# -- of messages and summaries


def past(rows: UserRows, query: Query) -> Mask:
    """What had been said by the moment that the read asks for."""
    if query.as_of is None:
        return _all(rows)
    found: Mask = rows.seconds("created_at" if rows.name == MESSAGES else "observed_at") <= query.as_of.timestamp()
    return found


def on_record(rows: UserRows, query: Query) -> Mask:
    """Turns of which every sentence may be kept: of the others nothing is shown, and what else they say has been
    remembered."""
    return ~rows.off_record


def apart(rows: UserRows, query: Query) -> Mask:
    """Turns of other sessions than the one that the prompt holds already."""
    return _all(rows) if query.apart_from is None else ~rows.matching("session_id", (query.apart_from,))


def whole_domain(rows: UserRows, query: Query) -> Mask:
    """Summaries that tell of the read's domain alone, or of none, or are public."""
    return _all(rows) if query.domain is None else rows.within("domains", query.domain) | _public(rows)


def whole_agent(rows: UserRows, query: Query) -> Mask:
    """Summaries that tell of the read's agent alone, or of none."""
    return _all(rows) if query.agent_id is None else rows.within("agent_ids", query.agent_id)


GUARDS: Mapping[str, tuple[Guard, ...]] = {
    MEMORIES: (types, session, classification, domain, agent, derivation, layer, status, kept, validity),
    MESSAGES: (types, session, classification, domain, agent, past, on_record, apart),
    SUMMARIES: (types, session, classification, whole_domain, whole_agent, past),
}
"""The guards of each table; reflections stand among the memories."""


@cache
def permitted(ceiling: Classification) -> frozenset[str]:
    """The classes that a ceiling lets through."""
    return frozenset(str(c) for c in Classification if ceiling.permits(c))


# -- of what is no row of the index


def told(summary: Summary, query: Query) -> bool:
    """Whether a read may be told a session's summary: these are not searched."""
    then = query.as_of is None or summary.observed_at <= query.as_of
    return then and reaches(query, summary.classification, summary.domains, summary.agent_ids)


def reaches(
    query: Query, classification: str | None, domains: Collection[str] | None, agent_ids: Collection[str] | None
) -> bool:
    """Whether a read's ceiling, domain and agent let a text of the lake through.

    Args:
        classification: None = not known, and so the strictest.
        domains, agent_ids: all that it tells of; None = not known.
    """
    if not query.ceiling.permits(Classification(classification or STRICTEST)):
        return False
    public = classification == Classification.PUBLIC
    inside = query.domain is None or public or _inside(domains, query.domain)
    return inside and (query.agent_id is None or _inside(agent_ids, query.agent_id))


def _inside(names: Collection[str] | None, wanted: str) -> bool:
    return names is not None and set(names) <= {wanted}


def _all(rows: UserRows) -> Mask:
    return np.ones(len(rows), dtype=bool)


def _placed(rows: UserRows, column: str, wanted: str) -> Mask:
    names, codes = rows.coded(column)
    found: Mask = np.array([*(name == wanted for name in names), True], dtype=bool)[codes]
    return found


def _named(rows: UserRows, column: str, wanted: str | None) -> Mask:
    return _all(rows) if wanted is None else rows.matching(column, (wanted,))


def _public(rows: UserRows) -> Mask:
    return rows.matching("classification", _PUBLIC)


@cache
def _grains(wanted: frozenset[str]) -> frozenset[str]:
    return frozenset(name.removesuffix("_summary") for name in wanted if name.endswith("_summary"))
