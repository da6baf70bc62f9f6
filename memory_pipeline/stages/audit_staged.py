"""What must hold of staged versions and verdicts before they are published, as queries for the rows that break it.

An audit blames a run only for what it would bring about: what stood in the ledger before, whatever it is, stops nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from memory_pipeline.stages.prospect import Prospect

Rows = list[dict[str, Any]]

_SHOWN = ("version_id", "memory_id", "tenant_id", "user_id")


def every_proposal_has_a_verdict(what: Prospect) -> Rows:
    """Conservation: each proposal that was worked on has its verdict."""
    import pyarrow as pa

    pairs = [(day, scope) for day, scopes in what.covered.items() for scope in scopes]
    covered = pa.table(
        {
            "day": pa.array([day for day, _ in pairs], pa.date32()),
            "tenant_id": pa.array([scope.tenant_id for _, scope in pairs], pa.string()),
            "user_id": pa.array([scope.user_id for _, scope in pairs], pa.string()),
        }
    )
    return what.rows(
        "SELECT proposal_id, tenant_id, user_id, day, content FROM proposals SEMI JOIN proposed USING (proposal_id) "
        "SEMI JOIN covered USING (day, tenant_id, user_id) ANTI JOIN judged USING (proposal_id)",
        "judged",
        days={"proposals": what.covered.keys()},
        covered=covered,
        proposed=pa.table({"proposal_id": pa.array(sorted(what.proposed), pa.string())}),
    )


def nothing_vanishes(what: Prospect) -> Rows:
    """Conservation: no active memory goes without a version or a verdict that says why.

    A memory may go where its proposal is no more (it was extracted anew), where that proposal's verdict now names
    another outcome, and, of what was derived, where a member of it has changed.
    """
    import pyarrow as pa

    gone = what.rows(
        """
        WITH vanished AS (
            SELECT memory_id FROM before SEMI JOIN changed USING (memory_id) WHERE status = 'active'
            EXCEPT SELECT memory_id FROM after
        )
        SELECT memory_id, arg_min(tenant_id, version) AS tenant_id, arg_min(user_id, version) AS user_id,
               arg_min(cause, version) AS cause, arg_min(proposal_id, version) AS proposal_id,
               arg_min(day, version) AS day, arg_max(content, version) AS content,
               arg_max(derived_from, version) AS derived_from
        FROM known SEMI JOIN vanished USING (memory_id) GROUP BY memory_id ORDER BY memory_id
        """,
        "before",
        "changed",
        "after",
        "known",
    )
    if not gone:
        return []
    asked = pa.table({"proposal_id": pa.array([row["proposal_id"] for row in gone], pa.string())})
    there = what.rows(
        "SELECT proposal_id, memory_id FROM (SELECT DISTINCT proposal_id FROM proposals SEMI JOIN asked "
        "USING (proposal_id)) LEFT JOIN judged USING (proposal_id)",
        "judged",
        days={"proposals": {row["day"] for row in gone}},
        asked=asked,
    )
    verdicts = {row["proposal_id"]: row["memory_id"] for row in there}
    judged = set(what.judged["proposal_id"].to_pylist())
    unchanged = {
        row["memory_id"]
        for row in what.rows("SELECT memory_id FROM after WHERE status = 'active' AND NOT touched", "after")
    }

    def explained(row: Mapping[str, Any]) -> bool:
        match row["cause"]:
            case "proposal":
                proposal = row["proposal_id"]
                return proposal not in verdicts or (proposal in judged and verdicts[proposal] != row["memory_id"])
            case "manual":
                return False
            case _:
                return not set(row["derived_from"] or ()) <= unchanged

    return [{k: v for k, v in row.items() if k != "derived_from"} for row in gone if not explained(row)]


def evidence_exists(what: Prospect) -> Rows:
    """Every version that a proposal made rests on a message of its own user that is in the log."""
    found: dict[str, Rows] = defaultdict(list)
    for row in what.citations:
        found[row["version_id"]].append(row)
    return [
        {name: rows[0][name] for name in (*_SHOWN, "content")}
        for rows in found.values()
        if not any(row["own"] for row in rows)
    ]


def no_row_outside_its_user(what: Prospect) -> Rows:
    """Every row is of a user of the run, and names nothing but memories and messages of that user."""
    strangers = what.rows(
        """
        SELECT version_id, memory_id, tenant_id, user_id, 'not a user of this run' AS what
        FROM changed ANTI JOIN people USING (tenant_id, user_id)
        UNION ALL
        SELECT verdict_id, coalesce(memory_id, ''), tenant_id, user_id, 'verdict on nobody of this run'
        FROM judged ANTI JOIN people USING (tenant_id, user_id)
        UNION ALL
        SELECT c.version_id, c.memory_id, c.tenant_id, c.user_id, 'a memory of another user'
        FROM (SELECT DISTINCT version_id, memory_id, tenant_id, user_id FROM changed) c JOIN known k USING (memory_id)
        WHERE (c.tenant_id, c.user_id) <> (k.tenant_id, k.user_id)
        """,
        "changed",
        "judged",
        "known",
        "people",
    )
    citing = [
        {name: row[name] for name in _SHOWN} | {"what": "cites a message of another user"}
        for row in what.citations
        if row["foreign"]
    ]
    return strangers + citing + _named_of_others(what)


def _named_of_others(what: Prospect) -> Rows:
    """Rows that name a memory which the index knows as somebody else's."""
    unknown = what.rows(
        """
        WITH naming AS (
            SELECT version_id, memory_id, tenant_id, user_id, memory_id AS named
            FROM changed WHERE asserted AND version = 1
            UNION ALL
            SELECT version_id, memory_id, tenant_id, user_id,
                   unnest(list_concat(derived_from, [superseded_by, lineage_id]))
            FROM changed WHERE asserted
            UNION ALL
            SELECT verdict_id, memory_id, tenant_id, user_id, memory_id FROM judged
        )
        SELECT DISTINCT * FROM naming ANTI JOIN (
            SELECT memory_id AS named, tenant_id, user_id FROM before
            UNION ALL SELECT memory_id, tenant_id, user_id FROM known
        ) USING (named, tenant_id, user_id) WHERE named IS NOT NULL
        """,
        "changed",
        "judged",
        "before",
        "known",
    )
    columns = ["memory_id", "tenant_id", "user_id"]
    owners = what.ctx.index.lookup("memories", {row["named"] for row in unknown}, columns).to_pylist()
    of = {row["memory_id"]: (row["tenant_id"], row["user_id"]) for row in owners}
    return [
        {**row, "what": f"names {row['named']}, a memory of another user"}
        for row in unknown
        if of.get(row["named"], (row["tenant_id"], row["user_id"])) != (row["tenant_id"], row["user_id"])
    ]


