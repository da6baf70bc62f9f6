"""Bundle → lake and index: read whole, held against the rules and audited, and only then written.

Writing is idempotent, and a second time goes on where the first was stopped: rows that are there already are not
written again. A user of whom the home knows other things than the bundle keeps them: then the transcripts and what was
done by hand are merged, and the next run makes the rest of them anew.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from memory_pipeline.domain.derived.summary import SummaryGrain
from memory_pipeline.domain.ledger.memory import Cause
from memory_pipeline.domain.plain import Plain
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import BundleError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.landing.histories import Landed
from memory_pipeline.stages.messages.landing.message_log import add_new, exclusive
from memory_pipeline.stages.messages.landing.validation import identifier_fault
from memory_pipeline.stages.operations.bundle.archive import Bundle, Manifest, read
from memory_pipeline.stages.operations.bundle.bundle_rows import nouns
from memory_pipeline.stages.operations.bundle.exporting import rows_of
from memory_pipeline.stages.operations.bundle.rescoping import rescoped
from memory_pipeline.stages.operations.bundle.vetting import Aside, Rules, Vetted, require_owner, vet
from memory_pipeline.stages.plan.freshness import code_version, inputs, provenance, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME, Stage
from memory_pipeline.stages.publication.auditing import IMPORT, MERGE, audited, require
from memory_pipeline.stages.publication.auditing import record as record_audits
from memory_pipeline.stages.publication.one_writer import VERDICTS, alone, one_writer
from memory_pipeline.stages.publication.staged_view import Prospect
from memory_pipeline.stages.publication.staging import clear, staging
from memory_pipeline.stages.quarantine import PutAside, put_all_aside
from memory_pipeline.storage.erasing.erasures import Erasures
from memory_pipeline.storage.parquet.staged_rows import STAGED, StagedRows
from memory_pipeline.storage.parquet.user_datasets import OF_A_USER

_MERGED = ("messages", "message_revisions", "message_classes", "memory_versions", "replies", "recalls", "usefulness")
_APPENDED = frozenset({"message_revisions", "message_classes", "memory_versions", "holds", "replies"})
# What names a row for the whole home: nobody's row may take the place of somebody else's.
_OWN_IDS = {
    "windows": "window_id",
    "proposals": "proposal_id",
    "verdicts": "verdict_id",
    "memory_versions": "memory_id",
    "holds": "hold_id",
    "links": "link_id",
    "entities": "entity_id",
    "summaries": "summary_id",
}


@dataclass
class ImportReport(Plain):
    """What an import did, or would do.

    Attributes:
        bundle: digest of the bundle's rows.
        merged: the home knew other things of this user: what follows from the transcripts is left to the next run.
        added, known: rows by dataset, written and there before.
        aside: rows that broke a rule, with the reason.
    """

    tenant_id: str
    user_id: str
    bundle: str
    merged: bool = False
    added: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    aside: list[Aside] = field(default_factory=list)


def import_(ctx: StageContext, path: Path, target: Scope | None = None, *, dry_run: bool = False) -> ImportReport:
    """Take a bundle into the home.

    Args:
        target: whose memory it becomes; by default the bundle's own user.
        dry_run: only say what would be done.

    Raises:
        BundleError: it is damaged, not what it says, reaches beyond its user, or holds what was erased here; nothing
            was taken in.
        SchemaTooNew: a newer release has written it.
        AuditFailed: with it the ledger would break a rule; nothing was taken in.
        StorageError: the home cannot be written; the same command goes on where it was stopped.
    """
    ctx.progress("reading the bundle", 0, None)
    bundle = read(path)
    source, scope = bundle.manifest.scope, target or bundle.manifest.scope
    for name, value in (("tenant_id", scope.tenant_id), ("user_id", scope.user_id)):
        if fault := identifier_fault(value, name):
            raise BundleError(f"{path}: {fault}", path=str(path))
    rows = _rows(bundle)
    require_owner(rows, source)
    if scope != source:
        rows = rescoped(rows, source, scope)
    with ExitStack() as locks:
        if not dry_run:
            locks.enter_context(one_writer(ctx.settings, [scope]))
        held = {dataset: rows_of(ctx, dataset, scope) for dataset in OF_A_USER}
        _refuse_erased(ctx, path, rows)
        vetted = vet(rows, _rules(ctx, held))
        _refuse_foreign_ids(ctx, vetted.rows, scope)
        report = ImportReport(scope.tenant_id, scope.user_id, bundle.digest, _knows_more(held, vetted.rows))
        report.aside = vetted.aside
        new = _new(held, vetted, report)
        if not dry_run:
            with staging(ctx) as staged:
                _audit(ctx, staged, scope, new, vetted.rows["messages"], merged=report.merged)
                _take(ctx, bundle, new, report, moved=scope != source)
            _index(ctx, vetted.rows, report)
            clear(ctx, IMPORT, [scope])
    return report


def _audit(
    ctx: StageContext,
    staged: StagedRows,
    scope: Scope,
    new: Mapping[str, Sequence[Any]],
    messages: Sequence[Any],
    *,
    merged: bool,
) -> None:
    """Hold what the ledger would get against the audits.

    Raises:
        AuditFailed: it breaks a rule; nothing is taken in.
    """
    import pyarrow as pa

    part, writer = "00001", MERGE if merged else IMPORT
    staged.begin(part)
    for dataset in STAGED:
        staged.put(part, dataset, new[dataset])
    names = ("tenant_id", "user_id", "message_id")
    brought = pa.table({name: pa.array([getattr(m, name) for m in messages], pa.string()) for name in names})
    audits = audited(ctx, writer, [Prospect(ctx, writer, [scope], staged, part, given={"brought": brought})])
    record_audits(ctx, audits)
    require(ctx, IMPORT, staged, audits)


def _rows(bundle: Bundle) -> dict[str, list[Any]]:
    versions = bundle.manifest.members
    return {
        dataset: nouns(dataset, bundle.rows.get(dataset, ()), versions[dataset].schema_version)
        if dataset in versions
        else []
        for dataset in OF_A_USER
    }


def _rules(ctx: StageContext, held: Mapping[str, Sequence[Any]]) -> Rules:
    ids = frozenset(m.message_id for name in ("messages", "message_revisions") for m in held[name])
    return Rules(ctx.policy.gate, ctx.settings.start_date, ctx.now, ids)


def _refuse_erased(ctx: StageContext, path: Path, rows: Mapping[str, Sequence[Any]]) -> None:
    """Raises:
    BundleError: the bundle holds messages that were erased in this home, and so memories that rest on them.
    """
    said = [*rows["messages"], *rows["message_revisions"]]
    erased = len(said) - len(Erasures(ctx.settings).living(said))
    if erased:
        raise BundleError(
            f"{path}: {erased} messages of the bundle were erased in this home: nothing is taken in. "
            "`memory-pipeline erase --user USER --forget-tombstones` lets them come back"
        )


def _refuse_foreign_ids(ctx: StageContext, rows: Mapping[str, Sequence[Any]], scope: Scope) -> None:
    """Raises:
    BundleError: a row has the id of another user's row.
    """
    import pyarrow as pa

    for dataset, column in _OWN_IDS.items():
        ids = sorted({getattr(row, column) for row in rows[dataset]})
        if not ids:
            continue
        found = ctx.lake.sql(
            f"SELECT count(*) AS n FROM {dataset} SEMI JOIN ids USING ({column}) "
            "WHERE (tenant_id, user_id) <> ($tenant, $user)",
            {"tenant": scope.tenant_id, "user": scope.user_id},
            tables={"ids": pa.table({column: pa.array(ids, pa.string())})},
        )
        if found["n"][0].as_py():
            raise BundleError(
                f"{dataset} of the bundle has ids of another user's rows in this home: nothing is taken in"
            )


def _knows_more(held: Mapping[str, Sequence[Any]], rows: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the home knows something of the user that the bundle does not."""
    return any(set(held[name]) - set(rows[name]) for name in ("messages", "proposals", "memory_versions"))


