"""Keys of the server: made by command, kept as hashes, bound to a tenant and optionally a user.

A key reads ``mp_<id>_<secret>``. The file holds its id and the SHA-256 of its secret, which has 256 random bits: there
is nothing to guess, so that a slow hash would add nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound, SettingsError
from memory_pipeline.settings import Settings

_SETTING = "MEMORY_PIPELINE_KEYS_FILE"
_PREFIX = "mp"
_ID_BYTES = 6
_SECRET_BYTES = 32
_VERSION = 1


class Right(StrEnum):
    """What a key may do."""

    READ = "read"
    WRITE = "write"
    ERASE = "erase"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret.

    Attributes:
        sha256: of the secret, in hexadecimal digits.
        user_id: the only user whom it may name; None = any of the tenant.
        expires_at: UTC; None = never.
        label: what its maker calls it.
    """

    key_id: str
    sha256: str
    tenant_id: str
    user_id: str | None
    scopes: tuple[Right, ...]
    created_at: datetime
    expires_at: datetime | None = None
    label: str = ""

    def holds(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now < self.expires_at


class Keys:
    """The keys of a home. What another process changes counts with the next request. Safe for threads."""

    def __init__(self, settings: Settings) -> None:
        if settings.keys_file is None and settings.remote:
            sentence = f"a home on object storage keeps no keys: set {_SETTING} to a local file"
            raise SettingsError(sentence, setting=_SETTING)
        self._path = Path(settings.keys_file or settings.path("keys.json")).expanduser().absolute()
        self._guard = threading.Lock()
        self._seen: tuple[tuple[int, int, int], dict[str, Key]] | None = None

    def __bool__(self) -> bool:
        return bool(self._load())

    def all(self) -> list[Key]:
        """Every key, the oldest first.

        Raises:
            SettingsError: the file is no file of keys.
        """
        return sorted(self._load().values(), key=lambda key: (key.created_at, key.key_id))

    def create(
        self,
        scope: tuple[str, str | None],
        rights: Iterable[Right],
        now: datetime,
        *,
        lifetime: timedelta | None = None,
        label: str = "",
    ) -> tuple[Key, str]:
        """A new key with its text, which is shown once and kept nowhere.

        Args:
            scope: tenant, and the user or None.
            lifetime: until it expires; None = it does not.

        Raises:
            SettingsError: it would be bound to nobody, allow nothing, or the file cannot be written.
        """
        tenant_id, user_id = scope
        scopes = tuple(sorted(set(rights)))
        if not tenant_id.strip() or (user_id is not None and not user_id.strip()) or not scopes:
            raise SettingsError("a key is bound to a tenant, and to a user or none, and has at least one scope")
        made, text = _made(tenant_id, user_id, scopes, now, None if lifetime is None else now + lifetime, label)
        self._change(lambda keys: {**keys, made.key_id: made})
        return made, text

    def rotate(self, key_id: str, now: datetime, overlap: timedelta) -> tuple[Key, str]:
        """A key in the place of another one, that does the same and lives as long; both hold during the overlap.

        Raises:
            NotFound: there is no such key.
            SettingsError: the file cannot be written.
        """
        old = self._named(key_id)
        lifetime = None if old.expires_at is None else now + (old.expires_at - old.created_at)
        made, text = _made(old.tenant_id, old.user_id, old.scopes, now, lifetime, old.label)
        ends = min(end for end in (old.expires_at, now + overlap) if end is not None)
        self._change(lambda keys: {**keys, key_id: replace(old, expires_at=ends), made.key_id: made})
        return made, text

    def revoke(self, key_id: str) -> Key:
        """Take a key out of use; the next request that shows it is refused.

        Raises:
            NotFound: there is no such key.
            SettingsError: the file cannot be written.
        """
        old = self._named(key_id)
        self._change(lambda keys: {name: key for name, key in keys.items() if name != key_id})
        return old

    def find(self, text: str, now: datetime) -> Key | None:
        """The key that a text is, if it is one that holds."""
        prefix, _, rest = text.partition("_")
        key_id, _, secret = rest.partition("_")
        key = self._load().get(key_id)
        given = hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
        same = hmac.compare_digest(given, key.sha256 if key is not None else "0" * len(given))
        return key if key is not None and same and prefix == _PREFIX and key.holds(now) else None

    def holding(self, key_id: str, now: datetime) -> Key | None:
        """The key of an id, if it holds: whoever has shown its secret before may still come in."""
        key = self._load().get(key_id)
        return key if key is not None and key.holds(now) else None

    def _named(self, key_id: str) -> Key:
        found = self._load().get(key_id)
        if found is None:
            raise NotFound(f"no key {key_id!r}: `memory-pipeline keys list` shows them", key_id=key_id)
        return found

    def _load(self) -> dict[str, Key]:
        try:
            state = self._path.stat()
        except FileNotFoundError:
            return {}
        mark = (state.st_mtime_ns, state.st_size, state.st_ino)
        with self._guard:
            if self._seen is None or self._seen[0] != mark:
                self._seen = (mark, self._read())
            return self._seen[1]

    def _read(self) -> dict[str, Key]:
        try:
            listed = json.loads(self._path.read_bytes())["keys"]
            return {row["key_id"]: _key(row) for row in listed}
        except (OSError, ValueError, KeyError, TypeError) as error:
            sentence = f"{self._path} is no file of keys: {error}"
            raise SettingsError(sentence, setting=_SETTING, path=str(self._path)) from error

    def _change(self, change: Callable[[dict[str, Key]], dict[str, Key]]) -> None:
        from filelock import FileLock

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock"):
                self._write(list(change(self._load()).values()))
        except OSError as error:
            sentence = f"{self._path} cannot be written: {error}"
            raise SettingsError(sentence, setting=_SETTING, path=str(self._path)) from error

    def _write(self, keys: Sequence[Key]) -> None:
        rows = [asdict(key) for key in keys]
        text = json.dumps({"version": _VERSION, "keys": rows}, default=lambda value: value.isoformat(), indent=2)
        temporary = f"{self._path}.tmp"
        descriptor = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self._path)


