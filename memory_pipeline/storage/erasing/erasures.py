"""What is kept of erasures under ``erasures/``: open ones, tombstones, fences, certificates, and what
providers owe. No content, anywhere.

A tombstone is a salted hash by which an erased message is known when it is sent again; the salt lies beside them, and
whoever removes both forgets them. See ``storage.exclusion.erasure_fence`` for fences.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memory_pipeline.domain.erasure import Erasure, as_json, from_json, pseudonym, salted
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.erasing.traces import Traces
from memory_pipeline.storage.exclusion.erasure_fence import FENCES, fence_name
from memory_pipeline.storage.parquet.files import Files

FOLDER = "erasures"
_OPEN = "open"
_SALT = "salt"
_TOMBSTONES = "tombstones"
_CERTIFICATES = "certificates"
_OWED = "owed"
_MARK_BYTES = 16


@dataclass(frozen=True, slots=True)
class OwedDeletion:
    """A batch whose files a model provider is still to delete for an erasure.

    Attributes:
        key: of the batch in its metadata, and in the name of its input file.
        url: the server it was sent to.
        batch_id: the provider's name for it, where it is known.
        submitted_at: UTC.
        why: it has not been done yet.
    """

    erasure_id: str
    key: str
    url: str
    batch_id: str | None
    submitted_at: datetime
    why: str = "not tried yet"


class Erasures:
    """The folder of a home's erasures."""

    def __init__(self, settings: Settings) -> None:
        self._files = Files(settings.path(FOLDER))
        self._salt = b""

    def _names(self, folder: str) -> list[str]:
        return [name for name in self._files.names(folder) if not name.startswith(".")]

    # -- names without content

    @property
    def salt(self) -> bytes:
        """The home's salt; made when it is first needed."""
        if not self._salt:
            self._salt = self._files.content(_SALT)
        if not self._salt:
            self._files.put(_SALT, os.urandom(32))
            self._salt = self._files.content(_SALT)
        return self._salt

    def pseudonym(self, scope: Scope) -> str:
        """What an erased user is called from then on, where figures stay: nobody can tell who it was without asking
        for this very user."""
        return pseudonym(self.salt, scope)

    # -- the journal

    def open(self, erasure: Erasure, said: Traces, derived: Traces) -> None:
        """Put an erasure on record; from then on it will be completed, and no run that began earlier writes these
        users' rows."""
        name = f"{_OPEN}/{erasure.erasure_id}"
        self._files.put(f"{name}.said", said.dump())
        self._files.put(f"{name}.derived", derived.dump())
        self._files.put(f"{name}.json", json.dumps(as_json(erasure), ensure_ascii=False).encode())
        for scope in erasure.scopes:
            name = fence_name(datetime.now(UTC), self.pseudonym(scope), whole=scope in erasure.whole)
            self._files.put(f"{FENCES}/{name}", b"")

    def pending(self) -> Iterator[Erasure]:
        """Erasures that were begun and are not complete, the oldest first.

        Raises:
            StorageError: one cannot be read.
        """
        for name in self._names(_OPEN):
            if name.endswith(".json"):
                try:
                    yield from_json(json.loads(self._files.content(f"{_OPEN}/{name}")))
                except (ValueError, KeyError, TypeError) as error:
                    raise StorageError(
                        f"the erasure {self._files.base}/{_OPEN}/{name} cannot be read: {error}"
                    ) from error

    def traces(self, erasure_id: str) -> tuple[Traces, Traces]:
        """Traces of what was said, and of what was made of it."""
        contents = (self._files.content(f"{_OPEN}/{erasure_id}.{name}") for name in ("said", "derived"))
        said, derived = (Traces.load(self.salt, each) for each in contents)
        return said, derived

    def close(self, erasure_id: str, certificate: dict[str, Any]) -> None:
        """Keep the certificate, and take the erasure off the journal."""
        self.certify(erasure_id, certificate)
        for suffix in ("json", "said", "derived"):
            self._files.remove(f"{_OPEN}/{erasure_id}.{suffix}")

    def certify(self, name: str, certificate: dict[str, Any]) -> None:
        """Keep a certificate of what needed no journal."""
        self._files.put(f"{_CERTIFICATES}/{name}.json", json.dumps(certificate, indent=2).encode())

    def certificates(self, scope: Scope | None = None) -> list[dict[str, Any]]:
        """Certificates, the oldest first; of one user or of all."""
        found = [json.loads(self._files.content(f"{_CERTIFICATES}/{name}")) for name in self._names(_CERTIFICATES)]
        if scope is None:
            return found
        name = self.pseudonym(scope)
        return [c for c in found if any(subject["pseudonym"] == name for subject in c["subjects"])]

    def drop_fences(self, before: datetime) -> int:
        """Remove the fences of erasures that began before a moment: no run from then is still going on."""
        last = fence_name(before)
        gone = [name for name in self._names(FENCES) if name < last]
        for name in gone:
            self._files.remove(f"{FENCES}/{name}")
        return len(gone)

    def certificate(self, name: str) -> dict[str, Any] | None:
        """One certificate; None where there is none (yet)."""
        data = self._files.content(f"{_CERTIFICATES}/{name}.json")
        return json.loads(data) if data else None

    # -- what a provider owes

    def owe(self, owed: OwedDeletion) -> None:
        """Keep in mind, or correct, what a provider is still to delete."""
        fields = {**asdict(owed), "submitted_at": owed.submitted_at.isoformat()}
        self._files.put(_owed_name(owed), json.dumps({"schema_version": 1, **fields}, indent=1).encode())

    def owed(self) -> list[OwedDeletion]:
        """What providers are still to delete, by erasure."""
        found = []
        for name in self._names(_OWED):
            if data := self._files.content(f"{_OWED}/{name}"):
                entry = json.loads(data)
                del entry["schema_version"]
                found.append(OwedDeletion(**entry | {"submitted_at": datetime.fromisoformat(entry["submitted_at"])}))
        return found

    def settled(self, owed: OwedDeletion) -> None:
        """It is deleted."""
        self._files.remove(_owed_name(owed))

    # -- tombstones

    def bury(self, scope: Scope, messages: Iterable[Message]) -> None:
        """Keep tombstones of some messages of a user, beside those that are there."""
        marks = sorted({mark for m in messages for mark in self._marks(m)} | self._buried(scope))
        table = pa.table({"mark": pa.array(marks, pa.binary(_MARK_BYTES))})
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        self._files.put(self._tombstones(scope), sink.getvalue().to_pybytes())

    def exhume(self, scope: Scope) -> int:
        """Forget a user's tombstones: what is sent again is taken again. Returns how many there were."""
        count = len(self._buried(scope))
        self._files.remove(self._tombstones(scope))
        return count

    def living(self, messages: Sequence[Message]) -> list[Message]:
        """Those of some messages that have no tombstone."""
        graves = set(self._names(_TOMBSTONES))
        if not graves:
            return list(messages)
        buried: dict[Scope, Collection[bytes]] = {}
        for scope in {Scope(m.tenant_id, m.user_id) for m in messages}:
            held = self._tombstones(scope).rsplit("/", 1)[1] in graves
            buried[scope] = self._buried(scope) if held else ()
        return [m for m in messages if not self._marks(m).intersection(buried[Scope(m.tenant_id, m.user_id)])]

    def _tombstones(self, scope: Scope) -> str:
        return f"{_TOMBSTONES}/{self.pseudonym(scope).removeprefix('erased-')}.parquet"

    def _buried(self, scope: Scope) -> set[bytes]:
        data = self._files.content(self._tombstones(scope))
        return set(pq.read_table(pa.BufferReader(data))["mark"].to_pylist()) if data else set()

    def _marks(self, message: Message) -> set[bytes]:
        """By its id in its session, by its text and time wherever it is, and by its text in its session."""
        owner = (message.tenant_id, message.user_id)
        at = message.created_at.isoformat()
        return {
            salted(self.salt, "id", *owner, message.session_id, message.message_id),
            salted(self.salt, "time", *owner, message.content_hash, at),
            *([salted(self.salt, "text", *owner, message.session_id, message.content_hash)] if _long(message) else []),
        }


def _owed_name(owed: OwedDeletion) -> str:
    return f"{_OWED}/{owed.erasure_id}-{owed.key}.json"


def _long(message: Message) -> bool:
    """Whether a text is long enough not to be said again in a session by chance; histories without times of their own
    are known by it."""
    return len(message.content) >= 40
