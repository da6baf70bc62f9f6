"""The standing profile of a user, read from the index with the guards of every other read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_pipeline.domain.policy import StandingProfilePolicy
from memory_pipeline.domain.reading.profile import TITLES, Trait, compose
from memory_pipeline.domain.reading.recall import StandingProfile
from memory_pipeline.domain.text import normalise
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.prompt.escaping import fenced
from memory_pipeline.retrieval.query import Reach


def standing_profile(
    engine: Engine, user_id: str, tenant_id: str, reach: Reach, session_id: str | None = None
) -> StandingProfile:
    """See ``MemoryReader.profile``.

    Args:
        session_id: only what was said in that session; None = in all.
    """
    reach = {**reach, "layers": ("semantic",)}
    query = engine.checked("", user_id, tenant_id, reach, k=0, session_id=session_id)
    asked = replace(query, types=None, statuses=frozenset({"active"}))
    hits = engine.searcher.standing(asked, constant_only=False)
    return profile_of((hit.row for hit in hits), engine.policy.profile)


def profile_of(rows: Iterable[Mapping[str, Any]], policy: StandingProfilePolicy) -> StandingProfile:
    """The profile that some rows of the index's memories make; the caller has looked to it that they may be read."""
    return compose((_trait(row) for row in rows), policy)


def _trait(row: Mapping[str, Any]) -> Trait:
    # Where several people speak, facts name their speaker; the one whose memory it is may be one of them.
    own = row["subject"] is None or normalise(row["subject"]) == normalise(row["user_id"])
    return Trait(
        memory_id=row["memory_id"],
        type=row["type"],
        content=fenced(row["content"], TITLES),
        subject="user" if own else row["subject"],
        attribute=row["attribute"],
        negated=row["negated"],
        surface=row["surface"],
        pinned=row["pinned"],
        importance=row["importance"],
        support=row["reinforcements"],
        observed_at=row["observed_at"],
    )
