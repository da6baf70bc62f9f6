"""What must hold of the stores, as queries for the rows which break it. Asset checks and ``doctor`` run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from itertools import combinations
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.audit_result import SHOWN, empty
from memory_pipeline.stages.audit_result import Audit as Audit
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.store_audit import file_count, store_size


def no_message_twice(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every message id stands once in a user's session."""
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id, session_id, message_id, count(*) AS times FROM messages "
        "GROUP BY ALL HAVING times > 1",
        days={"messages": list(days)},
    )
    return empty("no_message_twice", table.to_pylist(), "a message stands once in the log")


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
    return empty("evidence_exists", table.to_pylist(), "every memory rests on a message of its own user")


def every_proposal_has_a_verdict(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Conservation: nothing that was proposed vanishes without a word."""
    span = list(days)
    table = ctx.lake.sql(
        "SELECT p.proposal_id, p.tenant_id, p.user_id, p.content "
        "FROM proposals p ANTI JOIN verdicts v USING (proposal_id)",
        days={"proposals": span, "verdicts": span},
    )
    return empty("every_proposal_has_a_verdict", table.to_pylist(), "each proposal has its verdict")


def one_value_per_slot(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No user has two active values of an attribute that holds one at a time, unless one message told both, one is only
    vaguer than the other or not for now, or no rule could tell whether the later takes the place of the other."""
    from memory_pipeline.domain.equivalence import Held, side_by_side
    from memory_pipeline.domain.slots import attribute
    from memory_pipeline.domain.tense import tells_past
    from memory_pipeline.storage.ledger import CURRENT

    rows = _of_touched_users(
        ctx,
        days,
        f"""
        SELECT tenant_id, user_id, lower(coalesce(subject, 'user')) AS subject, attribute,
               list(DISTINCT lower(value)) AS held,
               list({{'value': value, 'content': content, 'memory_id': memory_id, 'since': observed_at,
                      'bounded': valid_until IS NOT NULL,
                      'cited': list_transform(evidence, lambda e: e.message_id)}}) AS told
        FROM ({CURRENT})
        WHERE status = 'active' AND NOT negated AND attribute IS NOT NULL AND value IS NOT NULL
          AND coalesce(len(apart), 0) = 0 -- what the user keeps beside another value may stand beside it
        GROUP BY ALL HAVING len(held) > 1
        """,
    )

    rows = [row for row in rows if attribute(row["attribute"]).single]
    additions = _additions(ctx, [t["memory_id"] for row in rows for t in row["told"]])

    def held(row: dict[str, Any]) -> list[Held]:
        return [
            Held(
                row["attribute"],
                t["value"],
                t["content"],
                frozenset(t["cited"] or ()),
                since=t["since"],
                added=t["memory_id"] in additions,
                bounded=t["bounded"] or tells_past(t["content"], row["attribute"]),
            )
            for t in row.pop("told")
        ]

    single = [row for row in rows if not all(side_by_side(*pair) for pair in combinations(held(row), 2))]
    return empty("one_value_per_slot", single, "one active value where there can be only one")


def _additions(ctx: StageContext, memory_ids: Sequence[str]) -> frozenset[str]:
    """Of some memories those of which no rule could tell what they retire: told as a fact of their own, or left to a
    judge."""
    import pyarrow as pa

    from memory_pipeline.domain.supersession import UNJUDGED

    if not memory_ids:
        return frozenset()
    table = ctx.lake.sql(
        "WITH undecided AS (SELECT proposal_id FROM proposals WHERE operation IN ('add', 'reinforce') "
        "UNION ALL SELECT proposal_id FROM verdicts WHERE reply_key IS NOT NULL) "
        "SELECT DISTINCT memory_id FROM memory_versions SEMI JOIN wanted USING (memory_id) "
        "WHERE version = 1 AND (reason = $unjudged OR proposal_id IN (FROM undecided))",
        {"unjudged": UNJUDGED},
        tables={"wanted": pa.table({"memory_id": memory_ids})},
    )
    return frozenset(table["memory_id"].to_pylist())


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
    return empty("no_secret_is_remembered", rows, "memory holds no secret that the policy keeps out")


def no_derived_time_from_the_clock(ctx: StageContext, days: Iterable[date]) -> Audit:
    """No event time of a version equals the time at which it was recorded: history keeps its own dates."""
    table = ctx.lake.sql(
        "SELECT version_id, memory_id, tenant_id, user_id, change FROM memory_versions "
        "WHERE cause <> 'manual' "
        "AND recorded_at IN (observed_at, referenced_at, changed_at, valid_from, valid_until, due_at)",
        days={"memory_versions": list(days)},
    )
    return empty("no_derived_time_from_the_clock", table.to_pylist(), "event times come from the messages")


def _of_touched_users(ctx: StageContext, days: Iterable[date], query: str) -> list[dict[str, Any]]:
    """Rows of a query over the ledger of the users whom some days changed, as far as their present follows from it."""
    from memory_pipeline.storage.ledger import ledger_files

    span = {"memory_versions": list(days)}
    touched = ctx.lake.sql("SELECT DISTINCT tenant_id, user_id FROM memory_versions", days=span)
    own = "WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN touched USING (tenant_id, user_id))"
    files = ledger_files(ctx.lake, _scopes(touched))
    rows: list[dict[str, Any]] = ctx.lake.sql(f"{own} {query}", tables={"touched": touched}, files=files).to_pylist()
    return rows


def _scopes(users: Any) -> set[Scope]:
    return {Scope(t, u) for t, u in zip(*(users[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)}


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
    from memory_pipeline.domain.memory import Change
    from memory_pipeline.stages.publish import indexed_versions
    from memory_pipeline.storage.ledger import current_of, touched

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
    from memory_pipeline.storage.ledger import ledger_files

    span = list(days)
    named = ctx.lake.sql(
        "SELECT tenant_id, user_id, link_id AS id, source_id AS memory_id FROM links "
        "UNION ALL SELECT tenant_id, user_id, link_id, target_id FROM links "
        "UNION ALL SELECT tenant_id, user_id, entity_id, unnest(memory_ids) FROM entities",
        days={"links": span, "entities": span},
    )
    query = "SELECT named.* FROM named ANTI JOIN memory_versions USING (tenant_id, user_id, memory_id)"
    table = ctx.lake.sql(query, tables={"named": named}, files=ledger_files(ctx.lake, _scopes(named)))
    if table.num_rows:  # one that was withdrawn long ago is in the ledger alone
        table = ctx.lake.sql(query, tables={"named": table})
    return empty("links_stay_with_their_user", table.to_pylist(), "links and entities are of one user's memories")


def turns_are_indexed(ctx: StageContext, days: Iterable[date]) -> Audit:
    """Every turn of the user and the assistant on these days is in the index."""
    from memory_pipeline.domain.message import Message
    from memory_pipeline.stages.index_messages import message_key
    from memory_pipeline.stages.turn_before import INDEXED_ROLES

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
    from memory_pipeline.storage.ledger import CURRENT

    table = ctx.lake.sql(
        f"SELECT memory_id, i.version_id FROM indexed i ANTI JOIN ({CURRENT}) l USING (memory_id, version_id)",
        tables={"indexed": ctx.index.all("memories", ["memory_id", "version_id"])},
    )
    return empty("nothing_but_the_ledger_is_indexed", table.to_pylist(), "the index holds what the ledger holds")


def quarantine(ctx: StageContext) -> Audit:
    """How much was put aside, by reason. Never fails: bad lines are the sender's."""
    rows = ctx.lake.sql(
        "SELECT reason, count(*) AS lines FROM quarantined GROUP BY reason ORDER BY lines DESC"
    ).to_pylist()
    return Audit("quarantine", True, sum(r["lines"] for r in rows), "lines put aside", tuple(rows[:SHOWN]))


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
