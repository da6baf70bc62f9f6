"""What is read of a memory to find who and what it is about, and what is found there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from memory_pipeline.domain.entities.names import key
from memory_pipeline.domain.entities.relations import Relation
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.proposal import DERIVED_TYPES

USER = "user"


class Kind(StrEnum):
    """Kinds of entity (LS-18)."""

    PERSON = "person"
    PET = "pet"
    PLACE = "place"
    ORGANISATION = "organisation"
    PROJECT = "project"
    PRODUCT = "product"
    METRIC = "metric"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Statement:
    """What entities are read off: the current words of one memory.

    Attributes:
        living: it has been neither superseded nor contradicted.
        times: how often it was said; 0 for what was derived.
    """

    memory_id: str
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    living: bool
    times: int
    observed_at: datetime
    referenced_at: datetime


class Stated(Protocol):
    """The current state of a memory: a version of the ledger, or a row of the index."""

    @property
    def memory_id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def subject(self) -> str | None: ...
    @property
    def attribute(self) -> str | None: ...
    @property
    def value(self) -> str | None: ...
    @property
    def negated(self) -> bool: ...
    @property
    def entities(self) -> tuple[str, ...]: ...
    @property
    def reinforcements(self) -> int: ...
    @property
    def observed_at(self) -> datetime: ...
    @property
    def referenced_at(self) -> datetime: ...


def statements(current: Iterable[Stated]) -> list[Statement]:
    """What memories state of names. What a reflection or a pattern says is only that it is about them, too.

    Args:
        current: of one user, each memory once, whatever its status: the past counts, too; what the user has forgotten
            is to be left out.
    """
    return [_of_derived(m) if m.type in DERIVED_TYPES else _of_said(m) for m in current]


def _of_said(m: Stated) -> Statement:
    return Statement(
        memory_id=m.memory_id,
        content=m.content,
        subject=m.subject,
        attribute=m.attribute,
        value=m.value,
        negated=m.negated,
        entities=m.entities,
        living=m.status not in _OVER,
        times=m.reinforcements + 1,
        observed_at=m.observed_at,
        referenced_at=m.referenced_at,
    )


def _of_derived(m: Stated) -> Statement:
    nothing: dict[str, Any] = {
        "content": "",
        "subject": None,
        "attribute": None,
        "value": None,
        "negated": False,
        "times": 0,
    }
    return replace(_of_said(m), **nothing)


_OVER = frozenset({Status.SUPERSEDED, Status.CONTRADICTED})


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a memory.

    Attributes:
        name: as it is written; the phrase itself where somebody is only called what they are ("brother").
        kind: None where the memory does not tell.
        relation: who it is to the user, where the memory says so.
        named: whether ``name`` is a name, not a description.
        faint: the kind is only likely: it parts no two things of one name.
        user: it names the user.
    """

    statement: Statement
    name: str
    kind: Kind | None = None
    relation: Relation | None = None
    named: bool = True
    faint: bool = False
    user: bool = False

    @property
    def key(self) -> str:
        return key(self.name) if self.named or self.relation is None else self.relation.phrase


@dataclass(frozen=True, slots=True)
class Naming:
    """A memory says that two names are one: a nickname, another form."""

    statement: Statement
    one: str
    other: str
