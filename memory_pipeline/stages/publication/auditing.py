"""Write, audit, publish: whether what somebody would add to the ledger may be published, and what is said if not.

Who writes decides what is asked: a proposal has its verdict where proposals are judged, time has a cap of its own, and
what the user does by hand is held to what must never be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from memory_pipeline.domain.ids import identifier
from memory_pipeline.errors import AuditFailed, SettingsError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.audit_conservation import (
    aged,
    every_proposal_has_a_verdict,
    nothing_vanishes,
    retired,
)
from memory_pipeline.stages.publication.audit_provenance import (
    evidence_exists,
    no_derived_time_from_the_clock,
    no_row_outside_its_user,
)
from memory_pipeline.stages.publication.audit_result import SHOWN, Audit, Findings
from memory_pipeline.stages.publication.audit_statements import (
    no_fact_twice,
    no_prompt_example,
    no_secret_is_remembered,
    one_value_per_slot,
    staged_as_declared,
)
from memory_pipeline.stages.publication.staged_view import BY_HAND, Prospect
from memory_pipeline.storage.parquet.staged_rows import StagedRows

Rows = list[dict[str, Any]]
RETIRED_SHARE, AGED_SHARE = "retired_share", "aged_share"
IMPORT, MERGE = "import", "merge"
# What these stop would be shown to somebody whom it does not concern, or could not be read.
_NEVER = frozenset(a.__name__ for a in (no_row_outside_its_user, no_secret_is_remembered, staged_as_declared))

_BROUGHT: tuple[Callable[[Prospect], Rows], ...] = (
    nothing_vanishes,
    evidence_exists,
    no_row_outside_its_user,
    no_secret_is_remembered,
    no_prompt_example,
    no_derived_time_from_the_clock,
    staged_as_declared,
)
_HELD = (*_BROUGHT, one_value_per_slot, no_fact_twice)
_JUDGED = (every_proposal_has_a_verdict, *_HELD)
_AUDITS: Mapping[str, tuple[Callable[[Prospect], Rows], ...]] = {
    "memories": _JUDGED,
    "patterns": _JUDGED,  # these two replay what comes after them
    "reflections": _JUDGED,
    "lifecycle": _HELD,
    IMPORT: _HELD,
    MERGE: _BROUGHT,  # the next run settles what two homes know of one user, and is audited
    BY_HAND: _HELD,
}
_SHARES: Mapping[str, Callable[[Prospect], tuple[Rows, int]]] = {RETIRED_SHARE: retired, AGED_SHARE: aged}
_CAPPED: Mapping[str, tuple[str, ...]] = {
    "memories": (RETIRED_SHARE, AGED_SHARE),
    "patterns": (RETIRED_SHARE, AGED_SHARE),
    "reflections": (RETIRED_SHARE, AGED_SHARE),
    "lifecycle": (AGED_SHARE,),
}
_CAP_RULES = {
    RETIRED_SHARE: "A run retires no more than the policy's share of what its users have.",
    AGED_SHARE: "Time ends no more than the policy's share of what it had let stand before.",
}


def rules_of(writer: str) -> dict[str, str]:
    """The audits that hold for a writer, with their rules."""
    rules = {audit.__name__: str(audit.__doc__).partition("\n")[0] for audit in _AUDITS[writer]}
    return rules | {name: _CAP_RULES[name] for name in _CAPPED.get(writer, ())}


RULES: Mapping[str, str] = {name: rule for writer in _AUDITS for name, rule in rules_of(writer).items()}
"""Every audit, with its rule."""
ACCEPTABLE = tuple(name for name in RULES if name not in _NEVER)
"""Those that whoever starts a run may accept to fail."""


def accepting(names: Iterable[str]) -> frozenset[str]:
    """Names of audits that shall not stop a run.

    Raises:
        SettingsError: no audit of that name, or one that nobody may accept to fail.
    """
    given = frozenset(names)
    wrong = sorted(given - set(ACCEPTABLE))
    if wrong:
        why = "protects users from each other" if set(wrong) & _NEVER else "is no audit"
        raise SettingsError(f"cannot accept {', '.join(wrong)}: it {why}; possible are {', '.join(ACCEPTABLE)}")
    return given


def audited(ctx: StageContext, writer: str, prospects: Iterable[Prospect]) -> tuple[Audit, ...]:
    """What every audit of a writer finds of some batches of users."""
    found: dict[str, Findings] = defaultdict(Findings)
    for prospect in prospects:
        if not prospect.anything:
            continue
        ctx.progress("auditing", 0, None)
        for audit in _AUDITS[writer]:
            found[audit.__name__].add(audit(prospect))
        for name in _CAPPED.get(writer, ()):
            found[name].add(*_SHARES[name](prospect))
    audits = [_audit(ctx, name, found[name]) for name in rules_of(writer)]
    return tuple(replace(a, accepted=not a.ok and a.name in ctx.accepted) for a in audits)


def _audit(ctx: StageContext, name: str, of: Findings) -> Audit:
    if name not in _SHARES:
        return Audit(name, not of.found, of.found, RULES[name], tuple(of.examples), whose=tuple(sorted(of.whose)))
    limits = ctx.policy.consolidation
    most = limits.max_retired_share if name == RETIRED_SHARE else limits.max_aged_share
    share = of.found / of.of if of.of else 0.0
    ok = of.found <= limits.min_retired or share <= most
    what = "would be retired" if name == RETIRED_SHARE else "that time had let stand would go stale or end"
    detail = f"{of.found} of {of.of} memories {what} ({share:.1%}), at most {most:.0%}"
    return Audit(name, ok, of.found, detail, () if ok else tuple(of.examples))


def combined(first: Sequence[Audit], then: Sequence[Audit]) -> tuple[Audit, ...]:
    """What two writers' audits, or two goes of one, have found, by name in the order of the first."""
    later = {audit.name: audit for audit in then}
    both = [together(audit, later.pop(audit.name)) if audit.name in later else audit for audit in first]
    return (*both, *later.values())


