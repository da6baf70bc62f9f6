"""What must hold of the stores, as queries for the rows which break it. Asset checks and ``doctor`` run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from memory_pipeline.stages.context import StageContext

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of one audit.

    Attributes:
        found: how many rows break the rule.
        examples: a few of them.
    """

    name: str
    ok: bool
    found: int
    detail: str
    examples: tuple[Mapping[str, Any], ...] = ()


def _empty(name: str, rows: list[dict[str, Any]], rule: str) -> Audit:
    return Audit(name, not rows, len(rows), rule, tuple(rows[:_SHOWN]))


def no_message_twice(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every message id stands once in a user's session."""
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id, session_id, message_id, count(*) AS times FROM messages "
        "GROUP BY ALL HAVING times > 1",
        days={"messages": list(days)},
    )
    return _empty("no_message_twice", table.to_pylist(), "a message stands once in the log")


def evidence_exists(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every version that a proposal made cites a message of its own user, of its own day, that is in the log."""
    span = list(days)
    table = ctx.lake.sql(
        """
        WITH made AS (SELECT * FROM memory_versions WHERE asserted AND cause = 'proposal'),
        cited AS (
            SELECT version_id, tenant_id, user_id,
                   unnest(list_transform(evidence, lambda e: e.message_id)) AS message_id
            FROM made
        ),
        found AS (SELECT version_id FROM cited SEMI JOIN messages USING (tenant_id, user_id, message_id))
        SELECT version_id, memory_id, tenant_id, user_id, content FROM made ANTI JOIN found USING (version_id)
        """,
        days={"memory_versions": span, "messages": span},
    )
    return _empty("evidence_exists", table.to_pylist(), "every memory rests on a message of its own user")


def every_proposal_has_a_verdict(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Conservation: nothing that was proposed vanishes without a word."""
    span = list(days)
    table = ctx.lake.sql(
        "SELECT p.proposal_id, p.tenant_id, p.user_id, p.content "
        "FROM proposals p ANTI JOIN verdicts v USING (proposal_id)",
        days={"proposals": span, "verdicts": span},
    )
    return _empty("every_proposal_has_a_verdict", table.to_pylist(), "each proposal has its verdict")


def one_value_per_slot(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No user has two active values of an attribute that holds one at a time."""
    from memory_pipeline.domain.slots import attribute
    from memory_pipeline.storage.ledger import CURRENT

    table = ctx.lake.sql(
        f"""
        WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN touched USING (tenant_id, user_id))
        SELECT tenant_id, user_id, lower(coalesce(subject, 'user')) AS subject, attribute,
               list(DISTINCT lower(value)) AS held
        FROM ({CURRENT})
        WHERE status = 'active' AND NOT negated AND attribute IS NOT NULL AND value IS NOT NULL
          AND coalesce(len(apart), 0) = 0 -- what the user keeps beside another value may stand beside it
        GROUP BY ALL HAVING len(held) > 1
        """,
        tables={"touched": _touched(ctx, days)},
    )
    rows = [row for row in table.to_pylist() if attribute(row["attribute"]).single]
    return _empty("one_value_per_slot", rows, "one active value where there can be only one")


def no_secret_is_remembered(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No version of these days states or quotes what the policy keeps out of memory; what is shown of it is its id."""
    from memory_pipeline.domain.policy import Handling
    from memory_pipeline.domain.sensitive import find, handled

    withheld = handled(ctx.policy.gate, Handling.REJECT, Handling.MASK)
    table = ctx.lake.sql(
        "SELECT version_id, memory_id, tenant_id, user_id, concat_ws(chr(10), content, subject, value, "
        "array_to_string(entities, chr(10)), "
        "array_to_string(list_transform(evidence, lambda e: e.quote), chr(10))) AS said "
        "FROM memory_versions WHERE asserted",
        days={"memory_versions": list(days)},
    )
    rows = [row for row in table.to_pylist() if any(span.kind in withheld for span in find(row.pop("said")))]
    return _empty("no_secret_is_remembered", rows, "memory holds no secret that the policy keeps out")


def no_derived_time_from_the_clock(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No event time of a version equals the time at which it was recorded: history keeps its own dates."""
    table = ctx.lake.sql(
        "SELECT version_id, memory_id, tenant_id, user_id, change FROM memory_versions "
        "WHERE cause <> 'manual' "
        "AND recorded_at IN (observed_at, referenced_at, changed_at, valid_from, valid_until, due_at)",
        days={"memory_versions": list(days)},
    )
    return _empty("no_derived_time_from_the_clock", table.to_pylist(), "event times come from the messages")


def retired_share(ctx: StageContext, days: Iterable[date]) -> Audit:
    """A span of days does not retire more than the policy's share of what its users have had."""
    figures = ctx.policy.consolidation
    row = ctx.lake.sql(
        """
        SELECT count(DISTINCT memory_id)
                   FILTER (WHERE change IN ('supersede', 'contradict') AND cause = 'proposal') AS retired,
               count(DISTINCT memory_id) AS all_of_them
        FROM memory_versions SEMI JOIN touched USING (tenant_id, user_id) WHERE asserted
        """,
        tables={"touched": _touched(ctx, days)},
    ).to_pylist()[0]
    share = row["retired"] / row["all_of_them"] if row["all_of_them"] else 0.0
    ok = row["retired"] <= figures.min_retired or share <= figures.max_retired_share
    return Audit("retired_share", ok, row["retired"], f"{share:.1%} retired, at most {figures.max_retired_share:.0%}")


def _touched(ctx: StageContext, days: Iterable[date]) -> Any:
    return ctx.lake.sql("SELECT DISTINCT tenant_id, user_id FROM memory_versions", days={"memory_versions": list(days)})


def summaries_cite_evidence(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No summary without evidence."""
    table = ctx.lake.sql(
        "SELECT summary_id, tenant_id, user_id, grain, start FROM summaries "
        "WHERE len(message_ids) + len(memory_ids) = 0",
        days={"summaries": list(days)},
    )
    return _empty("summaries_cite_evidence", table.to_pylist(), "each summary names what it rests on")


def index_matches_ledger(ctx: StageContext, days: Iterable[date]) -> Audit:
    """The index holds exactly the current version of every memory that these days changed."""
    import pyarrow as pa

    from memory_pipeline.storage.ledger import current_of, touched

    ids = touched(ctx.lake, days)
    ledger = pa.table({"memory_id": ids}, schema=pa.schema([("memory_id", pa.string())]))
    current = current_of(ctx.lake, ids)
    table = ctx.lake.sql(
        """
        SELECT memory_id, l.version_id AS in_ledger, i.version_id AS in_index
        FROM touched LEFT JOIN ledger l USING (memory_id) LEFT JOIN indexed i USING (memory_id)
        WHERE l.version_id IS DISTINCT FROM i.version_id
        """,
        tables={
            "touched": ledger,
            "ledger": pa.table(
                {"memory_id": [v.memory_id for v in current], "version_id": [v.version_id for v in current]},
                schema=pa.schema([("memory_id", pa.string()), ("version_id", pa.string())]),
            ),
            "indexed": ctx.index.lookup("memories", ids, ["memory_id", "version_id"]),
        },
    )
    return _empty("index_matches_ledger", table.to_pylist(), "index and ledger hold the same versions")


def links_stay_with_their_user(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every link of these days, and every entity, is of memories of its own user (KN-26)."""
    span = list(days)
    named = ctx.lake.sql(
        "SELECT tenant_id, user_id, link_id AS id, source_id AS memory_id FROM links "
        "UNION ALL SELECT tenant_id, user_id, link_id, target_id FROM links "
        "UNION ALL SELECT tenant_id, user_id, entity_id, unnest(memory_ids) FROM entities",
        days={"links": span, "entities": span},
    )
    table = ctx.lake.sql(
        "SELECT named.* FROM named ANTI JOIN memory_versions USING (tenant_id, user_id, memory_id)",
        tables={"named": named},
    )
    return _empty("links_stay_with_their_user", table.to_pylist(), "links and entities are of one user's memories")


def turns_are_indexed(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every turn of the user and the assistant on these days is in the index."""
    from memory_pipeline.domain.message import Message
    from memory_pipeline.stages.index_messages import INDEXED_ROLES, message_key

    turns = {message_key(m): m for m in ctx.lake.read("messages", Message, days=days) if m.role in INDEXED_ROLES}
    there = set(ctx.index.lookup("messages", turns, ["message_key"])["message_key"].to_pylist())
    missing = [
        {"tenant_id": m.tenant_id, "user_id": m.user_id, "message_id": m.message_id}
        for key, m in turns.items()
        if key not in there
    ]
    return _empty("turns_are_indexed", missing, "every turn of the log is in the index")


def nothing_but_the_ledger_is_indexed(ctx: StageContext) -> Audit:
    """The whole index holds no memory that the ledger does not; costs a look at every row."""
    from memory_pipeline.storage.ledger import CURRENT

    table = ctx.lake.sql(
        f"SELECT memory_id, i.version_id FROM indexed i ANTI JOIN ({CURRENT}) l USING (memory_id, version_id)",
        tables={"indexed": ctx.index.all("memories", ["memory_id", "version_id"])},
    )
    return _empty("nothing_but_the_ledger_is_indexed", table.to_pylist(), "the index holds what the ledger holds")


def quarantine(ctx: StageContext) -> Audit:
    """How much was put aside, by reason. Never fails: bad lines are the sender's."""
    rows = ctx.lake.sql(
        "SELECT reason, count(*) AS lines FROM quarantined GROUP BY reason ORDER BY lines DESC"
    ).to_pylist()
    return Audit("quarantine", True, sum(r["lines"] for r in rows), "lines put aside", tuple(rows[:_SHOWN]))


PartitionAudit = Callable[[StageContext, Iterable[date]], Audit]

OF_PARTITIONS: Mapping[str, tuple[PartitionAudit, ...]] = {
    "transcripts": (no_message_twice,),
    "message_vectors": (turns_are_indexed,),
    "memories": (
        evidence_exists,
        every_proposal_has_a_verdict,
        one_value_per_slot,
        no_secret_is_remembered,
        no_derived_time_from_the_clock,
        retired_share,
    ),
    "memory_vectors": (index_matches_ledger,),
    "memory_links": (links_stay_with_their_user,),
    "daily_summaries": (summaries_cite_evidence,),
}
OF_STORES: tuple[Callable[[StageContext], Audit], ...] = (nothing_but_the_ledger_is_indexed, quarantine)
