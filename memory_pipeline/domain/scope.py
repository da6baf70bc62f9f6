"""Whose memory it is, and who may see it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Classification(StrEnum):
    """Sensitivity of a memory, lowest first (KN-27)."""

    PUBLIC = "public"
    INTERNAL = "internal"
    RESTRICTED = "restricted"
    CONFIDENTIAL = "confidential"

    @property
    def level(self) -> int:
        """0 (public) to 3 (confidential)."""
        return _LEVELS[self]

    def permits(self, other: Classification) -> bool:
        """Whether a ceiling of this class lets a row of ``other`` through (KN-27)."""
        return other.level <= self.level


_LEVELS = {classification: level for level, classification in enumerate(Classification)}


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """A tenant and a user: required by every read and write, never defaulted inside the pipeline."""

    tenant_id: str
    user_id: str

    def __post_init__(self) -> None:
        if not self.tenant_id or not self.user_id:
            raise ValueError("a scope needs a tenant_id and a user_id")