def together(first: Audit, then: Audit) -> Audit:
    """Of two goes of one run: what both found; the detail is that of the one which found more."""
    more = max(first, then, key=lambda audit: (not audit.ok, audit.found))
    return replace(
        more,
        ok=first.ok and then.ok,
        found=first.found + then.found,
        examples=(first.examples + then.examples)[:SHOWN],
        accepted=first.accepted or then.accepted,
    )


def record(ctx: StageContext, audits: Sequence[Audit]) -> None:
    """Keep, in the dataset ``audits``, which audits a run's rows did not pass, and which of them it was told to accept.

    It lasts beside what the run publishes, under the same run id. What users said is not in it.
    """
    from memory_pipeline.storage.parquet.schemas import FailedAudit

    at = ctx.now
    rows = [
        FailedAudit(
            identifier("aud", ctx.run_id, audit.name, audit.detail, str(audit.found)),
            at.date(),
            ctx.run_id,
            audit.name,
            audit.found,
            audit.detail,
            audit.accepted,
            at,
        )
        for audit in audits
        if not audit.ok
    ]
    ctx.lake.append("audits", rows)


def offenders(audits: Sequence[Audit]) -> frozenset[tuple[str, str]]:
    """Tenant and user of everybody whose rows break a rule; nobody where a rule is broken by no single user's rows."""
    failed = refused(audits)
    if any(audit.name in _SHARES or not audit.whose for audit in failed):
        return frozenset()
    return frozenset().union(*(audit.whose for audit in failed))


def require(ctx: StageContext, writer: str, staged: StagedRows, audits: Sequence[Audit], *, withheld: int = 0) -> None:
    """Stop unless every audit has passed or was accepted to fail. What was found is kept beside the rows.

    Args:
        withheld: of how many users nothing was published, while what was made of others was; 0 where of nobody was.

    Raises:
        AuditFailed: one has not passed; nothing was published of those whom it is about.
    """
    failed = refused(audits)
    if not failed:
        return
    note = {"run_id": ctx.run_id, "writer": writer, "audited_at": ctx.now.isoformat()}
    staged.write_note({**note, "audits": [noted(a) for a in audits]})
    whom = f"nothing was published of {withheld} of the users" if withheld else "nothing was published"
    raise AuditFailed(
        f"{whom}, readers see what they saw before: {'; '.join(map(failure_sentence, failed))}. "
        f"See the rows: memory-pipeline staged {staged.name}. {_advice(writer, failed)}",
        audits=tuple(audits),
        failed=tuple(audit.name for audit in failed),
        run_id=ctx.run_id,
        stage=writer,
    )


def require_of_act(what: Prospect) -> None:
    """Hold what a user would do by hand against its audits, before any of it is written.

    Raises:
        AuditFailed: it breaks a rule; the message says which, and by what.
    """
    audits = audited(what.ctx, what.writer, [what])
    failed = refused(audits)
    if failed:
        shown = "; ".join(f"{audit.name}: {_shown(audit)} ({audit.detail.rstrip('.')})" for audit in failed)
        raise AuditFailed(
            f"refused, and nothing was changed: {shown}",
            audits=tuple(audits),
            failed=tuple(audit.name for audit in failed),
            run_id=what.ctx.run_id,
            stage=what.writer,
        )


def refused(audits: Iterable[Audit]) -> list[Audit]:
    """Those that stop whoever writes."""
    return [a for a in audits if not a.ok and not a.accepted]


def _shown(audit: Audit) -> str:
    """The first row that an audit has found, in a line."""
    told = {k: v for k, v in (audit.examples[0] if audit.examples else {}).items() if v not in (None, "")}
    hidden = ("tenant_id", "user_id", "version_id", "other_type")
    return ", ".join(f"{name} {value}" for name, value in told.items() if name not in hidden)


def failure_sentence(audit: Audit) -> str:
    """An audit that did not pass, in words: its name, figure and limit."""
    if audit.name in _SHARES:
        return f"{audit.name} failed: {audit.detail}"
    rows = "1 row" if audit.found == 1 else f"{audit.found} rows"
    return f"{audit.name} failed: {rows}, at most 0 ({audit.detail.rstrip('.')})"


def _advice(writer: str, failed: Sequence[Audit]) -> str:
    never = [a.name for a in failed if a.name in _NEVER]
    if never:
        return f"{', '.join(never)} cannot be accepted: run again, and report it should it fail again"
    command = "import FILE" if writer in (IMPORT, MERGE) else "lifecycle" if writer == "lifecycle" else "run"
    cap = f", or raise consolidation.max_{failed[0].name} in your policy" if failed[0].name in _SHARES else ""
    return f"To publish all the same: memory-pipeline {command} --accept {','.join(a.name for a in failed)}{cap}"


def noted(audit: Audit) -> dict[str, Any]:
    """An audit in JSON's types; of whose rows it is, the examples say, which go when their user is erased."""
    examples = [
        {k: v if isinstance(v, (str, int, float, bool)) else str(v) for k, v in e.items()} for e in audit.examples
    ]
    return {**{k: v for k, v in asdict(audit).items() if k != "whose"}, "examples": examples}
