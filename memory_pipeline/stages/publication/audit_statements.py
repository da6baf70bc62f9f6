"""Audits of what would be published: what it says, beside what is held already, and in what form it was written."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from memory_pipeline.stages.publication.audit_provenance import SHOWN
from memory_pipeline.stages.publication.staged_view import Prospect

Rows = list[dict[str, Any]]
_UNTOLD = frozenset({"new", "cited", "observed_at", "bounded"})


def one_value_per_slot(what: Prospect) -> Rows:
    """No user comes to have two active values of an attribute that holds one at a time, unless one message told both,
    one is only vaguer than the other or not for now, or no rule could tell whether the later takes the
    place of the other."""
    from memory_pipeline.domain.consolidation.equivalence import SlotValue, side_by_side
    from memory_pipeline.domain.consolidation.slots import attribute
    from memory_pipeline.domain.consolidation.tense import tells_past

    standing = what.rows(
        """
        WITH held AS (
            SELECT a.*, lower(coalesce(a.subject, 'user')) AS of_whom, lower(a.attribute) AS slot,
                   b.memory_id IS NULL AS new
            FROM after a LEFT JOIN (SELECT memory_id, value FROM before WHERE status = 'active') b
                USING (memory_id, value)
            WHERE a.status = 'active' AND NOT a.negated AND a.attribute IS NOT NULL AND a.value IS NOT NULL
              AND NOT coalesce(a.apart, false) -- what the user keeps beside another value may stand beside it
        )
        SELECT tenant_id, user_id, of_whom AS subject, slot AS attribute, memory_id, value, content, cited, new,
               observed_at, bounded
        FROM held
        WINDOW together AS (PARTITION BY tenant_id, user_id, of_whom, slot)
        QUALIFY bool_or(new) OVER together AND min(lower(value)) OVER together <> max(lower(value)) OVER together
        ORDER BY ALL
        """,
        "after",
        "before",
    )

    additions = what.additions if standing else frozenset()

    def held(row: dict[str, Any]) -> SlotValue:
        return SlotValue(
            row["attribute"],
            row["value"],
            row["content"],
            frozenset(row["cited"] or ()),
            since=row["observed_at"],
            added=row["memory_id"] in additions,
            bounded=row["bounded"] or tells_past(row["content"], row["attribute"]),
        )

    slots: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in standing:
        if attribute(row["attribute"]).single:
            slots[row["tenant_id"], row["user_id"], row["subject"], row["attribute"]].append(row)
    return [
        {**{k: v for k, v in row.items() if k not in _UNTOLD}, "beside": other["value"]}
        for rows in slots.values()
        for row in rows
        if row["new"]
        for other in rows
        if other["memory_id"] != row["memory_id"] and not side_by_side(held(row), held(other))
    ]


def no_fact_twice(what: Prospect) -> Rows:
    """No user comes to have two active memories of the same words about one person, but of two events."""
    from memory_pipeline.domain.text import normalise

    pairs = what.rows(
        """
        WITH held AS (
            SELECT a.*, b.memory_id IS NULL AS new,
                   regexp_replace(lower(nfc_normalize(a.content)), '[\\s\\p{P}]+', '', 'g') AS letters,
                   a.type IN ('episodic_event', 'ephemeral') AS event
            FROM after a LEFT JOIN (SELECT memory_id, content FROM before WHERE status = 'active') b
                USING (memory_id, content)
            WHERE a.status = 'active' AND NOT coalesce(a.apart, false)
        )
        SELECT a.tenant_id, a.user_id, a.memory_id, a.type, a.content, b.memory_id AS other_id, b.type AS other_type,
               b.content AS other
        FROM held a JOIN held b USING (tenant_id, user_id, letters, event, negated)
        WHERE a.memory_id <> b.memory_id AND a.new AND (NOT b.new OR a.memory_id < b.memory_id)
          AND coalesce(a.subject, 'user') = coalesce(b.subject, 'user')
          AND (a.type = 'open_loop') = (b.type = 'open_loop') AND (a.type = 'boundary') = (b.type = 'boundary')
          AND (a.type IN ('pattern', 'reflection')) = (b.type IN ('pattern', 'reflection')) -- may say it in its words
          AND (NOT event OR abs(epoch(a.happened_at) - epoch(b.happened_at)) <= 172800)
        ORDER BY ALL
        """,
        "after",
        "before",
    )
    return [row for row in pairs if normalise(row["content"]) == normalise(row["other"])]


def no_secret_is_remembered(what: Prospect) -> Rows:
    """Nothing that is new states or quotes what the policy keeps out of memory; what is shown of it is its id."""
    from memory_pipeline.domain.policy import Handling
    from memory_pipeline.domain.sensitive import find, handled

    withheld = handled(what.ctx.policy.gate, Handling.REJECT, Handling.MASK)
    texts = what.texts
    told = {text: any(span.kind in withheld for span in find(text)) for text in {row["said"] for row in texts}}
    return _each([row for row in texts if told[row["said"]]])


def no_prompt_example(what: Prospect) -> Rows:
    """Nothing that is new was copied from the prompts' examples."""
    from memory_pipeline.inference.prompts import CANARIES

    texts = [row for row in what.texts if not row["quoted"]]
    return _each([row for row in texts if any(c.casefold() in row["said"].casefold() for c in CANARIES)])


def _each(rows: Rows) -> Rows:
    """Every version once, without what it says."""
    seen = {row["version_id"]: {k: v for k, v in row.items() if k in SHOWN} for row in rows}
    return list(seen.values())


def staged_as_declared(what: Prospect) -> Rows:
    """Every staged file has its dataset's columns and says its schema version."""
    import io

    import pyarrow.parquet as pq

    from memory_pipeline.storage.parquet.schemas import DATASETS
    from memory_pipeline.storage.parquet.staged_rows import STAGED

    found: Rows = []
    if what.staged is None:
        return found
    for name in STAGED:
        as_written = what.ctx.lake.encoded(name, DATASETS[name].schema.empty_table())
        wanted = pq.read_schema(io.BytesIO(as_written))
        for path in what.staged.files(name, what.part):
            schema = pq.read_schema(path, filesystem=what.ctx.lake.store.fs)
            if not schema.equals(wanted, check_metadata=True):
                found.append({"file": path, "dataset": name, "version": DATASETS[name].version})
    return found
