"""What is to be erased: whole users, or some of their messages with all that rests on these.

An erasure names ids and digests, never content: it is kept on disk until the work is done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from memory_pipeline.domain.scope import Scope

SCHEMA_VERSION = 1
_BYTES = 16


def salted(salt: bytes, *parts: str) -> bytes:
    """A hash of length-prefixed parts that only the salt's holder can make: 16 bytes."""
    h = hashlib.blake2b(key=salt, digest_size=_BYTES)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        h.update(len(raw).to_bytes(8, "little") + raw)
    return h.digest()


def pseudonym(salt: bytes, scope: Scope) -> str:
    """What an erased user is called where figures stay: nobody can tell who it was without asking for this very
    user."""
    return f"erased-{salted(salt, 'user', scope.tenant_id, scope.user_id).hex()[:16]}"


class Reason(StrEnum):
    """Who asked for an erasure."""

    REQUEST = "request"
    RETENTION = "retention"


@dataclass(frozen=True, slots=True)
class Target:
    """One user, or some of the user's messages.

    Attributes:
        messages: session and message id of each; None = the user as a whole.
    """

    scope: Scope
    messages: tuple[tuple[str, str], ...] | None = None

    @property
    def whole(self) -> bool:
        return self.messages is None

    def covers(self, scope: Scope, message_id: str | None, session_id: str | None) -> bool:
        """Whether a user, or the user's message or session of that id, is among what this names."""
        if scope != self.scope:
            return False
        if self.messages is None:
            return True
        given = (message_id, session_id) != (None, None)
        return given and any(
            message_id in (None, message) and session_id in (None, session) for session, message in self.messages
        )


@dataclass(frozen=True, slots=True)
class Reached:
    """What rests on erased messages of one user, by id; empty for a user as a whole.

    Attributes:
        days: of the messages.
        turns: keys of turns of the index that hold an erased message, or quote it as the one before them.
        memories: by id the first version that rests on an erased message.
        proposals: of the windows that hold them.
        windows, summaries: ids.
        again: partitions that lose rows and are made anew whether or not they are stale, by stage.
    """

    days: tuple[date, ...] = ()
    turns: tuple[str, ...] = ()
    memories: Mapping[str, int] = field(default_factory=dict)
    proposals: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    again: Mapping[str, tuple[date, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Erasure:
    """One erasure, as its journal has it.

    Attributes:
        targets: what is erased, with what rests on it.
        began_at: UTC.
        counted: rows, files and bytes that were there, by store.
        stale: partitions that were out of date before, by stage: they stay so.
        shared: traces that are not looked for, because others say the same.
        foreign_files: what becomes of files that are none of the home's stores: ``keep`` or ``delete``.
    """

    erasure_id: str
    reason: Reason
    began_at: datetime
    targets: tuple[tuple[Target, Reached], ...]
    policy_version: str
    counted: Mapping[str, int] = field(default_factory=dict)
    stale: Mapping[str, tuple[date, ...]] = field(default_factory=dict)
    shared: int = 0
    foreign_files: str = "keep"

    @property
    def whole(self) -> frozenset[Scope]:
        """The users that are erased as a whole."""
        return frozenset(target.scope for target, _ in self.targets if target.whole)

    @property
    def partly(self) -> Mapping[Scope, tuple[Target, Reached]]:
        """The users of whom some messages are erased."""
        return {target.scope: (target, reached) for target, reached in self.targets if not target.whole}

    @property
    def scopes(self) -> frozenset[Scope]:
        return frozenset(target.scope for target, _ in self.targets)


def as_json(erasure: Erasure) -> dict[str, Any]:
    """The journal's entry."""
    return {
        "schema_version": SCHEMA_VERSION,
        "erasure_id": erasure.erasure_id,
        "reason": str(erasure.reason),
        "began_at": erasure.began_at.isoformat(),
        "policy_version": erasure.policy_version,
        "counted": dict(erasure.counted),
        "stale": _dated(erasure.stale),
        "shared": erasure.shared,
        "foreign_files": erasure.foreign_files,
        "targets": [
            {
                "tenant_id": target.scope.tenant_id,
                "user_id": target.scope.user_id,
                "messages": None if target.messages is None else [list(pair) for pair in target.messages],
                "days": [day.isoformat() for day in reached.days],
                "turns": list(reached.turns),
                "memories": dict(reached.memories),
                "proposals": list(reached.proposals),
                "windows": list(reached.windows),
                "summaries": list(reached.summaries),
                "again": _dated(reached.again),
            }
            for target, reached in erasure.targets
        ],
    }


def from_json(entry: Mapping[str, Any]) -> Erasure:
    """See :func:`as_json`.

    Raises:
        ValueError: another version has written it.
    """
    if entry["schema_version"] != SCHEMA_VERSION:
        raise ValueError("another version of memory-pipeline wrote it")
    return Erasure(
        erasure_id=entry["erasure_id"],
        reason=Reason(entry["reason"]),
        began_at=datetime.fromisoformat(entry["began_at"]),
        policy_version=entry["policy_version"],
        counted=entry["counted"],
        stale=_undated(entry["stale"]),
        shared=entry["shared"],
        foreign_files=entry.get("foreign_files", "keep"),
        targets=tuple(_target(found) for found in entry["targets"]),
    )


def _target(entry: Mapping[str, Any]) -> tuple[Target, Reached]:
    messages = entry["messages"]
    target = Target(
        Scope(entry["tenant_id"], entry["user_id"]),
        None if messages is None else tuple((session, message) for session, message in messages),
    )
    return target, Reached(
        days=tuple(map(date.fromisoformat, entry["days"])),
        turns=tuple(entry["turns"]),
        memories=entry["memories"],
        proposals=tuple(entry["proposals"]),
        windows=tuple(entry["windows"]),
        summaries=tuple(entry["summaries"]),
        again=_undated(entry["again"]),
    )


def _dated(found: Mapping[str, tuple[date, ...]]) -> dict[str, list[str]]:
    return {stage: [day.isoformat() for day in days] for stage, days in found.items()}


def _undated(entry: Mapping[str, list[str]]) -> dict[str, tuple[date, ...]]:
    return {stage: tuple(map(date.fromisoformat, days)) for stage, days in entry.items()}
