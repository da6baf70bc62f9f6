"""Shape of the table of sensitivity: which class a message has that names none itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory_pipeline.domain.scope import Classification


@dataclass(frozen=True, slots=True)
class ClassificationPolicy:
    """Classes of messages (KN-27).

    Attributes:
        default: of what belongs to no domain and no agent that is listed.
        domain, agent: by name; of a message that both know, the stricter one counts.
    """

    default: Classification
    domain: Mapping[str, Classification]
    agent: Mapping[str, Classification]
