"""Audits of what would be published: nothing vanishes, and not too much goes at once.

An audit blames a writer only for what it would bring about: what stood in the ledger before, whatever it is, stops
nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_pipeline.stages.publication.staged_view import Prospect

Rows = list[dict[str, Any]]

_REMADE = {"patterns": "pattern", "reflections": "reflection"}
"""Causes of the versions that a writer makes anew as a whole: whether they still follow is for it to say."""


def every_proposal_has_a_verdict(what: Prospect) -> Rows:
    """Conservation: each proposal that was worked on has its verdict."""
    if not what.covered:
        return []
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
    another outcome, and, of what was derived, where a member of it has changed or the writer makes it anew.
    """
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
    unexplained = _unexplained(what, gone) if gone else []
    return [{k: v for k, v in row.items() if k != "derived_from"} for row in unexplained]


def _unexplained(what: Prospect, gone: Rows) -> Rows:
    import pyarrow as pa

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
            case cause:
                return cause == _REMADE.get(what.writer) or not set(row["derived_from"] or ()) <= unchanged

    return [row for row in gone if not explained(row)]


def retired(what: Prospect) -> tuple[Rows, int]:
    """Memories that readers see and that would lose their place to a statement or to nothing; and how many there are,
    new ones included. What a back-fill both adds and retires has never been seen: a long history may change often."""
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
    new = pc.sum(pc.invert(pc.is_in(what.after["memory_id"], what.before["memory_id"].combine_chunks()))).as_py() or 0
    return rows, _seen(what) + new


def aged(what: Prospect) -> tuple[Rows, int]:
    """Memories that time would end or make stale although it had passed over them before, and how many are seen.

    What falls due as days go by, however many those are, is what time is for. What an earlier sweep, or the user's own
    later history, had let stand ends because of something else: a policy that was changed, or a slip in it.
    """
    from memory_pipeline.stages.plan.freshness import last_made
    from memory_pipeline.stages.plan.registry import BY_NAME

    swept = last_made(what.ctx, BY_NAME["lifecycle"])
    rows = what.rows(
        """
        WITH passed AS (SELECT tenant_id, user_id, max(day) AS day FROM before GROUP BY ALL),
        due AS (
            SELECT memory_id, min(day) AS day, bool_and(cause = 'lifecycle') AS by_days, max(reason) AS reason
            FROM changed WHERE asserted AND cause IN ('lifecycle', 'fading') GROUP BY memory_id
        )
        SELECT a.tenant_id, a.user_id, memory_id, due.day, b.status AS before, a.status, a.content, due.reason
        FROM after a JOIN before b USING (memory_id) JOIN due USING (memory_id)
        JOIN passed ON passed.tenant_id = a.tenant_id AND passed.user_id = a.user_id
        WHERE a.cause IN ('lifecycle', 'fading') AND b.status IN ('active', 'stale') AND a.status <> b.status
          AND (due.by_days AND due.day < passed.day OR due.day < $swept AND b.recorded_at <= $swept_at)
        ORDER BY ALL
        """,
        "after",
        "before",
        "changed",
        params={"swept": swept[0] if swept else None, "swept_at": swept[1] if swept else None},
    )
    return rows, _seen(what)


def _seen(what: Prospect) -> int:
    """How many memories of the users readers see."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.sum(pc.is_in(what.before["status"], pa.array(["active", "stale"]))).as_py() or 0
