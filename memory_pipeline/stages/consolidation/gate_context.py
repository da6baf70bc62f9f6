"""What the gate is given beside each proposal: its messages, the talk before them, and what was recalled into it.

The gate does no I/O; all of it is read here, a few queries for a whole batch of users. The talk is read only for those
sessions in which the cited messages alone leave a question open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from memory_pipeline.domain.classification import Classifier, classified
from memory_pipeline.domain.gate import GateInput, RecalledText, unknown, wants_session
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.sensitive import screen
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.stages.consolidation.claim_readings import read
from memory_pipeline.stages.consolidation.recalled_texts import Session, recalled_into
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.session_context import DAYS
from memory_pipeline.stages.messages.classes import classifier

_BEFORE = 186  # days: of so many a user's conversations may be read together
_SAID_BEFORE = """
SELECT DISTINCT a.tenant_id, a.user_id, a.proposal_id, a.name
FROM asked a JOIN messages m USING (tenant_id, user_id)
WHERE m.role = $role AND m.created_at <= a.at
  AND list_contains(regexp_extract_all(lower(strip_accents(m.content)), '[\\p{L}\\p{N}]+'), a.name)
ORDER BY ALL
"""


def gate_inputs(
    ctx: StageContext,
    proposals: Mapping[Scope, Sequence[Proposal]],
    cited: Iterable[Message],
    ledger: Mapping[Scope, Sequence[MemoryVersion]],
) -> dict[Scope, dict[str, GateInput]]:
    """What the gate looks at, by user and proposal id, in the order of the proposals.

    The proposals in it have the strictest class of the messages that they cite, and are screened: what the policy
    withholds is masked, what it restricts is classified so. They are what everything after the gate goes by.

    Args:
        cited: the messages that the proposals cite.
        ledger: all rows of these users.
    """
    everything = [p for part in proposals.values() for p in part]
    if not everything:
        return {scope: {} for scope in proposals}
    messages: dict[Session, dict[str, Message]] = defaultdict(dict)
    for message in cited:
        messages[message.tenant_id, message.user_id, message.session_id][message.message_id] = message
    last = max(p.day for p in everything)
    recalled = recalled_into(ctx, {_session(p) for p in everything}, last, ledger)
    classes = classifier(ctx)
    found: dict[Scope, dict[str, GateInput]] = {}
    open_: list[Proposal] = []
    for scope, part in proposals.items():
        found[scope] = {p.proposal_id: _given(ctx, p, messages[_session(p)], recalled, classes) for p in part}
        open_ += [g.proposal for g in found[scope].values() if wants_session(g)]
    talk = _talk(ctx, open_)
    for proposal in open_:
        own = found[Scope(proposal.tenant_id, proposal.user_id)]
        given = replace(own[proposal.proposal_id], session=talk[proposal.proposal_id])
        own[proposal.proposal_id] = read(given)
    _know(ctx, found, open_)
    return found


def _know(ctx: StageContext, found: dict[Scope, dict[str, GateInput]], open_: Sequence[Proposal]) -> None:
    """Tell which of the names that a conversation does not hold its user has said in another one before.

    A model reads several conversations of a user at once, and may name by its full name what one of them only means.
    """
    import pyarrow as pa

    missing = [(p, name) for p in open_ for name in unknown(found[Scope(p.tenant_id, p.user_id)][p.proposal_id])]
    if not missing:
        return
    last = max(p.day for p, _ in missing)
    reach = _BEFORE + (last - min(p.day for p, _ in missing)).days
    asked = [(p.tenant_id, p.user_id, p.proposal_id, name, p.observed_at) for p, name in missing]
    columns = ("tenant_id", "user_id", "proposal_id", "name", "at")
    table = ctx.lake.sql(
        _SAID_BEFORE,
        {"role": str(Role.USER)},
        days={"messages": [last - timedelta(days=n) for n in range(reach)]},
        tables={"asked": pa.table(dict(zip(columns, map(list, zip(*asked, strict=True)), strict=True)))},
    )
    known: dict[Scope, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for tenant, user, proposal, name in zip(*(table[c].to_pylist() for c in table.column_names), strict=True):
        known[Scope(tenant, user)][proposal].add(name)
    for scope, of in known.items():
        for proposal, names in of.items():
            found[scope][proposal] = replace(found[scope][proposal], known=frozenset(names))


def _session(proposal: Proposal) -> Session:
    return (proposal.tenant_id, proposal.user_id, proposal.session_id)


def _given(
    ctx: StageContext,
    proposal: Proposal,
    messages: Mapping[str, Message],
    recalled: Mapping[Session, Sequence[RecalledText]],
    classes: Classifier,
) -> GateInput:
    policy = ctx.policy.gate
    screened = screen(classified(proposal, messages, classes), policy)
    bare = GateInput(screened, messages, policy, CANARIES, recalled.get(_session(proposal), ()), extracted=True)
    return read(bare)


def _talk(ctx: StageContext, proposals: Sequence[Proposal]) -> Mapping[str, Sequence[Message]]:
    """The session of each proposal, from where its window's context may begin to the window's last message."""
    if not proposals:
        return {}
    ends = _ends(ctx, proposals)
    sessions: dict[Session, list[Message]] = defaultdict(list)
    for message in _messages(ctx, proposals):
        sessions[message.tenant_id, message.user_id, message.session_id].append(message)
    found: dict[str, Sequence[Message]] = {}
    for proposal in proposals:
        first, end = proposal.day - timedelta(days=DAYS), ends.get(proposal.window_id)
        found[proposal.proposal_id] = [
            m
            for m in sessions[_session(proposal)]
            if first <= m.day <= proposal.day and (end is None or m.created_at <= end)
        ]
    return found


def _messages(ctx: StageContext, proposals: Sequence[Proposal]) -> Sequence[Message]:
    from memory_pipeline.stages.summaries.summary_evidence import sessions_table
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    days: set[date] = {p.day - timedelta(days=n) for p in proposals for n in range(DAYS + 1)}
    table = ctx.lake.sql(
        "SELECT m.* FROM messages m SEMI JOIN wanted USING (tenant_id, user_id, session_id) "
        "ORDER BY created_at, ordinal, message_id",
        days={"messages": days},
        tables={"wanted": sessions_table((Scope(p.tenant_id, p.user_id), p.session_id) for p in proposals)},
    )
    return from_table(table, Message)


def _ends(ctx: StageContext, proposals: Sequence[Proposal]) -> Mapping[str, datetime]:
    """When the last message of each proposal's window was sent."""
    table = ctx.lake.sql(
        "SELECT window_id, max(ended_at) AS ended_at FROM windows WHERE window_id IN (SELECT unnest($ids)) "
        "GROUP BY window_id",
        {"ids": sorted({p.window_id for p in proposals})},
        days={"windows": {p.day for p in proposals}},
    )
    return dict(zip(table["window_id"].to_pylist(), table["ended_at"].to_pylist(), strict=True))