def _new(held: Mapping[str, Sequence[Any]], vetted: Vetted, report: ImportReport) -> dict[str, list[Any]]:
    """The rows that are to be written, by dataset; the report counts them."""
    new: dict[str, list[Any]] = {}
    for dataset in OF_A_USER:
        there, rows = Counter(held[dataset]), vetted.rows[dataset]
        if report.merged and dataset not in _MERGED:
            rows = []
        if report.merged and dataset == "memory_versions":
            rows = [v for v in rows if v.cause is Cause.MANUAL]
        new[dataset] = []
        for row in rows:
            if there[row]:
                there[row] -= 1
            else:
                new[dataset].append(row)
        report.known[dataset] = len(rows) - len(new[dataset])
        report.added[dataset] = len(new[dataset])
    return new


# -- writing


def _take(
    ctx: StageContext, bundle: Bundle, new: Mapping[str, Sequence[Any]], report: ImportReport, *, moved: bool
) -> None:
    whole = not (report.merged or report.aside or moved)
    before = _fresh_before(ctx) if whole else {}
    source = f"import/{report.bundle}"
    put_all_aside(ctx, [PutAside(f"{source}/{a.dataset}", 0, a.reason, a.identity) for a in report.aside])
    for n, dataset in enumerate(OF_A_USER):
        ctx.progress("importing", n, len(OF_A_USER))
        if new[dataset]:
            _write(ctx, dataset, new[dataset], report)
    ctx.progress("importing", len(OF_A_USER), len(OF_A_USER))
    if whole:
        _record(ctx, bundle.manifest, before)


