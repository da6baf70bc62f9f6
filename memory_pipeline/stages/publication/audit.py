"""What must hold of the stores, as queries for the rows which break it. Asset checks and ``doctor`` run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication import audit_conservation, audit_provenance, audit_statements
from memory_pipeline.stages.publication.audit_result import SHOWN, empty
from memory_pipeline.stages.publication.audit_result import Audit as Audit
from memory_pipeline.stages.publication.staged_view import Prospect
from memory_pipeline.stages.publication.standing_ledger import StandingLedger
from memory_pipeline.stages.publication.store_audit import file_count, store_size

PartitionAudit = Callable[[StageContext, Iterable[date]], Audit]


def no_message_twice(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every message id stands once in a user's session."""
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id, session_id, message_id, count(*) AS times FROM messages "
        "GROUP BY ALL HAVING times > 1",
        days={"messages": list(days)},
    )
    return empty("no_message_twice", table.to_pylist(), "a message stands once in the log")


def _of_ledger(rule: Callable[[Prospect], list[dict[str, Any]]]) -> PartitionAudit:
    """A rule of what is staged, as one of what stands."""
    told = str(rule.__doc__).partition("\n")[0]

    def audit(ctx: StageContext, days: Iterable[date]) -> Audit:
        what = StandingLedger(ctx, days)
        return empty(rule.__name__, rule(what) if what.anything else [], told)

    audit.__name__, audit.__doc__ = rule.__name__, told
    return audit


evidence_exists = _of_ledger(audit_provenance.evidence_exists)
every_proposal_has_a_verdict = _of_ledger(audit_conservation.every_proposal_has_a_verdict)
one_value_per_slot = _of_ledger(audit_statements.one_value_per_slot)
no_secret_is_remembered = _of_ledger(audit_statements.no_secret_is_remembered)
no_derived_time_from_the_clock = _of_ledger(audit_provenance.no_derived_time_from_the_clock)


def summaries_cite_evidence(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No summary without evidence."""
    table = ctx.lake.sql(
        "SELECT summary_id, tenant_id, user_id, grain, start FROM summaries "
        "WHERE len(message_ids) + len(memory_ids) = 0",
        days={"summaries": list(days)},
    )
    return empty("summaries_cite_evidence", table.to_pylist(), "each summary names what it rests on")


def index_matches_ledger(ctx: StageContext, days: Iterable[date]) -> Audit:
    """The index holds exactly the current version of every memory that these days changed, and none that was pruned."""
    from memory_pipeline.domain.ledger.memory import Change
    from memory_pipeline.stages.publication.publish import indexed_versions
    from memory_pipeline.storage.queries.ledger import current_of, touched

    last = touched(ctx.lake, days)
    indexed = indexed_versions(ctx, last)
    others = [i for i, version in last.items() if version is None or indexed.get(i) != version]  # the rest is as it is
    current = {v.memory_id: v.version_id for v in current_of(ctx.lake, others) if v.change is not Change.PRUNE}
    rows = [
        {"memory_id": i, "in_ledger": current.get(i), "in_index": indexed.get(i)}
        for i in others
        if current.get(i) != indexed.get(i)
    ]
    return empty("index_matches_ledger", rows, "index and ledger hold the same versions")


def links_stay_with_their_user(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every link of these days, and every entity, is of memories of its own user (KN-26)."""
    from memory_pipeline.storage.parquet.lake import scopes_in
    from memory_pipeline.storage.queries.ledger import ledger_files

    span = list(days)
    named = ctx.lake.sql(
        "SELECT tenant_id, user_id, link_id AS id, source_id AS memory_id FROM links "
        "UNION ALL SELECT tenant_id, user_id, link_id, target_id FROM links "
        "UNION ALL SELECT tenant_id, user_id, entity_id, unnest(memory_ids) FROM entities",
        days={"links": span, "entities": span},
    )
    query = "SELECT named.* FROM named ANTI JOIN memory_versions USING (tenant_id, user_id, memory_id)"
    table = ctx.lake.sql(query, tables={"named": named}, files=ledger_files(ctx.lake, set(scopes_in(named))))
    if table.num_rows:  # one that was withdrawn long ago is in the ledger alone
        table = ctx.lake.sql(query, tables={"named": table})
    return empty("links_stay_with_their_user", table.to_pylist(), "links and entities are of one user's memories")


def turns_are_indexed(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every turn of the user and the assistant on these days is in the index."""
    from memory_pipeline.domain.message import Message
    from memory_pipeline.stages.messages.index_messages import message_key
    from memory_pipeline.stages.messages.previous_turn import INDEXED_ROLES

    turns = {message_key(m): m for m in ctx.lake.read("messages", Message, days=days) if m.role in INDEXED_ROLES}
    there = set(ctx.index.lookup("messages", turns, ["message_key"])["message_key"].to_pylist())
    missing = [
        {"tenant_id": m.tenant_id, "user_id": m.user_id, "message_id": m.message_id}
        for key, m in turns.items()
        if key not in there
    ]
    return empty("turns_are_indexed", missing, "every turn of the log is in the index")


def nothing_but_the_ledger_is_indexed(ctx: StageContext) -> Audit:
    """The whole index holds no memory that the ledger does not; costs a look at every row."""
    from memory_pipeline.storage.queries.ledger import CURRENT

    table = ctx.lake.sql(
        f"SELECT memory_id, i.version_id FROM indexed i ANTI JOIN ({CURRENT}) l USING (memory_id, version_id)",
        tables={"indexed": ctx.index.all("memories", ["memory_id", "version_id"])},
    )
    return empty("nothing_but_the_ledger_is_indexed", table.to_pylist(), "the index holds what the ledger holds")


def quarantine(ctx: StageContext) -> Audit:
    """How much was put aside, by reason. Never fails: bad lines are the sender's."""
    rows = ctx.lake.sql(
        "SELECT reason, count(*) AS lines FROM quarantined GROUP BY reason ORDER BY lines DESC, reason"
    ).to_pylist()
    return Audit("quarantine", True, sum(r["lines"] for r in rows), "lines put aside", tuple(rows[:SHOWN]))


OF_PARTITIONS: Mapping[str, tuple[PartitionAudit, ...]] = {
    "transcripts": (no_message_twice,),
    "message_vectors": (turns_are_indexed,),
    "memories": (
        evidence_exists,
        every_proposal_has_a_verdict,
        one_value_per_slot,
        no_secret_is_remembered,
        no_derived_time_from_the_clock,
    ),
    "memory_vectors": (index_matches_ledger,),
    "memory_links": (links_stay_with_their_user,),
    "daily_summaries": (summaries_cite_evidence,),
}
OF_STORES: tuple[Callable[[StageContext], Audit], ...] = (
    nothing_but_the_ledger_is_indexed,
    quarantine,
    store_size,
    file_count,
)
