"""Audits of what would be published: where it comes from, whose it is, and when it was."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.publication.staged_view import Prospect

Rows = list[dict[str, Any]]

SHOWN = ("version_id", "memory_id", "tenant_id", "user_id")
"""What tells a version that breaks a rule."""
_DERIVED = """
SELECT c.version_id, c.memory_id, c.tenant_id, c.user_id, c.content, c.derived_from,
       list_transform(c.evidence, lambda e: e.message_id) AS cited, e.derived_from AS from_before,
       list_transform(e.evidence, lambda e: e.message_id) AS cited_before
FROM changed c LEFT JOIN (
    SELECT version_id, any_value(derived_from) AS derived_from, any_value(evidence) AS evidence
    FROM (SELECT version_id, derived_from, evidence FROM known UNION ALL
          SELECT version_id, derived_from, evidence FROM changed) GROUP BY version_id
) e ON e.version_id = c.previous_version_id
WHERE c.asserted AND c.cause IN ('pattern', 'reflection') AND c.type IN ('pattern', 'reflection')
ORDER BY c.version_id
"""


def evidence_exists(what: Prospect) -> Rows:
    """Every version rests on something of its own user's: a message in the log, or memories and what these rest on.

    A version of a proposal cites a message; a pattern or a reflection names memories, and cites none but theirs.
    """
    found: dict[str, Rows] = defaultdict(list)
    for row in what.citations:
        found[row["version_id"]].append(row)
    stated = [rows[0] for rows in found.values() if not any(row["own"] for row in rows)]
    derived = [row for row in what.rows(_DERIVED, "changed", "known") if not _borne(row, what)]
    return [{name: row[name] for name in (*SHOWN, "content")} for row in stated + derived]


def _borne(row: dict[str, Any], what: Prospect) -> bool:
    """Whether what a derived version names anew is there, and its user's own."""
    whose, members = Scope(row["tenant_id"], row["user_id"]), what.members
    own = {i: members[whose, i] for i in row["derived_from"] or () if (whose, i) in members}
    named = set(row["derived_from"] or ()) - set(row["from_before"] or ())
    cited = set(row["cited"] or ()) - set(row["cited_before"] or ())
    if row["from_before"] is not None and not named and not cited:
        return True
    return bool(own) and named <= own.keys() and cited <= frozenset().union(*own.values())


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
        {name: row[name] for name in SHOWN} | {"what": "cites a message of another user"}
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


def no_derived_time_from_the_clock(what: Prospect) -> Rows:
    """No event time of a version equals the time at which it was recorded: history keeps its own dates."""
    return what.rows(
        "SELECT version_id, memory_id, tenant_id, user_id, change, recorded_at FROM changed WHERE cause <> 'manual' "
        "AND recorded_at IN (observed_at, referenced_at, changed_at, valid_from, valid_until, due_at)",
        "changed",
    )