def _write(ctx: StageContext, dataset: str, rows: Sequence[Any], report: ImportReport) -> None:
    if dataset == "messages":
        added = add_new(ctx.settings, ctx.lake, [Landed(message) for message in rows], as_given=True)
        report.added[dataset] = added.new + added.edited
        report.known[dataset] += len(rows) - report.added[dataset]
    elif dataset == "message_revisions":
        with exclusive(ctx.settings):
            ctx.lake.append(dataset, rows)
    elif dataset in _APPENDED:
        ctx.lake.append(dataset, rows)
    elif dataset == "verdicts":
        with alone(ctx.settings, VERDICTS):
            _add_to_partitions(ctx, dataset, rows)
    else:
        _add_to_partitions(ctx, dataset, rows)


def _add_to_partitions(ctx: StageContext, dataset: str, rows: Sequence[Any]) -> None:
    """Put rows beside those of other users, in the file of their partition."""
    from memory_pipeline.storage.parquet.schemas import DATASETS as KNOWN

    places: dict[tuple[date, str], list[Any]] = defaultdict(list)
    for row in rows:
        summary = dataset == "summaries"
        places[row.start if summary else row.day, str(row.grain) if summary else "part"].append(row)
    for (day, part), found in sorted(places.items()):
        where = "grain = $part" if dataset == "summaries" else "$part = $part"
        there = ctx.lake.read(dataset, KNOWN[dataset].noun, days=[day], where=where, params={"part": part})
        ctx.lake.replace(dataset, day, [*there, *found], part=part)


def _index(ctx: StageContext, rows: Mapping[str, Sequence[Any]], report: ImportReport) -> None:
    """Bring the index up to the lake, with this home's encoder; what is there from a time before is not encoded again.

    Args:
        rows: all that came, also what was known: an import that was stopped may have written the lake only.
    """
    from memory_pipeline.stages.messages.index_messages import index_messages
    from memory_pipeline.stages.publication.publish import index_memories
    from memory_pipeline.stages.summaries.summary_store import index_summaries

    index_memories(ctx, {v.memory_id for v in rows["memory_versions"]})
    index_messages(ctx, sorted({m.day for m in rows["messages"]}))
    if not report.merged:
        index_summaries(ctx, [s for s in rows["summaries"] if s.grain is not SummaryGrain.SESSION])


# -- what need not be made again


def _fresh_before(ctx: StageContext) -> dict[str, set[date]]:
    """By stage, the partitions that were stale before anything was written: they stay so."""
    return {name: set(stale(ctx, stage)) for name, stage in BY_NAME.items()}


def _record(ctx: StageContext, manifest: Manifest, before: Mapping[str, set[date]]) -> None:
    """Note partitions as made that were up to date here and there, by the same code."""
    for name, stage in BY_NAME.items():
        told = manifest.made.get(name)
        if told is not None and told["code"] == code_version(ctx.settings, ctx.prompts, stage):
            there = {date.fromisoformat(day) for day in told["partitions"]}
            _record_stage(ctx, stage, there - before[name])


def _record_stage(ctx: StageContext, stage: Stage, days: Iterable[date]) -> None:
    wanted, noted = inputs(ctx, stage), provenance(ctx, stage)
    code = code_version(ctx.settings, ctx.prompts, stage)
    fresh = sorted(day for day in days if day in wanted and noted.get(day) != (wanted[day], code))
    record(ctx, stage, wanted, fresh, {})
