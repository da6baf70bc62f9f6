"""The gate for what is derived: reflections and patterns pass the same rules as what was extracted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.stages.context import StageContext

_LOOK_BACK = 60
_MEMBERS = """
SELECT day, list_transform(evidence, lambda e: e.message_id) AS cited FROM memory_versions
WHERE tenant_id = $tenant AND user_id = $user AND memory_id IN (SELECT unnest($ids))
"""


def cited_messages(ctx: StageContext, version: MemoryVersion) -> Mapping[str, Message]:
    """The messages that the members of a derived memory rest on, by id.

    Its own evidence names only some of them; a name in its content may come from any.
    """
    scope = {"tenant": version.tenant_id, "user": version.user_id}
    members = ctx.lake.sql(_MEMBERS, {**scope, "ids": list(version.derived_from)}).to_pylist()
    ids = {e.message_id for e in version.evidence} | {cited for row in members for cited in row["cited"]}
    days = {row["day"] for row in members} or {version.day - timedelta(days=n) for n in range(_LOOK_BACK)}
    rows = ctx.lake.read(
        "messages",
        Message,
        days=days,
        where="tenant_id = $tenant AND user_id = $user AND message_id IN (SELECT unnest($ids))",
        params={**scope, "ids": sorted(ids)},
    )
    return {m.message_id: m for m in rows}
