"""Write, audit, publish: whether what a run has staged may be published, and what is said where it may not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from memory_pipeline.domain.ids import identifier
from memory_pipeline.errors import AuditFailed, SettingsError
from memory_pipeline.stages.audit_result import SHOWN, Audit, Findings
from memory_pipeline.stages.audit_staged import (
    OF_STAGED,
    no_row_outside_its_user,
    no_secret_is_remembered,
    retired,
    staged_as_declared,
)
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.prospect import Prospect
from memory_pipeline.storage.staging import Staged

RETIRED_SHARE = "retired_share"
# What these stop would be shown to somebody whom it does not concern, or could not be read.
_NEVER = frozenset(a.__name__ for a in (no_row_outside_its_user, no_secret_is_remembered, staged_as_declared))

RULES: Mapping[str, str] = {a.__name__: str(a.__doc__).partition("\n")[0] for a in OF_STAGED} | {
    RETIRED_SHARE: "A run retires no more than the policy's share of what its users have."
}
"""Every audit of staged rows, with its rule."""
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


def audited(ctx: StageContext, prospects: Iterable[Prospect]) -> tuple[Audit, ...]:
    """What every audit finds of some batches of users."""
    found: dict[str, Findings] = defaultdict(Findings)
    for prospect in prospects:
        ctx.progress("auditing", 0, None)
        for audit in OF_STAGED:
            found[audit.__name__].add(audit(prospect))
        rows, of = retired(prospect)
        found[RETIRED_SHARE].add(rows, of)
    audits = [_audit(ctx, name, found[name]) for name in RULES]
    return tuple(replace(a, accepted=not a.ok and a.name in ctx.accepted) for a in audits)


def _audit(ctx: StageContext, name: str, of: Findings) -> Audit:
    if name != RETIRED_SHARE:
        return Audit(name, not of.found, of.found, RULES[name], tuple(of.examples))
    limits = ctx.policy.consolidation
    share = of.found / of.of if of.of else 0.0
    ok = of.found <= limits.min_retired or share <= limits.max_retired_share
    detail = f"{of.found} of {of.of} memories would be retired ({share:.1%}), at most {limits.max_retired_share:.0%}"
    return Audit(name, ok, of.found, detail, () if ok else tuple(of.examples))


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
    from memory_pipeline.storage.schemas import FailedAudit

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


def require(ctx: StageContext, staged: Staged, audits: Sequence[Audit]) -> None:
    """Stop unless every audit has passed or was accepted to fail. What was found is kept beside the rows.

    Raises:
        AuditFailed: one has not passed; nothing was published.
    """
    failed = [a for a in audits if not a.ok and not a.accepted]
    if not failed:
        return
    staged.write_note({"run_id": ctx.run_id, "audited_at": ctx.now.isoformat(), "audits": [noted(a) for a in audits]})
    raise AuditFailed(
        f"nothing was published, readers see what they saw before: {'; '.join(map(told, failed))}. "
        f"See the rows: memory-pipeline staged {staged.name}. {_advice(failed)}",
        tuple(audits),
    )


def told(audit: Audit) -> str:
    """An audit that did not pass, in words: its name, figure and limit."""
    if audit.name == RETIRED_SHARE:
        return f"{audit.name} failed: {audit.detail}"
    rows = "1 row" if audit.found == 1 else f"{audit.found} rows"
    return f"{audit.name} failed: {rows}, at most 0 ({audit.detail.rstrip('.')})"


def _advice(failed: Sequence[Audit]) -> str:
    never = [a.name for a in failed if a.name in _NEVER]
    if never:
        return f"{', '.join(never)} cannot be accepted: run again, and report it should it fail again"
    cap = ", or raise consolidation.max_retired_share in your policy" if failed[0].name == RETIRED_SHARE else ""
    return f"To publish all the same: memory-pipeline run --accept {','.join(a.name for a in failed)}{cap}"


def noted(audit: Audit) -> dict[str, Any]:
    """An audit in JSON's types."""
    examples = [
        {k: v if isinstance(v, (str, int, float, bool)) else str(v) for k, v in e.items()} for e in audit.examples
    ]
    return {**asdict(audit), "examples": examples}
