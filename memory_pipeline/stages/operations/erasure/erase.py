"""Erasing a user, a session or a message: journal, removal, what is made anew, proof and certificate.

What is to go is on record before anything goes; whoever is killed on the way, the next run, maintenance or erasure
completes it. From the first removal on no read finds any of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from memory_pipeline.domain.erasure import Erasure, Reason, Target
from memory_pipeline.domain.erasure_certificate import ErasedSubject, ErasureCertificate, ErasureProof
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.plain import parsed
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound, StorageError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.working_memory import take
from memory_pipeline.stages.operations.erasure import provider, remaking, withdrawn
from memory_pipeline.stages.operations.erasure.erased_rows import Rows
from memory_pipeline.stages.operations.erasure.foreign_files import Handling, delete, holding, require
from memory_pipeline.stages.operations.erasure.proof import prove
from memory_pipeline.stages.operations.erasure.reach import ErasureReach, reach, target_of
from memory_pipeline.stages.operations.erasure.stores import Stores
from memory_pipeline.stages.operations.erasure.texts import collect
from memory_pipeline.stages.publication.auditing import ACCEPTABLE
from memory_pipeline.stages.publication.one_writer import ERASURE, MAINTENANCE, alone, one_writer
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.erasing.traces import Traces
from memory_pipeline.storage.logs.working_files import WorkingMemory

__all__ = ["complete", "erase", "erase_named", "log_working", "survey"]
CERTIFICATE_VERSION = 1
_TOMBSTONES = (
    "salted hashes keep the erased messages out when they are sent again; "
    "`memory-pipeline erase --user USER --forget-tombstones` lifts that; their salt lies beside them "
    "(erasures/salt), so whoever has the home can tell whether a text that they guess is among them"
)


def survey(ctx: StageContext, targets: Sequence[Target]) -> dict[str, int]:
    """What an erasure would remove, by store; nothing is changed.

    Raises:
        NotFound: there is nothing to erase.
    """
    _, erasure, _, _ = _prepared(ctx, targets, Reason.REQUEST)
    sent = len(provider.batches_of(ctx, erasure.scopes))
    return dict(sorted(erasure.counted.items())) | ({"batches at the provider": sent} if sent else {})


def erase(
    ctx: StageContext,
    targets: Sequence[Target],
    reason: Reason = Reason.REQUEST,
    foreign: Handling | None = Handling.KEEP,
) -> ErasureCertificate:
    """Erase users or some of their messages, and give the certificate.

    Args:
        foreign: what becomes of files in the home that are none of its stores; None = somebody has to say.

    Raises:
        ForeignFiles: there are such files, and nobody has said; nothing is erased.
        NotFound: there is nothing to erase.
        ModelError: a model is needed for what is made anew, and cannot be reached: what was to go is gone, and the
            next run completes the rest.
        StorageError: a store cannot be read or written, or the proof has failed; the next try goes on.
    """
    kept = Erasures(ctx.settings)
    with alone(ctx.settings, ERASURE):
        _complete(ctx, kept)
        scopes = sorted({target.scope for target in targets})
        with one_writer(ctx.settings, scopes):
            found, erasure, said, derived = _prepared(ctx, targets, reason)
            require(ctx.settings, said.together(derived), foreign)
            erasure = replace(erasure, foreign_files=str(foreign or Handling.KEEP))
            for each in found:
                kept.bury(each.target.scope, each.messages)
            kept.open(erasure, said, derived)
        return _carried_out(ctx, kept, erasure)


def erase_named(
    ctx: StageContext,
    scope: Scope,
    message_id: str | None = None,
    session_id: str | None = None,
    foreign: Handling | None = None,
) -> ErasureCertificate:
    """Erase what a request names; see :func:`erase` and :func:`reach.target_of`.

    Where an erasure of the same was begun by a process that is no more, and nothing has come since, its certificate is
    given.
    """
    completed = _completed(ctx)
    log_working(ctx, scope)
    try:
        return erase(ctx, [target_of(ctx, scope, message_id, session_id)], foreign=foreign)
    except NotFound:
        for erasure, certificate in completed:
            if any(target.covers(scope, message_id, session_id) for target, _ in erasure.targets):
                return certificate
        raise


def log_working(ctx: StageContext, scope: Scope) -> None:
    """Take what a user has said in sessions under way into the log: an erasure reaches it there, with all that was made
    of it, knows its words for the proof, and keeps it out when it is sent again."""
    working = WorkingMemory(ctx.settings)
    take(ctx, working, working.of(scope, ctx.clock()))


def complete(ctx: StageContext) -> list[ErasureCertificate]:
    """Complete what was begun by a process that is no more. Returns the certificates; costs a look at a folder."""
    return [certificate for _, certificate in _completed(ctx)]


def _completed(ctx: StageContext) -> list[tuple[Erasure, ErasureCertificate]]:
    kept = Erasures(ctx.settings)
    if not any(True for _ in kept.pending()):
        return []
    with alone(ctx.settings, ERASURE):
        return _complete(ctx, kept)


def _complete(ctx: StageContext, kept: Erasures) -> list[tuple[Erasure, ErasureCertificate]]:
    return [(erasure, _carried_out(ctx, kept, erasure)) for erasure in list(kept.pending())]


def _prepared(
    ctx: StageContext, targets: Sequence[Target], reason: Reason
) -> tuple[list[ErasureReach], Erasure, Traces, Traces]:
    """What is reached, counted, with its traces."""
    kept = Erasures(ctx.settings)
    found = [reach(ctx, target) for target in targets]
    erasure = Erasure(
        erasure_id=identifier("ers", ctx.run_id, ctx.now.isoformat(), *(repr(t) for t in targets)),
        reason=reason,
        began_at=ctx.clock(),
        targets=tuple((each.target, each.reached) for each in found),
        policy_version=ctx.policy.version("retention"),
        stale=remaking.stale_partitions(ctx),
    )
    salt = kept.salt
    blind = Rows(erasure, Traces(salt), kept.pseudonym)
    texts = collect(ctx, blind, salt, erasure)
    stores = Stores(ctx, erasure, kept, texts.said.together(texts.derived))
    counted = stores.count()
    if not counted:
        raise NotFound(
            "there is nothing of this user to erase: the name may be spelt otherwise, or it is done already",
            **_whose(targets),
        )
    return found, replace(erasure, counted=dict(counted), shared=texts.shared), texts.said, texts.derived


def _whose(targets: Sequence[Target]) -> dict[str, str | None]:
    """Whom an error is about: one user; nobody where there are several."""
    scopes = {target.scope for target in targets}
    if len(scopes) != 1:
        return {}
    (scope,) = scopes
    return {"tenant_id": scope.tenant_id, "user_id": scope.user_id}


def _carried_out(ctx: StageContext, kept: Erasures, erasure: Erasure) -> ErasureCertificate:
    own = _own(ctx, erasure)
    said, derived = kept.traces(erasure.erasure_id)
    provider.withdraw(own, kept, erasure.erasure_id, erasure.scopes)
    with alone(own.settings, MAINTENANCE):
        with one_writer(own.settings, erasure.scopes):
            own.progress("erasing", 0, 4)
            stores = Stores(own, erasure, kept, said.together(derived))
            done = stores.remove()
        own.progress("erasing", 1, 4)
        again: Counter[str] = Counter()
        if erasure.partly:
            again.update(remaking.remake(own, erasure))
            done.update(withdrawn.purge(own, erasure))
            gone = Stores(own, withdrawn.vanished(own, erasure), kept, said.together(derived))
            done.update(gone.remove())
            again.update(remaking.finish(own, erasure))
        remaking.keep_fresh(own, erasure)
        own.progress("erasing", 2, 4)
        done.update(stores.purge_index())
        if erasure.foreign_files == Handling.DELETE:
            done["foreign files"] += delete(own.settings, holding(own.settings, said.together(derived)))
        own.progress("erasing", 3, 4)
        proof = prove(own, erasure, stores, said, derived, kept.pseudonym)
        own.progress("erasing", 4, 4)
    certificate = _certificate(own, kept, erasure, done, again, proof)
    if proof.hits or proof.rows_left:
        raise StorageError(
            f"the erasure {erasure.erasure_id} is not complete: something of it was found in "
            f"{', '.join(proof.where[:5])}; stop what writes there and run `memory-pipeline erase` again"
        )
    kept.close(erasure.erasure_id, certificate.to_dict())
    provider.settle(own, kept)
    settled = kept.certificate(erasure.erasure_id)
    return certificate if settled is None else parsed(ErasureCertificate, settled)


def _own(ctx: StageContext, erasure: Erasure) -> StageContext:
    """Surroundings that have read nothing before the erasure began."""
    # What is erased takes with it what rests on it, however much that is.
    accepted = frozenset(ACCEPTABLE)
    own = StageContext(ctx.settings, f"erase-{erasure.erasure_id}", ctx.clock(), ctx.progress, accepted)
    own.encoder = ctx.encoder
    own.lake.fence.renew()
    own.index.fence.renew()
    return own


def _certificate(
    ctx: StageContext,
    kept: Erasures,
    erasure: Erasure,
    done: Counter[str],
    again: Counter[str],
    proof: ErasureProof,
) -> ErasureCertificate:
    asked = provider.untried_part(kept, erasure.erasure_id)
    return ErasureCertificate(
        schema_version=CERTIFICATE_VERSION,
        erasure_id=erasure.erasure_id,
        reason=str(erasure.reason),
        subjects=tuple(
            ErasedSubject(
                pseudonym=kept.pseudonym(target.scope),
                extent="user" if target.whole else "messages",
                messages=None if target.messages is None else len(target.messages),
                memories_reached=len(reached.memories),
            )
            for target, reached in erasure.targets
        ),
        began_at=erasure.began_at,
        completed_at=ctx.clock(),
        policy_version=erasure.policy_version,
        removed=dict(sorted(erasure.counted.items())),
        done=dict(sorted((+done).items())),
        made_anew=dict(sorted((+again).items())),
        tombstones=_TOMBSTONES,
        kept="money and token figures under the pseudonym, hashes of files taken and of messages",
        proof=proof,
        provider=asked,
        complete=not asked.pending,
    )
