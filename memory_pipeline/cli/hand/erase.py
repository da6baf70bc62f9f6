"""Command: erase."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import confirm, console, print_account, print_json, progress
from memory_pipeline.cli.owner import message_named
from memory_pipeline.cli.reads.reading import AsJson, Tenant

if TYPE_CHECKING:
    from memory_pipeline.domain.erasure_certificate import ErasureCertificate, ProviderDeletions

app = typer.Typer()


class Foreign(StrEnum):
    """What becomes of files in the home that are none of its stores."""

    keep = "keep"
    delete = "delete"


@app.command()
def erase(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose memory it is.")] = None,
    tenant: Tenant = "default",
    message: Annotated[str | None, typer.Option("--message", "-m", help="Only this message.")] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Only this session.")] = None,
    by_age: Annotated[
        bool, typer.Option("--by-age", help="What the policy's retention table keeps no longer.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would go; change nothing.")] = False,
    forget_tombstones: Annotated[
        bool, typer.Option("--forget-tombstones", help="Let messages that were erased be taken again.")
    ] = False,
    foreign_files: Annotated[
        Foreign | None,
        typer.Option(
            "--foreign-files",
            help="Of files in the home that are none of its stores and hold it, such as the export that was ingested: "
            "keep them and name them in the certificate, or delete them whole.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove a user, a session or a message for good, everywhere, with a certificate."""
    from memory_pipeline.curator import MemoryCurator

    if (user is None) != by_age:
        raise typer.BadParameter("name a user with --user, or give --by-age")
    curator = MemoryCurator.open()
    if user is not None and message is not None:
        message = message_named(message, user, tenant)
    if forget_tombstones and user is not None:
        count = curator.forget_tombstones(user_id=user, tenant_id=tenant)
        _told(as_json, {"tombstones_forgotten": count}, f"{count} tombstones forgotten")
        return
    asked: dict[str, Any] = {"message_id": message, "session_id": session}
    if dry_run or not yes:
        counts = curator.aged() if user is None else curator.erasable(user_id=user, tenant_id=tenant, **asked)
        if dry_run:
            _show_counts(counts, as_json)
            return
        _ask(counts, what="what is too old" if user is None else f"user {user!r} of tenant {tenant!r}")
    if user is None:
        with progress(not as_json) as tell:
            removed = curator.retain(tell)
        _show_counts(removed, as_json)
        return
    with progress(not as_json) as tell:
        certificate = curator.erase(user_id=user, tenant_id=tenant, progress=tell, foreign_files=foreign_files, **asked)
    _show(certificate, as_json)


def _show_provider(asked: ProviderDeletions) -> None:
    """What the model provider has deleted of the batches that asked about it, and what it has not."""
    if asked.batches:
        console().print(
            f"At the model provider: {asked.batches} batches, {asked.files_deleted} of their files deleted, "
            f"{asked.batches_stopped} stopped",
            markup=False,
        )
    for left in asked.pending:
        console().print(
            f"Not deleted yet: {left['batch_id'] or left['key']} at {left['url']}: {left['why']}. The next "
            "`memory-pipeline maintain` or `erase` tries again.",
            markup=False,
            soft_wrap=True,
        )


def _ask(counts: dict[str, int], what: str) -> None:
    if not sys.stdin.isatty():
        print("memory-pipeline: erasing cannot be undone: say --yes to go on without being asked", file=sys.stderr)
        raise typer.Exit(2)
    _show_counts(counts, as_json=False)
    if not confirm(f"Erase this of {what} for good?"):
        raise typer.Exit(1)


def _show_counts(counts: dict[str, int], as_json: bool) -> None:
    if as_json:
        print_json(counts)
    else:
        print_account("", ("store", "to be removed"), counts.items(), figures=(1,))


def _told(as_json: bool, value: dict[str, Any], text: str) -> None:
    if as_json:
        print_json(value)
    else:
        console().print(text, markup=False)


def _show(certificate: ErasureCertificate, as_json: bool) -> None:
    if as_json:
        print_json(certificate)
        return
    print_account("Removed", ("store", "rows or lines"), certificate.removed.items(), figures=(1,))
    if certificate.made_anew:
        print_account("Made anew", ("stage", "partitions"), certificate.made_anew.items(), figures=(1,))
    _show_provider(certificate.provider)
    proof = certificate.proof
    for name in proof.foreign_files:
        console().print(f"Kept, and it holds what was erased: {name}", markup=False, soft_wrap=True)
    console().print(
        f"Proof: {proof.hits} places found in {proof.files} files ({proof.bytes:,} bytes as they lie, "
        f"{proof.decoded_bytes:,} decoded), {proof.rows_left} rows left. "
        f"Certificate: erasures/certificates/{certificate.erasure_id}.json",
        markup=False,
    )
