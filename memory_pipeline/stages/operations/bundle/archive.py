"""The file of a bundle: a zip of ``manifest.json`` and a JSON Lines member for each dataset, the same bytes for the
same rows.

What is read is not trusted: names, sizes and digests are checked before a row is parsed, and nothing is unpacked to
the disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from memory_pipeline.domain.plain import Plain
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import BundleError, SchemaTooNew
from memory_pipeline.stages.messages.importers.files.strict_json import canonical, loads
from memory_pipeline.storage.parquet.user_datasets import OF_A_USER

FORMAT = "memory-pipeline-bundle"
VERSION = 3  # 2: the holds of rollbacks; 3: classes by hand
MANIFEST = "manifest.json"
MAX_BYTES = 2 * 1024**3  # of all members together, unpacked: some ten million rows
MAX_MANIFEST_BYTES = 4 * 1024**2
MAX_RATIO = 100  # unpacked to packed; bundles of talks have 5 to 20
ALWAYS_BYTES = 16 * 1024**2  # unpacked, whatever the ratio
MAX_ROWS = 10_000_000  # of all members together
MAX_LINE_BYTES = 16 * 1024**2  # of a row
_AT = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip knows; the true one is in the manifest
_CHUNK = 1024**2


@dataclass(frozen=True, slots=True)
class Member:
    """A dataset's part of a bundle: its rows, the version of their columns, and the SHA-256 of the member."""

    rows: int
    schema_version: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest(Plain):
    """What a bundle says of itself.

    Attributes:
        release: of the package that wrote it.
        created_at: ISO 8601, UTC; the only part that differs between two exports of the same rows.
        encoder: whose vectors the home had; none are in the bundle, the home that takes it makes its own.
        made: by stage, its code version and the partitions that were up to date.
    """

    tenant_id: str
    user_id: str
    created_at: str
    release: str
    encoder: str
    members: Mapping[str, Member]
    made: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    format: str = FORMAT
    version: int = VERSION

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant_id, self.user_id)


def write(path: Path, manifest: Manifest, lines: Mapping[str, Sequence[str]]) -> None:
    """Write a bundle beside its place and rename it.

    Raises:
        BundleError: it cannot be written there.
    """
    temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex}.tmp")
    try:
        with zipfile.ZipFile(temporary, "w") as archive:
            head = json.dumps(asdict(manifest), indent=1, sort_keys=True, ensure_ascii=False)
            _put(archive, MANIFEST, head.encode())
            for dataset in OF_A_USER:
                if dataset in lines:
                    _put(archive, member_name(dataset), encoded(lines[dataset]))
        with open(temporary, "rb") as whole:
            os.fsync(whole.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise BundleError(f"cannot write {path}: {error}", path=str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _AT)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    archive.writestr(info, data)


def member_name(dataset: str) -> str:
    """Name of a dataset's member."""
    return f"{dataset}.jsonl"


def encoded(lines: Sequence[str]) -> bytes:
    """Rows as the bytes of a member."""
    return "".join(f"{line}\n" for line in lines).encode()


def sha256(data: bytes) -> str:
    """Digest of a member."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that has been read: its manifest, and each dataset's rows as they stand there.

    Attributes:
        digest: of the manifest's members: the same for the same rows.
    """

    manifest: Manifest
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    digest: str


def read_manifest(path: Path) -> Manifest:
    """What a bundle says of itself; its rows are not looked at.

    Raises:
        BundleError: it is no bundle.
        SchemaTooNew: a newer release has written it.
    """
    with _opened(path) as archive:
        return _manifest(path, _bytes(archive, MANIFEST, _checked(path, archive)[MANIFEST]))


def read(path: Path) -> Bundle:
    """Read a bundle and hold it against its manifest.

    Raises:
        BundleError: it is no bundle, is damaged, or is not what its manifest says.
        SchemaTooNew: a newer release has written it.
    """
    with _opened(path) as archive:
        sizes = _checked(path, archive)
        manifest = _manifest(path, _bytes(archive, MANIFEST, sizes[MANIFEST]))
        missing = {member_name(d) for d in manifest.members} ^ (sizes.keys() - {MANIFEST})
        if missing:
            raise BundleError(
                f"{path}: the manifest and the members differ in {', '.join(sorted(missing))}", path=str(path)
            )
        rows = {
            dataset: _rows(path, dataset, member, _stream(archive, name, sizes[name]))
            for dataset, member in manifest.members.items()
            for name in [member_name(dataset)]
        }
    members = {name: asdict(member) for name, member in sorted(manifest.members.items())}
    return Bundle(manifest, rows, sha256(canonical(members).encode())[:24])


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The zip, for as long as it is read.

    Raises:
        BundleError: it is none, or damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"{path} cannot be read as a bundle: {error}", path=str(path)) from error