def one_value_per_slot(what: Prospect) -> Rows:
    """No user comes to have two active values of an attribute that holds one at a time."""
    from memory_pipeline.domain.slots import attribute, same_value

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
        SELECT tenant_id, user_id, of_whom AS subject, slot AS attribute, memory_id, value, content, new FROM held
        WINDOW together AS (PARTITION BY tenant_id, user_id, of_whom, slot)
        QUALIFY bool_or(new) OVER together AND min(lower(value)) OVER together <> max(lower(value)) OVER together
        ORDER BY ALL
        """,
        "after",
        "before",
    )
    slots: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in standing:
        if attribute(row["attribute"]).single:
            slots[row["tenant_id"], row["user_id"], row["subject"], row["attribute"]].append(row)
    return [
        {**row, "beside": other["value"]}
        for rows in slots.values()
        for row in rows
        if row.pop("new")
        for other in rows
        if other["memory_id"] != row["memory_id"] and not same_value(row["value"], other["value"])
    ]


def no_fact_twice(what: Prospect) -> Rows:
    """No user comes to have two active memories of the same words, but of events at different times."""
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
          AND (a.type = 'open_loop') = (b.type = 'open_loop') AND (a.type = 'boundary') = (b.type = 'boundary')
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
    seen = {row["version_id"]: {k: v for k, v in row.items() if k in _SHOWN} for row in rows}
    return list(seen.values())


def no_derived_time_from_the_clock(what: Prospect) -> Rows:
    """No event time of a version equals the time at which it was recorded: history keeps its own dates."""
    return what.rows(
        "SELECT version_id, memory_id, tenant_id, user_id, change, recorded_at FROM changed WHERE cause <> 'manual' "
        "AND recorded_at IN (observed_at, referenced_at, changed_at, valid_from, valid_until, due_at)",
        "changed",
    )


def staged_as_declared(what: Prospect) -> Rows:
    """Every staged file has its dataset's columns and says its schema version."""
    import io

    import pyarrow.parquet as pq

    from memory_pipeline.storage.schemas import DATASETS
    from memory_pipeline.storage.staging import STAGED

    found = []
    for name in STAGED:
        as_written = what.ctx.lake.encoded(name, DATASETS[name].schema.empty_table())
        wanted = pq.read_schema(io.BytesIO(as_written))
        for path in what.staged.files(name, what.part):
            schema = pq.read_schema(path, filesystem=what.ctx.lake.store.fs)
            if not schema.equals(wanted, check_metadata=True):
                found.append({"file": path, "dataset": name, "version": DATASETS[name].version})
    return found


def retired(what: Prospect) -> tuple[Rows, int]:
    """Memories that readers see and that would lose their place to a statement or to nothing; and how many there are,
    new ones included. What a back-fill both adds and retires has never been seen: a long history may change often."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = what.rows(
        """
        SELECT a.tenant_id, a.user_id, memory_id, a.content, a.status, a.change
        FROM after a JOIN before b USING (memory_id)
        WHERE a.touched AND b.status IN ('active', 'stale') AND a.cause = 'proposal'
          AND a.change IN ('supersede', 'contradict')
        UNION ALL
        SELECT tenant_id, user_id, memory_id, content, 'withdrawn', 'withdrawn'
        FROM before SEMI JOIN changed USING (memory_id) ANTI JOIN after USING (memory_id)
        WHERE status = 'active' AND memory_id NOT IN (
            SELECT memory_id FROM (
                SELECT memory_id, unnest(list_transform(evidence, lambda e: e.message_id)) AS message_id FROM known
            ) SEMI JOIN (
                SELECT unnest(list_transform(evidence, lambda e: e.message_id)) AS message_id
                FROM changed WHERE asserted AND version = 1
            ) USING (message_id)
        ) -- what was read otherwise out of the same message has been replaced
        ORDER BY ALL
        """,
        "after",
        "before",
        "changed",
        "known",
    )
    lived = pc.sum(pc.is_in(what.before["status"], pa.array(["active", "stale"]))).as_py() or 0
    new = pc.sum(pc.invert(pc.is_in(what.after["memory_id"], what.before["memory_id"].combine_chunks()))).as_py() or 0
    return rows, lived + new


StagedAudit = Callable[[Prospect], Rows]
OF_STAGED: tuple[StagedAudit, ...] = (
    every_proposal_has_a_verdict,
    nothing_vanishes,
    evidence_exists,
    no_row_outside_its_user,
    one_value_per_slot,
    no_fact_twice,
    no_secret_is_remembered,
    no_prompt_example,
    no_derived_time_from_the_clock,
    staged_as_declared,
)