@dataclass(frozen=True, slots=True)
class Grant:
    """Who asks, and how far that reaches.

    Attributes:
        key_id: None where the server asks for no keys.
        tenant_id: the only one that may be named; None = any.
        user_id: the only one that may be named; None = any of the tenant.
    """

    key_id: str | None
    tenant_id: str | None
    user_id: str | None
    rights: frozenset[Right]

    @classmethod
    def of(cls, key: Key) -> Grant:
        return cls(key.key_id, key.tenant_id, key.user_id, frozenset(key.scopes))

    def may(self, right: Right) -> bool:
        """Whether it has a right. An administrator's key does not read: that is a right of its own."""
        return right in self.rights

    def tenant(self, named: str | None) -> str | None:
        """The tenant that a request is about; None where it may not be."""
        if self.tenant_id is None:
            return named or "default"
        return self.tenant_id if named in (None, self.tenant_id) else None

    def user(self, named: str | None) -> str | None:
        """The user that a request is about; None where it may not be, or none is named."""
        if self.user_id is None:
            return named
        return self.user_id if named in (None, self.user_id) else None

    def reaches(self, scope: Scope) -> bool:
        """Whether a request may be about a user."""
        return self.tenant(scope.tenant_id) == scope.tenant_id and self.user(scope.user_id) == scope.user_id


EVERYBODY = Grant(None, None, None, frozenset(Right))
"""Who asks a server without keys, on the machine that it runs on."""


def _made(
    tenant_id: str,
    user_id: str | None,
    scopes: tuple[Right, ...],
    now: datetime,
    expires_at: datetime | None,
    label: str,
) -> tuple[Key, str]:
    key_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    hashed = hashlib.sha256(secret.encode()).hexdigest()
    return Key(key_id, hashed, tenant_id, user_id, scopes, now, expires_at, label), f"{_PREFIX}_{key_id}_{secret}"


def _key(row: dict[str, str | list[str] | None]) -> Key:
    scopes = row["scopes"]
    assert isinstance(scopes, list)
    return Key(
        str(row["key_id"]),
        str(row["sha256"]),
        str(row["tenant_id"]),
        None if row["user_id"] is None else str(row["user_id"]),
        tuple(Right(scope) for scope in scopes),
        _moment(row["created_at"]),
        None if row["expires_at"] is None else _moment(row["expires_at"]),
        str(row["label"]),
    )


def _moment(value: object) -> datetime:
    return datetime.fromisoformat(str(value)).astimezone(UTC)