def _checked(path: Path, archive: zipfile.ZipFile) -> dict[str, int]:
    """Size by name of the members, which must be those that a bundle may have, each once and not too large."""
    known = {MANIFEST, *map(member_name, OF_A_USER)}
    sizes: dict[str, int] = {}
    for info in archive.infolist():
        if info.filename not in known or info.is_dir():
            raise BundleError(f"{path}: a bundle holds no {info.filename[:80]!r}", path=str(path))
        if info.filename in sizes:
            raise BundleError(f"{path}: {info.filename} stands twice in it", path=str(path))
        if info.flag_bits & 1:
            raise BundleError(f"{path}: {info.filename} is encrypted", path=str(path))
        sizes[info.filename] = info.file_size
    if MANIFEST not in sizes:
        raise BundleError(
            f"{path}: there is no {MANIFEST} in it; a bundle is what `memory-pipeline export` writes", path=str(path)
        )
    if sum(sizes.values()) > MAX_BYTES or sizes[MANIFEST] > MAX_MANIFEST_BYTES:
        raise BundleError(
            f"{path}: unpacked it would hold {sum(sizes.values()):,} bytes; at most {MAX_BYTES:,} do", path=str(path)
        )
    packed, unpacked = path.stat().st_size, sum(sizes.values())
    if unpacked > max(ALWAYS_BYTES, MAX_RATIO * packed):
        raise BundleError(
            f"{path}: {packed:,} bytes that unpack to {unpacked:,} are no bundle: at most {MAX_RATIO} times as many do",
            path=str(path),
        )
    return sizes


def _bytes(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """A small member as a whole."""
    return b"".join(_stream(archive, name, size))


def _stream(archive: zipfile.ZipFile, name: str, size: int) -> Iterator[bytes]:
    """A member in parts, never more of it than it claims to hold: what a zip says of its sizes is not trusted."""
    left = size
    with archive.open(name) as stream:
        while left > 0 and (part := stream.read(min(_CHUNK, left))):
            left -= len(part)
            yield part
        if left or stream.read(1):
            raise BundleError(f"{name} is not of the size that the bundle says")


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        given = loads(data)
        if given["format"] != FORMAT:
            raise ValueError(f"the format is {given['format']!r}")
        if int(given["version"]) > VERSION:
            raise SchemaTooNew(
                f"{path} is a bundle of version {given['version']}, written by release {given.get('release')}; this "
                f"release knows versions up to {VERSION}: install that release or a newer one",
                path=str(path),
                version=int(given["version"]),
                supported=VERSION,
                written_by=given.get("release"),
            )
        given["members"] = {name: Member(**member) for name, member in given["members"].items()}
        manifest = Manifest(**{f.name: given[f.name] for f in fields(Manifest)})
        texts = (manifest.tenant_id, manifest.user_id, manifest.created_at, manifest.release, manifest.encoder)
        figures = [n for member in manifest.members.values() for n in (member.rows, member.schema_version)]
        for stage in manifest.made.values():
            partitions = [date.fromisoformat(day) for day in stage["partitions"]]
            if not isinstance(stage["code"], str) or len(set(partitions)) < len(partitions):
                raise ValueError("what was made is told otherwise")
        if not all(isinstance(text, str) for text in texts) or not all(type(n) is int for n in figures):
            raise ValueError("a text or a figure is of another type")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BundleError(f"{path}: {MANIFEST} is not that of a bundle: {error}", path=str(path)) from error
    if not 0 <= sum(member.rows for member in manifest.members.values()) <= MAX_ROWS:
        raise BundleError(f"{path}: a bundle holds at most {MAX_ROWS:,} rows", path=str(path))
    if unknown := sorted(manifest.members.keys() - set(OF_A_USER)):
        raise BundleError(f"{path}: a bundle holds no {', '.join(unknown)}", path=str(path))
    return manifest


def _rows(path: Path, dataset: str, member: Member, parts: Iterable[bytes]) -> list[Mapping[str, Any]]:
    """The rows of a member, parsed while it is unpacked: one that holds more than it says is left at once."""
    name, whole = member_name(dataset), hashlib.sha256()
    rows: list[Mapping[str, Any]] = []
    for number, line in enumerate(_lines(path, name, parts, whole), start=1):
        if number > member.rows:
            raise BundleError(f"{path}: {name} holds more rows than {member.rows}", path=str(path))
        try:
            row = loads(line)
        except ValueError as error:
            raise BundleError(f"{path}: {name} line {number}: {error}", path=str(path), line=number) from error
        if not isinstance(row, dict):
            raise BundleError(f"{path}: {name} line {number} is no object", path=str(path), line=number)
        rows.append(row)
    if whole.hexdigest() != member.sha256:
        raise BundleError(f"{path}: {name} was changed or damaged: its SHA-256 is another one", path=str(path))
    if len(rows) != member.rows:
        raise BundleError(f"{path}: {name} holds {len(rows)} rows, not {member.rows}", path=str(path))
    return rows


def _lines(path: Path, name: str, parts: Iterable[bytes], whole: Any) -> Iterator[bytes]:
    """The lines of a member, all of whose bytes go into a digest."""
    rest = b""
    for part in parts:
        whole.update(part)
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
        if len(rest) > MAX_LINE_BYTES:
            raise BundleError(f"{path}: a line of {name} is longer than {MAX_LINE_BYTES:,} bytes", path=str(path))
    if rest:
        raise BundleError(f"{path}: {name} does not end with a whole line", path=str(path))
