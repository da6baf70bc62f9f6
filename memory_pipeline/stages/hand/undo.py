"""Undoing what was done to a memory last: by the user's own hand, or by the pipeline.

What the user did is withdrawn, as if it had not been done. What the pipeline decided is overruled, and every later
replay keeps to that. The act that overrules names the proposal, and the messages that the proposal cites. A
re-extraction with another prompt or model gives proposals other ids, but they cite the same messages: what these say no
longer changes the memory, whatever the proposal is called. It becomes a memory of its own instead, or, where it only
ended something, nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from memory_pipeline.domain.derived.pattern import dissolved
from memory_pipeline.domain.ledger.attachment import sources_of
from memory_pipeline.domain.ledger.curation import is_act, last_acts, perform
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import normalise
from memory_pipeline.errors import CurationError
from memory_pipeline.stages.consolidation.consolidate import replay_users
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.hand.curate import forget
from memory_pipeline.stages.hand.user_memories import Desk

_NAMED = {
    Change.REINFORCE: "confirmation",
    Change.REVIVE: "confirmation",
    Change.MERGE: "merge",
    Change.SUPERSEDE: "replacement",
    Change.CONTRADICT: "contradiction",
    Change.CLOSE: "closing",
    Change.FORGET: "forgetting",
    Change.SUPPRESS: "suppression",
}
"""Decisions that can be undone, and how they are called."""

_TAKEN_BACK = frozenset(
    {Change.EDIT, Change.FORGET, Change.PIN, Change.UNPIN, Change.SUPPRESS, Change.CLASSIFY, Change.REINFORCE}
)
"""Acts that undoing withdraws. What was remembered by hand is forgotten instead, and what was undone stays so."""

_BY_TIME = frozenset({Cause.LIFECYCLE, Cause.FADING})
_CONFIRMING = frozenset({Change.REINFORCE, Change.REVIVE})
_SETTLING = frozenset({Cause.MANUAL, Cause.PROPOSAL, Cause.PATTERN})  # … let one memory take the place of another


@dataclass(frozen=True, slots=True)
class _Decision:
    """A version that somebody else's statement made of a memory.

    Attributes:
        sources: ids of the proposal and of its messages, or of the memory that the user stated by hand; of a pattern's
            making, the ids of its members.
    """

    version: MemoryVersion
    sources: tuple[str, ...]
    said: str


def undo(ctx: StageContext, scope: Scope, memory_id: str) -> MemoryVersion:
    """Take back what the user did to a memory last; else overrule the latest decision that merged another text into it,
    confirmed it by other words, or ended it.

    Of a pattern it overrules that it was made: its members stand again, and go into no other one. The user's history is
    replayed from that decision on: what had been merged becomes a memory of its own, what had ended stands again beside
    its successor. Nothing is deleted: the versions of before are withdrawn.

    Raises:
        NotFound: the user has no such memory.
        CurationError: there is nothing of the kind to undo.
        ModelError: the judge is needed for what follows, and cannot be reached; nothing is changed.
    """
    desk = Desk.of(ctx, scope)
    chain = desk.chain(desk.find(memory_id))
    act, first = withdrawing(desk, chain) or overruling(desk, chain[-1], _proposals(desk, chain))
    replay_users(ctx, [scope], first, [act])
    return Desk.of(ctx, scope).find(memory_id)


def undo_last(ctx: StageContext, scope: Scope) -> MemoryVersion:
    """Take back what the user did last by hand, whatever it was: what was remembered is forgotten, everything else is
    withdrawn. To undo that again brings a forgotten memory back.

    Raises:
        CurationError: the user has done nothing, what was done last cannot be taken back, or something else has become
            of the memory since.
        ModelError: as in :func:`undo`.
    """
    desk = Desk.of(ctx, scope)
    acts = last_acts(desk.held)
    if not acts:
        raise CurationError("nothing to undo: nothing has been done by hand")
    last = acts[-1]
    if any(act.change is Change.ADD for act in acts):
        return forget(ctx, scope, last.memory_id)
    rows = []
    for memory_id in dict.fromkeys(act.memory_id for act in acts):
        found = withdrawing(desk, desk.chain(desk.find(memory_id)))
        if found is None or found[0].version_id not in {act.version_id for act in acts}:
            raise CurationError(
                f"what was done last ({last.reason}) is not undone alone: something else has become of {memory_id} "
                "since, or it was an undoing; name the memory to undo that"
            )
        rows.append(found)
    replay_users(ctx, [scope], min(day for _, day in rows), [row for row, _ in rows])
    return Desk.of(ctx, scope).find(last.memory_id)


def withdrawing(desk: Desk, chain: Sequence[MemoryVersion]) -> tuple[MemoryVersion, date] | None:
    """The row that withdraws the user's own last act on a memory, and the day from which on it is to be replayed; None
    where somebody else had the last word, apart from time.

    Args:
        chain: the memory's versions that stand, the oldest first.
    """
    last = next((version for version in reversed(chain) if version.cause not in _BY_TIME), None)
    if last is None or not is_act(last) or last.change not in _TAKEN_BACK:
        return None
    return replace(last, asserted=False, run_id=desk.ctx.run_id, recorded_at=desk.ctx.now), last.day


def overruling(desk: Desk, memory: MemoryVersion, proposals: Mapping[str, Proposal]) -> tuple[MemoryVersion, date]:
    """The act that overrules the latest decision about a memory, and the day from which on it is to be replayed.

    Args:
        proposals: those that made versions of the memory, by id.

    Raises:
        CurationError: there is nothing of the kind to undo.
    """
    decision = _latest(desk, memory, proposals)
    at, day = desk.moment(memory, memory.timezone)
    act = replace(
        memory,
        change=Change.UNDO,
        reason=f"{_name(decision.version)} undone by the user: “{decision.said}”",
        changed_at=at,
        day=day,
        apart=decision.sources,
        run_id=desk.ctx.run_id,
        recorded_at=desk.ctx.now,
    )
    return perform(act, memory), decision.version.day


def _latest(desk: Desk, memory: MemoryVersion, proposals: Mapping[str, Proposal]) -> _Decision:
    chain = desk.chain(memory)
    for before, version in reversed(list(zip([None, *chain[:-1]], chain, strict=True))):
        if version.change not in _NAMED:
            continue
        if is_act(version):  # what the user did is no decision of the pipeline, whatever had ended the memory before
            if version.change is Change.FORGET:
                raise CurationError(
                    f"memory {memory.memory_id} was forgotten by hand; say it anew with `memory-pipeline remember`"
                )
            continue
        proposal = proposals.get(version.proposal_id or "")
        if version.cause is Cause.PROPOSAL and proposal is not None:
            same = before is not None and normalise(proposal.content) == normalise(before.content)
            if not (version.change in _CONFIRMING and same):
                return _Decision(version, sources_of(proposal), proposal.content)
        elif version.cause in _SETTLING and version.superseded_by in desk.state:
            successor = desk.state[version.superseded_by]
            return _Decision(version, (successor.memory_id,), successor.content)
    born = chain[0]
    if born.type is MemoryType.PATTERN and born.cause is Cause.PATTERN and not dissolved(memory):
        return _Decision(born, born.derived_from, born.content)
    raise CurationError(
        f"nothing to undo in memory {memory.memory_id}: no other statement was merged into it or ended it "
        f"(its last change: {memory.change}, {memory.reason})"
    )


def _name(version: MemoryVersion) -> str:
    return "pattern" if version.version == 1 else _NAMED[version.change]


def _proposals(desk: Desk, chain: Sequence[MemoryVersion]) -> dict[str, Proposal]:
    found = desk.ctx.lake.read(
        "proposals",
        Proposal,
        days={v.day for v in chain},
        where="tenant_id = $tenant AND user_id = $user AND proposal_id IN (SELECT unnest($ids))",
        params={
            "tenant": desk.scope.tenant_id,
            "user": desk.scope.user_id,
            "ids": sorted({v.proposal_id for v in chain if v.proposal_id}),
        },
    )
    return {p.proposal_id: p for p in found}
