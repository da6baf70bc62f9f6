"""Homes with users in them, and bundles that somebody has tampered with."""

from __future__ import annotations

import atexit
import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.operations.bundle import archive
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline_tests import factories
from memory_pipeline_tests.store import Store, WordEncoder

ANN = Scope("acme", "ann")
BEN = Scope("acme", "ben")
SAID = ("I live in Lisbon.", "My sister is called Rosa.", "I love green tea.")


def context(home: Path) -> StageContext:
    """A run in a home, some months after the talks."""
    ctx = StageContext(Store(home).settings, "run-b", factories.RECORDED)
    ctx.encoder = WordEncoder()
    return ctx


def talked(home: Path, scope: Scope = ANN, said: Sequence[str] = SAID, *, ids: bool = True) -> StageContext:
    """A home in which a user has said something, a sentence a day, and the pipeline has made memories of it.

    A new home is a copy of one in which the same was said before.
    """
    if home.exists():
        return _talk(home, scope, said, ids)
    shutil.copytree(_original(scope, tuple(said), ids), home)
    return context(home)


@cache
def _original(scope: Scope, said: tuple[str, ...], ids: bool) -> Path:
    folder = TemporaryDirectory()
    atexit.register(folder.cleanup)
    home = Path(folder.name) / "home"
    _talk(home, scope, said, ids)
    return home


def _talk(home: Path, scope: Scope, said: Sequence[str], ids: bool) -> StageContext:
    ctx = context(home)
    file = home.parent / f"{home.name}-{scope.user_id}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for n, text in enumerate(said):
            at = factories.NOON + timedelta(days=n)
            turn = {"tenant_id": scope.tenant_id, "user_id": scope.user_id, "session_id": f"s-{n}", "role": "user"}
            named = {"message_id": f"m-{n}"} if ids else {}
            out.write(json.dumps({**turn, **named, "content": text, "created_at": at.isoformat()}) + "\n")
    ingest(ctx, [file])
    days = ctx.lake.days("messages")
    extract(ctx, days)
    consolidate(ctx, days)
    index_messages(ctx, days)
    index_days(ctx, ctx.lake.days("memory_versions"))
    return ctx


def versions(ctx: StageContext) -> list[MemoryVersion]:
    """The ledger."""
    return ctx.lake.read("memory_versions", MemoryVersion)


def members(path: Path) -> dict[str, bytes]:
    """The members of a bundle, the manifest's time left out."""
    with zipfile.ZipFile(path) as opened:
        found = {name: opened.read(name) for name in opened.namelist()}
    manifest = json.loads(found[archive.MANIFEST])
    manifest.pop("created_at")
    return {**found, archive.MANIFEST: json.dumps(manifest).encode()}


def tampered(path: Path, dataset: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    """A bundle in which somebody has changed a dataset's rows, and the manifest with them."""
    bundle = archive.read(path)
    lines = {name: [json.dumps(row) for row in rows] for name, rows in bundle.rows.items()}
    lines[dataset] = [json.dumps(row) for row in change([dict(row) for row in bundle.rows[dataset]])]
    named = {
        name: replace(member, rows=len(lines[name]), sha256=archive.sha256(archive.encoded(lines[name])))
        for name, member in bundle.manifest.members.items()
    }
    out = path.with_name(f"tampered-{path.name}")
    archive.write(out, replace(bundle.manifest, members=named), lines)
    return out


def as_json(row: Any) -> dict[str, Any]:
    """A noun as a bundle's row."""
    from memory_pipeline.stages.operations.bundle.bundle_rows import line

    found: dict[str, Any] = json.loads(line(row))
    assert found.keys() == asdict(row).keys()
    return found
