"""From the fields of a line to a message: every rule of the landing format, by hand, because it runs for every line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.message import Message, Role, derive_message_id
from memory_pipeline.stages.messages.importers.files.source import MAX_LINE
from memory_pipeline.stages.messages.importers.files.strict_json import canonical
from memory_pipeline.stages.messages.importers.jsonl import kind
from memory_pipeline.stages.messages.landing.places import Places
from memory_pipeline.stages.messages.landing.times import instant

MAX_ID = 512  # characters
DEFAULT_TENANT = "default"
FIELDS = frozenset(
    (
        "tenant_id",
        "user_id",
        "session_id",
        "message_id",
        "role",
        "speaker",
        "content",
        "created_at",
        "agent_id",
        "domain",
        "metadata",
    )
)
AHEAD = timedelta(days=2)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ROLES = {str(role): role for role in Role}


@dataclass(frozen=True, slots=True)
class Defaults:
    """What fills in for fields that a line does not give.

    Attributes:
        timezone: zone of times without an offset, and of the calendar day; ``metadata.timezone`` of a line wins.
    """

    tenant: str | None
    user: str | None
    timezone: str


def identifier_fault(value: Any, name: str) -> str | None:
    """Why a value cannot be an identifier, or None."""
    if not isinstance(value, str):
        return f"{name} must be text, not {kind(value)}"
    if not value or value.isspace():
        return f"{name} is empty"
    if len(value) > MAX_ID:
        return f"{name} is longer than {MAX_ID} characters"
    # isprintable refuses more than it should (joiners inside scripts), but what it passes is fine, and it is fast.
    if not value.isprintable() and _UNPRINTABLE.search(value):
        return f"{name} holds a control character or a lone surrogate"
    return None


def _identifier(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    fault = identifier_fault(value, name)
    if fault is not None:
        raise ValueError(fault)
    return str(value)


def _label(given: Mapping[str, Any], name: str) -> str | None:
    return None if given.get(name) == "" else _identifier(given, name)


def _role(value: Any) -> Role:
    role = _ROLES.get(value) if isinstance(value, str) else None
    if role is not None:
        return role
    if value is None:
        raise ValueError("role is missing")
    raise ValueError(f"role must be one of {', '.join(_ROLES)}, not {str(value)[:40]!r}")


def _content(given: Mapping[str, Any]) -> str:
    value = given.get("content")
    if value is None:
        raise ValueError("content is missing")
    if not isinstance(value, str):
        raise ValueError(f"content must be text, not {kind(value)}")
    if not value or value.isspace():
        raise ValueError("empty content")
    if len(value) > MAX_LINE:
        raise ValueError(f"content is longer than {MAX_LINE:,} characters")
    if "\x00" in value:
        raise ValueError("content holds a NUL character")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError("content holds a lone surrogate, which is no character") from error
    return value


class Validator:
    """Checks the records of one file, in order, and numbers them.

    Args:
        source: name of the file, recorded with each message.
        start: first partition day.
        now: the run's start, UTC.
    """

    def __init__(self, source: str, defaults: Defaults, start: date, now: datetime) -> None:
        self._source = source
        self._defaults = defaults
        self._start = start
        self._now = now
        self._latest = now + AHEAD
        self._zone = zone(defaults.timezone)
        self._places = Places()

    def message(self, given: Mapping[str, Any]) -> Message:
        """The message that a line states.

        Raises:
            ValueError: with the reason why it states none.
        """
        role = _role(given.get("role"))
        content = _content(given)
        tenant = _identifier(given, "tenant_id") or self._defaults.tenant or DEFAULT_TENANT
        user = _identifier(given, "user_id") or self._defaults.user
        if user is None:
            raise ValueError("user_id is missing, and no user was given for the file (--user)")
        session = _identifier(given, "session_id")
        if session is None:
            raise ValueError("session_id is missing")
        message_id = _identifier(given, "message_id")
        speaker, agent_id, domain = _label(given, "speaker"), _label(given, "agent_id"), _label(given, "domain")
        metadata, timezone, local = self._metadata(given)
        at, day = self._when(given.get("created_at"), local)
        hashed = content_hash(role, content)
        ordinal, nth = self._places.take((tenant, user, session), at, hashed)
        if message_id is None:
            message_id = derive_message_id(tenant, user, session, role, at, content, nth)
        return Message(
            tenant,
            user,
            session,
            message_id,
            role,
            speaker,
            content,
            at,
            day,
            timezone,
            ordinal,
            hashed,
            agent_id,
            domain,
            metadata,
            self._source,
            self._now,
        )

    def _metadata(self, given: Mapping[str, Any]) -> tuple[str, str, ZoneInfo]:
        """Metadata as JSON text (fields that the format does not know included), the zone's name and the zone."""
        value = given.get("metadata")
        if value is None:
            value = {}
        elif not isinstance(value, dict):
            raise ValueError(f"metadata must be an object, not {kind(value)}")
        if not given.keys() <= FIELDS:
            value = {**{key: given[key] for key in given.keys() - FIELDS}, **value}
        if not value:
            return "{}", self._defaults.timezone, self._zone
        try:
            text = canonical(value)
        except ValueError as error:
            raise ValueError(f"metadata: {error}") from error
        name = value.get("timezone")
        if name is None:
            return text, self._defaults.timezone, self._zone
        if not isinstance(name, str):
            raise ValueError(f"metadata.timezone must be text, not {kind(name)}")
        try:
            return text, name, zone(name)
        except ValueError as error:
            raise ValueError(f"metadata.timezone: {error}") from error

    def _when(self, given: Any, local: ZoneInfo) -> tuple[datetime, date]:
        at = instant(given, local)
        if at > self._latest:
            raise ValueError(f"created_at {at.isoformat()} is in the future")
        try:
            day = at.date() if local.key == "UTC" else at.astimezone(local).date()
        except OverflowError:
            day = date.min
        if day < self._start:
            raise ValueError(
                f"created_at {at.isoformat()} is before MEMORY_PIPELINE_START_DATE ({self._start.isoformat()}); "
                "set it to an earlier day to take older messages"
            )
        return at, day
